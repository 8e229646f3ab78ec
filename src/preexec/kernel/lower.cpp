#include "preexec/kernel/lower.h"

#include <algorithm>

namespace duet::preexec {

using ptx::BlockSlot;
using ptx::Boolean;
using ptx::Comparison;
using ptx::Opcode;
using ptx::Product;
using ptx::Rounding;
using ptx::Type;
using ptx::WarpSlot;
using ptx::ir::Instruction;

namespace {

unsigned width(Type type) { return ptx::type_bytes(type) == 8 ? 64 : 32; }

class Lowering {
 public:
  Lowering(Graph& graph, const Instruction& in, const std::array<NodeId, 5>& sources, unsigned destination)
      : g_(graph), in_(in), s_(sources), destination_(destination), type_(in.op.type) {}

  NodeId run() {
    switch (in_.op.opcode) {
      case Opcode::Atom:
        return no("the result of an atomic");
      case Opcode::Vote:
      case Opcode::Match:
      case Opcode::Activemask:
      case Opcode::Redux:
      case Opcode::Elect:
        return no(std::string(ptx::opcode_name(in_.op.opcode)) + ", which asks the other lanes");
      case Opcode::ReadSpecial:
        return no("a clock, or a register that only the running GPU has");
      case Opcode::Tex:
      case Opcode::Tld4:
      case Opcode::Txq:
      case Opcode::Suld:
        return no("a texture or a surface");
      case Opcode::SystemCall:
        return no("the result of a system call");
      case Opcode::Barrier:
        return no("a reduction at a barrier");
      case Opcode::Shfl:
        return shuffle();
      case Opcode::Setp:
        return compare();
      case Opcode::Set:
        return set();
      case Opcode::Selp:
        return g_.select(s_[2], s_[0], s_[1]);
      case Opcode::Mov:
        return s_[0];
      case Opcode::Pack:
        return pack();
      case Opcode::Unpack:
        return unpack();
      case Opcode::Cvt:
        return convert();
      case Opcode::Cvta:
        return s_[0];  // the space is known from the address's parts
      case Opcode::And:
        return g_.binary(NodeKind::And, s_[0], s_[1]);
      case Opcode::Or:
        return g_.binary(NodeKind::Or, s_[0], s_[1]);
      case Opcode::Xor:
        return g_.binary(NodeKind::Xor, s_[0], s_[1]);
      case Opcode::Not:
        return type_ == Type::Pred ? g_.negate(s_[0]) : g_.binary(NodeKind::Xor, s_[0], all_ones());
      case Opcode::Lop3:
        return lop3();
      default:
        return ptx::is_float(type_) ? floating() : integer();
    }
  }

 private:
  NodeId no(const std::string& what) { return g_.refused(what, destination_ >= kPredicate ? 1 : 32); }
  NodeId unknown() { return no("'" + std::string(ptx::opcode_name(in_.op.opcode)) + "'"); }
  NodeId number(std::uint64_t value) { return g_.constant(value, width(type_)); }
  NodeId all_ones() { return number(~0ull); }
  bool is_signed() const { return ptx::is_signed(type_); }
  // A source, possibly narrower than its register.
  NodeId source(unsigned i, Type type) {
    const unsigned bytes = ptx::type_bytes(type);
    return bytes < 4 ? g_.extend(s_[i], bytes * 8, ptx::is_signed(type), 32) : s_[i];
  }
  NodeId source(unsigned i) { return source(i, type_); }

  NodeId integer() {
    if (in_.op.carry_in || in_.op.carry_out) return no("a carry");
    if (in_.op.saturate) return no("a saturating sum");
    switch (in_.op.opcode) {
      case Opcode::Add:
        return g_.add(s_[0], s_[1]);
      case Opcode::Sub:
        return g_.subtract(s_[0], s_[1]);
      case Opcode::Mul:
        return product();
      case Opcode::Mad:
        return g_.add(product(), s_[2]);
      case Opcode::Mul24:
      case Opcode::Mad24: {
        if (in_.op.product != Product::Low) return unknown();
        const NodeId low =
            g_.multiply(g_.extend(s_[0], 24, is_signed(), 32), g_.extend(s_[1], 24, is_signed(), 32));
        return in_.op.opcode == Opcode::Mad24 ? g_.add(low, s_[2]) : low;
      }
      case Opcode::Sad:
        return g_.add(s_[2], g_.select(less(0, 1), g_.subtract(s_[1], s_[0]), g_.subtract(s_[0], s_[1])));
      case Opcode::Div:
        return g_.binary(NodeKind::Div, source(0), source(1), is_signed());
      case Opcode::Rem:
        return g_.binary(NodeKind::Rem, source(0), source(1), is_signed());
      case Opcode::Abs:
        return g_.select(g_.binary(NodeKind::Less, source(0), number(0), true),
                         g_.subtract(number(0), source(0)), source(0));
      case Opcode::Neg:
        return g_.subtract(number(0), s_[0]);
      case Opcode::Min:
        return g_.select(less(1, 0), source(1), source(0));
      case Opcode::Max:
        return g_.select(less(0, 1), source(1), source(0));
      case Opcode::Shl:
        return g_.binary(NodeKind::ShiftLeft, source(0), g_.with_width(s_[1], width(type_)));
      case Opcode::Shr:
        return g_.binary(NodeKind::ShiftRight, source(0), g_.with_width(s_[1], width(type_)), is_signed());
      case Opcode::Cnot:
        return g_.with_width(g_.binary(NodeKind::Equal, source(0), number(0)), width(type_));
      case Opcode::Slct:
        return g_.select(g_.binary(NodeKind::Less, s_[2], g_.constant(0, g_[s_[2]].bits), true), s_[1],
                         s_[0]);
      default:
        return bits();
    }
  }

  NodeId less(unsigned a, unsigned b) { return g_.binary(NodeKind::Less, source(a), source(b), is_signed()); }

  NodeId product() {
    const unsigned bits = ptx::type_bytes(type_) * 8;
    if (in_.op.product == Product::Wide)
      return g_.multiply(g_.extend(s_[0], bits, is_signed(), bits * 2 < 32 ? 32 : bits * 2),
                         g_.extend(s_[1], bits, is_signed(), bits * 2 < 32 ? 32 : bits * 2));
    if (in_.op.product == Product::Low) return g_.multiply(source(0), source(1));
    if (bits == 64)
      return g_.call(is_signed() ? "multiply_high_s64" : "multiply_high_u64", {s_[0], s_[1]}, 64);
    const NodeId wide =
        g_.multiply(g_.extend(s_[0], bits, is_signed(), 64), g_.extend(s_[1], bits, is_signed(), 64));
    return g_.truncate(g_.binary(NodeKind::ShiftRight, wide, g_.constant(bits, 64), is_signed()));
  }

  // Bit fields, counts and permutations: functions of the prologue.
  NodeId bits() {
    const bool wide = width(type_) == 64;
    const std::string size = wide ? "64" : "32";
    const auto name = [&](const char* what, bool with_sign = false) {
      return std::string(what) + (with_sign && is_signed() ? "_s" : "_u") + size;
    };
    switch (in_.op.opcode) {
      case Opcode::Popc:
        return g_.call(name("ones"), {s_[0]}, 32);
      case Opcode::Clz:
        return g_.call(name("leading_zeros"), {s_[0]}, 32);
      case Opcode::Brev:
        return g_.call(name("reverse_bits"), {s_[0]}, width(type_));
      case Opcode::Bfind:
        return g_.call(name("find_highest", true), {s_[0], g_.constant(in_.op.mode & 1, 32)}, 32);
      case Opcode::Bfe:
        return g_.call(name("extract_field", true), {s_[0], s_[1], s_[2]}, width(type_));
      case Opcode::Bfi:
        return g_.call(name("insert_field"), {s_[0], s_[1], s_[2], s_[3]}, width(type_));
      case Opcode::Prmt:
        if (static_cast<ptx::PrmtMode>(in_.op.mode) != ptx::PrmtMode::Default) return unknown();
        return g_.call("permute_bytes", {s_[0], s_[1], s_[2]}, 32);
      case Opcode::Shf: {
        const NodeId wide_value =
            g_.either(g_.binary(NodeKind::ShiftLeft, g_.extend(s_[1], 32, false, 64), g_.constant(32, 64)),
                      g_.extend(s_[0], 32, false, 64));
        const NodeId limit = g_.constant(in_.op.mode & 2 ? 31 : 32, 32);
        NodeId n = in_.op.mode & 2 ? g_.both(s_[2], limit)
                                   : g_.select(g_.binary(NodeKind::Less, s_[2], limit), s_[2], limit);
        n = g_.with_width(n, 64);
        if (in_.op.mode & 1) return g_.truncate(g_.binary(NodeKind::ShiftRight, wide_value, n));
        return g_.truncate(g_.binary(NodeKind::ShiftRight, g_.binary(NodeKind::ShiftLeft, wide_value, n),
                                     g_.constant(32, 64)));
      }
      default:
        return unknown();
    }
  }

  NodeId lop3() {
    if (destination_ >= kPredicate) return unknown();
    NodeId result = g_.constant(0, 32);
    for (unsigned term = 0; term < 8; ++term) {
      if (((in_.op.mode >> term) & 1) == 0) continue;
      NodeId all = g_.constant(~0ull, 32);
      for (unsigned k = 0; k < 3; ++k)
        all = g_.both(
            all, (term >> (2 - k)) & 1 ? s_[k] : g_.binary(NodeKind::Xor, s_[k], g_.constant(~0ull, 32)));
      result = g_.either(result, all);
    }
    return result;
  }

  NodeId compared(Type type, Comparison comparison) {
    if (ptx::is_float(type)) {
      if (type != Type::F32 && type != Type::F64) return no("a comparison of narrow floats");
      static constexpr const char* kNames[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                               "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
      return g_.with_width(g_.call(std::string(type == Type::F32 ? "f32_" : "f64_") +
                                       kNames[static_cast<unsigned>(comparison)],
                                   {s_[0], s_[1]}, 32),
                           1);
    }
    const NodeId a = source(0, type), b = source(1, type);
    const bool sign = ptx::is_signed(type);
    switch (comparison) {
      case Comparison::Eq:
        return g_.binary(NodeKind::Equal, a, b);
      case Comparison::Ne:
        return g_.negate(g_.binary(NodeKind::Equal, a, b));
      case Comparison::Lt:
        return g_.binary(NodeKind::Less, a, b, sign);
      case Comparison::Ge:
        return g_.negate(g_.binary(NodeKind::Less, a, b, sign));
      case Comparison::Gt:
        return g_.binary(NodeKind::Less, b, a, sign);
      case Comparison::Le:
        return g_.negate(g_.binary(NodeKind::Less, b, a, sign));
      default:
        return unknown();
    }
  }
  NodeId combined(NodeId holds) {
    const NodeId other = s_[in_.op.source_count - 1];
    switch (in_.op.boolean) {
      case Boolean::And:
        return g_.both(holds, other);
      case Boolean::Or:
        return g_.either(holds, other);
      case Boolean::Xor:
        return g_.binary(NodeKind::Xor, holds, other);
      default:
        return holds;
    }
  }
  NodeId compare() {
    const NodeId holds = compared(in_.op.source_type, in_.op.comparison);
    return combined(destination_ == kSecondPredicate ? g_.negate(holds) : holds);
  }
  NodeId set() {
    const NodeId holds = combined(compared(in_.op.source_type, in_.op.comparison));
    const std::uint64_t yes = type_ == Type::F32 ? 0x3f800000 : ~0ull;
    return g_.select(holds, g_.constant(yes, 32), g_.constant(0, 32));
  }

  NodeId pack() {
    const unsigned bits = ptx::type_bytes(type_) * 8 / in_.op.source_count, to = width(type_);
    NodeId result = g_.constant(0, to);
    for (unsigned i = 0; i < in_.op.source_count; ++i) {
      const NodeId part =
          bits == 32 ? g_.extend(s_[i], 32, false, 64) : g_.extend(g_.with_width(s_[i], to), bits, false, to);
      result = g_.either(result, g_.binary(NodeKind::ShiftLeft, part, g_.constant(i * bits, to)));
    }
    return result;
  }
  NodeId unpack() {
    const unsigned bits = ptx::type_bytes(type_) * 8 / in_.op.destination_count, from = width(type_);
    const NodeId shifted = g_.binary(NodeKind::ShiftRight, s_[0], g_.constant(destination_ * bits, from));
    return bits == 32 ? g_.truncate(shifted) : g_.extend(shifted, bits, false, from);
  }

  // Only for sums of threads' numbers: the source lane follows.
  NodeId shuffle() {
    const NodeId lane = of_warp(g_, WarpSlot::LaneId), thirty_one = g_.constant(31, 32);
    const NodeId offset = g_.both(s_[1], thirty_one), clamp = g_.both(s_[2], thirty_one);
    const NodeId segment = g_.both(g_.binary(NodeKind::ShiftRight, s_[2], g_.constant(8, 32)), thirty_one);
    const NodeId outside = g_.both(g_.binary(NodeKind::Xor, segment, thirty_one), thirty_one);
    const NodeId first = g_.both(lane, segment), last = g_.either(first, g_.both(clamp, outside));
    NodeId from = lane, valid = g_.boolean(false);
    switch (static_cast<ptx::ShuffleMode>(in_.op.mode)) {
      case ptx::ShuffleMode::Up:
        from = g_.subtract(lane, offset);
        valid = g_.negate(g_.binary(NodeKind::Less, from, last, true));
        break;
      case ptx::ShuffleMode::Down:
        from = g_.add(lane, offset);
        valid = g_.negate(g_.binary(NodeKind::Less, last, from));
        break;
      case ptx::ShuffleMode::Bfly:
        from = g_.binary(NodeKind::Xor, lane, offset);
        valid = g_.negate(g_.binary(NodeKind::Less, last, from));
        break;
      case ptx::ShuffleMode::Idx:
        from = g_.either(first, g_.both(offset, outside));
        valid = g_.negate(g_.binary(NodeKind::Less, last, from));
        break;
    }
    if (destination_ >= kPredicate) return valid;
    return g_.at_lane(s_[0], g_.select(valid, from, lane));
  }

  NodeId convert() {
    const Type from = in_.op.source_type, to = type_;
    const auto word = [](Type t) { return t == Type::F32 ? std::string("f32") : std::string("f64"); };
    const auto plain = [](Type t) { return t == Type::F32 || t == Type::F64; };
    if (!ptx::is_float(from) && !ptx::is_float(to)) {
      if (in_.op.saturate) return saturated(from, to);
      const unsigned narrow = std::min(ptx::type_bytes(from), ptx::type_bytes(to)) * 8;
      const bool sign =
          ptx::type_bytes(from) <= ptx::type_bytes(to) ? ptx::is_signed(from) : ptx::is_signed(to);
      const unsigned result = ptx::type_bytes(to) == 8 ? 64 : 32;
      if (narrow == 64) return s_[0];
      NodeId value = g_[s_[0]].bits == 64 && narrow <= 32 ? g_.truncate(s_[0]) : s_[0];
      value = narrow == 32 && result == 32 ? value : g_.extend(value, narrow, sign, result);
      return value;
    }
    if (ptx::is_float(from) && !plain(from)) return no("a conversion of narrow floats");
    if (ptx::is_float(to) && !plain(to)) return no("a conversion to narrow floats");
    if (ptx::is_float(to) && !ptx::is_float(from)) {
      if (in_.op.rounding != Rounding::NearestEven) return no("a conversion with this rounding");
      const unsigned bytes = ptx::type_bytes(from);
      NodeId value = bytes < 4 ? g_.extend(s_[0], bytes * 8, ptx::is_signed(from), 32) : s_[0];
      if (bytes < 8) value = g_.extend(value, 32, ptx::is_signed(from), 64);
      return g_.call(word(to) + (ptx::is_signed(from) || bytes < 8 ? "_from_s64" : "_from_u64"), {value},
                     width(to));
    }
    static constexpr std::pair<Rounding, const char*> kRoundings[] = {
        {Rounding::IntegerZero, "truncated"},
        {Rounding::IntegerMinusInfinity, "floor"},
        {Rounding::IntegerPlusInfinity, "ceiling"},
        {Rounding::IntegerNearestEven, "nearest"}};
    for (const auto& [rounding, name] : kRoundings) {
      if (in_.op.rounding != rounding) continue;
      const NodeId rounded = g_.call(word(from) + "_" + name, {s_[0]}, width(from));
      if (ptx::is_float(to)) return to == from ? rounded : unknown();
      if (ptx::type_bytes(to) < 4) return no("a conversion of a float to a narrow integer");
      return g_.call(std::string(ptx::is_signed(to) ? "s" : "u") + (width(to) == 64 ? "64" : "32") +
                         "_from_" + word(from),
                     {rounded}, width(to));
    }
    if (from == to) return in_.op.saturate ? unknown() : s_[0];
    if (to == Type::F32 && in_.op.rounding != Rounding::NearestEven)
      return no("a conversion with this rounding");
    return g_.call(word(to) + "_from_" + word(from), {s_[0]}, width(to));
  }
  // Clamped to the range of a narrower or differently signed type.
  NodeId saturated(Type from, Type to) {
    if (ptx::type_bytes(from) > 4 || ptx::type_bytes(to) > 4) return no("a saturating conversion of 64 bits");
    const unsigned bytes = ptx::type_bytes(from), bits = ptx::type_bytes(to) * 8;
    const NodeId value = g_.extend(bytes < 4 ? g_.extend(s_[0], bytes * 8, ptx::is_signed(from), 32) : s_[0],
                                   32, ptx::is_signed(from), 64);
    const std::uint64_t most = ptx::is_signed(to) ? (1ull << (bits - 1)) - 1 : (1ull << bits) - 1;
    const std::uint64_t least = ptx::is_signed(to) ? ~((1ull << (bits - 1)) - 1) : 0;
    const NodeId high = g_.constant(most, 64), low = g_.constant(least, 64);
    const NodeId below = g_.select(g_.binary(NodeKind::Less, high, value, true), high, value);
    return g_.truncate(g_.select(g_.binary(NodeKind::Less, below, low, true), low, below));
  }

  NodeId floating() {
    if (type_ != Type::F32 && type_ != Type::F64) return no("arithmetic of narrow floats");
    const unsigned bits = width(type_);
    const std::string prefix = type_ == Type::F32 ? "f32_" : "f64_";
    const bool nearest = in_.op.rounding == Rounding::None || in_.op.rounding == Rounding::NearestEven;
    if (in_.op.saturate || !nearest) return unknown();
    const auto call = [&](const char* name, unsigned count) {
      if (count == 1) return g_.call(prefix + name, {s_[0]}, bits);
      if (count == 2) return g_.call(prefix + name, {s_[0], s_[1]}, bits);
      return g_.call(prefix + name, {s_[0], s_[1], s_[2]}, bits);
    };
    switch (in_.op.opcode) {
      case Opcode::Add:
        return call("add", 2);
      case Opcode::Sub:
        return call("sub", 2);
      case Opcode::Mul:
        return call("mul", 2);
      case Opcode::Fma:
        return call("fma", 3);
      case Opcode::Div:
        return in_.op.approximate ? unknown() : call("div", 2);
      case Opcode::Sqrt:
        return in_.op.approximate ? unknown() : call("sqrt", 1);
      case Opcode::Abs:
        return call("abs", 1);
      case Opcode::Neg:
        return call("neg", 1);
      case Opcode::Min:
        return in_.op.mode != 0 ? unknown() : call("min", 2);
      case Opcode::Max:
        return in_.op.mode != 0 ? unknown() : call("max", 2);
      case Opcode::Slct:
        return unknown();
      default:
        return no(std::string("'") + ptx::opcode_name(in_.op.opcode) + "', which no CPU computes alike");
    }
  }

  Graph& g_;
  const Instruction& in_;
  const std::array<NodeId, 5>& s_;
  const unsigned destination_;
  const Type type_;
};

}  // namespace

NodeId lower(Graph& graph, const Instruction& in, const std::array<NodeId, 5>& sources,
             unsigned destination) {
  return Lowering(graph, in, sources, destination).run();
}

NodeId of_warp(Graph& graph, WarpSlot slot) {
  const NodeId thread = graph.identity(Identity::ThreadInBlock);
  const NodeId lane = graph.both(thread, graph.constant(31, 32));
  const NodeId one = graph.constant(1, 32);
  const auto bit = [&] { return graph.binary(NodeKind::ShiftLeft, one, lane); };
  const auto above = [&] {
    return graph.binary(NodeKind::Xor, graph.subtract(bit(), one), graph.constant(~0ull, 32));
  };
  switch (slot) {
    case WarpSlot::TidX:
      return graph.identity(Identity::TidX);
    case WarpSlot::TidY:
      return graph.identity(Identity::TidY);
    case WarpSlot::TidZ:
      return graph.identity(Identity::TidZ);
    case WarpSlot::LaneId:
      return lane;
    case WarpSlot::WarpId:
      return graph.binary(NodeKind::ShiftRight, thread, graph.constant(5, 32));
    case WarpSlot::LaneMaskEq:
      return bit();
    case WarpSlot::LaneMaskLt:
      return graph.subtract(bit(), one);
    case WarpSlot::LaneMaskLe:
      return graph.either(graph.subtract(bit(), one), bit());
    case WarpSlot::LaneMaskGe:
      return above();
    case WarpSlot::LaneMaskGt:
      return graph.binary(NodeKind::Xor, above(), bit());
    default:
      return graph.refused("a register that only the running GPU has", 32);
  }
}

NodeId of_block(Graph& graph, BlockSlot slot) {
  // The two enumerations name dimensions in the same order.
  if (slot <= BlockSlot::NCtaIdZ)
    return graph.identity(
        static_cast<Identity>(static_cast<unsigned>(Identity::CtaIdX) + static_cast<unsigned>(slot)));
  if (slot == BlockSlot::WarpSize) return graph.constant(32, 32);
  if (slot == BlockSlot::NWarpId) {
    const NodeId threads =
        graph.multiply(graph.multiply(graph.identity(Identity::NTidX), graph.identity(Identity::NTidY)),
                       graph.identity(Identity::NTidZ));
    return graph.binary(NodeKind::ShiftRight, graph.add(threads, graph.constant(31, 32)),
                        graph.constant(5, 32));
  }
  return graph.refused("a register that only the running GPU has", 32);
}

NodeId with_sign(Graph& graph, NodeId value, const ptx::ir::Value& how) {
  const std::string prefix = graph[value].bits == 64 ? "f64_" : "f32_";
  if (how.type != Type::F32 && how.type != Type::F64)
    return graph.refused("arithmetic of narrow floats", graph[value].bits);
  if (how.absolute) value = graph.call(prefix + "abs", {value}, graph[value].bits);
  return how.negate ? graph.call(prefix + "neg", {value}, graph[value].bits) : value;
}

NodeId source_value(Graph& graph, const ptx::ir::Value& v,
                    const std::function<NodeId(std::uint32_t reg)>& of_register) {
  using ptx::Type;
  using ptx::ir::ValueKind;
  const unsigned bits = v.type == Type::Pred ? 1 : ptx::type_bytes(v.type) == 8 ? 64 : 32;
  NodeId result;
  switch (v.kind) {
    case ValueKind::Register:
      result = of_register(v.index);
      break;
    case ValueKind::Immediate:
      result = graph.constant(v.bits, bits);
      break;
    case ValueKind::Parameter:
      result = graph.parameter(v.bits, v.storage);
      break;
    case ValueKind::Variable:
      result = graph.symbol(v.index, v.bits);
      break;
    case ValueKind::Warp:
      result = of_warp(graph, static_cast<ptx::WarpSlot>(v.index));
      break;
    case ValueKind::Block:
      result = of_block(graph, static_cast<ptx::BlockSlot>(v.index));
      break;
    default:
      result = graph.refused("a register that only the running GPU has", bits);
      break;
  }
  if (v.type == Type::None) return result;
  result = graph.with_width(result, bits);
  if (v.type == Type::Pred) return v.negate ? graph.negate(result) : result;
  if (v.absolute || v.negate) return with_sign(graph, result, v);
  return result;
}

}  // namespace duet::preexec
