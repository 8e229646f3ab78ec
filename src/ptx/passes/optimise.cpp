// The peepholes of an assembler. Values are followed through registers with one unguarded definition that
// dominates the use; for such registers the reasoning of static single assignment holds, in any form of the
// rest of the program. Floating-point operations are never contracted or reordered: results stay
// bit-identical. Leaves out: common subexpressions, scheduling, if-conversion.
#include <algorithm>
#include <bit>

#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::Pseudo;
using ir::Value;
using ir::ValueKind;

namespace {

constexpr unsigned kRounds = 6;
constexpr std::uint32_t kLongestWindow = 64;  // instructions searched for a redefinition

bool is_integer(Type type) { return type >= Type::B8 && type <= Type::S64 && type != Type::B128; }

// Operations with float operand modifiers (Operand::negate, absolute) here.
bool takes_float_modifiers(const MicroOp& op) {
  if (op.type != Type::F32 && op.type != Type::F64) return false;
  switch (op.opcode) {
    case Opcode::Add:
    case Opcode::Sub:
    case Opcode::Mul:
    case Opcode::Fma:
    case Opcode::Min:
    case Opcode::Max:
    case Opcode::Setp:
      return true;
    default:
      return false;
  }
}

class Optimiser {
 public:
  Optimiser(Function& function, const ControlFlow& flow)
      : function_(function), flow_(flow), dominance_(flow), count_(function.registers.size()) {}

  void run() {
    number_blocks();
    for (unsigned round = 0; round < kRounds; ++round) {
      changed_ = false;
      summarise();
      for (const auto b : flow_.reverse_postorder)
        for (std::uint32_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i)
          if (function_.code[i].pseudo == Pseudo::None) visit(i);
      remove_dead();
      if (!changed_) return;
    }
  }

 private:
  void number_blocks() {
    block_of_.assign(function_.code.size(), kNone);
    for (const auto b : flow_.reverse_postorder)
      for (std::uint32_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i) block_of_[i] = b;
  }

  void summarise() {
    definition_.assign(count_, kNone);
    definitions_.assign(count_, 0);
    uses_.assign(count_, 0);
    for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
      const Instruction& in = function_.code[i];
      if (in.pseudo != Pseudo::None) continue;
      ir::for_each_use(in, [&](std::uint32_t r) { ++uses_[r]; });
      ir::for_each_definition(in, [&](std::uint32_t r) {
        definition_[r] = i;
        // A guarded definition is one of several: the value from before stays in other lanes.
        definitions_[r] += in.guarded() ? 2 : 1;
      });
    }
  }

  bool single(std::uint32_t reg) const { return definitions_[reg] == 1; }
  bool dominates(std::uint32_t definition, std::uint32_t use) const {
    if (block_of_[definition] == block_of_[use]) return definition < use;
    return dominance_.dominates(block_of_[definition], block_of_[use]);
  }
  // The only definition of `reg` for instruction `use`, or null.
  const Instruction* definition_for(std::uint32_t reg, std::uint32_t use) const {
    if (!single(reg) || !dominates(definition_[reg], use)) return nullptr;
    return &function_.code[definition_[reg]];
  }
  // A value is the same wherever the definition with it dominates. The second condition matters where a
  // register is read before its only definition, as in compilers' code for values undefined in a loop's first
  // iteration. A register with several definitions (a loop's counter) is as good from `where` to a use in the
  // same block if none of them lies between.
  bool stable(const Value& value, const Instruction* where, std::uint32_t use) const {
    if (!value.is_register()) return true;
    const auto from = static_cast<std::uint32_t>(where - function_.code.data());
    if (definition_for(value.index, from) != nullptr) return true;
    if (block_of_[from] != block_of_[use] || from > use || use - from > kLongestWindow) return false;
    for (std::uint32_t i = from; i < use; ++i) {
      if (function_.code[i].pseudo != Pseudo::None) continue;
      bool defined = false;
      ir::for_each_definition(function_.code[i], [&](std::uint32_t r) { defined |= r == value.index; });
      if (defined) return false;
    }
    return true;
  }

  void visit(std::uint32_t i) {
    Instruction& in = function_.code[i];
    propagate(in, i);
    fold_guard(in, i);
    if (fold_constants(in)) return;
    fold_address(in, i);
    fuse(in, i);
    fold_modifiers(in, i);
  }

  void propagate(Instruction& in, std::uint32_t i) {
    for (unsigned s = 0; s < in.op.source_count; ++s) {
      Value& value = in.sources[s];
      while (value.is_register()) {
        const Instruction* copy = definition_for(value.index, i);
        if (copy == nullptr || copy->op.opcode != Opcode::Mov) break;
        const Value& from = copy->sources[0];
        if (!stable(from, copy, i)) break;
        const bool predicate = copy->op.type == Type::Pred;
        if (!predicate && ir::slots_of(copy->op.type) != ir::slots_of(value.type)) break;
        if (from.is_register() && !predicate &&
            ir::slots_of(function_.registers[from.index]) != ir::slots_of(value.type))
          break;
        --uses_[value.index];
        Value replacement = from;
        replacement.type = value.type;
        if (predicate) {
          replacement.negate = value.negate != from.negate;
        } else {
          replacement.negate = value.negate;
          replacement.absolute = value.absolute;
        }
        value = replacement;
        if (value.is_register()) ++uses_[value.index];
        changed_ = true;
      }
      fold_predicate_not(value, i);
      if (value.is_immediate() && (value.negate || value.absolute)) apply_modifiers(value);
    }
  }

  void apply_modifiers(Value& value) {
    const std::uint64_t sign = value.type == Type::F64 ? 1ull << 63 : 1ull << 31;
    if (value.absolute) value.bits &= ~sign;
    if (value.negate) value.bits ^= sign;
    value.absolute = value.negate = false;
  }

  void fold_predicate_not(Value& value, std::uint32_t i) {
    while (value.is_register() && function_.registers[value.index] == Type::Pred) {
      const Instruction* inverse = definition_for(value.index, i);
      if (inverse == nullptr || inverse->op.opcode != Opcode::Not || !stable(inverse->sources[0], inverse, i))
        return;
      --uses_[value.index];
      const bool negate = value.negate == inverse->sources[0].negate;
      value = inverse->sources[0];
      value.negate = negate;
      ++uses_[value.index];
      changed_ = true;
    }
  }

  void fold_guard(Instruction& in, std::uint32_t i) {
    if (!in.guarded()) return;
    Value guard = Value::reg(in.guard, Type::Pred);
    guard.negate = in.op.guard_negated;
    for (const Instruction* copy = definition_for(guard.index, i);
         copy != nullptr && copy->op.opcode == Opcode::Mov && copy->op.type == Type::Pred &&
         stable(copy->sources[0], copy, i);
         copy = definition_for(guard.index, i)) {
      --uses_[guard.index];
      guard.negate ^= copy->sources[0].negate;
      guard.index = copy->sources[0].index;
      ++uses_[guard.index];
      changed_ = true;
    }
    fold_predicate_not(guard, i);
    in.guard = guard.index;
    in.op.guard_negated = guard.negate;
  }

  static std::int64_t signed_value(const Value& value, Type type) {
    const unsigned bits = 8 * type_bytes(type);
    if (bits >= 64) return static_cast<std::int64_t>(value.bits);
    return static_cast<std::int64_t>(value.bits << (64 - bits)) >> (64 - bits);
  }

  // Integer operations with constant sources become moves; so do operations with a neutral operand.
  bool fold_constants(Instruction& in) {
    MicroOp& op = in.op;
    if (op.carry_in || op.carry_out || op.saturate || op.destination_count != 1) return false;
    const Value &a = in.sources[0], &b = in.sources[1];
    if (op.opcode == Opcode::Cvta && a.is_immediate() &&
        (op.space == StateSpace::Shared || op.space == StateSpace::Local))
      return false;
    if (!is_integer(op.type)) return false;
    const bool wide = op.product == Product::Wide;
    const Type result = in.destinations[0].type;
    const std::uint64_t mask = type_bytes(result) == 8 ? ~0ull : (1ull << (8 * type_bytes(result))) - 1;
    const auto to_move = [&](Value value) {
      value.type = result;
      if (value.is_immediate()) value.bits &= mask;
      Instruction move = ir::instruction(Opcode::Mov, result, op.ptx_line);
      move.op.guard_negated = op.guard_negated;
      move.guard = in.guard;
      move.add_destination(in.destinations[0]);
      move.add_source(value);
      for (unsigned s = 0; s < op.source_count; ++s)
        if (in.sources[s].is_register()) --uses_[in.sources[s].index];
      if (value.is_register()) ++uses_[value.index];
      in = move;
      changed_ = true;
      return true;
    };
    const bool constants = a.is_immediate() && (op.source_count < 2 || b.is_immediate());
    switch (op.opcode) {
      case Opcode::Add:
        if (constants) return to_move(Value::immediate(a.bits + b.bits, result));
        if (a.kind == ValueKind::Variable && b.is_immediate() && type_bytes(op.type) == 8)
          return to_move(Value::variable(a.index, a.bits + b.bits, result));
        if (b.is_immediate() && b.bits == 0) return to_move(a);
        if (a.is_immediate() && a.bits == 0) return to_move(b);
        return false;
      case Opcode::Sub:
        if (constants) return to_move(Value::immediate(a.bits - b.bits, result));
        if (b.is_immediate() && b.bits == 0) return to_move(a);
        return false;
      case Opcode::Mul:
        if (!constants || op.product == Product::High) return false;
        if (wide)
          return to_move(Value::immediate(
              is_signed(op.type)
                  ? static_cast<std::uint64_t>(signed_value(a, op.type) * signed_value(b, op.type))
                  : a.bits * b.bits,
              result));
        return to_move(Value::immediate(a.bits * b.bits, result));
      case Opcode::And:
        if (constants) return to_move(Value::immediate(a.bits & b.bits, result));
        return false;
      case Opcode::Or:
        if (constants) return to_move(Value::immediate(a.bits | b.bits, result));
        if (b.is_immediate() && b.bits == 0) return to_move(a);
        return false;
      case Opcode::Xor:
        if (constants) return to_move(Value::immediate(a.bits ^ b.bits, result));
        return false;
      case Opcode::Shl:
        if (!b.is_immediate()) return false;
        if (b.bits == 0) return to_move(a);
        if (constants)
          return to_move(Value::immediate(b.bits >= 8 * type_bytes(op.type) ? 0 : a.bits << b.bits, result));
        return false;
      case Opcode::Cvt:
        if (!a.is_immediate() || !is_integer(op.source_type) || type_bytes(result) != type_bytes(op.type))
          return false;
        return to_move(Value::immediate(
            is_signed(op.source_type)
                ? static_cast<std::uint64_t>(signed_value(a, op.source_type))
                : static_cast<std::uint64_t>(a.bits) &
                      (type_bytes(op.source_type) == 8 ? ~0ull
                                                       : (1ull << (8 * type_bytes(op.source_type))) - 1),
            result));
      default:
        return false;
    }
  }

  // Additions of constants move into the address offset.
  void fold_address(Instruction& in, std::uint32_t i) {
    const bool memory = in.op.kind == Kind::Load || in.op.kind == Kind::Store || in.op.kind == Kind::Atomic ||
                        in.op.opcode == Opcode::Prefetch;
    if (!memory) return;
    Value& base = in.sources[0];
    while (base.is_register()) {
      const Instruction* add = definition_for(base.index, i);
      if (add == nullptr || add->op.carry_in || add->op.carry_out || add->op.saturate ||
          !is_integer(add->op.type) || type_bytes(add->op.type) != type_bytes(base.type) ||
          (add->op.opcode != Opcode::Add && add->op.opcode != Opcode::Sub))
        break;
      const bool sub = add->op.opcode == Opcode::Sub;
      const unsigned constant = add->sources[1].is_immediate() ? 1 : 0;
      if ((sub && constant == 0) || !add->sources[constant].is_immediate()) break;
      const Value& other = add->sources[1 - constant];
      if (!stable(other, add, i) || other.is_immediate()) break;
      const std::int64_t addend = signed_value(add->sources[constant], add->op.type);
      const std::int64_t offset = in.op.address_offset + (sub ? -addend : addend);
      // Exact for 32-bit addresses too: generate_addresses wraps their sum with the offset at 32 bits.
      if (offset < INT32_MIN / 256 || offset > INT32_MAX / 256) break;  // the machine's 24-bit field
      const Type type = base.type;
      --uses_[base.index];
      in.op.address_offset = offset;
      base = other;
      base.type = type;
      if (base.is_register()) ++uses_[base.index];
      changed_ = true;
    }
    if ((base.is_immediate() || base.kind == ValueKind::Variable) && in.op.address_offset != 0) {
      base.bits += static_cast<std::uint64_t>(in.op.address_offset);
      if (base.is_immediate() && type_bytes(base.type) == 4) base.bits &= 0xffff'ffffu;
      in.op.address_offset = 0;
      changed_ = true;
    }
  }

  // mul + add and shl + add become mad.
  void fuse(Instruction& in, std::uint32_t i) {
    if (in.op.opcode != Opcode::Add || !is_integer(in.op.type) || type_bytes(in.op.type) < 4 ||
        in.op.carry_in || in.op.carry_out || in.op.saturate)
      return;
    for (unsigned s = 0; s < 2; ++s) {
      const Value product = in.sources[s], addend = in.sources[1 - s];
      if (!product.is_register() || addend.is_register(product.index)) continue;
      const Instruction* from = definition_for(product.index, i);
      if (from == nullptr || !stable(from->sources[0], from, i) || !stable(from->sources[1], from, i))
        continue;
      const MicroOp& op = from->op;
      // A widening product costs nothing to repeat, and its narrow factor is the cheaper one to keep.
      if (uses_[product.index] != 1 && op.product != Product::Wide) continue;
      const unsigned bytes = type_bytes(in.op.type);
      Value factor = from->sources[1];
      Type type;
      Product kind;
      if (op.opcode == Opcode::Mul && is_integer(op.type) && op.product == Product::Low &&
          type_bytes(op.type) == bytes) {
        type = op.type;
        kind = Product::Low;
      } else if (op.opcode == Opcode::Mul && op.product == Product::Wide &&
                 2 * type_bytes(op.type) == bytes && bytes == 8) {
        type = op.type;
        kind = Product::Wide;
      } else if (op.opcode == Opcode::Shl && type_bytes(op.type) == bytes && factor.is_immediate() &&
                 factor.bits < 8 * bytes - 1) {
        type = bytes == 8 ? Type::S64 : Type::S32;
        kind = Product::Low;
        factor = Value::immediate(1ull << factor.bits, type);
      } else {
        continue;
      }
      const Value first = from->sources[0];
      in.op.opcode = Opcode::Mad;
      in.op.type = type;
      in.op.product = kind;
      in.op.source_count = 0;
      in.add_source(first);
      in.add_source(factor);
      in.add_source(addend);
      in.sources[0].type = in.sources[1].type = type;
      --uses_[product.index];
      if (first.is_register()) ++uses_[first.index];
      if (factor.is_register()) ++uses_[factor.index];
      changed_ = true;
      return;
    }
  }

  void fold_modifiers(Instruction& in, std::uint32_t i) {
    if (!takes_float_modifiers(in.op)) return;
    const unsigned operands = in.op.opcode == Opcode::Setp ? 2 : in.op.source_count;
    for (unsigned s = 0; s < operands; ++s) {
      Value& value = in.sources[s];
      while (value.is_register()) {
        const Instruction* from = definition_for(value.index, i);
        if (from == nullptr || (from->op.opcode != Opcode::Neg && from->op.opcode != Opcode::Abs) ||
            from->op.type != in.op.type || (from->op.flush_to_zero && !in.op.flush_to_zero) ||
            !stable(from->sources[0], from, i))
          break;
        const Value inner = from->sources[0];
        const Type type = value.type;
        bool negate = value.negate, absolute = value.absolute;
        if (from->op.opcode == Opcode::Abs) {
          absolute = true;
        } else if (!absolute) {
          negate = !negate;
        }
        --uses_[value.index];
        value = inner;
        value.type = type;
        value.negate = negate;
        value.absolute = absolute;
        if (value.is_register()) ++uses_[value.index];
        if (value.is_immediate()) apply_modifiers(value);
        changed_ = true;
      }
    }
  }

  bool has_effect(const Instruction& in) const {
    const MicroOp& op = in.op;
    switch (op.kind) {
      case Kind::Arithmetic:
        // The carry flag is no register; an exchange is kept with the lanes it names.
        return op.carry_out || op.carry_in;
      case Kind::Load:
        return op.semantics != MemorySemantics::Weak || op.names_bits();
      case Kind::Special:
        return false;
      case Kind::Image:
        return op.opcode == Opcode::Sust;
      default:
        return true;
    }
  }

  // Keeps instructions with an effect, and all definitions of their sources; a counter without other use
  // goes. An atomic operation without a reader becomes a reduction.
  void remove_dead() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> definitions;  // register, instruction
    std::vector<std::uint32_t> work;
    std::vector<bool> needed(function_.code.size()), read(count_);
    const auto need = [&](std::uint32_t i) {
      if (needed[i]) return;
      needed[i] = true;
      work.push_back(i);
    };
    for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
      const Instruction& in = function_.code[i];
      if (in.pseudo != Pseudo::None) continue;
      bool defines = false;
      ir::for_each_definition(in, [&](std::uint32_t r) {
        definitions.emplace_back(r, i);
        defines = true;
      });
      if (!defines || has_effect(in)) need(i);
    }
    std::sort(definitions.begin(), definitions.end());
    while (!work.empty()) {
      const Instruction& in = function_.code[work.back()];
      work.pop_back();
      ir::for_each_use(in, [&](std::uint32_t r) {
        if (read[r]) return;
        read[r] = true;
        for (auto d = std::lower_bound(definitions.begin(), definitions.end(), std::pair(r, 0u));
             d != definitions.end() && d->first == r; ++d)
          need(d->second);
      });
    }
    for (std::uint32_t i = 0; i < function_.code.size(); ++i) {
      Instruction& in = function_.code[i];
      if (in.pseudo != Pseudo::None) continue;
      if (!needed[i]) {
        in.pseudo = Pseudo::Removed;
        changed_ = true;
      } else if (in.op.opcode == Opcode::Atom && in.op.destination_count == 1 &&
                 !read[in.destinations[0].index]) {
        make_reduction(in.op);
      } else if (in.op.kind == Kind::Image) {
        drop_components(in, read);
      }
    }
  }

  // A texture instruction writes only the components with readers.
  void drop_components(Instruction& in, const std::vector<bool>& read) {
    for (unsigned i = 0; i < in.op.destination_count; ++i) {
      Value& destination = in.destinations[i];
      if (!destination.is_register() || read[destination.index]) continue;
      destination = {};
      changed_ = true;
    }
  }

  // red has no exchanges and orders nothing.
  void make_reduction(MicroOp& op) {
    if (op.semantics != MemorySemantics::Weak && op.semantics != MemorySemantics::Relaxed) return;
    if (op.atomic_operation == AtomicOperation::Exchange ||
        op.atomic_operation == AtomicOperation::CompareAndSwap)
      return;
    op.opcode = Opcode::Red;
    op.destination_count = 0;
    changed_ = true;
  }

  Function& function_;
  const ControlFlow& flow_;
  const Dominance dominance_;
  const std::size_t count_;
  std::vector<std::uint32_t> block_of_, definition_, definitions_, uses_;
  bool changed_ = false;
};

}  // namespace

void optimise(Function& function, const ControlFlow& flow) { Optimiser(function, flow).run(); }

}  // namespace duet::ptx
