#include "advise/advise.h"

#include <algorithm>

#include "advise/rules.h"

namespace duet::advise {

std::vector<report::Advice> advise(const report::RunReport& report, const config::Machine& machine) {
  Advices found;
  if (report.cut_off || report.simulated_ps == 0 || report.journal == nullptr) return found;
  const Facts facts(report, machine);
  advise_run(facts, found);
  for (const KernelFacts& kernel : facts.kernels) advise_kernel(facts, kernel, found);
  const double least = kLeast * static_cast<double>(facts.run_ps);
  std::erase_if(found, [&](const report::Advice& one) { return static_cast<double>(one.saves_ps) < least; });
  std::stable_sort(found.begin(), found.end(),
                   [](const report::Advice& a, const report::Advice& b) { return a.saves_ps > b.saves_ps; });
  if (found.size() > kMost) found.resize(kMost);
  name_lines(report, found);
  return found;
}

}  // namespace duet::advise
