// The program of a warp (gpu/warp/warp_program.h) in cycles: sleeping and waking at barriers, the end of a
// warp, and how its calls read memory.
#include <algorithm>

#include "gpu/front_end/heap_turns.h"
#include "gpu/sm/sm_core.h"
#include "ptx/state_spaces.h"

namespace duet::gpu {

// Apart from the issuing function, which is flat.
template <unsigned W>
void SmCoreOf<W>::execute_program(Warp& warp, const ptx::MicroOp& op, std::uint64_t lanes) {
  Program::execute_control(warp, op, lanes);
}

// Holds a warp up until its call is over. Where the device heap serves one call after the other the call may
// take longer.
template <unsigned W>
void SmCoreOf<W>::hold_up(Warp& warp, Cycle cycles, Cycle interval) {
  const Cycle end = cycle_ + 1 + cycles;
  sleep_until(warp, warp.slot, end, IssueSlot::Dependency);
  if (interval == 0) return;
  services_.heap_turns->ask(number_, cycle_, interval, [this, &warp, end](Cycle wait) {
    const bool ended = warp.reason != IssueSlot::Dependency || warp.wake_cycle != end;
    if (wait != 0 && !ended) sleep_until(warp, warp.slot, end + wait, IssueSlot::Dependency);
  });
}

// Seen by the schedulers in the next cycle at the earliest, whichever of them looks first.
template <unsigned W>
void SmCoreOf<W>::wake(Warp& warp) {
  sleep_until(warp, warp.slot, std::max(cycle_ + 1, barrier_ready_), IssueSlot::Barrier);
}

// One of its paths can run now, perhaps.
template <unsigned W>
void SmCoreOf<W>::wake_paths(Warp& warp) {
  set_ready(warp, warp.slot);
  path_changed(warp);
  if (warp.reason == IssueSlot::Issued) wake(warp);
}

template <unsigned W>
void SmCoreOf<W>::warp_ended(Warp& warp) {
  stop(warp);
  if (warp.block->live_warps == 0 || cross_level_) blocks_ending_ = drain_changed_ = true;
}

template <unsigned W>
void SmCoreOf<W>::results_written(Warp& warp, const ptx::MicroOp& op) {
  const TimedOp& timed = warp.timed[&op - warp.code];
  const std::uint16_t* entries = warp.entries + timed.first_entry + timed.read_entries;
  for (unsigned i = 0; i < timed.write_entries; ++i)
    warp.ready[entries[i]] = std::max(warp.ready[entries[i]], cycle_ + timed.latency_cycles);
}

// Bytes at a generic address as a lane sees them; its stores have all been acknowledged.
template <unsigned W>
bool SmCoreOf<W>::read_bytes(const Warp& warp, unsigned lane, Address address, std::byte* to, Bytes bytes) {
  const WarpMemory& memory = warp.memory;
  if (address - ptx::kSharedWindow < ptx::kWindowBytes) {
    const Bytes offset = address - ptx::kSharedWindow;
    if (offset + bytes > memory.shared_bytes) return false;
    std::copy_n(memory.shared + offset, bytes, to);
    return true;
  }
  if (address - ptx::kParamWindow < ptx::kWindowBytes) {
    const Bytes offset = address - ptx::kParamWindow;
    if (offset + bytes > memory.parameter_bytes) return false;
    std::copy_n(memory.parameters + offset, bytes, to);
    return true;
  }
  for (Bytes i = 0; i < bytes; ++i) {
    PhysicalAddress physical;
    if (address + i - ptx::kLocalWindow < ptx::kWindowBytes) {
      const Bytes offset = address + i - ptx::kLocalWindow;
      if (offset >= memory.local_bytes) return false;
      physical = memory.local_physical + (offset / 4 * width_ + lane) * 4 + offset % 4;
    } else {
      const memory::PageRun& run = address_space_.pages().find(VirtualAddress(address + i));
      if (run.bytes == 0) return false;
      physical = run[VirtualAddress(address + i)];
    }
    const std::optional<std::byte> byte = services_.peek(number_, physical);
    if (!byte) return false;
    to[i] = *byte;
  }
  return true;
}

template class SmCoreOf<32>;
template class SmCoreOf<64>;

}  // namespace duet::gpu
