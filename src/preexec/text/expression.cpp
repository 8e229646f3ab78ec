#include "preexec/text/expression.h"

#include <fmt/format.h>

namespace duet::preexec {

namespace {

enum Precedence {
  kChoice = 1,
  kOrElse = 2,
  kAndAlso = 3,
  kOr = 4,
  kXor = 5,
  kAnd = 6,
  kEqual = 7,
  kLess = 8,
  kShift = 9,
  kSum = 10,
  kProduct = 11,
  kUnary = 12
};

class Printer {
 public:
  Printer(const Graph& graph, const Node& node, const std::function<Expression(NodeId)>& operand)
      : graph_(graph), n_(node), operand_(operand) {}

  Expression run() const {
    switch (n_.kind) {
      case NodeKind::Constant:
        return {literal(n_.value, n_.bits), 100};
      case NodeKind::Undefined:
        return {"0", 100};
      case NodeKind::Add:
        return sum();
      case NodeKind::Sub:
        return infix("-", kSum);
      case NodeKind::Mul:
        return product();
      case NodeKind::Div:
        return division("/", "divide");
      case NodeKind::Rem:
        return division("%", "remainder");
      case NodeKind::And:
        return n_.bits == 1 ? infix("&&", kAndAlso) : infix("&", kAnd);
      case NodeKind::Or:
        return n_.bits == 1 ? infix("||", kOrElse) : infix("|", kOr);
      case NodeKind::Xor:
        return n_.bits == 1 ? infix("!=", kEqual) : infix("^", kXor);
      case NodeKind::ShiftLeft:
        return {fmt::format("shift_left_{}({}, {})", c_type(n_.bits), in(0).text, in(1).text), 100};
      case NodeKind::ShiftRight:
        return shift_right();
      case NodeKind::Equal:
        return infix("==", kEqual);
      case NodeKind::Less:
        return compared("<", in_order(0), in_order(1));
      case NodeKind::Not:
        return negated();
      case NodeKind::Select:
        return {in(0).within(kChoice) + " ? " + in(1).within(kChoice) + " : " + in(2).within(kChoice),
                kChoice};
      case NodeKind::Extend:
        return extended();
      case NodeKind::Truncate:
        return {"(u32)" + in(0).within(kUnary), kUnary};
      default:
        return call();
    }
  }

 private:
  Expression in(unsigned i) const { return operand_(n_.in[i]); }
  const Node& operand_node(unsigned i) const { return graph_[n_.in[i]]; }
  bool constant(unsigned i) const { return graph_.is_constant(n_.in[i]); }

  static std::string literal(std::uint64_t value, unsigned bits) {
    if (value < 0x10000 || (value < 0x80000000 && value % 10 == 0)) return std::to_string(value);
    if (bits <= 32) return fmt::format("0x{:x}u", value);
    return fmt::format("0x{:x}", value) + (value >> 31 != 0 ? "ull" : "");
  }
  Expression infix(const char* op, int precedence) const {
    // A chain of one operator needs no parentheses on its left.
    return {in(0).within(precedence - 1) + " " + op + " " + in(1).within(precedence), precedence};
  }
  Expression sum() const {
    if (!constant(1)) return infix("+", kSum);
    const std::uint64_t value = operand_node(1).value,
                        minus = n_.bits == 64 ? 0 - value : 0xffffffff & (0 - value);
    if (minus < value) return {in(0).within(kSum - 1) + " - " + literal(minus, n_.bits), kSum};
    return infix("+", kSum);
  }
  Expression product() const {
    if (constant(1)) return {in(1).within(kProduct - 1) + " * " + in(0).within(kProduct), kProduct};
    return infix("*", kProduct);
  }
  std::string as_signed(unsigned i) const {
    const Node& o = operand_node(i);
    if (o.kind == NodeKind::Constant) {
      const auto value = n_.kind != NodeKind::Less || o.bits == 64 ? static_cast<std::int64_t>(o.value)
                                                                   : static_cast<std::int32_t>(o.value);
      const std::int64_t shown =
          o.bits == 64 ? static_cast<std::int64_t>(o.value) : static_cast<std::int32_t>(value);
      if (shown > -0x7fffffff && shown < 0x7fffffff) return std::to_string(shown);
      return fmt::format("({}){}", o.bits == 64 ? "s64" : "s32", literal(o.value, o.bits));
    }
    return fmt::format("({}){}", o.bits == 64 ? "s64" : "s32", in(i).within(kUnary));
  }
  std::string in_order(unsigned i) const { return n_.is_signed ? as_signed(i) : in(i).within(kLess); }
  static Expression compared(const char* op, const std::string& a, const std::string& b) {
    return {a + " " + op + " " + b, kLess};
  }
  Expression negated() const {
    const Node& of = operand_node(0);
    if (of.kind == NodeKind::Less || of.kind == NodeKind::Equal) {
      const Printer inner(graph_, of, operand_);
      if (of.kind == NodeKind::Equal) return inner.infix("!=", kEqual);
      return compared("<=", inner.in_order(1), inner.in_order(0));
    }
    return {"!" + in(0).within(kUnary), kUnary};
  }
  Expression division(const char* op, const char* function) const {
    // Constants other than 0 and -1 are not special.
    const bool plain = constant(1) && operand_node(1).value + 1 > 1 && operand_node(1).value != 0xffffffff;
    if (plain && !n_.is_signed) return infix(op, kProduct);
    if (plain)
      return {fmt::format("({})({} {} {})", c_type(n_.bits), as_signed(0), op, as_signed(1)), kUnary};
    return {
        fmt::format("{}_{}{}({}, {})", function, n_.is_signed ? "s" : "u", n_.bits, in(0).text, in(1).text),
        100};
  }
  Expression shift_right() const {
    const bool plain = constant(1) && operand_node(1).value < n_.bits;
    if (plain && !n_.is_signed) return infix(">>", kShift);
    if (plain)
      return {fmt::format("({})({} >> {})", c_type(n_.bits), as_signed(0), operand_node(1).value), kUnary};
    return {
        fmt::format("shift_right_{}{}({}, {})", n_.is_signed ? "s" : "u", n_.bits, in(0).text, in(1).text),
        100};
  }
  Expression extended() const {
    const char* sign = n_.is_signed ? "s" : "u";
    const std::string value = in(0).within(kUnary);
    if (n_.value == 8 || n_.value == 16 || n_.value == 32) {
      if (n_.bits == 64 && n_.is_signed) return {fmt::format("(u64)(s64)(s{}){}", n_.value, value), kUnary};
      if (n_.bits == 64 && operand_node(0).bits == 32 && n_.value == 32) return {"(u64)" + value, kUnary};
      return {fmt::format("({})({}{}){}", c_type(n_.bits), sign, n_.value, value), kUnary};
    }
    return {fmt::format("extract_field_{}{}({}, 0, {})", sign, n_.bits, in(0).text, n_.value), 100};
  }
  Expression call() const {
    std::string text = graph_.function(n_.index) + "(";
    for (unsigned i = 0; i < n_.count; ++i) text += (i == 0 ? "" : ", ") + in(i).text;
    return {text + ")", 100};
  }

  const Graph& graph_;
  const Node& n_;
  const std::function<Expression(NodeId)>& operand_;
};

}  // namespace

const char* c_type(unsigned bits) { return bits == 64 ? "u64" : bits == 32 ? "u32" : "int"; }

Expression expression_of(const Graph& graph, NodeId node, const std::function<Expression(NodeId)>& operand) {
  return Printer(graph, graph[node], operand).run();
}

}  // namespace duet::preexec
