// Decoded code: a block is a run of consecutive instructions in memory, entered at its first one only. A
// conditional branch does not end it: where it is taken, the block is left before its end. Each instruction
// is a micro-op. Its handler executes it and calls the handler of the next.
#pragma once

#include <cstdint>

#include "rv64/hart.h"
#include "rv64/instruction.h"

namespace duet::rv64 {

struct Block;
struct MicroOp;
struct Run;
using Handler = const MicroOp* (*)(const MicroOp* op, Hart* hart, Run* run);

struct MicroOp {
  union {
    Handler handler;
    Block* block;  // of a link: nullptr until the target was decoded
  };
  std::int64_t immediate;  // of a link: the target's address
  std::uint8_t rd;         // x0 as a destination is Registers::kSink
  std::uint8_t rs1, rs2, rs3;
  Rounding rounding;
  std::uint8_t position;      // in the block
  std::uint8_t rest;          // instructions of the block from this one on
  std::uint8_t pc_halfwords;  // from the block's first instruction
};
static_assert(sizeof(MicroOp) == 24);

// After a conditional branch, a jump, and the end of a block without a jump, a link follows: an unexecuted
// micro-op with the target.

struct Block {
  std::uint64_t pc;
  std::uint32_t instructions;
  std::uint32_t bytes;
  // Its micro-ops follow it in memory.
  MicroOp* ops() { return reinterpret_cast<MicroOp*>(this + 1); }
};
static_assert(sizeof(Block) % alignof(MicroOp) == 0);

// The state of a hart's run beside the hart, and its end.
struct Run {
  static constexpr unsigned kTargets = 1u << 14;

  // Instructions still allowed, without the entered block's.
  std::int64_t remaining = 0;
  std::int64_t allowed = 0;   // `remaining` at the run's beginning
  Block** targets = nullptr;  // kTargets blocks by target_index of their address, for indirect jumps
  // Set when handlers return nullptr.
  const MicroOp* link = nullptr;  // is not joined with its block yet; hart.pc is where it leads
  bool trapped = false;           // otherwise the run goes on at hart.pc
  bool illegal = false;
  bool faulted = false;
  bool system_call = false;
  bool breakpoint = false;

  static unsigned target_index(std::uint64_t pc) { return pc >> 1 & (kTargets - 1); }
};

// The handler of a legal instruction; it depends on the opcode alone.
Handler handler_of(Opcode opcode);
namespace special {
Handler illegal();        // traps
Handler load_constant();  // rd becomes the immediate
Handler move();           // rd becomes rs1
Handler jump();           // jal with x0: to the link
Handler jump_and_link();  // jal: the immediate is the link register's value
Handler end_of_block();   // no instruction: to the link
}  // namespace special

// Executes from `block` on until a handler stops, its instructions being taken off `remaining` already.
void execute_block(Block& block, Hart& hart, Run& run);

}  // namespace duet::rv64
