#include "rv64/process/fault_report.h"

#include <fmt/format.h>

#include <cstdio>

#include "rv64/decode.h"
#include "rv64/process/frames.h"

namespace duet::rv64 {
namespace {

std::string describe(const Trap& trap, std::uint64_t pc) {
  if (trap.cause == TrapCause::IllegalInstruction)
    return fmt::format("illegal instruction {:#x}", trap.instruction);
  if (trap.cause == TrapCause::Breakpoint) return "breakpoint (ebreak)";
  const Fault& fault = trap.fault;
  if (fault.access == Access::Fetch)
    return fmt::format("segmentation fault: no code at {:#x} ({})", fault.address,
                       fault.mapped ? "it may not be executed" : "nothing is mapped there");
  return fmt::format("{}: {} {:#x} ({}) by '{}'", fault.misaligned ? "bus error" : "segmentation fault",
                     fault.access == Access::Store ? "store to" : "load from", fault.address,
                     fault.misaligned ? "an atomic at an address that is no multiple of its size"
                     : fault.mapped   ? "its page does not allow it"
                                      : "nothing is mapped there",
                     disassemble(decode(trap.instruction), pc));
}

}  // namespace

void tell_fault(const ElfFile& file, const LoadedImage& image, Memory& memory, const Trap& trap,
                const Hart& hart) {
  const SymbolTable symbols(file, image.bias);
  fmt::print(stderr, "duet: {}: {}, at pc {:#x}\n", file.path, describe(trap, hart.pc), hart.pc);
  unsigned number = 0;
  for (const std::uint64_t address : frames_of(memory, hart, symbols)) {
    const std::string name = symbols.describe(address);
    fmt::print(stderr, "  #{} {:#x} {}\n", number++, address, name.empty() ? "(no symbol)" : name);
  }
}

}  // namespace duet::rv64
