#include "predict/counted_loops.h"

#include <algorithm>
#include <optional>

namespace duet::predict {

namespace {

using gpu::CountedLoop;
using gpu::PartialCode;
using ptx::Bank;
using ptx::Comparison;
using ptx::Kind;
using ptx::MicroOp;
using ptx::Opcode;
using ptx::Type;

bool signed_type(Type type) { return type == Type::S32 || type == Type::S64; }
bool is_integer(Type type) {
  return signed_type(type) || type == Type::U32 || type == Type::U64 || type == Type::B32 ||
         type == Type::B64;
}
bool is_wide(Type type) { return ptx::type_bytes(type) == 8; }

Comparison mirrored(Comparison comparison) {
  switch (comparison) {
    case Comparison::Lt:
      return Comparison::Gt;
    case Comparison::Le:
      return Comparison::Ge;
    case Comparison::Gt:
      return Comparison::Lt;
    case Comparison::Ge:
      return Comparison::Le;
    default:
      return comparison;
  }
}

Comparison inverted(Comparison comparison) {
  switch (comparison) {
    case Comparison::Lt:
      return Comparison::Ge;
    case Comparison::Le:
      return Comparison::Gt;
    case Comparison::Gt:
      return Comparison::Le;
    case Comparison::Ge:
      return Comparison::Lt;
    case Comparison::Eq:
      return Comparison::Ne;
    default:
      return Comparison::Eq;
  }
}

// Whether control comes into (first, last] from elsewhere than from the instruction before.
bool entered(const ptx::Kernel& kernel, const PartialCode& code, std::size_t first, std::size_t last) {
  const auto inside = [&](std::size_t target) { return target > first && target <= last; };
  for (std::size_t i = 0; i < code.code.size(); ++i)
    if (code.code[i].kind == Kind::Branch && (i < first || i > last) && inside(code.code[i].target))
      return true;
  return std::any_of(kernel.branch_tables.begin(), kernel.branch_tables.end(),
                     [&](const auto& table) { return std::any_of(table.begin(), table.end(), inside); });
}

class Finder {
 public:
  Finder(const PartialCode& code, std::size_t last) : code_(code), last_(last) {}

  // The loop that the branch at `last` closes.
  std::optional<CountedLoop> find() {
    const MicroOp& back = code_.code[last_];
    std::size_t i = back.target;
    while (i < last_) {
      const MicroOp& op = code_.code[i];
      loop_.instructions += op.machine_instructions;
      if (code_.told[i] != PartialCode::Told::Executed) return {};
      if (op.kind == Kind::Branch && op.guard == ptx::kNoPredicate && op.target > i && op.target <= last_) {
        i = op.target;
        continue;
      }
      if (!take(op)) return {};
      ++i;
    }
    loop_.instructions += back.machine_instructions;
    if (compare_ == nullptr || compare_->predicate_destination != back.guard) return {};
    return compared(back.guard_negated) ? std::optional(loop_) : std::nullopt;
  }

 private:
  bool take(const MicroOp& op) {
    if (op.guard != ptx::kNoPredicate) return false;
    if (op.opcode == Opcode::Add && is_integer(op.type) && op.source_type == Type::None && !op.carry_in &&
        !op.carry_out && !op.saturate && op.destination_count == 1) {
      const auto own = [&](const ptx::Operand& source) {
        return source.bank == Bank::Register && source.slot == op.destinations[0];
      };
      if (own(op.sources[0]) == own(op.sources[1])) return false;
      loop_.steps.push_back({op.destinations[0], is_wide(op.type), op.sources[own(op.sources[0]) ? 1 : 0]});
      stepped_before_compare_.push_back(compare_ == nullptr);
      return true;
    }
    if (op.opcode == Opcode::Setp && compare_ == nullptr && is_integer(op.type) &&
        op.boolean == ptx::Boolean::None && op.predicate_destination_second == ptx::kNoPredicate &&
        op.comparison <= Comparison::Ge) {
      compare_ = &op;
      return true;
    }
    return false;
  }

  // Nothing in the loop writes it.
  bool invariant(const ptx::Operand& operand, bool wide) const {
    if (operand.bank == Bank::Predicate || operand.negate || operand.absolute) return false;
    if (operand.bank != Bank::Register) return true;
    return std::none_of(loop_.steps.begin(), loop_.steps.end(), [&](const CountedLoop::Step& step) {
      return operand.slot < step.slot + (step.wide ? 2u : 1u) && step.slot < operand.slot + (wide ? 2u : 1u);
    });
  }

  bool compared(bool goes_on_if_not) {
    for (std::size_t i = 0; i < loop_.steps.size(); ++i) {
      if (!invariant(loop_.steps[i].by, loop_.steps[i].wide)) return false;
      for (std::size_t j = 0; j < i; ++j)
        if (loop_.steps[j].slot == loop_.steps[i].slot) return false;
    }
    for (std::size_t i = 0; i < loop_.steps.size(); ++i) {
      const CountedLoop::Step& step = loop_.steps[i];
      for (unsigned side = 0; side < 2; ++side) {
        const ptx::Operand& source = compare_->sources[side];
        const ptx::Operand& bound = compare_->sources[1 - side];
        if (source.bank != Bank::Register || source.slot != step.slot) continue;
        if (step.wide != is_wide(compare_->type) || !invariant(bound, step.wide)) continue;
        loop_.counter = i;
        loop_.stepped_before = stepped_before_compare_[i];
        loop_.bound = bound;
        loop_.is_signed = signed_type(compare_->type);
        loop_.comparison = side == 0 ? compare_->comparison : mirrored(compare_->comparison);
        if (goes_on_if_not) loop_.comparison = inverted(loop_.comparison);
        loop_.predicate = compare_->predicate_destination;
        loop_.goes_on_if = !goes_on_if_not;
        return true;
      }
    }
    return false;
  }

  const PartialCode& code_;
  const std::size_t last_;
  CountedLoop loop_;
  std::vector<bool> stepped_before_compare_;  // by step
  const MicroOp* compare_ = nullptr;
};

}  // namespace

void find_counted_loops(const ptx::Kernel& kernel, PartialCode& code) {
  code.loop_at.assign(code.code.size(), PartialCode::kNoLoop);
  for (std::size_t i = 0; i < code.code.size(); ++i) {
    const MicroOp& op = code.code[i];
    if (op.kind != Kind::Branch || op.guard == ptx::kNoPredicate || op.target > i || op.may_wait) continue;
    if (entered(kernel, code, op.target, i)) continue;
    if (std::optional<CountedLoop> loop = Finder(code, i).find()) {
      code.loop_at[i] = static_cast<std::uint32_t>(code.loops.size());
      code.loops.push_back(std::move(*loop));
    }
  }
}

}  // namespace duet::predict
