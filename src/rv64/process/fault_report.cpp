#include "rv64/process/fault_report.h"

#include <fmt/format.h>

#include <cstdio>
#include <span>

#include "rv64/decode.h"

namespace duet::rv64 {
namespace {

constexpr unsigned kFramePointer = 8;
constexpr unsigned kMostFrames = 16;

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

// The caller of the innermost function is in ra unless the function has called another one; then, and for all
// others, in the frames behind the frame pointer, where the compiler keeps one (-fno-omit-frame-pointer; at
// -O0 it does).
std::vector<std::uint64_t> frames_of(Memory& memory, const Hart& hart, const SymbolTable& symbols) {
  std::vector<std::uint64_t> found{hart.pc};
  const Symbol* here = symbols.find(hart.pc);
  const std::uint64_t return_address = hart.x[kReturnAddress];
  const Symbol* caller = symbols.find(return_address - 1);
  if (caller != nullptr && caller != here) found.push_back(return_address);
  std::uint64_t frame = hart.x[kFramePointer];
  while (found.size() < kMostFrames && frame % 8 == 0 && frame > hart.x[kStackPointer]) {
    std::uint64_t saved[2];  // the caller's frame pointer, and the return address
    if (memory.read(VirtualAddress(frame - sizeof saved), std::as_writable_bytes(std::span(saved)))) break;
    const bool leaf = frame == hart.x[kFramePointer] && symbols.find(saved[1] - 1) == nullptr;
    if (!leaf && symbols.find(saved[1] - 1) == nullptr) break;
    if (!leaf && saved[1] != found.back()) found.push_back(saved[1]);
    const std::uint64_t next = leaf ? saved[1] : saved[0];  // a leaf saves no return address
    if (next <= frame) break;
    frame = next;
  }
  return found;
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
