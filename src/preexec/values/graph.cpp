#include "preexec/values/graph.h"

#include <utility>

namespace duet::preexec {

namespace {

std::uint64_t mask_of(unsigned bits) { return bits == 64 ? ~0ull : (1ull << bits) - 1; }
std::int64_t signed_value(std::uint64_t value, unsigned bits) {
  const unsigned up = 64 - bits;
  return static_cast<std::int64_t>(value << up) >> up;
}
bool commutes(NodeKind kind) {
  return kind == NodeKind::Add || kind == NodeKind::Mul || kind == NodeKind::And || kind == NodeKind::Or ||
         kind == NodeKind::Xor || kind == NodeKind::Equal;
}

}  // namespace

std::size_t Graph::Hash::operator()(const Node& node) const {
  std::size_t h = static_cast<std::size_t>(node.kind) * 131 + node.bits + (node.is_signed ? 977 : 0);
  const auto mix = [&](std::uint64_t v) { h = (h ^ v) * 0x9e3779b97f4a7c15ull, h ^= h >> 29; };
  mix(node.index);
  mix(node.value);
  for (unsigned i = 0; i < node.count; ++i) mix(node.in[i]);
  return h;
}

Facts Graph::facts_of(const Node& node) const {
  Facts facts;
  for (unsigned i = 0; i < node.count; ++i) {
    const Facts& of = facts_[node.in[i]];
    facts.iterators |= of.iterators;
    facts.states |= of.states;
    facts.exits |= of.exits;
    facts.threads |= of.threads;
    facts.loads |= of.loads;
    if (facts.refused == 0) facts.refused = of.refused;
  }
  const std::uint64_t own = loop_bit(node.index);
  switch (node.kind) {
    case NodeKind::Identity:
      facts.threads = names_thread(static_cast<Identity>(node.index));
      break;
    case NodeKind::Iterator:
      facts.iterators |= own;
      break;
    case NodeKind::State:
      facts.states |= loop_bit(static_cast<std::uint32_t>(node.value));
      facts.threads = true;
      break;
    case NodeKind::Exit:
      facts.iterators &= ~own;
      facts.states &= ~own;
      facts.exits |= own;
      facts.threads = true;
      break;
    case NodeKind::Load:
      facts.loads = true;
      break;
    case NodeKind::Refused:
      facts.refused = node.index + 1;
      break;
    default:
      break;
  }
  return facts;
}

NodeId Graph::make(const Node& node) {
  const auto [at, fresh] = known_.try_emplace(node, static_cast<NodeId>(nodes_.size()));
  if (fresh) {
    facts_.push_back(facts_of(node));
    nodes_.push_back(node);
  }
  return at->second;
}

namespace {

Node leaf(NodeKind kind, unsigned bits, std::uint32_t index, std::uint64_t value) {
  Node node;
  node.kind = kind;
  node.bits = static_cast<std::uint8_t>(bits);
  node.index = index;
  node.value = value;
  return node;
}
Node operation(NodeKind kind, unsigned bits, std::initializer_list<NodeId> in, bool is_signed = false,
               std::uint32_t index = 0, std::uint64_t value = 0) {
  Node node = leaf(kind, bits, index, value);
  node.is_signed = is_signed;
  for (const NodeId id : in) node.in[node.count++] = id;
  return node;
}
std::uint32_t number_of(const std::string& name, std::vector<std::string>& names,
                        std::unordered_map<std::string, std::uint32_t>& numbers) {
  const auto [at, fresh] = numbers.try_emplace(name, static_cast<std::uint32_t>(names.size()));
  if (fresh) names.push_back(name);
  return at->second;
}

}  // namespace

NodeId Graph::undefined(unsigned bits) { return make(leaf(NodeKind::Undefined, bits, 0, 0)); }
NodeId Graph::constant(std::uint64_t value, unsigned bits) {
  return make(leaf(NodeKind::Constant, bits, 0, value & mask_of(bits)));
}
NodeId Graph::parameter(std::uint64_t offset, ptx::Type type) {
  return make(leaf(NodeKind::Parameter, ptx::type_bytes(type) == 8 ? 64 : 32,
                   static_cast<std::uint32_t>(type), offset));
}
NodeId Graph::identity(Identity id) {
  const auto number = static_cast<std::uint32_t>(id);
  const auto first = static_cast<std::uint32_t>(Identity::NTidX);
  if (block_[0] != 0 && number >= first && number < first + 3) return constant(block_[number - first], 32);
  // The only one of its dimension.
  const auto thread = static_cast<std::uint32_t>(Identity::TidX);
  if (number >= thread && number < thread + 3 && block_[number - thread] == 1) return constant(0, 32);
  for (unsigned i = grid_dimensions_; i < 3; ++i) {
    if (number == static_cast<std::uint32_t>(Identity::CtaIdX) + i) return constant(0, 32);
    if (number == static_cast<std::uint32_t>(Identity::NCtaIdX) + i) return constant(1, 32);
  }
  return make(leaf(NodeKind::Identity, 32, number, 0));
}
NodeId Graph::symbol(std::uint32_t variable, std::uint64_t offset) {
  return make(leaf(NodeKind::Symbol, 64, variable, offset));
}
NodeId Graph::iterator(std::uint32_t loop) { return make(leaf(NodeKind::Iterator, 32, loop, 0)); }
NodeId Graph::phi(std::uint32_t number, unsigned bits) { return make(leaf(NodeKind::Phi, bits, number, 0)); }
NodeId Graph::state(std::uint32_t phi, std::uint32_t loop, unsigned bits) {
  return make(leaf(NodeKind::State, bits, phi, loop));
}
NodeId Graph::exit(std::uint32_t loop, NodeId value) {
  const Node& n = nodes_[value];
  if (n.kind == NodeKind::Constant || n.kind == NodeKind::Parameter || n.kind == NodeKind::Identity)
    return value;
  return make(operation(NodeKind::Exit, n.bits, {value}, false, loop));
}
NodeId Graph::load(std::uint32_t site, NodeId address, unsigned bits) {
  return make(operation(NodeKind::Load, bits, {address}, false, site));
}
NodeId Graph::at_lane(NodeId value, NodeId lane) {
  return make(operation(NodeKind::AtLane, nodes_[value].bits, {value, lane}));
}
NodeId Graph::refused(const std::string& reason, unsigned bits) {
  return make(leaf(NodeKind::Refused, bits, number_of(reason, reasons_, reason_number_), 0));
}

NodeId Graph::fold(NodeKind kind, NodeId a, NodeId b, bool is_signed) {
  const unsigned bits = nodes_[a].bits;
  const std::uint64_t x = nodes_[a].value, y = nodes_[b].value;
  const std::int64_t sx = signed_value(x, bits), sy = signed_value(y, bits);
  switch (kind) {
    case NodeKind::Add:
      return constant(x + y, bits);
    case NodeKind::Sub:
      return constant(x - y, bits);
    case NodeKind::Mul:
      return constant(x * y, bits);
    case NodeKind::Div:
      if (y == 0) return constant(~0ull, bits);
      if (is_signed)
        return sy == -1 ? constant(0 - x, bits) : constant(static_cast<std::uint64_t>(sx / sy), bits);
      return constant(x / y, bits);
    case NodeKind::Rem:
      if (y == 0) return a;
      if (is_signed)
        return sy == -1 ? constant(0, bits) : constant(static_cast<std::uint64_t>(sx % sy), bits);
      return constant(x % y, bits);
    case NodeKind::And:
      return constant(x & y, bits);
    case NodeKind::Or:
      return constant(x | y, bits);
    case NodeKind::Xor:
      return constant(x ^ y, bits);
    case NodeKind::ShiftLeft:
      return constant(y >= bits ? 0 : x << y, bits);
    case NodeKind::ShiftRight:
      if (is_signed) return constant(static_cast<std::uint64_t>(sx >> (y >= bits ? 63 : y)), bits);
      return constant(y >= bits ? 0 : x >> y, bits);
    case NodeKind::Equal:
      return boolean(x == y);
    default:  // Less
      return boolean(is_signed ? sx < sy : x < y);
  }
}

bool Graph::is_block_start(NodeId id) const {
  const Node& n = nodes_[id];
  if (n.kind != NodeKind::Mul) return false;
  const auto is = [&](NodeId of, Identity what) {
    return nodes_[of].kind == NodeKind::Identity && nodes_[of].index == static_cast<std::uint32_t>(what);
  };
  for (unsigned i = 0; i < 2; ++i)
    if (is(n.in[i], Identity::CtaIdX) &&
        (is(n.in[1 - i], Identity::NTidX) || (block_[0] != 0 && is_constant(n.in[1 - i], block_[0]))))
      return true;
  return false;
}

// Constants stand outside, so their sums meet; ctaid.x * ntid.x + tid.x is one number.
NodeId Graph::sum(NodeId a, NodeId b) {
  const unsigned bits = nodes_[a].bits;
  if (is_constant(a)) std::swap(a, b);
  if (is_constant(b, 0)) return a;
  const auto tail = [&](NodeId id) {
    return nodes_[id].kind == NodeKind::Add && is_constant(nodes_[id].in[1]);
  };
  if (nodes_[a].kind == NodeKind::Symbol && is_constant(b))
    return symbol(nodes_[a].index, nodes_[a].value + nodes_[b].value);
  if (is_constant(b)) {
    if (tail(a)) return sum(nodes_[a].in[0], constant(nodes_[nodes_[a].in[1]].value + nodes_[b].value, bits));
    return make(operation(NodeKind::Add, bits, {a, b}));
  }
  if (tail(b)) std::swap(a, b);
  if (tail(a)) {
    const NodeId rest = nodes_[a].in[1];
    return sum(sum(nodes_[a].in[0], b), rest);
  }
  for (unsigned turn = 0; turn < 2; ++turn, std::swap(a, b))
    if (is_block_start(a) && nodes_[b].kind == NodeKind::Identity &&
        nodes_[b].index == static_cast<std::uint32_t>(Identity::TidX))
      return identity(Identity::ThreadX);
  if (a > b) std::swap(a, b);
  return make(operation(NodeKind::Add, bits, {a, b}));
}

NodeId Graph::binary(NodeKind kind, NodeId a, NodeId b, bool is_signed) {
  const unsigned bits = nodes_[a].bits;
  if (is_constant(a) && is_constant(b)) return fold(kind, a, b, is_signed);
  if (commutes(kind) && is_constant(a)) std::swap(a, b);
  const bool predicate = kind == NodeKind::Equal || kind == NodeKind::Less;
  switch (kind) {
    case NodeKind::Add:
      return sum(a, b);
    case NodeKind::Sub:
      if (a == b) return constant(0, bits);
      if (is_constant(b)) return sum(a, constant(0 - nodes_[b].value, bits));
      break;
    case NodeKind::Mul:
      if (is_constant(b, 0)) return b;
      if (is_constant(b, 1)) return a;
      break;
    case NodeKind::Div:
      if (is_constant(b, 1)) return a;
      break;
    case NodeKind::And:
      if (a == b || is_constant(b, mask_of(bits))) return a;
      if (is_constant(b, 0)) return b;
      break;
    case NodeKind::Or:
      if (a == b || is_constant(b, 0)) return a;
      if (is_constant(b, mask_of(bits))) return b;
      if (bits == 1 && (negate(a) == b)) return boolean(true);
      break;
    case NodeKind::Xor:
      if (a == b) return constant(0, bits);
      if (is_constant(b, 0)) return a;
      if (bits == 1 && is_constant(b, 1)) return negate(a);
      break;
    case NodeKind::ShiftLeft:
      if (is_constant(b))
        return multiply(a, constant(nodes_[b].value >= bits ? 0 : 1ull << nodes_[b].value, bits));
      break;
    case NodeKind::ShiftRight:
      if (is_constant(b, 0)) return a;
      break;
    case NodeKind::Equal:
      if (a == b) return boolean(true);
      break;
    case NodeKind::Less:
      if (a == b) return boolean(false);
      break;
    default:
      break;
  }
  if (commutes(kind) && !is_constant(b) && a > b) std::swap(a, b);
  return make(operation(kind, predicate ? 1 : bits, {a, b}, is_signed));
}

NodeId Graph::negate(NodeId predicate) {
  if (is_constant(predicate)) return boolean(nodes_[predicate].value == 0);
  if (nodes_[predicate].kind == NodeKind::Not) return nodes_[predicate].in[0];
  return make(operation(NodeKind::Not, 1, {predicate}));
}

NodeId Graph::select(NodeId condition, NodeId yes, NodeId no) {
  if (yes == no || nodes_[no].kind == NodeKind::Undefined) return yes;
  if (nodes_[yes].kind == NodeKind::Undefined) return no;
  if (is_constant(condition)) return nodes_[condition].value != 0 ? yes : no;
  if (nodes_[condition].kind == NodeKind::Not) return select(nodes_[condition].in[0], no, yes);
  if (nodes_[yes].bits == 1) {
    if (is_constant(yes)) return nodes_[yes].value != 0 ? either(condition, no) : both(negate(condition), no);
    if (is_constant(no)) return nodes_[no].value != 0 ? either(negate(condition), yes) : both(condition, yes);
  }
  return make(operation(NodeKind::Select, nodes_[yes].bits, {condition, yes, no}));
}

NodeId Graph::extend(NodeId a, unsigned from, bool is_signed, unsigned to) {
  if (is_constant(a)) {
    const std::uint64_t low = nodes_[a].value & mask_of(from);
    return constant(is_signed ? static_cast<std::uint64_t>(signed_value(low, from)) : low, to);
  }
  if (from == to) return with_width(a, to);
  return make(operation(NodeKind::Extend, to, {a}, is_signed, 0, from));
}

NodeId Graph::truncate(NodeId a) {
  if (nodes_[a].bits == 32) return a;
  if (is_constant(a)) return constant(nodes_[a].value, 32);
  if (nodes_[a].kind == NodeKind::Extend && nodes_[a].value == 32 && nodes_[nodes_[a].in[0]].bits == 32)
    return nodes_[a].in[0];
  return make(operation(NodeKind::Truncate, 32, {a}));
}

NodeId Graph::with_width(NodeId a, unsigned bits) {
  const unsigned has = nodes_[a].bits;
  if (has == bits) return a;
  if (nodes_[a].kind == NodeKind::Undefined) return undefined(bits);
  if (bits == 1) return negate(binary(NodeKind::Equal, a, constant(0, has)));
  if (has == 1) return select(a, constant(1, bits), constant(0, bits));
  return bits == 32 ? truncate(a) : extend(a, 32, false, 64);
}

NodeId Graph::call(const std::string& name, std::initializer_list<NodeId> in, unsigned bits) {
  return make(operation(NodeKind::Call, bits, in, false, number_of(name, functions_, function_number_)));
}

NodeId Graph::again(NodeId id, const std::array<NodeId, 4>& in) {
  const Node n = nodes_[id];
  switch (n.kind) {
    case NodeKind::Select:
      return select(in[0], in[1], in[2]);
    case NodeKind::Extend:
      return extend(in[0], static_cast<unsigned>(n.value), n.is_signed, n.bits);
    case NodeKind::Truncate:
      return truncate(in[0]);
    case NodeKind::Not:
      return negate(in[0]);
    case NodeKind::Exit:
      return exit(n.index, in[0]);
    case NodeKind::Load:
    case NodeKind::AtLane:
    case NodeKind::Call: {
      Node other = n;
      other.in = in;
      return make(other);
    }
    default:
      return n.count == 2 ? binary(n.kind, in[0], in[1], n.is_signed) : id;
  }
}

}  // namespace duet::preexec
