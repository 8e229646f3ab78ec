// Executes a hart's instructions, functionally: no time passes, and every access is done at once, in program
// order. Instructions are decoded once, into chained blocks; stores into decoded code and changed pages drop
// them (memory.h). One interpreter serves all harts of a memory. The caller chooses the hart and the number
// of instructions, so any interleaving is deterministic.
#pragma once

#include <cstdint>
#include <memory>

#include "rv64/hart.h"
#include "rv64/memory.h"

namespace duet::rv64 {

// Why a hart has stopped. In each case hart.pc is at an instruction without any effect so far; all earlier
// ones are complete.
enum class TrapCause : std::uint8_t {
  Budget,              // as many instructions as were allowed have been executed
  SystemCall,          // ecall: the caller serves it, adds 4 to hart.pc, and runs on
  Breakpoint,          // ebreak or c.ebreak
  IllegalInstruction,  // also a floating-point one with a reserved rounding mode, and an unknown CSR
  AccessFault,         // of a fetch, load or store: Trap::fault says where, and why
};

struct Trap {
  TrapCause cause = TrapCause::Budget;
  std::uint32_t instruction = 0;  // its bits, of 16 or 32; 0 for a faulting fetch
  Fault fault;                    // of AccessFault
};

class Interpreter {
 public:
  explicit Interpreter(Memory& memory);
  ~Interpreter();

  // Executes until the hart stops, exactly `instructions` at most. The hart's reservations end with a trap
  // other than Budget. rdcycle, rdinstret and rdtime read hart.retired, as of a core of 1 GHz with one
  // instruction a cycle; hpmcounter3 to 31 read 0.
  Trap run(Hart& hart, std::uint64_t instructions);

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace duet::rv64
