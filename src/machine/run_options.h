// The options of a run, beside the machine itself: one struct for both ways of running, a bare kernel in this
// process and a program in one of its own; the program's process finds it as a file beside its journal.
#pragma once

#include <any>
#include <cstdint>
#include <map>
#include <string>
#include <typeindex>
#include <vector>

#include "machine/option_field.h"
#include "machine/run_limits.h"

namespace duet::machine {

// Of its machine, whatever features there are.
struct Options {
  std::uint64_t shuffle_seed = 0;  // other than 0: shuffles tick order (results must not change)
  bool two_threads = false;        // ticks components on two threads, dealt by shuffle_seed (the same)
  bool functional = false;         // the functional GPU instead of the timed one
  bool skip_clock_loops = true;    // gpu/sm/clock_skip.cpp
  bool simulated_host = false;     // the program runs on the machine's cores; it has some
  std::string method;              // config::Machine::method
};

struct RunOptions : Options {
  bool host_time_real = false;  // threads' clocks move with the processor time between calls
  bool assembler_peepholes = true;
  std::uint32_t registers_per_thread = 0;  // instead of the compiler's count (occupancy); 0: the compiler's
  // Where the PTX that the process loads is kept (empty: nowhere), and what messages call that folder.
  std::string ptx_folder, ptx_name;
  RunLimits limits;

  // What is asked of a feature, by its own struct: run.of<SampleOptions>().on = true.
  template <typename T>
  T& of() {
    std::any& options = features_[typeid(T)];
    if (!options.has_value()) options = T{};
    return *std::any_cast<T>(&options);
  }
  template <typename T>
  const T& of() const {
    static const T kNothingAsked{};
    const auto found = features_.find(typeid(T));
    return found == features_.end() ? kNothingAsked : *std::any_cast<T>(&found->second);
  }
  // Without those of features (features.h has all).
  std::vector<OptionField> own_fields();

 private:
  std::map<std::type_index, std::any> features_;
};

// As text, without what only a process itself knows (ptx_folder, RunLimits::signal).
std::string to_text(const RunOptions& options);
// Throws duet::Error when the text is no such thing.
RunOptions run_options_of(const std::string& text);

}  // namespace duet::machine
