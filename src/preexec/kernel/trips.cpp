// How often a loop runs: from its test, when the loop has one way out, whose counter has a closed form.
//   for (i = a; i < b; i += s)  ->  the last iteration's number is steps_up(a, b, s), counted at the test
#include "preexec/kernel/resolve.h"

namespace duet::preexec {

std::optional<NodeId> Resolver::last_iteration(std::uint32_t loop) {
  if (const auto known = last_.find(loop); known != last_.end()) return known->second;
  if (!counting_.insert(loop).second) return std::nullopt;
  const auto result = compute_last(loop);
  counting_.erase(loop);
  if (work_.empty()) last_[loop] = result;
  return result;
}

std::optional<NodeId> Resolver::compute_last(std::uint32_t loop) {
  const Loop& l = form_.loops[loop];
  if (l.leaves.size() != 1) return std::nullopt;
  const auto [from, to] = l.leaves[0];
  if (form_.loop_of[from] != loop) return std::nullopt;
  for (const auto latch : l.latches)
    if (!form_.dominates(from, latch)) return std::nullopt;
  const NodeId leaves = resolve(reader_.edge(from, to));
  return trips(leaves, false, loop);
}

std::optional<Resolver::Affine> Resolver::affine(NodeId node, std::uint32_t loop) {
  const Node n = graph_[node];
  if (!varies(node, loop)) return Affine{node, graph_.constant(0, n.bits)};
  switch (n.kind) {
    case NodeKind::Iterator:
      return Affine{graph_.constant(0, 32), graph_.constant(1, 32)};
    case NodeKind::Add:
    case NodeKind::Sub: {
      const auto a = affine(n.in[0], loop), b = affine(n.in[1], loop);
      if (!a || !b) return std::nullopt;
      return Affine{graph_.binary(n.kind, a->first, b->first), graph_.binary(n.kind, a->step, b->step)};
    }
    case NodeKind::Mul:
      for (unsigned i = 0; i < 2; ++i) {
        if (varies(n.in[i], loop)) continue;
        const auto a = affine(n.in[1 - i], loop);
        if (!a) return std::nullopt;
        return Affine{graph_.multiply(a->first, n.in[i]), graph_.multiply(a->step, n.in[i])};
      }
      return std::nullopt;
    case NodeKind::Extend: {
      const auto a = affine(n.in[0], loop);
      if (!a || n.value != 32) return std::nullopt;
      return Affine{graph_.extend(a->first, 32, n.is_signed, 64), graph_.extend(a->step, 32, true, 64)};
    }
    case NodeKind::Truncate: {
      const auto a = affine(n.in[0], loop);
      if (!a) return std::nullopt;
      return Affine{graph_.truncate(a->first), graph_.truncate(a->step)};
    }
    default:
      return std::nullopt;
  }
}

// How many times in a row the test is `stays_if`, from iteration 0 on.
std::optional<NodeId> Resolver::trips(NodeId test, bool stays_if, std::uint32_t loop) {
  const Node n = graph_[test];
  if (n.kind == NodeKind::Not) return trips(n.in[0], !stays_if, loop);
  if (graph_.is_constant(test))
    return n.value != static_cast<std::uint64_t>(stays_if) ? std::optional(graph_.constant(0, 32))
                                                           : std::nullopt;
  if (n.kind != NodeKind::Equal && n.kind != NodeKind::Less) return std::nullopt;
  const bool counter_first = varies(n.in[0], loop);
  const NodeId counter = counter_first ? n.in[0] : n.in[1], bound = counter_first ? n.in[1] : n.in[0];
  if (varies(bound, loop)) return std::nullopt;
  const auto x = affine(counter, loop);
  if (!x || graph_.is_constant(x->step, 0)) return std::nullopt;
  const unsigned bits = graph_[counter].bits;
  const std::string type = std::string(n.is_signed ? "s" : "u") + (bits == 64 ? "64" : "32");
  const bool falls = graph_.is_constant(x->step) && (graph_[x->step].value >> (bits - 1)) != 0;
  if (n.kind == NodeKind::Equal) {
    if (stays_if) return std::nullopt;
    const NodeId size = falls ? graph_.subtract(graph_.constant(0, bits), x->step) : x->step;
    const NodeId way = falls ? graph_.subtract(x->first, bound) : graph_.subtract(bound, x->first);
    return graph_.truncate(graph_.binary(NodeKind::Div, way, size));
  }
  // counter < bound, or bound < counter; when it stays while that is false, the bound itself belongs to it.
  const bool upward = counter_first == stays_if;
  if (upward == falls && graph_.is_constant(x->step)) return std::nullopt;
  return graph_.call(std::string(upward ? "steps_up_" : "steps_down_") + type,
                     {x->first, bound, x->step, graph_.constant(stays_if ? 0 : 1, 32)}, 32);
}

}  // namespace duet::preexec
