// Which memory a run's data are in, on a machine whose cores and GPU have one DRAM (dashti2017 section 3).
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "advise/kernel_view.h"
#include "config/names.h"
#include "memory/allocation_methods.h"
#include "report/terminal/table_text.h"

namespace duet::advise {

namespace {

using report::PathPart;

constexpr const char* kRule = "memory_method";

// Memory that both sides reach, as most of the program's is: its row, and the call that gives it.
struct Used {
  const config::Method& method;
  std::string call;
};

std::optional<Used> used_memory(const Facts& facts) {
  std::optional<Used> used;
  Bytes most = 0;
  for (const report::AllocatedByCall& memory : facts.report().memory)
    for (const config::Method& method : facts.machine().methods)
      if (method.name == memory.method && method.cpu != "none" && memory.bytes > most) {
        most = memory.bytes;
        used.emplace(method, memory.call);
      }
  return used;
}

// Of a program: it has the calls of one API.
std::string_view api_of(std::string_view call) {
  return call.starts_with("cl") ? "cl" : call.starts_with("hsa") ? "hsa" : "cuda";
}

std::string calls_of_api(const config::Method& method, std::string_view api) {
  std::string calls;
  for (const std::string_view call : memory::words_of(method.calls))
    if (api_of(call) == api) calls += (calls.empty() ? "" : " ") + std::string(call);
  return calls;
}

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

// Those of the program's API, and those that no call gives.
std::vector<report::AdvisedMethod> others_than(const Facts& facts, const Used& used) {
  std::vector<report::AdvisedMethod> others;
  for (const config::Method& method : facts.machine().methods) {
    const std::string calls = calls_of_api(method, api_of(used.call));
    if (&method != &used.method && is_legal(facts, method) && (method.calls.empty() || !calls.empty()))
      others.push_back({method.name, calls});
  }
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

// Of a byte, by the GPU's own controllers.
double dram_ps_per_byte(const config::Dram& dram) {
  return static_cast<double>(dram.burst_cycles) * 1e9 /
         (static_cast<double>(dram.burst_bytes * dram.channels) *
          static_cast<double>(dram.command_clock_khz));
}

constexpr double kBusyLink = 0.6;  // of a kernel's time: it waits for the link, whatever its warps do

// What kernels would not wait for if their bytes came by the GPU's own controllers instead of the link, as
// with one of the other methods.
double link_waits(const Facts& facts, const Used& used, const std::vector<report::AdvisedMethod>& others) {
  const auto is_nearer = [&](const config::Method& method) {
    return method.route == "memory" && std::any_of(others.begin(), others.end(), [&](const auto& other) {
             return other.name == method.name;
           });
  };
  const config::Machine& machine = facts.machine();
  if (used.method.route != "link" || std::none_of(machine.methods.begin(), machine.methods.end(), is_nearer))
    return 0;
  double saves = 0;
  Advices nothing;
  for (const KernelFacts& kernel : facts.kernels) {
    const KernelView view(facts, kernel, nothing);
    const double bytes = view.count("link.to_host_payload_bytes") + view.count("link.to_gpu_payload_bytes");
    const double busy = std::max(view.count("link.to_host_busy_ps"), view.count("link.to_gpu_busy_ps"));
    const double less = busy - bytes * dram_ps_per_byte(machine.gpu.dram);
    const double waits = busy > kBusyLink * view.time() ? less : view.memory_waits() * view.time();
    saves += static_cast<double>(facts.on_path(std::max(0.0, std::min(less, waits))));
  }
  return saves;
}

// What the driver does on the processor for a page table of the GPU's own.
double tables_filled(const Facts& facts) {
  return static_cast<double>(counter(facts, "driver.filled_pages")) *
         static_cast<double>(facts.machine().driver.handlers.page_ns) * kPicosecondsPerNanosecond;
}

void shared_memory(const Facts& facts, const Used& used, Advices& out) {
  const config::Method& method = used.method;
  auto others = others_than(facts, used);
  const std::string calls = calls_in_text(others);
  if (calls.empty()) return;
  const double busy =
      static_cast<double>(counter(facts, "cpu_maintenance.busy_ps") + counter(facts, "cache_engine.busy_ps"));
  const double table = tables_filled(facts), way = link_waits(facts, used, others);
  const double cores = method.cpu == "uncached"
                           ? cores_wait(facts) * static_cast<double>(facts.path(PathPart::BetweenCalls))
                           : 0;
  const double gpu = method.gpu_l2 ? 0 : kernels_wait(facts);
  const double all = std::min(busy + table + way + cores + gpu, static_cast<double>(facts.run_ps));
  if (all <= 0) return;
  std::vector<std::string> facts_in_words;
  const auto add = [&](double time, auto&& words) {
    if (time > 0) facts_in_words.push_back(words());
  };
  add(cores + gpu, [&] {
    return fmt::format("{} accesses of cores and {} requests of the GPU go past caches",
                       counter(facts, "directory.uncached"), counter(facts, "l2.passed"));
  });
  add(busy, [&] {
    return fmt::format("the driver goes through {} lines of cores and {} ranges of L2, in {}",
                       counter(facts, "cpu_maintenance.lines"), counter(facts, "cache_engine.ranges"),
                       report::duration(static_cast<Picoseconds>(busy)));
  });
  add(table, [&] {
    return fmt::format("it fills {} entries of the GPU's page table, in about {}",
                       counter(facts, "driver.filled_pages"),
                       report::duration(static_cast<Picoseconds>(table)));
  });
  add(way, [&] {
    return fmt::format("kernels wait about {} longer for the link than for the GPU's own controllers",
                       report::duration(static_cast<Picoseconds>(way)));
  });
  const char* const bound_by = cores + gpu >= std::max(busy, table + way) ? "memory that caches do not hold"
                               : busy >= table + way                      ? "caches that are written back"
                                                     : "memory that the GPU reaches across the link";
  out.push_back(
      {kRule,
       "",
       bound_by,
       fmt::format("memory of {} ({}): {}", used.call, method.name, fmt::join(facts_in_words, "; ")),
       "allocate with " + calls,
       static_cast<Picoseconds>(all),
       {}});
  out.back().methods = std::move(others);
}

// Copies from DRAM to the same DRAM. Instead, at each launch, the driver goes through the lines of its data,
// or their pages, as the other row says; what the host has written leaves its caches as fast as a copy engine
// moves it, or kernels fetch it across the link.
void copies_in_one_dram(const Facts& facts, Advices& out) {
  const config::Machine& machine = facts.machine();
  const CopyFacts &in = facts.to_device, &back = facts.to_host;
  const std::string_view api = facts.in_words("cuda", "cl");
  const config::Method* kept = nullptr;
  for (const config::Method& method : machine.methods)
    if (method.cpu == "write-back" && method.gpu_l2 && !method.unsafe && !calls_of_api(method, api).empty())
      kept = &method;
  if (kept == nullptr || in.copies + back.copies == 0) return;
  // On the critical path a pageable copy is its call's.
  const double copies = static_cast<double>(std::min(
      in.time_ps + back.time_ps,
      facts.path(PathPart::HostToDevice) + facts.path(PathPart::DeviceToHost) + facts.path(PathPart::Calls)));
  const double buffers = static_cast<double>(std::max<std::size_t>(in.pageable_sizes.size(), 1));
  const double of_launch =
      buffers * static_cast<double>(in.bytes) / static_cast<double>(std::max<std::uint64_t>(in.copies, 1));
  const double of_launches = static_cast<double>(facts.launches) * of_launch;
  const double lines = memory::has_word(kept->at_launch, "clean-cpu")
                           ? of_launches / static_cast<double>(machine.cpu->line_bytes)
                           : 0;
  const double pages = memory::has_word(kept->at_launch, config::kFillTable)
                           ? of_launches / static_cast<double>(machine.gpu.dram.page_bytes)
                           : 0;
  const double loop =
      lines * static_cast<double>(machine.memory_fabric->maintenance.cpu_line_cycles) * 1e9 /
          static_cast<double>(machine.cpu->clock_khz) +
      pages * static_cast<double>(machine.driver.handlers.page_ns) * kPicosecondsPerNanosecond;
  const double across =
      1e6 / static_cast<double>(std::max<std::uint64_t>(machine.link.payload_mb_per_s_to_gpu, 1));
  double moved = static_cast<double>(in.bytes) * across;
  if (kept->route == "link") {
    Advices nothing;
    for (const KernelFacts& kernel : facts.kernels) {
      const KernelView view(facts, kernel, nothing);
      moved += (view.count("dram.read_bytes") + view.count("dram.written_bytes")) *
               std::max(0.0, across - dram_ps_per_byte(machine.gpu.dram));
    }
  }
  if (copies <= loop + moved) return;
  const std::string first(memory::words_of(calls_of_api(*kept, api)).front());
  out.push_back(
      {kRule,
       "",
       "copies inside one DRAM",
       fmt::format("{} copies bring {} bytes from one place in it to another, in {}; with memory "
                   "that both sides reach {:.0f} {}, in about {}",
                   in.copies + back.copies, in.bytes + back.bytes,
                   report::duration(in.time_ps + back.time_ps), pages != 0 ? pages : lines,
                   pages != 0 ? "entries of a page table would be written, and kernels wait for the link"
                              : "lines of the cores would be written back",
                   report::duration(static_cast<Picoseconds>(loop + moved))),
       fmt::format("allocate with {} once for both sides, and leave the copies out", first),
       static_cast<Picoseconds>(copies - loop - moved),
       {}});
}

}  // namespace

void advise_methods(const Facts& facts, Advices& out) {
  const config::Machine& machine = facts.machine();
  if (!machine.memory_fabric || !facts.report().processor || facts.kernels.empty()) return;
  // A program of several methods is judged by the largest: --method changes them together. Of memory by
  // malloc, which HSA programs share, it changes nothing: the cores have it in their caches.
  const std::optional<Used> used = used_memory(facts);
  if (!used)
    copies_in_one_dram(facts, out);
  else if (used->call != "hsaFineGrained")
    shared_memory(facts, *used, out);
}

}  // namespace duet::advise
