// A node as an expression of C, operands by a function that the writer of a C function gives: names of
// locals, or expressions in turn. Values are unsigned (u32, u64, and int for predicates); signed operations
// cast their operands. Semantics are PTX's: sums wrap, shifts by the width or more give 0 or the sign,
// division by 0 gives all ones.
#pragma once

#include <functional>
#include <string>

#include "preexec/values/graph.h"

namespace duet::preexec {

struct Expression {
  std::string text;
  int precedence = 100;  // of its outermost operator; 100: none
  // As an operand of an operator of this precedence.
  std::string within(int outer) const { return precedence > outer ? text : "(" + text + ")"; }
};

const char* c_type(unsigned bits);  // "u32"
// Of a node with operands, Load excepted, or of a constant.
Expression expression_of(const Graph& graph, NodeId node, const std::function<Expression(NodeId)>& operand);

}  // namespace duet::preexec
