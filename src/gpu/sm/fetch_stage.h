// The fetch of an SM: one warp's instructions a cycle, warps in turn, from the instruction cache into the
// warp's buffer.
//
//   fetch.want(warp, slot, cycle);                     // its buffer has room again
//   if (fetch.has_work()) slot = fetch.pick(), fetch.fetch(now, cycle, warp, slot);
//   fetch.buffered(warp, slot, cycle)                  // the next instruction of the warp is there
//
// A warp has machine_pc, buffered_end, fetched_end (machine instructions of its kernel) and fetched_ready.
// Source: hu2016 §2 (instruction buffer and cache of an SM).
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "gpu/grid.h"
#include "gpu/sm/instruction_cache.h"
#include "gpu/sm/schedulers/loose_round_robin.h"

namespace duet::gpu {

class FetchStage {
 public:
  FetchStage(const config::Gpu& config, std::uint16_t sm_number, memory::RequestPool& pool)
      : buffer_(static_cast<std::uint32_t>(config.sm.instruction_buffer)),
        most_(static_cast<std::uint32_t>(config.sm.fetch_instructions)),
        shift_(static_cast<unsigned>(std::countr_zero(config.sm.instruction_bytes))),
        cycles_(std::max<Cycle>(config.instruction_cache.latency_cycles, 1) - 1 + config.sm.decode_cycles),
        cache_(config.instruction_cache, sm_number, pool) {}

  InstructionCache& cache() { return cache_; }
  const InstructionCache& cache() const { return cache_; }

  // Takes arrived lines, and asks for one ahead.
  void receive(Picoseconds now) {
    if (!cache_.waiting() || cache_.receive(now)) blocked_ = 0;
    if (cache_.prefetching()) [[unlikely]]
      cache_.prefetch(now);
  }
  bool has_work() const { return (wants_ & ~blocked_) != 0; }
  bool wants(unsigned slot) const { return ((wants_ >> slot) & 1) != 0; }

  // Asks for the next instructions of a warp when its buffer has room for them.
  template <typename Warp>
  void want(Warp& warp, unsigned slot, Cycle cycle) {
    if (warp.fetched_end > warp.buffered_end) {
      if (warp.fetched_ready > cycle) return;
      warp.buffered_end = warp.fetched_end;
    }
    if (warp.buffered_end - warp.machine_pc + most_ <= buffer_ &&
        warp.buffered_end < warp.block->timed->machine_instructions)
      wants_ |= 1ull << slot;
  }
  // Whether the next machine instruction is in the warp's buffer. False: it is there at fetched_ready where
  // fetched_end is ahead of buffered_end; otherwise the warp has to wait for its fetch.
  template <typename Warp>
  bool buffered(Warp& warp, unsigned slot, Cycle cycle) {
    if (warp.machine_pc < warp.buffered_end) return true;
    if (warp.fetched_end > warp.buffered_end) {
      if (warp.fetched_ready > cycle) return false;
      warp.buffered_end = warp.fetched_end;
      want(warp, slot, cycle);
      return true;
    }
    wants_ |= 1ull << slot;
    return false;
  }
  // Execution goes on elsewhere than the buffer has it, at machine instruction `at`.
  template <typename Warp>
  void flush(Warp& warp, unsigned slot, Cycle cycle, std::uint32_t at) {
    warp.machine_pc = warp.buffered_end = warp.fetched_end = at;
    want(warp, slot, cycle);
  }
  void forget(unsigned slot) {
    wants_ &= ~(1ull << slot);
    blocked_ &= ~(1ull << slot);
  }

  // The warp whose turn it is; has_work() holds.
  unsigned pick() {
    const unsigned slot = order_.pick(wants_ & ~blocked_);
    order_.issued(slot);
    return slot;
  }
  // False: its line is not in the cache.
  template <typename Warp>
  bool fetch(Picoseconds now, Cycle cycle, Warp& warp, unsigned slot) {
    const std::uint32_t end = warp.block->timed->machine_instructions;
    const PhysicalAddress code = warp.block->grid->code_physical;
    const PhysicalAddress address = code + (Bytes{warp.buffered_end} << shift_);
    if (!cache_.lookup(now, address, code + (Bytes{end} << shift_))) {
      blocked_ |= 1ull << slot;
      return false;
    }
    wants_ &= ~(1ull << slot);
    const Bytes line = cache_.line_bytes();
    const std::uint64_t to_line_end = (line - (address.value() & (line - 1))) >> shift_;
    warp.fetched_end = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(warp.buffered_end + std::min<std::uint64_t>(most_, to_line_end), end));
    warp.fetched_ready = cycle + cycles_;
    return true;
  }

  // Equal states have equal words.
  template <typename F>
  void for_each_word(F f) const {
    f(wants_);
    f(blocked_);
    f(order_.state());
  }

 private:
  std::uint32_t buffer_, most_;  // machine instructions: of a warp's buffer, and of a fetch
  unsigned shift_;               // bytes of an instruction
  Cycle cycles_;                 // from a fetch until the instructions are in the buffer
  InstructionCache cache_;
  std::uint64_t wants_ = 0, blocked_ = 0;  // slots; the blocked ones wait for a line
  LooseRoundRobin order_;
};

}  // namespace duet::gpu
