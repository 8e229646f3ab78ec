// The operands of the machine's instructions, and the values that must stand in a register first. Modelled on
// ptxas for sm_75: thread and block indices come by S2R into a register; an arithmetic instruction takes one
// operand from the constant bank or as immediate (zero is a register of its own) and the rest from registers;
// addresses of global memory, values to store and values to exchange are registers; a double immediate has
// its upper half alone. Unchanging values are read once, in front of their loops. Leaves out: the uniform
// registers of sm_75; they hold some of these values outside the vector file.
#include <algorithm>
#include <map>
#include <tuple>

#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::Pseudo;
using ir::Value;
using ir::ValueKind;

namespace {

bool is_memory(const MicroOp& op) {
  return op.kind == Kind::Load || op.kind == Kind::Store || op.kind == Kind::Atomic ||
         op.opcode == Opcode::Prefetch;
}

// S2R reads these; the sizes of block and grid lie in the constant bank.
bool is_special(const Value& value) {
  if (value.kind == ValueKind::Warp) return true;
  if (value.kind != ValueKind::Block) return false;
  switch (static_cast<BlockSlot>(value.index)) {
    case BlockSlot::CtaIdX:
    case BlockSlot::CtaIdY:
    case BlockSlot::CtaIdZ:
    case BlockSlot::NWarpId:
      return true;
    default:
      return false;
  }
}
bool is_constant(const Value& value) {
  return value.kind == ValueKind::Parameter || value.kind == ValueKind::Variable ||
         value.kind == ValueKind::Block || (value.is_immediate() && value.bits != 0);
}

// Sequences and single-source instructions read an operand of any kind; calls move their arguments anyway.
bool takes_any(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::Mov:
    case Opcode::Cvt:
    case Opcode::Pack:
    case Opcode::Unpack:
    case Opcode::Bfe:
    case Opcode::Bfi:
    case Opcode::Vote:
    case Opcode::Match:
    case Opcode::Redux:
    case Opcode::Elect:
      return true;
    default:
      return op.kind != Kind::Arithmetic;
  }
}

class Placer {
 public:
  Placer(Function& function, ControlFlow& flow) : function_(function), flow_(flow), dominance_(flow) {
    std::vector<std::vector<std::uint32_t>> successors;
    for (const Block& block : flow.blocks) successors.push_back(block.successors);
    parent_ = immediate_dominators(successors, 0);
    find_loops();
  }

  void run() {
    for (const auto b : flow_.reverse_postorder)
      for (std::uint32_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i)
        if (function_.code[i].pseudo == Pseudo::None) visit(function_.code[i], b, i);
    if (!reads_.empty()) insert();
  }

 private:
  struct Read {
    Value value;
    std::uint32_t block = kNone, reg = kNone;
    std::vector<std::pair<std::uint32_t, unsigned>> uses;  // instruction, source
  };

  void find_loops() {
    in_loop_.resize(flow_.blocks.size());
    for (const auto b : flow_.reverse_postorder)
      for (const auto head : flow_.blocks[b].successors) {
        if (!dominance_.dominates(head, b)) continue;
        std::vector<bool> seen(flow_.blocks.size());
        std::vector<std::uint32_t> work{b};
        in_loop_[head] = seen[head] = true;
        while (!work.empty()) {
          const std::uint32_t block = work.back();
          work.pop_back();
          if (seen[block]) continue;
          in_loop_[block] = seen[block] = true;
          for (const auto p : flow_.blocks[block].predecessors) work.push_back(p);
        }
      }
  }
  std::uint32_t before_loops(std::uint32_t block) const {
    while (in_loop_[block] && parent_[block] != kNone) block = parent_[block];
    return block;
  }
  std::uint32_t common_dominator(std::uint32_t a, std::uint32_t b) const {
    while (!dominance_.dominates(a, b)) a = parent_[a];
    return a;
  }

  void visit(const Instruction& in, std::uint32_t block, std::uint32_t i) {
    const MicroOp& op = in.op;
    for (unsigned s = 0; s < op.source_count; ++s)
      if (is_special(in.sources[s]) && op.opcode != Opcode::Mov) read(in.sources[s], block, i, s);
    if (is_memory(op)) {
      const Value& address = in.sources[0];
      const bool far = op.space == StateSpace::Global || op.space == StateSpace::Generic;
      if (is_constant(address) &&
          (far || address.kind == ValueKind::Parameter || address.kind == ValueKind::Block))
        read(address, block, i, 0);
      for (unsigned s = 1; s < op.source_count; ++s)
        if (is_constant(in.sources[s]) && !is_special(in.sources[s])) read(in.sources[s], block, i, s);
      return;
    }
    if (takes_any(op)) return;
    if (op.opcode == Opcode::Shfl) {
      if (is_constant(in.sources[0]) && !is_special(in.sources[0])) read(in.sources[0], block, i, 0);
      return;
    }
    // One constant may stay: a wide one first, then an immediate, as the same parameter serves more
    // instructions once it stands in a register.
    unsigned keep = op.source_count, rank = 0;
    for (unsigned s = 0; s < op.source_count; ++s) {
      const Value& value = in.sources[s];
      if (!is_constant(value) || is_special(value) || needs_pair(value)) continue;
      const unsigned this_rank = type_bytes(value.type) == 8 ? 3 : value.is_immediate() ? 2 : 1;
      if (this_rank > rank) keep = s, rank = this_rank;
    }
    for (unsigned s = 0; s < op.source_count; ++s)
      if (s != keep && is_constant(in.sources[s]) && !is_special(in.sources[s]))
        read(in.sources[s], block, i, s);
  }
  static bool needs_pair(const Value& value) {
    return value.is_immediate() && value.type == Type::F64 && static_cast<std::uint32_t>(value.bits) != 0;
  }

  void read(const Value& value, std::uint32_t block, std::uint32_t i, unsigned s) {
    const bool special = is_special(value);
    const std::uint32_t place = before_loops(block);
    const bool wide = type_bytes(value.type) == 8;
    const auto key =
        std::make_tuple(special ? kNone : place, value.kind, value.index, value.bits, value.storage, wide);
    const auto [found, fresh] = index_.try_emplace(key, static_cast<std::uint32_t>(reads_.size()));
    if (fresh) {
      Read first;
      first.value = value;
      first.value.type = wide ? Type::B64 : Type::B32;
      first.value.negate = first.value.absolute = false;
      first.block = place;
      reads_.push_back(std::move(first));
    }
    Read& entry = reads_[found->second];
    entry.block = before_loops(common_dominator(entry.block, place));
    entry.uses.emplace_back(i, s);
  }

  // In front of the first use in the block, or behind everything but the block's jump.
  std::uint32_t position(const Read& read) const {
    const Block& block = flow_.blocks[read.block];
    std::uint32_t at = kNone;
    for (const auto& [i, s] : read.uses)
      if (i >= block.begin && i < block.end) at = std::min(at, i);
    if (at != kNone) return at;
    for (std::uint32_t i = block.end; i-- > block.begin;) {
      const Instruction& in = function_.code[i];
      if (in.pseudo == Pseudo::Removed) continue;
      const bool leaves =
          in.pseudo == Pseudo::None &&
          (in.op.kind == Kind::Branch || in.op.kind == Kind::BranchIndexed || in.op.kind == Kind::Call ||
           in.op.kind == Kind::Return || in.op.kind == Kind::Exit);
      return leaves ? i : i + 1;
    }
    return block.end;
  }

  void insert() {
    // Several reads in front of one instruction stand in order of discovery. A read behind the last
    // instruction of a block is told from one in front of the next block's first by its block.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Instruction>> at;
    for (Read& read : reads_) {
      read.reg = function_.add_register(read.value.type);
      const std::uint32_t where = position(read);
      Instruction move =
          ir::instruction(Opcode::Mov, read.value.type, function_.code[read.uses.front().first].op.ptx_line);
      move.add_destination(Value::reg(read.reg, read.value.type));
      move.add_source(read.value);
      at[{read.block, where}].push_back(move);
      for (const auto& [i, s] : read.uses) {
        Instruction& in = function_.code[i];
        Value& source = in.sources[s];
        source.kind = ValueKind::Register;
        source.index = read.reg;
        source.bits = 0;
        source.storage = Type::None;
        if (!is_memory(in.op) || s != 0) continue;
        in.op.address_is_64_bit = type_bytes(source.type) == 8;
        in.op.uniform_address = read.value.kind != ValueKind::Warp;
      }
    }
    std::vector<Instruction> code;
    code.reserve(function_.code.size() + reads_.size());
    for (std::uint32_t b = 0; b < flow_.blocks.size(); ++b) {
      Block& block = flow_.blocks[b];
      const auto begin = static_cast<std::uint32_t>(code.size());
      for (std::uint32_t i = block.begin; i <= block.end; ++i) {
        const auto found = at.find({b, i});
        if (found != at.end()) code.insert(code.end(), found->second.begin(), found->second.end());
        if (i < block.end) code.push_back(function_.code[i]);
      }
      block.begin = begin;
      block.end = static_cast<std::uint32_t>(code.size());
    }
    function_.code = std::move(code);
  }

  using Key = std::tuple<std::uint32_t, ValueKind, std::uint32_t, std::uint64_t, Type, bool>;
  Function& function_;
  ControlFlow& flow_;
  const Dominance dominance_;
  std::vector<std::uint32_t> parent_;
  std::vector<bool> in_loop_;
  std::vector<Read> reads_;
  std::map<Key, std::uint32_t> index_;
};

}  // namespace

void place_operands(Function& function, ControlFlow& flow) { Placer(function, flow).run(); }

}  // namespace duet::ptx
