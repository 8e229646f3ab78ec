// The data in experiments/PAPER: the paper's claims, each with a band for its measurement and a control that
// must leave the band (claims.toml), and the open points that its results depend on, with both sides of each
// choice (choices.toml).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace duet::reproduce {

using Strings = std::vector<std::string>;

// The machine and options of an experiment.
struct Setup {
  std::string machine;   // empty: the paper's
  Strings sets;          // of the machine, key=value
  Strings options;       // of the programs; a later one overrides an earlier one
  Strings preexec;       // of the pre-execution program, key=value
  std::string choice;    // the choice whose alternative is taken; empty: none
  Strings benchmarks;    // those that are run, by name; empty: all
  bool control = false;  // a claim's: it need not be measured as closely
};

// A measurement holds within [low, high], both included.
struct Claim {
  struct Control {
    std::string text;  // for the reader
    Setup setup;
  };
  std::string id, claim, unit, note;
  std::string experiment, quantity;  // empty: nothing measures it yet, and the note says why
  std::optional<double> paper;       // the paper's number, where it states one
  double low = 0, high = 0;
  bool input = false;  // it reads back a number that was set; otherwise it is an outcome
  Setup on;
  std::optional<Control> control;  // every measured claim has one

  // "holds", "falls short" or "not run".
  const char* verdict(std::optional<double> measured) const;
};

struct ChoiceSide {
  std::string text;  // for the reader
  Strings options;   // of the program
  Strings sets;      // of the machine
  Strings defines;   // of the compiler
  Strings preexec;   // of the pre-execution program
};

struct Choice {
  std::string id, question, reason;
  ChoiceSide value, alternative;
  Strings benchmarks;            // empty: all
  bool full_empty_only = false;  // the baseline keeps the value

  bool concerns(const std::string& benchmark) const;
};

// Throw duet::Error with file and line.
std::vector<Choice> read_choices(const std::string& path);
std::vector<Claim> read_claims(const std::string& path);

}  // namespace duet::reproduce
