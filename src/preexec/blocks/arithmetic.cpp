#include "preexec/blocks/arithmetic.h"

namespace duet::preexec {

using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;
using ptx::ir::Instruction;

namespace {

bool is_single(Type type) { return type == Type::F32; }
bool is_word(Type type) { return type == Type::F32 || type == Type::F64; }

class Exactly {
 public:
  Exactly(Graph& graph, const Instruction& in, std::array<NodeId, 5>& sources, unsigned destination)
      : g_(graph), in_(in), s_(sources), destination_(destination), type_(in.op.type) {}

  NodeId run() {
    const Type compared = in_.op.source_type;
    switch (in_.op.opcode) {
      case Opcode::Shfl:
        return no("a shuffle");
      case Opcode::Setp:
      case Opcode::Set:
        if (is_single(compared) && in_.op.flush_to_zero)
          for (unsigned i = 0; i < 2; ++i) s_[i] = flushed(s_[i]);
        break;
      case Opcode::Slct:
        if (ptx::is_float(compared) || ptx::is_float(type_)) return no("slct of floats");
        break;
      case Opcode::Cvt:
        if (ptx::is_float(type_) || ptx::is_float(compared)) return convert();
        break;
      case Opcode::Mov:
      case Opcode::Selp:
      case Opcode::Pack:
      case Opcode::Unpack:
      case Opcode::Cvta:
        break;
      default:
        if (is_word(type_)) return floating();
        break;
    }
    return lower(g_, in_, s_, destination_);
  }

 private:
  NodeId no(const std::string& what) { return g_.refused(what, destination_ >= kPredicate ? 1 : 32); }
  unsigned bits() const { return type_ == Type::F64 ? 64 : 32; }
  std::string name(const std::string& what) const { return (is_single(type_) ? "f32_" : "f64_") + what; }
  NodeId flushed(NodeId value) { return g_.call("f32_flush", {value}, 32); }

  // ".rz" as the instructions of a core have it.
  const char* suffix() const {
    switch (in_.op.rounding) {
      case Rounding::Zero:
        return "_rtz";
      case Rounding::MinusInfinity:
        return "_rdn";
      case Rounding::PlusInfinity:
        return "_rup";
      default:
        return "";
    }
  }

  // NaN, .ftz and .sat of a result.
  NodeId finish(NodeId result, unsigned operands) {
    if (is_single(type_)) {
      result = g_.call("f32_settle", {result}, 32);
      if (in_.op.flush_to_zero) result = flushed(result);
    } else if (operands == 1) {
      result = g_.call("f64_settle_1", {result, s_[0]}, 64);
    } else if (operands == 2) {
      result = g_.call("f64_settle_2", {result, s_[0], s_[1]}, 64);
    } else {
      result = g_.call("f64_settle_3", {result, s_[0], s_[1], s_[2]}, 64);
    }
    return in_.op.saturate ? g_.call(name("saturate"), {result}, bits()) : result;
  }

  NodeId operation(const std::string& what, unsigned operands) {
    if (in_.op.flush_to_zero && is_single(type_))
      for (unsigned i = 0; i < operands; ++i) s_[i] = flushed(s_[i]);
    NodeId result{};
    if (operands == 1) result = g_.call(name(what), {s_[0]}, bits());
    if (operands == 2) result = g_.call(name(what), {s_[0], s_[1]}, bits());
    if (operands == 3) result = g_.call(name(what), {s_[0], s_[1], s_[2]}, bits());
    return finish(result, operands);
  }

  // Of a double's NaN, too, the sign is changed: the result is the NaN that settles, not the operand.
  NodeId change_sign(const std::string& what) {
    if (is_single(type_)) return operation(what, 1);
    s_[0] = g_.call(name(what), {s_[0]}, bits());
    return finish(s_[0], 1);
  }

  NodeId approximate(const std::string& what) {
    if (!is_single(type_)) return no(std::string(ptx::opcode_name(in_.op.opcode)) + " of double precision");
    return operation(what, 1);
  }

  NodeId floating() {
    if (in_.op.carry_in || in_.op.carry_out) return no("a carry");
    const std::string directed = suffix();
    switch (in_.op.opcode) {
      case Opcode::Add:
        return operation("add" + directed, 2);
      case Opcode::Sub:
        return operation("sub" + directed, 2);
      case Opcode::Mul:
        return operation("mul" + directed, 2);
      case Opcode::Fma:
      case Opcode::Mad:
        if (in_.op.mode != 0) return no("fma.relu");
        return operation("fma" + directed, 3);
      case Opcode::Div:
        if (is_single(type_) && (in_.op.mode & 1) != 0) return operation("div_approx", 2);
        return operation("div" + directed, 2);
      case Opcode::Sqrt:
        return operation("sqrt" + directed, 1);
      case Opcode::Rcp:
        if (!is_single(type_) && in_.op.approximate) return no("rcp.approx of double precision");
        return operation("rcp" + directed, 1);
      case Opcode::Rsqrt:
        return approximate("rsqrt");
      case Opcode::Sin:
        return approximate("sin");
      case Opcode::Cos:
        return approximate("cos");
      case Opcode::Lg2:
        return approximate("lg2");
      case Opcode::Ex2:
        return approximate("ex2");
      case Opcode::Min:
      case Opcode::Max: {
        if (in_.op.mode != 0 || in_.op.source_count == 3) return no("min or max with modifiers");
        return operation(in_.op.opcode == Opcode::Min ? "pick_min" : "pick_max", 2);
      }
      case Opcode::Abs:
        return change_sign("abs");
      case Opcode::Neg:
        return change_sign("neg");
      default:
        return no("'" + std::string(ptx::opcode_name(in_.op.opcode)) + "' of floats");
    }
  }

  bool rounds_to_integer() const {
    return in_.op.rounding == Rounding::IntegerZero || in_.op.rounding == Rounding::IntegerMinusInfinity ||
           in_.op.rounding == Rounding::IntegerPlusInfinity ||
           in_.op.rounding == Rounding::IntegerNearestEven;
  }

  NodeId convert() {
    const Type from = in_.op.source_type;
    if (ptx::is_float(from) && !is_word(from)) return no("a conversion of narrow floats");
    if (ptx::is_float(type_) && !is_word(type_)) return no("a conversion to narrow floats");
    if (in_.op.mode != 0) return no("a conversion with .relu or .satfinite");
    if (is_single(from) && in_.op.flush_to_zero) s_[0] = flushed(s_[0]);
    if (!ptx::is_float(type_)) return lower(g_, in_, s_, destination_);  // clamped: .sat says no more
    if (!ptx::is_float(from)) {
      const NodeId result = lower(g_, in_, s_, destination_);
      return in_.op.saturate ? g_.call(name("saturate"), {result}, bits()) : result;
    }
    NodeId result = s_[0];
    if (rounds_to_integer()) {
      if (type_ != from) return no("a conversion that rounds to an integer in another format");
      Instruction plain = in_;
      plain.op.saturate = false;
      result = g_.call(name("signed"), {lower(g_, plain, s_, destination_), s_[0]}, bits());
    } else if (type_ != from) {
      result =
          g_.call(is_single(type_) ? std::string("f32_from_f64") + suffix() : "f64_widened", {s_[0]}, bits());
    }
    if (is_single(type_)) {
      result = g_.call("f32_settle", {result}, 32);
      if (in_.op.flush_to_zero) result = flushed(result);
    }
    return in_.op.saturate ? g_.call(name("saturate"), {result}, bits()) : result;
  }

  Graph& g_;
  const Instruction& in_;
  std::array<NodeId, 5>& s_;
  const unsigned destination_;
  const Type type_;
};

}  // namespace

NodeId lower_exactly(Graph& graph, const Instruction& in, std::array<NodeId, 5> sources,
                     unsigned destination) {
  return Exactly(graph, in, sources, destination).run();
}

}  // namespace duet::preexec
