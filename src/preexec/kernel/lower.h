// The arithmetic of a PTX instruction as nodes. Other instructions become a node Refused with their name; an
// address with such a node is not prefetched, for this reason.
#pragma once

#include <functional>

#include "preexec/values/graph.h"
#include "ptx/ir.h"

namespace duet::preexec {

// Predicate destinations, beside the four registers.
inline constexpr unsigned kPredicate = 4, kSecondPredicate = 5;

NodeId lower(Graph& graph, const ptx::ir::Instruction& in, const std::array<NodeId, 5>& sources,
             unsigned destination);
NodeId of_warp(Graph& graph, ptx::WarpSlot slot);
NodeId of_block(Graph& graph, ptx::BlockSlot slot);
// A source as a node, with its width and sign; `of_register` gives a register's value. A special register
// known only to the running GPU is Refused.
NodeId source_value(Graph& graph, const ptx::ir::Value& value,
                    const std::function<NodeId(std::uint32_t reg)>& of_register);
// -x, |x| of a floating-point source.
NodeId with_sign(Graph& graph, NodeId value, const ptx::ir::Value& how);

}  // namespace duet::preexec
