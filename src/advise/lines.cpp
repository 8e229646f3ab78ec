// Finds the source line with most of the cause of an advice, where lines are counted (`duet run --lines`).
#include <fmt/format.h>

#include <array>
#include <string_view>

#include "advise/rules.h"

namespace duet::advise {

namespace {

using report::HotLine;

std::uint64_t more_than_one_an_access(const HotLine& line) {
  const std::uint64_t requests = count_of(line.counts, InstructionCount::Requests);
  const std::uint64_t accesses = count_of(line.counts, InstructionCount::GlobalAccesses);
  return requests > accesses ? requests - accesses : 0;
}
std::uint64_t conflicts(const HotLine& line) {
  return count_of(line.counts, InstructionCount::SharedConflictCycles);
}
std::uint64_t atomics(const HotLine& line) { return line.atomics; }
std::uint64_t divergent(const HotLine& line) {
  return count_of(line.counts, InstructionCount::DivergentBranches);
}
std::uint64_t barriers(const HotLine& line) {
  return line.counts[static_cast<std::size_t>(IssueSlot::Barrier)];
}

struct Cause {
  std::string_view rule;
  std::uint64_t (*of)(const HotLine&);
  const char* name;
};
constexpr std::array<Cause, 6> kCauses{
    {{"uncoalesced", more_than_one_an_access, "the requests beyond one an access"},
     {"bank_conflicts", conflicts, "these passes"},
     {"shared_atomics", conflicts, "these passes"},
     {"atomics", atomics, "the requests of atomics"},
     {"divergence", divergent, "the branches that part a warp"},
     {"barriers", barriers, "these slots"}}};

void name_line(const report::KernelLines& kernel, const Cause& cause, report::Advice& advice) {
  std::uint64_t all = 0, most = 0;
  const HotLine* worst = nullptr;
  for (const HotLine& line : kernel.lines) {
    const std::uint64_t has = cause.of(line);
    all += has;
    if (has <= most) continue;
    most = has;
    worst = &line;
  }
  if (worst != nullptr)
    advice.because += fmt::format("; {}:{} has {:.0f} % of {}", worst->file, worst->line,
                                  100 * static_cast<double>(most) / static_cast<double>(all), cause.name);
}

}  // namespace

void name_lines(const report::RunReport& report, Advices& out) {
  for (report::Advice& advice : out)
    for (const Cause& cause : kCauses)
      for (const report::KernelLines& kernel : report.lines.kernels)
        if (cause.rule == advice.rule && kernel.kernel == advice.kernel) name_line(kernel, cause, advice);
}

}  // namespace duet::advise
