// Any 32 bits through the decoder and the disassembler of RV64: an instruction that can be written down, or
// none.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "rv64/decode.h"

using namespace duet::rv64;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(std::uint32_t bits) {
  const Instruction instruction = decode(bits);
  const std::string text = disassemble(instruction, 0x10000);
  require(!text.empty() && text.back() != ',' && text.back() != ' ');
  require(instruction.length == (is_compressed(bits) ? 2 : 4));
  if (instruction.opcode == Opcode::Illegal) {
    require(text.front() == '.');
    return;
  }
  require(static_cast<std::size_t>(instruction.opcode) < kOpcodes);
  require((instruction.rd | instruction.rs1 | instruction.rs2 | instruction.rs3) < 32);
  require(text.front() != '.');
  const std::uint32_t word = is_compressed(bits) ? expand_compressed(static_cast<std::uint16_t>(bits)) : bits;
  const InstructionInfo& info = info_of(instruction.opcode);
  require((word & info.mask) == info.match);
  // What a compressed instruction stands for is decoded alike.
  Instruction expanded = decode(word);
  require(expanded.opcode == instruction.opcode && disassemble(expanded, 0x10000) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  for (; bytes >= 4; data += 4, bytes -= 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, data, 4);
    check(word);
    check(word & ~3u);  // the three quadrants of compressed ones
    check((word & ~3u) | 1);
    check((word & ~3u) | 2);
  }
  return 0;
}
