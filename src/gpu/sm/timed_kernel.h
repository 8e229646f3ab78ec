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
  // Scoreboard entries: register slots, then predicates, then the carry flag.
  std::vector<std::uint16_t> entries;
  std::uint32_t scoreboard_entries = 0;
  std::uint32_t machine_instructions = 0;
  std::vector<ClockLoop> clock_loops;
};

std::shared_ptr<const TimedKernel> make_timed_kernel(const ptx::Kernel& kernel, const config::Sm& sm);

}  // namespace duet::gpu
