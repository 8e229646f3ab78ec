// Which memory a run's data are in, on a machine whose cores and GPU have one DRAM (dashti2017 section 3).
#include <algorithm>

#include "advise/kernel_view.h"
#include "memory/allocation_methods.h"
#include "report/terminal/table_text.h"

namespace duet::advise {

namespace {

using memory::AllocatingCall;
using report::PathPart;

constexpr const char* kRule = "memory_method";

// The calls of a run that allocate memory which both sides reach, and the functions that make them.
struct Source {
  AllocatingCall call;
  const char* functions;
};
constexpr Source kSources[] = {{AllocatingCall::Pinned, "cudaHostAlloc cudaMallocHost"},
                               {AllocatingCall::Managed, "cudaMallocManaged"},
                               {AllocatingCall::Shared, "duetSharedAlloc"}};

std::uint64_t calls_of(const Facts& facts, std::string_view functions) {
  std::uint64_t all = 0;
  for (const std::string_view function : memory::words_of(functions)) all += facts.calls({function});
  return all;
}

std::uint64_t counter(const Facts& facts, std::string_view name) {
  for (const auto& [own, value] : facts.report().counters)
    if (own == name) return value;
  return 0;
}

// A program that flushes nothing itself would read old bytes.
bool is_legal(const Facts& facts, const config::Method& method) {
  return method.cpu != "none" && (!method.unsafe || calls_of(facts, "duetFlushCpu duetFlushGpu") != 0);
}

std::vector<report::AdvisedMethod> others_than(const Facts& facts, const config::Method& used) {
  std::vector<report::AdvisedMethod> others;
  for (const config::Method& method : facts.machine().methods)
    if (&method != &used && is_legal(facts, method)) others.push_back({method.name, method.calls});
  return others;
}

std::string calls_in_text(const std::vector<report::AdvisedMethod>& methods) {
  std::vector<std::string> calls;
  for (const report::AdvisedMethod& method : methods)
    if (!method.calls.empty()) calls.emplace_back(memory::words_of(method.calls).front());
  return fmt::format("{}", fmt::join(calls, " or "));
}

// Of dispatch slots of all cores, what waits for memory, as far as accesses past the caches have part in it.
double cores_wait(const Facts& facts) {
  double waits = 0, all = 0, misses = 0;
  for (const report::CoreResult& core : facts.report().processor->cores) {
    misses += static_cast<double>(core.l1_misses);
    for (std::size_t i = 0; i < report::CoreSlots::kUses; ++i) {
      const std::string_view use = report::CoreSlots::kNames[i];
      const auto slots = static_cast<double>(core.slots.slots[i]);
      all += slots;
      if (use == "memory_below" || use == "stores") waits += slots;
    }
  }
  const auto uncached = static_cast<double>(counter(facts, "directory.uncached"));
  return all == 0 || uncached == 0 ? 0 : waits / all * uncached / (uncached + misses);
}

// What the GPU would not bring again if L2 held it.
double kernels_wait(const Facts& facts) {
  double saves = 0;
  Advices nothing;
  for (const KernelFacts& kernel : facts.kernels) {
    if (kernel.time_ps == 0 || kernel.host_bytes == 0) continue;
    const KernelView view(facts, kernel, nothing);
    const double bytes = view.count("dram.read_bytes") + view.count("dram.written_bytes");
    const double once = static_cast<double>(kernel.host_bytes * kernel.launches);
    if (view.count("l2.passed") == 0 || bytes <= once) continue;
    saves += static_cast<double>(facts.on_path(view.memory_waits() * view.time() * (1 - once / bytes)));
  }
  return saves;
}

void uncached_memory(const Facts& facts, const config::Method& used, const Source& source, Advices& out) {
  const double cores = used.cpu == "uncached"
                           ? cores_wait(facts) * static_cast<double>(facts.path(PathPart::BetweenCalls))
                           : 0;
  const double gpu = used.gpu_l2 ? 0 : kernels_wait(facts);
  auto others = others_than(facts, used);
  if (cores + gpu <= 0 || calls_in_text(others).empty()) return;
  out.push_back(
      {kRule,
       "",
       "memory that caches do not hold",
       fmt::format("{} accesses of cores and {} requests of the GPU go past caches, to memory of {} ({})",
                   counter(facts, "directory.uncached"), counter(facts, "l2.passed"),
                   memory::words_of(source.functions).front(), used.name),
       "allocate with " + calls_in_text(others),
       static_cast<Picoseconds>(cores + gpu),
       {}});
  out.back().methods = std::move(others);
}

void maintained_memory(const Facts& facts, const config::Method& used, const Source& source, Advices& out) {
  const Picoseconds busy = counter(facts, "cpu_maintenance.busy_ps") + counter(facts, "cache_engine.busy_ps");
  auto others = others_than(facts, used);
  if (busy == 0 || calls_in_text(others).empty()) return;
  out.push_back(
      {kRule,
       "",
       "caches that are written back",
       fmt::format(
           "for memory of {} ({}) the driver goes through {} lines of cores and {} ranges of L2, in {}",
           memory::words_of(source.functions).front(), used.name, counter(facts, "cpu_maintenance.lines"),
           counter(facts, "cache_engine.ranges"), report::duration(busy)),
       "allocate with " + calls_in_text(others),
       std::min(busy, facts.run_ps),
       {}});
  out.back().methods = std::move(others);
}

// Copies from DRAM to the same DRAM. Instead the driver goes through the lines of a launch's data, and what
// the host has written leaves its caches as fast as a copy engine moves it.
void copies_in_one_dram(const Facts& facts, Advices& out) {
  const config::Machine& machine = facts.machine();
  const CopyFacts &in = facts.to_device, &back = facts.to_host;
  const config::Method* kept = nullptr;
  for (const config::Method& method : machine.methods)
    if (method.cpu == "write-back" && method.gpu_l2 && !method.unsafe && !method.calls.empty())
      kept = &method;
  if (kept == nullptr || in.copies + back.copies == 0) return;
  // On the critical path a pageable copy is its call's.
  const double copies = static_cast<double>(std::min(
      in.time_ps + back.time_ps,
      facts.path(PathPart::HostToDevice) + facts.path(PathPart::DeviceToHost) + facts.path(PathPart::Calls)));
  const double buffers = static_cast<double>(std::max<std::size_t>(in.pageable_sizes.size(), 1));
  const double of_launch =
      buffers * static_cast<double>(in.bytes) / static_cast<double>(std::max<std::uint64_t>(in.copies, 1));
  const double lines =
      static_cast<double>(facts.launches) * of_launch / static_cast<double>(machine.cpu->line_bytes);
  const double loop = lines * static_cast<double>(machine.memory_fabric->maintenance.cpu_line_cycles) * 1e9 /
                      static_cast<double>(machine.cpu->clock_khz);
  const double written =
      static_cast<double>(in.bytes) * 1e6 /
      static_cast<double>(std::max<std::uint64_t>(machine.link.payload_mb_per_s_to_gpu, 1));
  if (copies <= loop + written) return;
  out.push_back(
      {kRule,
       "",
       "copies inside one DRAM",
       fmt::format("{} copies bring {} bytes from one place in it to another, in {}; with memory "
                   "that both sides reach {:.0f} lines of the cores would be written back, in about {}",
                   in.copies + back.copies, in.bytes + back.bytes,
                   report::duration(in.time_ps + back.time_ps), lines,
                   report::duration(static_cast<Picoseconds>(loop + written))),
       fmt::format("allocate with {} once for both sides, and leave the copies out",
                   memory::words_of(kept->calls).front()),
       static_cast<Picoseconds>(copies - loop - written),
       {}});
}

}  // namespace

void advise_methods(const Facts& facts, Advices& out) {
  const config::Machine& machine = facts.machine();
  if (!machine.memory_fabric || !facts.report().processor || facts.kernels.empty()) return;
  for (const Source& source : kSources) {
    const config::Method* const used = memory::method_of(machine, source.call);
    if (used == nullptr || calls_of(facts, source.functions) == 0) continue;
    if (used->cpu == "uncached" || !used->gpu_l2)
      uncached_memory(facts, *used, source, out);
    else
      maintained_memory(facts, *used, source, out);
    return;  // a program of several methods is judged by the first: --method changes them together
  }
  copies_in_one_dram(facts, out);
}

}  // namespace duet::advise
