// `duet reproduce PAPER`: a paper's claims, measured here. A claim has a band and a control, a change that
// must move it out of the band; both are data in experiments/PAPER. Their experiments are code, a folder a
// paper. In reading order: data.h (claims, choices), experiments.h (by name), runner.h (child runs),
// scorecard.cpp (the command).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/installation.h"

namespace duet::reproduce {

struct Options {
  std::string paper;
  std::vector<std::string> only;
  std::string json;                                    // --json
  std::function<void(const std::string&)> write_json;  // where its text goes; none: nowhere
  std::string html;
  std::string from;  // a scorecard of --json for the page; empty: measure
  std::string machine;
  std::string work;  // folder of finished runs
  std::vector<std::string> sets;
  bool quick = false;
  bool controls = false;
  bool list = false;
  bool quiet = false;
};
int run(const config::Installation& installation, const Options& options);

}  // namespace duet::reproduce
