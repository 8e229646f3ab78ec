#include <fmt/format.h>

#include "base/readable_name.h"
#include "report/advice.h"
#include "report/table_text.h"

namespace duet::report {

std::string advice_text(const std::vector<Advice>& advice, Picoseconds run_ps) {
  std::string out;
  bool measurable = false;
  for (std::size_t i = 0; i < advice.size(); ++i) {
    const Advice& one = advice[i];
    out += fmt::format("  {}. {} is bound by {}: {}\n", i + 1,
                       one.kernel.empty() ? "the run" : "kernel '" + readable_name(one.kernel) + "'",
                       one.bound_by, one.because);
    out += fmt::format("     try to {}; would save about {}, {:.0f} % of the run [{}]\n", one.change,
                       duration(one.saves_ps),
                       100.0 * static_cast<double>(one.saves_ps) / static_cast<double>(run_ps), one.rule);
    measurable |= !one.what_if.empty();
  }
  if (out.empty()) return out;
  return (measurable ? "  advice, estimated from this run; `duet advise FOLDER` measures it\n"
                     : "  advice, estimated from this run\n") +
         out;
}

}  // namespace duet::report
