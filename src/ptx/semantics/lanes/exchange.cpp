// Exchange between the lanes of a warp. The given lanes execute together; a member mask narrows the group of
// each lane, so disjoint groups may share one instruction. Lanes in the mask that run elsewhere do not take
// part. A shuffle from such a lane gives 0: PTX leaves it undefined, GPUs give 0, and programs sum such lanes
// (cuda-samples reduction). Source: PTX ISA 9.0, sections 9.7.9 and 9.7.13. These instructions name 32 lanes.
#include "ptx/semantics/lanes/lanes.h"

namespace duet::ptx::DUET_LANES {
namespace {

using U32 = std::uint32_t;
constexpr unsigned kLanes = 32;

inline U32 members(const Warp<32>& warp, const MicroOp& op, unsigned mask_source, unsigned lane,
                   std::uint64_t lanes) {
  const auto active = static_cast<U32>(lanes);
  return op.source_count > mask_source ? warp.lanes32(op.sources[mask_source])[lane] & active : active;
}

template <typename F>
inline void for_lanes(std::uint64_t lanes, F&& f) {
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1)
    f(static_cast<unsigned>(std::countr_zero(rest)));
}

void shuffle(Warp<32>& warp, const MicroOp& op, std::uint64_t lanes) {
  const U32* a = warp.lanes32(op.sources[0]);
  const U32* b = warp.lanes32(op.sources[1]);
  const U32* c = warp.lanes32(op.sources[2]);
  const auto mode = static_cast<ShuffleMode>(op.mode);
  alignas(64) U32 result[kLanes];
  std::uint64_t in_range = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned offset = b[lane] & 31, clamp = c[lane] & 31, segment = (c[lane] >> 8) & 31;
    const unsigned last = (lane & segment) | (clamp & ~segment & 31);
    const unsigned first = lane & segment;
    unsigned from = lane;
    bool valid = false;
    switch (mode) {
      case ShuffleMode::Up:  // here the clamp is the lowest lane
        from = lane - offset;
        valid = static_cast<int>(from) >= static_cast<int>(last);
        break;
      case ShuffleMode::Down:
        from = lane + offset;
        valid = from <= last;
        break;
      case ShuffleMode::Bfly:
        from = lane ^ offset;
        valid = from <= last;
        break;
      case ShuffleMode::Idx:
        from = first | (offset & ~segment & 31);
        valid = from <= last;
        break;
    }
    if (!valid) from = lane;
    result[lane] = (lanes >> from & 1) != 0 ? a[from] : 0;
    in_range |= std::uint64_t{valid} << lane;
  }
  if (op.destinations[0] != kNoRegister) blend<32>(warp.destination32(op.destinations[0]), result, lanes);
  write_predicate(warp, op.predicate_destination, lanes, in_range);
}

void vote(Warp<32>& warp, const MicroOp& op, std::uint64_t lanes) {
  const auto predicate = static_cast<U32>(predicate_source(warp, op.sources[0]));
  const auto mode = static_cast<VoteMode>(op.mode);
  alignas(64) U32 ballot[kLanes];
  std::uint64_t truth = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const U32 group = members(warp, op, 1, lane, lanes);
    const U32 votes = predicate & group;
    ballot[lane] = votes;
    const bool holds = mode == VoteMode::All   ? votes == group
                       : mode == VoteMode::Any ? votes != 0
                                               : votes == group || votes == 0;
    truth |= std::uint64_t{holds} << lane;
  });
  if (mode == VoteMode::Ballot) {
    U32* out = warp.destination32(op.destinations[0]);
    for_lanes(lanes, [&](unsigned lane) { out[lane] = ballot[lane]; });
  } else {
    write_predicate(warp, op.predicate_destination, lanes, truth);
  }
}

template <typename T>
void match(Warp<32>& warp, const MicroOp& op, std::uint64_t lanes) {
  const T* a = source_lanes<T>(warp, op.sources[0]);
  U32 result[kLanes];
  std::uint64_t truth = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const U32 group = members(warp, op, 1, lane, lanes);
    U32 equal = 0;
    for_lanes(group, [&](unsigned other) { equal |= U32{a[other] == a[lane]} << other; });
    if (static_cast<MatchMode>(op.mode) == MatchMode::All) {
      truth |= std::uint64_t{equal == group} << lane;
      equal = equal == group ? group : 0;
    }
    result[lane] = equal;
  });
  if (op.destinations[0] != kNoRegister) {
    U32* out = warp.destination32(op.destinations[0]);
    for_lanes(lanes, [&](unsigned lane) { out[lane] = result[lane]; });
  }
  write_predicate(warp, op.predicate_destination, lanes, truth);
}

template <typename T>
inline T reduce(AtomicOperation operation, T a, T b) {
  switch (operation) {
    case AtomicOperation::Minimum:
      return b < a ? b : a;
    case AtomicOperation::Maximum:
      return a < b ? b : a;
    case AtomicOperation::And:
      return a & b;
    case AtomicOperation::Or:
      return a | b;
    case AtomicOperation::Xor:
      return a ^ b;
    default:
      return static_cast<T>(static_cast<U32>(a) + static_cast<U32>(b));
  }
}
template <typename T>
void reduce_lanes(Warp<32>& warp, const MicroOp& op, std::uint64_t lanes) {
  const U32* a = warp.lanes32(op.sources[0]);
  U32 result[kLanes];
  for_lanes(lanes, [&](unsigned lane) {
    const U32 group = members(warp, op, 1, lane, lanes);
    bool first = true;
    T value = 0;
    for_lanes(group, [&](unsigned other) {
      value = first ? static_cast<T>(a[other]) : reduce(op.atomic_operation, value, static_cast<T>(a[other]));
      first = false;
    });
    result[lane] = static_cast<U32>(value);
  });
  U32* out = warp.destination32(op.destinations[0]);
  for_lanes(lanes, [&](unsigned lane) { out[lane] = result[lane]; });
}

// redux.f32: minimum or maximum, optionally of magnitudes; mode bit 0: a NaN wins.
void reduce_floats(Warp<32>& warp, const MicroOp& op, std::uint64_t lanes) {
  const U32* a = warp.lanes32(op.sources[0]);
  constexpr U32 kNan = 0x7fffffffu;
  U32 result[kLanes];
  for_lanes(lanes, [&](unsigned lane) {
    U32 best = kNan;
    bool nan = false;
    for_lanes(members(warp, op, 1, lane, lanes), [&](unsigned other) {
      const U32 bits = op.sources[0].absolute ? a[other] & 0x7fffffffu : a[other];
      const auto key = [](U32 x) { return static_cast<std::int32_t>(x >> 31 ? x ^ 0x7fffffffu : x); };
      if ((bits & 0x7fffffffu) > 0x7f800000u)
        nan = true;
      else if (best == kNan || (op.atomic_operation == AtomicOperation::Minimum ? key(bits) < key(best)
                                                                                : key(bits) > key(best)))
        best = bits;
    });
    result[lane] = nan && (op.mode & 1) ? kNan : best;
  });
  U32* out = warp.destination32(op.destinations[0]);
  for_lanes(lanes, [&](unsigned lane) { out[lane] = result[lane]; });
}

void active_mask(Warp<32>& warp, const MicroOp& op, std::uint64_t lanes) {
  U32* out = warp.destination32(op.destinations[0]);
  for_lanes(lanes, [&](unsigned lane) { out[lane] = static_cast<U32>(lanes); });
}

// The leader is the lowest lane of the group.
void elect(Warp<32>& warp, const MicroOp& op, std::uint64_t lanes) {
  std::uint64_t leaders = 0;
  for_lanes(lanes, [&](unsigned lane) {
    const U32 group = members(warp, op, 0, lane, lanes);
    const auto leader = static_cast<U32>(std::countr_zero(group | (1u << lane)));
    if (leader == lane) leaders |= 1ull << lane;
    if (op.destinations[0] != kNoRegister) warp.destination32(op.destinations[0])[lane] = leader;
  });
  write_predicate(warp, op.predicate_destination, lanes, leaders);
}

}  // namespace

Handlers exchange_handlers(const MicroOp& op) {
  switch (op.opcode) {
    case Opcode::Shfl:
      return {&shuffle, nullptr};
    case Opcode::Vote:
      return {&vote, nullptr};
    case Opcode::Match:
      return {type_bytes(op.type) == 8 ? &match<std::uint64_t> : &match<U32>, nullptr};
    case Opcode::Activemask:
      return {&active_mask, nullptr};
    case Opcode::Elect:
      return {&elect, nullptr};
    case Opcode::Redux: {
      const bool bitwise = op.atomic_operation == AtomicOperation::And ||
                           op.atomic_operation == AtomicOperation::Or ||
                           op.atomic_operation == AtomicOperation::Xor;
      const bool order =
          op.atomic_operation == AtomicOperation::Minimum || op.atomic_operation == AtomicOperation::Maximum;
      if (op.type == Type::F32) return order ? Handlers{&reduce_floats, nullptr} : Handlers{};
      if (!bitwise && !order && op.atomic_operation != AtomicOperation::Add) return {};
      return {op.type == Type::S32 ? &reduce_lanes<std::int32_t> : &reduce_lanes<U32>, nullptr};
    }
    default:
      return {};
  }
}

}  // namespace duet::ptx::DUET_LANES
