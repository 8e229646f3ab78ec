// Decoded code: a block is a run of instructions that follow each other in memory, entered at its first one
// only. A conditional branch does not end it: where it is taken, the block is left before its end. Each
// instruction is a micro-op, whose handler executes it and calls the handler of the next.
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

// After a conditional branch, a jump, and the end of a block that goes on with the next instruction, a link
// follows: a micro-op that is not executed, but names where it leads.

struct Block {
  std::uint64_t pc;
  std::uint32_t instructions;
  std::uint32_t bytes;
  // Its micro-ops follow it in memory.
  MicroOp* ops() { return reinterpret_cast<MicroOp*>(this + 1); }
};
static_assert(sizeof(Block) % alignof(MicroOp) == 0);

// What a hart's run needs besides the hart, and how it ended.
struct Run {
  static constexpr unsigned kTargets = 1u << 14;

  // Instructions that may still be executed, those of the block that was entered taken off already.
  std::int64_t remaining = 0;
  std::int64_t allowed = 0;   // what `remaining` was when the run began
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

// The handler of an instruction that is not Illegal; it depends on nothing but the opcode.
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
