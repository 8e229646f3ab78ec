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

std::string saved_text(Picoseconds saves_ps, Picoseconds run_ps) {
  return fmt::format("about {}, {:.0f} % of the run", duration(saves_ps),
                     100.0 * static_cast<double>(saves_ps) / static_cast<double>(run_ps));
}

std::string advice_text(const std::vector<Advice>& advice, Picoseconds run_ps) {
  if (advice.empty()) return {};
  std::string lines;
  bool measurable = false;
  for (std::size_t i = 0; i < advice.size(); ++i) {
    lines += advice_lines(advice[i], i + 1, "  ", "would save " + saved_text(advice[i].saves_ps, run_ps));
    measurable |= !advice[i].what_if.empty();
  }
  return std::string("  advice, estimated from this run") +
         (measurable ? "; `duet advise FOLDER` measures it\n" : "\n") + lines;
}

}  // namespace duet::report
