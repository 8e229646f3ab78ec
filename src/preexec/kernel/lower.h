// The arithmetic of a PTX instruction as nodes. What has none becomes a node Refused that names the
// instruction; an address that needs it is not prefetched, for that reason.
#pragma once

#include <functional>

#include "preexec/values/graph.h"
#include "ptx/ir.h"

namespace duet::preexec {

// Destinations that are predicates, beside the four registers.
inline constexpr unsigned kPredicate = 4, kSecondPredicate = 5;

NodeId lower(Graph& graph, const ptx::ir::Instruction& in, const std::array<NodeId, 5>& sources,
             unsigned destination);
NodeId of_warp(Graph& graph, ptx::WarpSlot slot);
NodeId of_block(Graph& graph, ptx::BlockSlot slot);
// A source as a node, with its width and sign; `of_register` gives what a register holds. A special register
// that only the running GPU has is Refused.
NodeId source_value(Graph& graph, const ptx::ir::Value& value,
                    const std::function<NodeId(std::uint32_t reg)>& of_register);
// -x, |x| of a floating-point source.
NodeId with_sign(Graph& graph, NodeId value, const ptx::ir::Value& how);

}  // namespace duet::preexec
