#include "predict/other_models.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "ptx/kernel.h"

namespace duet::predict {

namespace {

// Bytes a second of all channels.
double dram_rate(const config::Dram& dram) {
  return static_cast<double>(dram.channels * dram.burst_bytes) * static_cast<double>(dram.command_clock_khz) *
         1e3 / static_cast<double>(dram.burst_cycles);
}

Picoseconds of_cycles(double cycles, const config::Gpu& gpu) {
  return static_cast<Picoseconds>(cycles * 1e9 / static_cast<double>(gpu.core_clock_khz));
}

// Counts of one warp, averages.
struct WarpCounts {
  double instructions = 0, memory = 0, requests = 0, bytes = 0, uncoalesced = 0, barriers = 0, warps = 0;
};

WarpCounts counts_of(const KernelRecording& recording, const std::vector<Block*>& blocks) {
  WarpCounts counts;
  const ptx::Kernel& kernel = *recording.grid->kernel;
  double executed = 0, kept = 0;
  for (const Block* block : blocks) {
    counts.warps += static_cast<double>(block->warps.size());
    executed += static_cast<double>(block->executed);
    for (const auto& steps : block->warps)
      for (const std::uint32_t step : steps) {
        const ptx::MicroOp& op = kernel.code[step & ~gpu::RecordedBlock::kAccess];
        kept += op.machine_instructions;
        counts.barriers += op.kind == ptx::Kind::Barrier;
      }
    for (const auto& accesses : block->accesses)
      for (const Access& access : accesses) {
        unsigned requests = 0;
        for (std::uint32_t i = access.first; i < access.first + access.count; ++i) {
          const Request& request = block->requests[i];
          if (request.path != Path::L1) continue;
          ++requests;
          counts.bytes += 32 * std::popcount(unsigned{request.sectors});
        }
        if (requests == 0) continue;
        ++counts.memory;
        counts.requests += requests;
        counts.uncoalesced += requests > 1;
      }
  }
  const double scale = kept == 0 ? 0 : std::max(executed / kept, 1.0) / std::max(counts.warps, 1.0);
  counts.instructions = executed / std::max(counts.warps, 1.0);
  for (double* count :
       {&counts.memory, &counts.requests, &counts.bytes, &counts.uncoalesced, &counts.barriers})
    *count *= scale;
  return counts;
}

}  // namespace

Picoseconds roofline(const KernelRecording& recording, const MemoryLoad& load, double computed_share,
                     const config::Machine& machine) {
  const config::Gpu& gpu = machine.gpu;
  const double issue =
      static_cast<double>(recording.executed) / static_cast<double>(gpu.sm.count * gpu.sm.schedulers);
  double seen = 0;
  for (const auto& block : recording.kept) seen += static_cast<double>(block->executed);
  seen *= computed_share;
  const double bytes =
      static_cast<double>(load.dram_bytes) * (seen == 0 ? 1 : static_cast<double>(recording.executed) / seen);
  return std::max(of_cycles(issue, gpu), static_cast<Picoseconds>(bytes / dram_rate(gpu.dram) * 1e12));
}

Picoseconds hong_kim(const KernelRecording& recording, const std::vector<Block*>& blocks,
                     const config::Machine& machine) {
  const config::Gpu& gpu = machine.gpu;
  const config::Dram& dram = gpu.dram;
  const WarpCounts warp = counts_of(recording, blocks);
  if (blocks.empty() || warp.instructions == 0) return 0;
  const double sms = static_cast<double>(std::min<std::uint64_t>(gpu.sm.count, recording.blocks));
  const double resident = static_cast<double>(
      std::min<std::uint64_t>(recording.blocks_per_sm, (recording.blocks + gpu.sm.count - 1) / gpu.sm.count));
  const double n = resident * static_cast<double>(blocks.front()->warps.size());
  const double rounds = std::max(1.0, static_cast<double>(recording.blocks) / (resident * sms));
  const double command =
      static_cast<double>(gpu.core_clock_khz) / static_cast<double>(dram.command_clock_khz);
  const double network =
      static_cast<double>(gpu.core_clock_khz) / static_cast<double>(gpu.interconnect.clock_khz);
  const double latency =
      static_cast<double>(gpu.l1.latency_cycles) +
      network * static_cast<double>(2 * gpu.interconnect.latency_cycles + gpu.l2.latency_cycles) +
      command * static_cast<double>(dram.controller_cycles + dram.timing.rcd + dram.timing.cl);
  const double issue = 1.0 / static_cast<double>(gpu.sm.schedulers);
  const double computing = issue * warp.instructions;
  if (warp.memory == 0) return of_cycles(computing * n * rounds, gpu);
  const double per_access = warp.requests / warp.memory;
  const double departure = 1;  // a request a cycle enters L1
  const double memory_latency = latency + (per_access - 1) * departure;
  const double waiting = memory_latency * warp.memory;
  const double departure_delay = departure * per_access;
  const double without_bandwidth = memory_latency / departure_delay;
  const double hertz = static_cast<double>(gpu.core_clock_khz) * 1e3;
  const double of_warp = hertz * (warp.bytes / warp.memory) / memory_latency;
  const double peak = dram_rate(dram) / (of_warp * sms);
  const double mwp = std::max(1.0, std::min({without_bandwidth, peak, n}));
  const double cwp = std::min((waiting + computing) / computing, n);
  const double between = computing / warp.memory;
  double cycles;
  if (mwp >= n && cwp >= n)
    cycles = waiting + computing + between * (mwp - 1);
  else if (cwp >= mwp || computing > waiting)
    cycles = waiting * n / mwp + between * (mwp - 1);
  else
    cycles = memory_latency + computing * n;
  cycles += departure_delay * (mwp - 1) * warp.barriers * resident;
  return of_cycles(cycles * rounds, gpu);
}

}  // namespace duet::predict
