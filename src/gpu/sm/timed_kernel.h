// A kernel as the timing model sees it: for every micro-op the scoreboard entries it reads and writes, its
// unit, its latency, and the place of its machine code. Made once per launch. Source: machine file
// (gpu.sm.*); CUDA C programming guide for the unit of each instruction.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "config/machine.h"
#include "gpu/sm/clock_loops.h"
#include "ptx/kernel.h"

namespace duet::gpu {

// Execution units of an SM. Control executes on the SP path, counts of bits on that of special functions. A
// shuffle has the SM's one network between lanes; a barrier takes one arrival after the other.
enum class Pipe : std::uint8_t { Sp, Sfu, Dp, Int, Shuffle, Barrier, LoadStore };
inline constexpr unsigned kArithmeticPipes = 6;

struct TimedOp {
  std::uint32_t first_entry = 0;    // in TimedKernel::entries: read entries, then written ones
  std::uint32_t machine_index = 0;  // of its first machine instruction
  std::uint16_t parts = 1;          // machine instructions; 0: executes with its successor, for free
  std::uint16_t latency_cycles = 0;
  std::uint16_t interval_cycles = 0;
  std::uint16_t part_interval_cycles = 1;   // from one part to the next
  std::uint16_t first_interval_cycles = 0;  // of the first part's unit
  std::uint16_t first_part_cycles = 1;      // from the first part to the second
  std::uint8_t read_entries = 0, write_entries = 0;
  std::uint8_t register_reads =
      0;  // the first of the entries read are registers: they pass operand collection
  Pipe pipe = Pipe::Sp, first_pipe = Pipe::Sp;  // of all parts but the first, of the first
  bool ends_clock_loop = false;                 // the branch of one of TimedKernel::clock_loops
};

struct TimedKernel {
  std::vector<TimedOp> ops;  // by index in Kernel::code
  // Scoreboard entries: register slots, then predicates, then the carry flag; with gpu.sm.blocking_issue the
  // last one says when the warp's last instruction has committed. Every instruction but a store writes it.
  std::vector<std::uint16_t> entries;
  std::uint32_t scoreboard_entries = 0;
  std::uint32_t commit_entry() const { return scoreboard_entries - 1; }
  std::uint32_t machine_instructions = 0;
  std::vector<ClockLoop> clock_loops;
};

// A store, or a reduction: with gpu.sm.blocking_issue it commits when its requests have left the SM's
// load-store unit, and completes when they are acknowledged.
inline bool commits_when_sent(const ptx::MicroOp& op) {
  const bool result = op.destination_count != 0 && op.destinations[0] != ptx::kNoRegister;
  return op.kind == ptx::Kind::Store || (op.kind == ptx::Kind::Atomic && !result);
}

std::shared_ptr<const TimedKernel> make_timed_kernel(const ptx::Kernel& kernel, const config::Sm& sm);

}  // namespace duet::gpu
