#include "rv64/block_cache.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "rv64/decode.h"

namespace duet::rv64 {
namespace {

bool ends_block(Opcode opcode) {
  if (opcode == Opcode::Illegal || opcode == Opcode::Ecall || opcode == Opcode::Ebreak) return true;
  return info_of(opcode).kind == Kind::Jump || opcode == Opcode::FenceI;
}
// Whether nothing happens: hints, and fences, not needed by interleaved harts.
bool is_nothing(const Instruction& instruction) {
  const Kind kind = info_of(instruction.opcode).kind;
  return kind == Kind::Fence || (kind == Kind::Integer && instruction.rd == 0);
}

MicroOp link_to(std::uint64_t pc) {
  MicroOp link{};
  link.block = nullptr;
  link.immediate = static_cast<std::int64_t>(pc);
  return link;
}

// The handler, and the immediate where it differs from the instruction's.
void bind(MicroOp& op, const Instruction& instruction, std::uint64_t pc) {
  switch (instruction.opcode) {
    case Opcode::Illegal:
      op.handler = special::illegal();
      return;
    case Opcode::Lui:
      op.handler = special::load_constant();
      return;
    case Opcode::Auipc:
      op.handler = special::load_constant();
      op.immediate += static_cast<std::int64_t>(pc);
      return;
    case Opcode::Addi:
      op.handler = instruction.rs1 == 0         ? special::load_constant()
                   : instruction.immediate == 0 ? special::move()
                                                : handler_of(Opcode::Addi);
      return;
    case Opcode::Jal:
      op.handler = instruction.rd == 0 ? special::jump() : special::jump_and_link();
      op.immediate = static_cast<std::int64_t>(pc + instruction.length);
      return;
    default:
      op.handler = handler_of(instruction.opcode);
  }
}

}  // namespace

std::optional<std::uint32_t> fetch_instruction(std::uint64_t pc, Hart& hart) {
  const auto bytes = hart.port.fetch(pc);
  if (bytes.empty()) return std::nullopt;
  std::uint32_t bits = 0;
  std::memcpy(&bits, bytes.data(), std::min<std::size_t>(bytes.size(), 4));
  if (is_compressed(bits)) return bits & 0xffff;
  if (bytes.size() >= 4) return bits;
  const auto rest = hart.port.fetch(pc + 2);  // on the next page
  if (rest.empty()) return std::nullopt;
  std::uint16_t high = 0;
  std::memcpy(&high, rest.data(), 2);
  return (bits & 0xffff) | std::uint32_t{high} << 16;
}

BlockCache::Storage BlockCache::decode_block(std::uint64_t pc, Hart& hart, unsigned limit) {
  ops_.clear();
  const std::uint64_t start = pc;
  unsigned count = 0;
  bool ended = false;
  while (!ended && count < limit && (count == 0 || pc / kPageBytes == start / kPageBytes)) {
    const auto bits = fetch_instruction(pc, hart);
    if (!bits) {
      if (count == 0) return nullptr;
      break;
    }
    const Instruction instruction = decode(*bits);
    ended = ends_block(instruction.opcode);
    if (instruction.opcode == Opcode::Illegal || !is_nothing(instruction)) {
      MicroOp op{};
      op.immediate = instruction.immediate;
      op.rd = instruction.rd == 0 && has_operand(instruction.opcode, 'd') ? Registers::kSink : instruction.rd;
      op.rs1 = instruction.rs1;
      op.rs2 = instruction.rs2;
      op.rs3 = instruction.rs3;
      op.rounding = instruction.rounding;
      op.rest = static_cast<std::uint8_t>(count);  // set below
      op.pc_halfwords = static_cast<std::uint8_t>((pc - start) / 2);
      bind(op, instruction, pc);
      ops_.push_back(op);
      const bool branches = instruction.opcode != Opcode::Illegal && has_operand(instruction.opcode, 'p');
      if (branches || instruction.opcode == Opcode::Jal)
        ops_.push_back(link_to(pc + static_cast<std::uint64_t>(instruction.immediate)));
    }
    hart.port.memory().watch_code(VirtualAddress(pc));
    pc += instruction.length;
    hart.port.memory().watch_code(VirtualAddress(pc - 1));
    ++count;
    if (instruction.opcode == Opcode::FenceI) ended = false, limit = count;
  }
  if (!ended) {
    MicroOp end{};
    end.handler = special::end_of_block();
    end.rest = static_cast<std::uint8_t>(count);
    ops_.push_back(end);
    ops_.push_back(link_to(pc));
  }
  Storage storage(new std::byte[sizeof(Block) + ops_.size() * sizeof(MicroOp)]);
  Block* block = new (storage.get()) Block{start, count, static_cast<std::uint32_t>(pc - start)};
  for (std::size_t i = 0; i < ops_.size(); ++i) {
    ops_[i].position = static_cast<std::uint8_t>(i);
    ops_[i].rest = static_cast<std::uint8_t>(count - ops_[i].rest);
    new (block->ops() + i) MicroOp(ops_[i]);
  }
  return storage;
}

Block* BlockCache::find_or_decode(std::uint64_t pc, Hart& hart) {
  auto found = blocks_.find(pc);
  if (found == blocks_.end()) {
    Storage storage = decode_block(pc, hart, kMaximumInstructions);
    if (storage == nullptr) return nullptr;
    found = blocks_.emplace(pc, std::move(storage)).first;
  }
  Block* block = reinterpret_cast<Block*>(found->second.get());
  targets_[Run::target_index(pc)] = block;
  return block;
}

Block* BlockCache::decode_part(std::uint64_t pc, Hart& hart, unsigned instructions) {
  part_ = decode_block(pc, hart, instructions);
  return reinterpret_cast<Block*>(part_.get());
}

void BlockCache::clear() {
  std::fill(targets_.begin(), targets_.end(), nullptr);
  blocks_.clear();
}

}  // namespace duet::rv64
