#include <fmt/format.h>

#include "base/readable_name.h"
#include "report/results/advice.h"
#include "report/terminal/table_text.h"

namespace duet::report {

std::string advice_lines(const Advice& advice, std::size_t number, const std::string& indent,
                         const std::string& saves) {
  return fmt::format("{0}{1}. {2} is bound by {3}: {4}\n{0}   try to {5}; {6} [{7}]\n", indent, number,
                     advice.kernel.empty() ? "the run" : "kernel '" + readable_name(advice.kernel) + "'",
                     advice.bound_by, advice.because, advice.change, saves, advice.rule);
}

std::string saved_text(Picoseconds saves_ps, Picoseconds run_ps, bool at_most) {
  return fmt::format("{} {}, {:.0f} % of the run", at_most ? "at most" : "about", duration(saves_ps),
                     100.0 * static_cast<double>(saves_ps) / static_cast<double>(run_ps));
}

std::string advice_text(const std::vector<Advice>& advice, Picoseconds run_ps) {
  std::string lines[2];
  std::size_t number = 0;
  bool measurable = false;
  for (const Advice& one : advice) {
    if (one.hardware && lines[1].empty()) number = 0;
    lines[one.hardware] +=
        advice_lines(one, ++number, "  ", "would save " + saved_text(one.saves_ps, run_ps, one.at_most));
    measurable |= !one.what_if.empty() || !one.methods.empty();
  }
  std::string out;
  if (!lines[0].empty())
    out = fmt::format("  advice, estimated from this run{}\n{}",
                      measurable ? "; `duet advise FOLDER` measures it" : "", lines[0]);
  if (!lines[1].empty()) out += fmt::format("  {}\n{}", kHardwareHeading, lines[1]);
  return out;
}

}  // namespace duet::report
