#include "advise/advise.h"

#include <algorithm>
#include <map>

#include "advise/kernel_view.h"
#include "advise/rules.h"

namespace duet::advise {

namespace {

constexpr double kCause = 0.1;  // of a kernel's time

// What an item saves is gone for the ones behind it: of its kernel's time, and of the run.
void share_out(const Facts& facts, Advices& sorted) {
  Picoseconds run = facts.run_ps;
  std::map<std::string, Picoseconds> kernels;
  for (const KernelFacts& kernel : facts.kernels)
    kernels[kernel.name] = facts.on_path(static_cast<double>(kernel.time_ps));
  for (report::Advice& one : sorted) {
    if (one.hardware) continue;
    one.saves_ps = std::min(one.saves_ps, run);
    if (!one.kernel.empty()) {
      one.saves_ps = std::min(one.saves_ps, kernels[one.kernel]);
      kernels[one.kernel] -= one.saves_ps;
    }
    run -= one.saves_ps;
  }
}

}  // namespace

void advise_kernel(const Facts& facts, const KernelFacts& kernel, bool takes_turns, Advices& out) {
  if (kernel.time_ps == 0) return;
  Advices found;
  const KernelView view(facts, kernel, found);
  advise_issue(view, takes_turns);
  advise_memory(view);
  // How many instructions can go nobody knows: a cause that says more comes instead.
  const Picoseconds worth = facts.on_path(kCause * static_cast<double>(kernel.time_ps));
  const bool known = std::any_of(found.begin(), found.end(), [&](const report::Advice& one) {
    return one.rule != "issue_bound" && one.saves_ps >= worth;
  });
  for (report::Advice& one : found)
    if (!known || one.rule != "issue_bound") out.push_back(std::move(one));
}

std::vector<report::Advice> advise(const report::RunReport& report, const config::Machine& machine) {
  Advices found;
  if (report.cut_off || report.simulated_ps == 0 || report.journal == nullptr) return found;
  const Facts facts(report, machine);
  advise_copies(facts, found);
  advise_methods(facts, found);
  const bool takes_turns = advise_launches(facts, found);
  for (const KernelFacts& kernel : facts.kernels) advise_kernel(facts, kernel, takes_turns, found);
  // The programmer's first.
  std::stable_sort(found.begin(), found.end(), [](const report::Advice& a, const report::Advice& b) {
    if (a.hardware != b.hardware) return b.hardware;
    return a.at_most != b.at_most ? b.at_most : a.saves_ps > b.saves_ps;
  });
  share_out(facts, found);
  const double least = kLeast * static_cast<double>(facts.run_ps);
  std::size_t taken = 0;
  std::erase_if(found, [&](const report::Advice& one) {
    return static_cast<double>(one.saves_ps) < least || (!one.hardware && ++taken > kMost);
  });
  name_lines(report, found);
  return found;
}

}  // namespace duet::advise
