// The sentence about a processor's time, from the dispatch slots of its cores.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "report/results/processor_result.h"
#include "report/results/shares.h"

namespace duet::report {

namespace {

constexpr std::uint64_t kLeast = 50;  // thousandths of the slots: smaller parts are not named
constexpr std::size_t kMost = 3;      // parts
constexpr double kMostlyBusy = 0.95;  // of the time at least one core had a thread, as far as is known

double quotient(double part, double whole) { return whole > 0 ? part / whole : 0; }

struct Sums {
  double cycles = 0, instructions = 0, mispredictions = 0, l2_misses = 0, l3_misses = 0;
  std::vector<std::uint64_t> slots = std::vector<std::uint64_t>(CoreSlots::kUses);
};

Sums sums_of(const ProcessorResult& processor) {
  Sums sums;
  for (const CoreResult& core : processor.cores) {
    sums.cycles += static_cast<double>(core.cycles);
    sums.instructions += static_cast<double>(core.instructions);
    sums.mispredictions += static_cast<double>(core.mispredictions);
    sums.l2_misses += static_cast<double>(core.l2_misses);
    sums.l3_misses += static_cast<double>(core.l3_misses);
    for (std::size_t i = 0; i < CoreSlots::kUses; ++i) sums.slots[i] += core.slots.slots[i];
  }
  return sums;
}

// In the order of CoreSlots::kNames.
std::string words_of(std::size_t use, const Sums& sums) {
  static constexpr std::array<const char*, CoreSlots::kUses> kWords = {
      "did the program's work",
      "were lost to wrong predictions",
      "were lost as fetch had nothing more",
      "waited for instructions that the caches lacked",
      "waited for loads from L2",
      "waited for loads from below L2",
      "waited for room in the store buffer",
      "waited for slow or dependent instructions",
      "waited at system calls, atomics and fences"};
  std::string words = kWords[use];
  if (use == 1)
    words += fmt::format(" ({:.2f} mispredictions per 1000 instructions)",
                         1000 * quotient(sums.mispredictions, sums.instructions));
  if (use == 5 && sums.l2_misses > 0)
    words += fmt::format(" ({:.1f} % of the lines that it lacked came from DRAM)",
                         100 * quotient(sums.l3_misses, sums.l2_misses));
  return words;
}

}  // namespace

std::string processor_headline(const ProcessorResult& processor, Picoseconds simulated_ps) {
  const Sums sums = sums_of(processor);
  const std::vector<std::uint64_t> tenths = tenths_of_percent(sums.slots);  // as the table has them
  const double periods = static_cast<double>(simulated_ps) * 1e-9 * static_cast<double>(processor.clock_khz);
  if (tenths == std::vector<std::uint64_t>(CoreSlots::kUses) || periods <= 0) return "";
  std::string text;
  const double busy = sums.cycles / periods;  // cores with a thread, mean of the run
  if (busy < kMostlyBusy)
    text = fmt::format("No thread was on a core for at least {:.1f} % of the time: the program waited. ",
                       100 * (1 - busy));
  else if (processor.cores.size() > 1)
    text = fmt::format("{:.2f} of {} cores had a thread, on average. ",
                       std::min(busy, static_cast<double>(processor.cores.size())), processor.cores.size());
  std::array<std::size_t, CoreSlots::kUses> order{};
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sums.slots[a] > sums.slots[b]; });
  std::vector<std::size_t> named;
  for (const std::size_t use : order)
    if (named.empty() || (named.size() < kMost && tenths[use] >= kLeast)) named.push_back(use);
  if (std::find(named.begin(), named.end(), std::size_t{0}) == named.end()) named.push_back(0);
  for (const std::size_t use : named)
    text +=
        fmt::format("{}{}.{} %{} {}", use == named.front() ? "" : ", ", tenths[use] / 10, tenths[use] % 10,
                    use == named.front() ? " of the dispatch slots" : "", words_of(use, sums));
  return text + ".";
}

}  // namespace duet::report
