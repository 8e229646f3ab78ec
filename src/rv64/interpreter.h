// Executes a hart's instructions, functionally: no time passes, and every access is done at once, in program
// order. Instructions are decoded once, into blocks that are chained; stores into decoded code and changed
// pages drop them (memory.h). One interpreter serves all harts of a memory. Which hart runs when, and for how
// many instructions, is the caller's to say, so any interleaving is deterministic.
#pragma once

#include <cstdint>
#include <memory>

#include "rv64/hart.h"
#include "rv64/memory.h"

namespace duet::rv64 {

// Why a hart has stopped. In each case hart.pc names an instruction that has not been executed, and nothing
// of it has happened; all before it have.
enum class TrapCause : std::uint8_t {
  Budget,              // as many instructions as were allowed have been executed
  SystemCall,          // ecall: the caller serves it, adds 4 to hart.pc, and runs on
  Breakpoint,          // ebreak or c.ebreak
  IllegalInstruction,  // also a floating-point one with a reserved rounding mode, and an unknown CSR
  AccessFault,         // of a fetch, load or store: Trap::fault says where, and why
};

struct Trap {
  TrapCause cause = TrapCause::Budget;
  std::uint32_t instruction = 0;  // its bits, of 16 or 32; 0 for a fetch that faults
  Fault fault;                    // of AccessFault
};

class Interpreter {
 public:
  explicit Interpreter(Memory& memory);
  ~Interpreter();

  // Executes until something stops the hart, exactly `instructions` at most. Each reservation that the hart
  // holds ends with a trap other than Budget. rdcycle, rdinstret and rdtime read hart.retired, as of a core
  // of 1 GHz that executes one instruction a cycle; hpmcounter3 to 31 read 0.
  Trap run(Hart& hart, std::uint64_t instructions);

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace duet::rv64
