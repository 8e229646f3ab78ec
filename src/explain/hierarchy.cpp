// The hardware structure (hu2016, sections 2.1 and 3.2, Table II), as the machine file builds it.
#include <fmt/format.h>

#include "explain/explanation.h"
#include "explain/text_parts.h"
#include "explain/words.h"

namespace duet::explain {

namespace {

// Of a clock; with a nanosecond's tenths.
std::string cycles_text(std::uint64_t cycles, std::uint64_t khz) {
  return fmt::format("{} ({:.1f} ns)", many(cycles, "cycle"),
                     static_cast<double>(cycles) * 1e6 / static_cast<double>(khz));
}

std::string mhz_text(std::uint64_t khz) {
  return khz % 1000 == 0 ? fmt::format("{} MHz", khz / 1000) : fmt::format("{} kHz", khz);
}

std::string cache_text(const config::Cache& cache) {
  return fmt::format("{}, {} ways, lines of {} bytes", bytes_text(cache.capacity()), cache.ways,
                     cache.line_bytes);
}

Level host_level(const config::Machine& machine) {
  const config::FrontEnd& front = machine.gpu.front_end;
  Level level{2, "the host and what connects it", {}};
  level.parts = {
      {"SS", "GPU driver call",
       fmt::format("one stage (ii) at a time; it {}",
                   machine.driver.read_ahead ? "prepares ahead" : "waits for a stream's previous command")},
      {"TB", "push buffers, in host memory",
       fmt::format("{} of {} each (a task buffer that is software)",
                   many(front.hardware_channels, "hardware channel"), bytes_text(front.push_buffer_bytes))},
      {"-", "link",
       fmt::format("{} MB/s to the GPU, {} MB/s to the host, {} ns", machine.link.payload_mb_per_s_to_gpu,
                   machine.link.payload_mb_per_s_to_host, machine.link.latency_ns)},
      {"memory", "host memory",
       fmt::format("{}, {} ns", bytes_text(machine.host.dram_bytes), machine.host.dram_latency_ns)}};
  return level;
}

Level gpu_level(const config::Machine& machine) {
  const config::Gpu& gpu = machine.gpu;
  const config::FrontEnd& front = gpu.front_end;
  Level level{1, fmt::format("the GPU, {}", gpu.name), {}};
  level.parts = {
      {"TU", "GigaThread engine",
       fmt::format("decodes a push-buffer command in {}",
                   cycles_text(front.decode_cycles_per_command, gpu.core_clock_khz))},
      {"TB", "state registers, reference counters",
       fmt::format("{} (kernels at once), queues of {} with {} each",
                   many(front.reference_counters, "reference counter"), many(front.queue_width, "stream"),
                   many(front.queue_depth, "task"))},
      {"SE", "CUDA work distributor",
       fmt::format("a block every {}", cycles_text(front.dispatch_cycles_per_block, gpu.core_clock_khz))},
      {"PE_C", "SM array", fmt::format("{} at {}", many(gpu.sm.count, "SM"), mhz_text(gpu.core_clock_khz))},
      {"PE_D", "data transfer engines",
       many(gpu.copy_engines.count, "engine") +
           (gpu.copy_engines.bit_engines != 0
                ? fmt::format(", and {} for full/empty bits", gpu.copy_engines.bit_engines)
                : "")},
      {"memory", "L2 cache",
       fmt::format("{} in {}", bytes_text(gpu.l2_slices * gpu.l2.capacity()), many(gpu.l2_slices, "slice"))}};
  for (const config::Level& below : machine.levels)
    level.parts.push_back({"memory", below.name + " cache",
                           fmt::format("{} in {}", bytes_text(below.slices * below.cache.capacity()),
                                       many(below.slices, "slice"))});
  level.parts.push_back({"memory", "global and local memory",
                         fmt::format("{} of {} in {}", bytes_text(gpu.dram.bytes), gpu.dram.standard,
                                     many(gpu.dram.channels, "channel"))});
  return level;
}

Level sm_level(const config::Gpu& gpu, bool functional) {
  const config::Sm& sm = gpu.sm;
  Level level{0, "an SM", {}};
  if (functional) {
    level.of += ", as --functional has it: no schedulers and no caches";
    level.parts = {{"TU", "thread controller",
                    fmt::format("room for {} and {} threads", many(sm.max_blocks, "block"), sm.max_threads)},
                   {"memory", "registers, shared registers",
                    fmt::format("{} of 4 bytes, {} shared", sm.registers, bytes_text(sm.shared_bytes))}};
    return level;
  }
  level.parts = {
      {"TU", "thread controller",
       fmt::format("room for {}, {} and {} threads", many(sm.max_blocks, "block"), many(sm.max_warps, "warp"),
                   sm.max_threads)},
      {"TB", "program counters, reconvergence stacks, ...",
       fmt::format("one a warp: {}; instruction buffers of {}", sm.max_warps, sm.instruction_buffer)},
      {"SE", "warp schedulers",
       fmt::format("{}, policy {}{}", sm.schedulers, sm.scheduler,
                   sm.blocking_issue ? "; a warp issues when its last instruction has committed" : "")},
      {"PE_C", "ALU arrays",
       fmt::format(
           "{} for integer and single precision, {} special-function, {} double-precision; {} threads a warp",
           sm.sp_units, sm.sfu_units, sm.dp_units, sm.warp_width)},
      {"PE_D", "LSU array",
       fmt::format("queue of {}, {} that wait for answers{}", many(sm.load_store_queue, "instruction"),
                   sm.pending_instructions,
                   sm.memory_requests != 0
                       ? fmt::format(", {} of loads on their way", many(sm.memory_requests, "request"))
                       : "")},
      {"memory", "local and shared registers",
       fmt::format("{} of 4 bytes; {} shared (shared memory)", sm.registers, bytes_text(sm.shared_bytes))},
      {"memory", "L1 caches",
       fmt::format("data {}; constant {}, instruction {}", cache_text(gpu.l1),
                   bytes_text(gpu.constant_cache.capacity()), bytes_text(gpu.instruction_cache.capacity()))}};
  return level;
}

}  // namespace

std::vector<Level> levels_of(const config::Machine& machine, bool functional) {
  return {host_level(machine), gpu_level(machine), sm_level(machine.gpu, functional)};
}

}  // namespace duet::explain
