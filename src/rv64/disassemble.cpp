#include <fmt/format.h>

#include <array>

#include "rv64/decode.h"

namespace duet::rv64 {
namespace {

constexpr std::array<const char*, 32> kIntegerNames{
    "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
    "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr std::array<const char*, 32> kFloatNames{"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                                  "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                                  "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                                  "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
constexpr std::array<const char*, 8> kRoundingNames{"rne", "rtz", "rdn", "rup", "rmm", "?", "?", "dyn"};

std::string csr_name(unsigned number) {
  switch (number) {
    case csr::kFflags:
      return "fflags";
    case csr::kFrm:
      return "frm";
    case csr::kFcsr:
      return "fcsr";
    case csr::kCycle:
      return "cycle";
    case csr::kTime:
      return "time";
    case csr::kInstret:
      return "instret";
    default:
      return fmt::format("hpmcounter{}", number - csr::kCycle);
  }
}

std::string fence_set(unsigned bits) {
  std::string text;
  for (unsigned i = 0; i < 4; ++i)
    if (bits >> (3 - i) & 1) text += "iorw"[i];
  return text.empty() ? "unknown" : text;
}

// .aq and .rl of atomics.
const char* ordering(const Instruction& instruction) {
  if (info_of(instruction.opcode).kind != Kind::Atomic) return "";
  constexpr std::array<const char*, 4> kNames{"", ".rl", ".aq", ".aqrl"};
  return kNames[instruction.bits >> 25 & 3];
}

std::string operand(char letter, const Instruction& i, std::uint64_t pc) {
  switch (letter) {
    case 'd':
      return kIntegerNames[i.rd];
    case 's':
      return kIntegerNames[i.rs1];
    case 't':
      return kIntegerNames[i.rs2];
    case 'D':
      return kFloatNames[i.rd];
    case 'S':
      return kFloatNames[i.rs1];
    case 'T':
      return kFloatNames[i.rs2];
    case 'R':
      return kFloatNames[i.rs3];
    case 'j':
    case 'o':
    case 'q':
      return fmt::format("{}", i.immediate);
    case '>':
    case '<':
      return fmt::format("{:#x}", i.immediate);
    case 'u':
      return fmt::format("{:#x}", static_cast<std::uint64_t>(i.immediate) >> 12 & 0xfffff);
    case 'p':
    case 'a':
      return fmt::format("{:#x}", pc + static_cast<std::uint64_t>(i.immediate));
    case 'E':
      return csr_name(static_cast<unsigned>(i.immediate));
    case 'Z':
      return fmt::format("{}", i.rs1);
    case 'P':
      return fence_set(i.immediate >> 4 & 15);
    case 'Q':
      return fence_set(i.immediate & 15);
    default:
      return std::string(1, letter);
  }
}

}  // namespace

std::string disassemble(const Instruction& instruction, std::uint64_t pc) {
  if (instruction.opcode == Opcode::Illegal)
    return instruction.length == 2 ? fmt::format(".2byte {:#x}", instruction.bits)
                                   : fmt::format(".4byte {:#x}", instruction.bits);
  if (instruction.opcode == Opcode::Fence && instruction.immediate == 0x833) return "fence.tso";
  const InstructionInfo& info = info_of(instruction.opcode);
  std::string text = fmt::format("{}{}", info.mnemonic, ordering(instruction));
  if (!info.operands.empty()) text += ' ';
  for (const char letter : info.operands) {
    if (letter != 'm') {
      text += operand(letter, instruction, pc);
    } else if (instruction.rounding == Rounding::Dynamic) {
      text.pop_back();  // the comma
    } else {
      text += kRoundingNames[static_cast<std::size_t>(instruction.rounding)];
    }
  }
  return text;
}

}  // namespace duet::rv64
