// experiments/PAPER/choices.toml: what a paper leaves open and its results depend on, each with both of its
// sides.
#pragma once

#include <string>
#include <vector>

namespace duet::cli {

struct ChoiceSide {
  std::string text;                  // for the reader
  std::vector<std::string> options;  // of the program
  std::vector<std::string> sets;     // of the machine
  std::vector<std::string> defines;  // of the compiler
};

struct Choice {
  std::string id, question, reason;
  ChoiceSide value, alternative;
  std::vector<std::string> benchmarks;  // empty: all
  bool full_empty_only = false;         // the baseline keeps the value

  bool concerns(const std::string& benchmark) const;
};

// Throws duet::Error with file and line.
std::vector<Choice> read_choices(const std::string& path);

}  // namespace duet::cli
