// An option of a run, said once. The command line, its help and man page, and the file in which a program's
// process finds the options of its run are made from it.
//   struct SampleOptions {
//     bool on = false;
//     std::vector<OptionField> fields() { return {{.key = "sample", .place = &on, .word = "--sample", ...}};
//     }
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace duet::machine {

// A value that has a text of its own. `set` throws duet::Error with one line for a text that is none.
struct TextPlace {
  std::function<std::string()> get;
  std::function<void(const std::string&)> set;
  std::string example;  // not what it is by itself; for the test of all fields
};

struct OptionField {
  // A bool is a flag of the command line; one that may be absent has a word for each of its values.
  using Place = std::variant<bool*, std::optional<bool>*, std::uint32_t*, std::uint64_t*, double*,
                             std::string*, std::map<std::string, unsigned>*, TextPlace>;
  std::string key{};   // in the file; empty: other fields have its value there
  Place place;         // in the options of one run
  std::string word{};  // on the command line, as CLI11 has it ("--lines,!--no-lines"); empty: none
  std::string text{};  // what it does, for --help and the man page
  std::string type_name{};
  std::vector<std::string> choices{};  // the only texts that it takes; empty: any
  double least = 0, most = 0;          // of a number; both 0: any
  bool above_zero = false;
  bool several = false;      // may stand more than once, each time with one value
  bool shows_value = false;  // its value without the option is in --help
  std::string needs{};       // another word
};

// A bool that has two texts.
inline TextPlace one_of(bool& value, const std::string& when_true, const std::string& when_false) {
  return {[=, &value] { return value ? when_true : when_false; },
          [=, &value](const std::string& text) { value = text == when_true; },
          value ? when_false : when_true};
}

}  // namespace duet::machine
