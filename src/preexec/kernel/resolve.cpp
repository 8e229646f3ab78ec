#include "preexec/kernel/resolve.h"

#include <algorithm>

namespace duet::preexec {

using ptx::StateSpace;
using ptx::ir::kNone;

Resolver::Resolver(const ptx::ir::ParsedModule& module, const Form& form, Graph& graph, Reader& reader,
                   Conditions& conditions)
    : module_(module), form_(form), graph_(graph), reader_(reader), conditions_(conditions) {
  for (const auto& in : form.function.code)
    for (unsigned i = 0; i < in.op.source_count; ++i) {
      const auto& s = in.sources[i];
      if (s.kind != ptx::ir::ValueKind::Warp) continue;
      const auto slot = static_cast<ptx::WarpSlot>(s.index);
      if (slot == ptx::WarpSlot::TidY || slot == ptx::WarpSlot::TidZ) one_dimensional_ = false;
    }
}

bool Resolver::varies(NodeId node, std::uint32_t loop) const {
  const Facts& facts = graph_.facts(node);
  return ((facts.iterators | facts.states | facts.exits) & form_.loops[loop].nested) != 0;
}

NodeId Resolver::resolve(NodeId node) {
  if (const auto known = settled_.find(node); known != settled_.end()) return known->second;
  if (!tentative_.empty())
    if (const auto known = tentative_.back().find(node); known != tentative_.back().end())
      return known->second;
  const NodeId result = resolve_now(node);
  (work_.empty() ? settled_ : tentative_.back())[node] = result;
  return result;
}

NodeId Resolver::resolve_now(NodeId node) {
  const Node n = graph_[node];
  switch (n.kind) {
    case NodeKind::Phi: {
      const Phi phi = reader_.phis()[n.index];
      return phi.header ? carried(node, n.index) : joined(phi);
    }
    case NodeKind::Exit:
      return left(node);
    case NodeKind::AtLane: {
      const NodeId value = resolve(n.in[0]);
      return at_lane(value, resolve(n.in[1]));
    }
    case NodeKind::Load:
      return load(node);
    default: {
      if (n.count == 0) return node;
      std::array<NodeId, 4> in{};
      for (unsigned i = 0; i < n.count; ++i) in[i] = resolve(n.in[i]);
      return graph_.again(node, in);
    }
  }
}

// A choice between the ways in.
NodeId Resolver::joined(const Phi& phi) {
  const std::uint32_t loop = form_.loop_of[phi.block];
  const bool after = loop != kNoLoop && form_.loops[loop].header == phi.block &&
                     form_.loops[loop].latches == phi.predecessors;
  const std::uint32_t since = after ? phi.block : form_.dominator[phi.block];
  std::vector<NodeId> values;
  for (const NodeId v : phi.values) values.push_back(resolve(v));
  NodeId result = values.back();
  for (std::size_t i = values.size() - 1; i-- > 0;) {
    if (values[i] == result) continue;
    result =
        graph_.select(resolve(conditions_.arrival(phi.predecessors[i], phi.block, since)), values[i], result);
  }
  return result;
}

template <typename F>
NodeId Resolver::replaced(NodeId node, F&& leaf, Memo& memo) {
  if (const auto known = memo.find(node); known != memo.end()) return known->second;
  const Node n = graph_[node];
  NodeId result = node;
  if (n.count == 0) {
    result = leaf(node, n);
  } else {
    std::array<NodeId, 4> in{};
    for (unsigned i = 0; i < n.count; ++i) in[i] = replaced(n.in[i], leaf, memo);
    result = graph_.again(node, in);
  }
  return memo[node] = result;
}

NodeId Resolver::at_iteration(NodeId node, std::uint32_t loop, NodeId number) {
  Memo memo;
  return replaced(
      node,
      [&](NodeId id, const Node& n) { return n.kind == NodeKind::Iterator && n.index == loop ? number : id; },
      memo);
}

NodeId Resolver::iterator(std::uint32_t loop, unsigned bits) {
  return graph_.with_width(graph_.iterator(loop), bits);
}

// A loop-carried value: its closed form, or the state.
NodeId Resolver::carried(NodeId node, std::uint32_t number) {
  const Phi phi = reader_.phis()[number];
  const std::uint32_t loop = form_.loop_of[phi.block];
  const unsigned bits = graph_[node].bits;
  const NodeId state = graph_.state(number, loop, bits);
  if (std::find(work_.begin(), work_.end(), number) != work_.end()) return state;
  work_.push_back(number);
  tentative_.emplace_back();
  const NodeId next = resolve(phi.values[1]);
  work_.pop_back();
  tentative_.pop_back();
  const NodeId first = resolve(phi.values[0]);
  return closed(first, next, state, loop).value_or(state);
}

std::optional<NodeId> Resolver::closed(NodeId first, NodeId next, NodeId state, std::uint32_t loop) {
  if (next == state || next == first) return first;
  if (graph_[first].kind == NodeKind::Undefined && !varies(next, loop)) return next;
  const unsigned bits = graph_[state].bits;
  const Facts& facts = graph_.facts(next);
  const NodeId m = iterator(loop, bits == 64 ? 64 : 32);
  if ((facts.states & form_.loops[loop].nested) == 0) {  // does not depend on loop-carried values
    if ((facts.exits & form_.loops[loop].nested) != 0 || facts.states != 0) return std::nullopt;
    const NodeId before = graph_.subtract(graph_.iterator(loop), graph_.constant(1, 32));
    return graph_.select(graph_.binary(NodeKind::Equal, graph_.iterator(loop), graph_.constant(0, 32)), first,
                         at_iteration(next, loop, before));
  }
  if (const auto step = step_of(next, state); step && !varies(*step, loop))
    return graph_.add(first, graph_.multiply(m, *step));
  const Node n = graph_[next];
  if (n.count != 2 || n.in[0] != state || varies(n.in[1], loop)) return std::nullopt;
  if (n.kind == NodeKind::ShiftRight)
    return graph_.binary(NodeKind::ShiftRight, first, graph_.multiply(m, n.in[1]), n.is_signed);
  if (n.kind == NodeKind::Mul && graph_.is_constant(n.in[1])) {
    const std::uint64_t factor = graph_[n.in[1]].value;
    if ((factor & (factor - 1)) == 0 && factor != 0) {
      std::uint64_t log = 0;
      while ((factor >> log) != 1) ++log;
      return graph_.binary(NodeKind::ShiftLeft, first, graph_.multiply(m, graph_.constant(log, bits)));
    }
    return graph_.multiply(first, graph_.call(bits == 64 ? "power_u64" : "power_u32", {n.in[1], m}, bits));
  }
  return std::nullopt;
}

// next = state + step
std::optional<NodeId> Resolver::step_of(NodeId next, NodeId state) {
  const std::uint64_t bit = graph_.facts(state).states;
  if (next == state) return graph_.constant(0, graph_[state].bits);
  const Node n = graph_[next];
  if (n.kind == NodeKind::Add) {
    for (unsigned i = 0; i < 2; ++i)
      if ((graph_.facts(n.in[i]).states & bit) == 0)
        if (const auto rest = step_of(n.in[1 - i], state)) return graph_.add(*rest, n.in[i]);
  } else if (n.kind == NodeKind::Sub && (graph_.facts(n.in[1]).states & bit) == 0) {
    if (const auto rest = step_of(n.in[0], state)) return graph_.subtract(*rest, n.in[1]);
  } else if (n.kind == NodeKind::Or && graph_.is_constant(n.in[1])) {
    return std::nullopt;  // an addition only where the bits are known to be 0
  }
  return std::nullopt;
}

// A value as it was when the loop ended.
NodeId Resolver::left(NodeId node) {
  const std::uint32_t loop = graph_[node].index;
  const NodeId value = resolve(graph_[node].in[0]);
  if (!varies(value, loop)) return value;
  const Facts& facts = graph_.facts(value);
  if (((facts.states | facts.exits) & form_.loops[loop].nested) == 0 && facts.states == 0 && facts.exits == 0)
    if (const auto last = last_iteration(loop)) return at_iteration(value, loop, *last);
  return graph_.exit(loop, value);
}

// Another thread of the warp: its number in the place of this thread's.
NodeId Resolver::at_lane(NodeId value, NodeId lane) {
  const Facts& facts = graph_.facts(value);
  const unsigned bits = graph_[value].bits;
  if (!facts.threads && !facts.loads) return value;
  if (facts.states != 0 || facts.exits != 0) return graph_.refused("a shuffle of what a loop carries", bits);
  const auto id = [&](Identity what) { return graph_.identity(what); };
  const NodeId own = id(one_dimensional_ ? Identity::TidX : Identity::ThreadInBlock);
  const NodeId other = graph_.either(graph_.both(own, graph_.constant(~31ull, 32)), lane);
  const NodeId nx = id(Identity::NTidX), ny = id(Identity::NTidY);
  const auto rem = [&](NodeId a, NodeId b) { return graph_.binary(NodeKind::Rem, a, b); };
  const auto div = [&](NodeId a, NodeId b) { return graph_.binary(NodeKind::Div, a, b); };
  Memo memo;
  return replaced(
      value,
      [&](NodeId node, const Node& n) {
        if (n.kind != NodeKind::Identity) return node;
        switch (static_cast<Identity>(n.index)) {
          case Identity::TidX:
            return one_dimensional_ ? other : rem(other, nx);
          case Identity::TidY:
            return rem(div(other, nx), ny);
          case Identity::TidZ:
            return div(div(other, nx), ny);
          case Identity::ThreadInBlock:
            return other;
          case Identity::ThreadX:
            return graph_.add(graph_.subtract(id(Identity::ThreadX), id(Identity::TidX)),
                              one_dimensional_ ? other : rem(other, nx));
          default:
            return node;
        }
      },
      memo);
}

StateSpace Resolver::space_of(NodeId address) const {
  const Node& n = graph_[address];
  if (n.kind == NodeKind::Symbol) return module_.variables[n.index].space;
  if (n.kind != NodeKind::Add && n.kind != NodeKind::Sub && n.kind != NodeKind::Select)
    return StateSpace::Global;
  for (unsigned i = n.kind == NodeKind::Select ? 1 : 0; i < n.count; ++i)
    if (const StateSpace space = space_of(n.in[i]); space != StateSpace::Global) return space;
  return StateSpace::Global;
}

NodeId Resolver::load(NodeId node) {
  const Node n = graph_[node];
  const auto& op = form_.function.code[reader_.sites()[n.index].instruction].op;
  const NodeId address = resolve(n.in[0]);
  StateSpace space = op.space;
  if (space == StateSpace::Generic) space = space_of(address);
  switch (space) {
    case StateSpace::Shared:
      return graph_.refused("a value in shared memory", n.bits);
    case StateSpace::Local:
      return graph_.refused("a value in local memory", n.bits);
    default: {
      std::array<NodeId, 4> in{address};
      return graph_.again(node, in);
    }
  }
}

}  // namespace duet::preexec
