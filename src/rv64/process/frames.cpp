#include "rv64/process/frames.h"

#include <span>

namespace duet::rv64 {

namespace {

constexpr unsigned kFramePointer = 8;
constexpr unsigned kMostFrames = 16;

// Whether the instruction before it is a call: jal or jalr that writes ra, or c.jalr.
bool follows_call(Memory& memory, std::uint64_t address) {
  std::uint16_t halves[2] = {};
  if (address < 4 || memory.read(VirtualAddress(address - 4), std::as_writable_bytes(std::span(halves))))
    return false;
  const bool c_jalr = (halves[1] & 0xf07f) == 0x9002 && (halves[1] & 0x0f80) != 0;
  const std::uint32_t word = halves[0] | std::uint32_t{halves[1]} << 16;
  const bool jal = (word & 0xfff) == 0x0ef, jalr = (word & 0x7fff) == 0x00e7;
  return c_jalr || jal || jalr;
}

}  // namespace

std::vector<std::uint64_t> frames_of(Memory& memory, const Registers& registers, const SymbolTable& symbols) {
  std::vector<std::uint64_t> found{registers.pc};
  const auto is_caller = [&](std::uint64_t address) {
    return symbols.find(address - 1) != nullptr && follows_call(memory, address);
  };
  const Symbol* const here = symbols.find(registers.pc);
  const std::uint64_t return_address = registers.x[kReturnAddress];
  if (symbols.find(return_address - 1) != here && is_caller(return_address)) found.push_back(return_address);
  std::uint64_t frame = registers.x[kFramePointer];
  while (found.size() < kMostFrames && frame % 8 == 0 && frame > registers.x[kStackPointer]) {
    std::uint64_t saved[2];  // the caller's frame pointer, and the return address
    if (memory.read(VirtualAddress(frame - sizeof saved), std::as_writable_bytes(std::span(saved)))) break;
    const bool caller = is_caller(saved[1]);
    const bool leaf = frame == registers.x[kFramePointer] && !caller;
    if (!leaf && !caller) break;
    if (!leaf && saved[1] != found.back()) found.push_back(saved[1]);
    const std::uint64_t next = leaf ? saved[1] : saved[0];  // a leaf saves no return address
    if (next <= frame) break;
    frame = next;
  }
  return found;
}

}  // namespace duet::rv64
