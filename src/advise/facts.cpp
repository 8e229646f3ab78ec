#include "advise/facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

namespace duet::advise {

namespace {

// Of kernels that take turns: the sum of their times, over the time with a kernel.
constexpr double kApart = 1.02;

double share_of(const std::array<std::uint64_t, kIssueSlots>& counts, IssueSlot of) {
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  return all == 0 ? 0 : static_cast<double>(counts[static_cast<std::size_t>(of)]) / static_cast<double>(all);
}

}  // namespace

double KernelFacts::share(IssueSlot slot) const { return share_of(slots, slot); }
double KernelFacts::warp_share(IssueSlot state) const { return share_of(warp_cycles, state); }

Facts::Facts(const report::RunReport& report, const config::Machine& machine)
    : run_ps(report.simulated_ps), report_(report), machine_(machine), commands_(report, machine) {
  const report::JournalHeader& header = report.journal->header();
  for (std::uint32_t i = 0; i < header.counter_count; ++i) names_.emplace_back(header.counters[i].name);
  std::map<std::string, std::size_t> known;
  Picoseconds kernels_apart = 0;
  report.for_each_kernel(
      [&](const report::KernelResult& kernel) { kernels_apart += kernel.end_ps - kernel.start_ps; });
  kernels_overlap_ = static_cast<double>(kernels_apart) >
                     kApart * static_cast<double>(report::busy_ps(report.account, report::Activity::Kernel));
  report.for_each_kernel_with_counters([&](const report::KernelResult& kernel) {
    const auto [place, is_new] = known.emplace(kernel.name, kernels.size());
    if (is_new) kernels.emplace_back().name = kernel.name;
    add(kernels[place->second], kernel);
  });
  report.for_each_copy([&](const report::CopyRecord& copy) { add(copy); });
  look_at_neighbours();
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelFacts& a, const KernelFacts& b) { return a.time_ps > b.time_ps; });
}

void Facts::add(KernelFacts& facts, const report::KernelResult& kernel) {
  const Picoseconds time = kernel.end_ps - kernel.start_ps;
  const config::Sm& sm = machine_.gpu.sm;
  const std::uint64_t blocks = std::uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
  ++launches;
  kernels_ps += time;
  ++facts.launches;
  facts.pointers.insert(kernel.pointers);
  facts.time_ps += time;
  facts.cycles += kernel.cycles;
  facts.warp_instructions += kernel.warp_instructions;
  facts.thread_instructions += kernel.thread_instructions;
  for (std::size_t i = 0; i < kIssueSlots; ++i) {
    facts.slots[i] += kernel.issue_slots[i];
    facts.warp_cycles[i] += kernel.warp_cycles[i];
  }
  facts.counters.resize(names_.size());
  for (const report::CounterIncrease& increase : kernel.counters)
    facts.counters[increase.counter] += increase.value;
  if (blocks < sm.count)
    facts.few_blocks_ps += time - time * blocks / sm.count;
  else
    facts.tail_ps += tail(kernel, blocks);
  if (facts.launches > 1 && time <= facts.longest_ps) return;
  facts.longest_ps = time;
  facts.occupancy = kernel.occupancy;
  facts.limit = kernel.occupancy_limit;
  facts.blocks = blocks;
  facts.block_threads = std::uint64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  facts.blocks_per_sm = kernel.blocks_per_sm;
  facts.registers = kernel.registers;
  facts.shared_bytes = kernel.shared_bytes;
  facts.narrow_doubles = kernel.narrow_doubles;
  facts.narrow_conversions = kernel.narrow_conversions;
  facts.device_bytes = kernel.device_bytes;
  facts.host_bytes = kernel.host_bytes;
}

// An SM's slots are counted while it has a block. Slots of SMs without one, but for the time in which the
// first blocks are started one after the other. Among kernels that run at once nobody knows whose they are.
Picoseconds Facts::tail(const report::KernelResult& kernel, std::uint64_t blocks) const {
  const config::Sm& sm = machine_.gpu.sm;
  const std::uint64_t counted =
      std::accumulate(kernel.issue_slots.begin(), kernel.issue_slots.end(), std::uint64_t{0});
  if (counted == 0 || kernel.cycles == 0 || kernels_overlap_) return 0;
  const double all = static_cast<double>(kernel.cycles) * static_cast<double>(sm.count * sm.schedulers);
  const double first = static_cast<double>(std::min(blocks, kernel.blocks_per_sm * sm.count));
  const double starts = first * static_cast<double>(machine_.gpu.front_end.dispatch_cycles_per_block) / 2 /
                        static_cast<double>(kernel.cycles);
  const double empty = 1 - static_cast<double>(counted) / all - starts;
  return static_cast<Picoseconds>(std::max(0.0, empty) *
                                  static_cast<double>(kernel.end_ps - kernel.start_ps));
}

// In the order of submission. Of a long run the first ones of each kind stand for all.
void Facts::look_at_neighbours() {
  constexpr std::uint32_t kKernel = ~0u;
  constexpr std::uint64_t kLookedAt = 20'000;
  struct Command {
    std::uint64_t number;
    std::uint32_t kind, stream;
    Picoseconds driver_start_ps, start_ps, end_ps;
  };
  std::vector<Command> commands;
  std::map<std::uint32_t, std::uint64_t> seen;  // by kind
  const auto take = [&](const auto& one, std::uint32_t kind) {
    if (++seen[kind] <= kLookedAt)
      commands.push_back({one.command, kind, one.stream, one.driver_start_ps, one.start_ps, one.end_ps});
  };
  report_.for_each_kernel([&](const report::KernelResult& kernel) {
    driver_launches += kernel.prepared_ps > kernel.driver_start_ps;
    take(kernel, kKernel);
  });
  report_.for_each_copy(
      [&](const report::CopyRecord& copy) { take(copy, static_cast<std::uint32_t>(copy.kind)); });
  std::sort(commands.begin(), commands.end(),
            [](const Command& a, const Command& b) { return a.number < b.number; });
  std::map<std::uint32_t, Picoseconds> ended;  // by stream
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command& one = commands[i];
    Picoseconds& before = ended[one.stream];
    if (one.kind == kKernel)
      launch_driver_ps += one.start_ps - std::min(one.start_ps, std::max(one.driver_start_ps, before));
    before = std::max(before, one.end_ps);
    if (i == 0 || one.kind != commands[i - 1].kind) continue;
    if (one.kind == static_cast<std::uint32_t>(report::CopyKind::HostToDevice)) ++to_device.next_to_another;
    if (one.kind == static_cast<std::uint32_t>(report::CopyKind::DeviceToHost)) ++to_host.next_to_another;
  }
  const auto of_all = [&](auto& count, std::uint32_t kind) {
    if (seen[kind] > kLookedAt)
      count = static_cast<std::uint64_t>(static_cast<double>(count) * static_cast<double>(seen[kind]) /
                                         kLookedAt);
  };
  of_all(launch_driver_ps, kKernel);
  of_all(to_device.next_to_another, static_cast<std::uint32_t>(report::CopyKind::HostToDevice));
  of_all(to_host.next_to_another, static_cast<std::uint32_t>(report::CopyKind::DeviceToHost));
}

void Facts::add(const report::CopyRecord& copy) {
  const bool to = copy.kind == report::CopyKind::HostToDevice;
  if (!to && copy.kind != report::CopyKind::DeviceToHost) return;
  CopyFacts& facts = to ? to_device : to_host;
  ++facts.copies;
  facts.bytes += copy.bytes;
  facts.time_ps += copy.end_ps - copy.start_ps;
  facts.driver_ps += copy.start_ps - copy.driver_start_ps;
  if (copy.pageable == 0) return;
  ++facts.pageable;
  facts.pageable_bytes += copy.bytes;
  facts.pageable_sizes.insert(copy.bytes);
  facts.pageable_ps += copy.end_ps - copy.start_ps;
}

Picoseconds Facts::path(report::PathPart part) const {
  return report_.account.path_ps[static_cast<std::size_t>(part)];
}

Picoseconds Facts::on_path(double ps) const {
  if (kernels_ps == 0 || ps <= 0) return 0;
  Picoseconds on_it = path(report::PathPart::Kernels);
  // Of user queues kernels are waited for by the program's own code: between calls, as far as is known.
  if (driver_launches < launches) on_it += path(report::PathPart::BetweenCalls);
  const double share = std::min(1.0, static_cast<double>(on_it) / static_cast<double>(kernels_ps));
  return static_cast<Picoseconds>(ps * share);
}

std::uint64_t Facts::counter(const KernelFacts& kernel, std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  const auto number = static_cast<std::size_t>(found - names_.begin());
  return number < kernel.counters.size() ? kernel.counters[number] : 0;
}

double Facts::sm_cycles(const KernelFacts& kernel) const {
  return static_cast<double>(kernel.cycles) *
         static_cast<double>(std::max<std::uint64_t>(1, std::min(kernel.blocks, machine_.gpu.sm.count)));
}

std::uint64_t Facts::calls(std::initializer_list<std::string_view> names) const {
  std::uint64_t all = 0;
  for (const report::Api& api : report_.api)
    if (std::find(names.begin(), names.end(), api.name) != names.end()) all += api.calls;
  return all;
}

const char* Facts::in_words(const char* of_cuda, const char* of_opencl) const {
  return calls({"clCreateCommandQueue", "clCreateCommandQueueWithProperties"}) != 0 ? of_opencl : of_cuda;
}

std::uint64_t Facts::calls(bool (*is)(std::string_view name)) const {
  std::uint64_t all = 0;
  for (const report::Api& api : report_.api)
    if (is(api.name)) all += api.calls;
  return all;
}

std::uint64_t Facts::calls_between_launches(bool (*is)(std::string_view name)) const {
  const report::JournalHeader& header = report_.journal->header();
  std::set<std::uint64_t> launches;  // by call
  report_.for_each_kernel([&](const report::KernelResult& kernel) {
    if (launches.size() < report::ApiCallRecord::kCalls) launches.insert(kernel.call);
  });
  if (launches.empty()) return 0;
  std::uint64_t found = 0;
  report_.journal->for_each([&](report::RecordType type, const std::byte* record, std::size_t bytes,
                                std::string_view) {
    if (type != report::RecordType::ApiCall) return;
    const auto call = report::record_as<report::ApiCallRecord>(record, bytes);
    if (call.number > *launches.begin() && call.number < *launches.rbegin() && is(header.api[call.api].name))
      ++found;
  });
  return found;
}

}  // namespace duet::advise
