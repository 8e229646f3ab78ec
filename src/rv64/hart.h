// A hardware thread of RV64GC in user mode: its registers, its port to memory, and how much it has executed.
// Source: The RISC-V Instruction Set Manual, volume I, version 20191213, chapters 2, 9 (counters), 11 and 12
// (floating point). Left out: everything of the privileged modes, and vectors (RV64GC has none).
#pragma once

#include <array>
#include <cstdint>

#include "rv64/memory.h"

namespace duet::rv64 {

// The registers of a program. Plain: clone, fork and signal frames copy it.
struct Registers {
  static constexpr unsigned kSink = 32;  // writes to x0 go there; nobody reads it

  std::array<std::uint64_t, 33> x{};  // x[0] stays 0
  std::array<std::uint64_t, 32> f{};  // raw bits; a single is NaN-boxed: its upper 32 bits are ones
  std::uint64_t pc = 0;               // of the next instruction
  std::uint8_t fflags = 0;            // accrued exceptions, bits NX 0, UF 1, OF 2, DZ 3, NV 4
  std::uint8_t frm = 0;  // rounding mode, 3 bits; with 5, 6 and 7 instructions with it are illegal

  std::uint32_t fcsr() const { return frm << 5 | fflags; }
  void set_fcsr(std::uint32_t value) {
    fflags = value & 31;
    frm = value >> 5 & 7;
  }
};

// Indices into Registers::x by the names of the calling convention.
inline constexpr unsigned kReturnAddress = 1, kStackPointer = 2, kThreadPointer = 4;
inline constexpr unsigned kArgument0 = 10;  // a0 to a7: 10 to 17
inline constexpr unsigned kSystemCallNumber = 17;

class Hart : public Registers {
 public:
  // `id` is the hart's number within one memory. The memory must outlive it.
  Hart(Memory& memory, unsigned id) : port(memory), id(id) {}

  MemoryPort port;
  const unsigned id;
  std::uint64_t retired = 0;  // retired instructions: ecall, ebreak and faulting ones are not
};

}  // namespace duet::rv64
