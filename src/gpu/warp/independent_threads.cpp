#include "gpu/warp/independent_threads.h"

#include <algorithm>
#include <array>

#include "ptx/semantics/semantics.h"

namespace duet::gpu {

using ptx::MicroOp;

namespace {

bool same_exchange(const MicroOp& a, const MicroOp& b) {
  return a.opcode == b.opcode && a.mode == b.mode && a.type == b.type &&
         a.atomic_operation == b.atomic_operation;
}

}  // namespace

template <unsigned W>
std::uint64_t IndependentThreads<W>::members_of(const ptx::Warp<W>& warp, const MicroOp& op,
                                                std::uint64_t lanes) {
  const std::uint32_t* mask = warp.lanes32(op.sources[op.source_count - 1u]);
  std::uint64_t members = 0;
  LaneMask(lanes).for_each([&](unsigned lane) { members |= mask[lane]; });
  return members;
}

template <unsigned W>
void IndependentThreads<W>::wait_for_lanes(ptx::Warp<W>& warp, ReconvergenceStack& stack, const MicroOp& op,
                                           std::uint64_t lanes, const Executed& executed) {
  Waiting waiting;
  waiting.op = &op;
  waiting.path = stack.top().lanes;
  waiting.lanes = lanes;
  waiting.members = members_of(warp, op, lanes);
  waiting_.push_back(waiting);
  blocked_ |= waiting.path;
  while (complete_one(warp, stack, false, executed)) {
  }
}

template <unsigned W>
void IndependentThreads<W>::arrive(ptx::Warp<W>& warp, ReconvergenceStack& stack, const MicroOp& op,
                                   std::uint64_t lanes, const BarrierUse& use, Barrier& barrier) {
  const auto threads = static_cast<std::uint64_t>(LaneMask(lanes).count());
  if (static_cast<ptx::BarrierMode>(op.mode) == ptx::BarrierMode::Arrive) {
    barrier.arrive_apart(threads, use.expected);
    stack.move_to(stack.top().pc + 1);
    return;
  }
  Waiting waiting;
  waiting.op = &op;
  waiting.path = stack.top().lanes;
  waiting.lanes = lanes;
  waiting.barrier = use.id;
  waiting.counted = use.expected != 0;
  waiting.reduces = vote_at<W>(barrier, warp, op, lanes);
  waiting_.push_back(waiting);
  blocked_ |= waiting.path;
  const bool last = all_at(stack, use.id);
  // Absent and ended lanes of the warp count with the last of the others.
  if (waiting.counted)
    barrier.arrive_apart(threads + (last ? warp.width - LaneMask(stack.live()).count() : 0u), use.expected);
  else if (last)
    barrier.arrive(warp.width, 0);
}

template <unsigned W>
void IndependentThreads<W>::wait_at(const ReconvergenceStack& stack, const MicroOp& op, std::uint64_t lanes,
                                    unsigned barrier) {
  Waiting waiting;
  waiting.op = &op;
  waiting.path = stack.top().lanes;
  waiting.lanes = lanes;
  waiting.barrier = barrier;
  waiting.counted = true;
  waiting_.push_back(waiting);
  blocked_ |= waiting.path;
}

template <unsigned W>
bool IndependentThreads<W>::all_at(const ReconvergenceStack& stack, unsigned barrier) const {
  std::uint64_t there = 0;
  for (const Waiting& waiting : waiting_)
    if (waiting.barrier == barrier) there |= waiting.path;
  return (stack.live() & ~there) == 0;
}

template <unsigned W>
bool IndependentThreads<W>::release(ptx::Warp<W>& warp, ReconvergenceStack& stack, unsigned barrier,
                                    const BarrierReduction& result) {
  std::uint64_t lanes = 0;
  std::erase_if(waiting_, [&](const Waiting& waiting) {
    if (waiting.barrier != barrier) return false;
    if (waiting.reduces) deliver_reduction<W>(warp, *waiting.op, waiting.lanes, result);
    lanes |= waiting.path;
    return true;
  });
  blocked_ &= ~lanes;
  if (lanes != 0) stack.step(lanes, blocked_);
  return lanes != 0;
}

template <unsigned W>
unsigned IndependentThreads<W>::lanes_ended(ptx::Warp<W>& warp, ReconvergenceStack& stack,
                                            const Executed& executed) {
  while (complete_one(warp, stack, false, executed)) {
  }
  if (stack.empty() || waiting_.empty()) return kBarriers;
  const Waiting& first = waiting_.front();
  return first.barrier != kBarriers && !first.counted && all_at(stack, first.barrier) ? first.barrier
                                                                                      : kBarriers;
}

template <unsigned W>
const typename IndependentThreads<W>::Waiting& IndependentThreads<W>::at_barrier() const {
  return *std::find_if(waiting_.begin(), waiting_.end(),
                       [](const Waiting& w) { return w.barrier != kBarriers; });
}

template <unsigned W>
bool IndependentThreads<W>::next_path(ptx::Warp<W>& warp, ReconvergenceStack& stack,
                                      const Executed& executed) {
  while ((stack.top().lanes & blocked_) != 0) {
    if (stack.turn_to_other(blocked_)) return true;
    // Nothing of this warp moves by itself. A count of threads may yet be reached by other warps.
    const bool may_come =
        std::any_of(waiting_.begin(), waiting_.end(), [](const Waiting& w) { return w.counted; });
    if (may_come || !complete_one(warp, stack, true, executed)) return false;
  }
  return true;
}

// Executes an exchange whose lanes are all there, or the oldest one without the others; false: there is none.
template <unsigned W>
bool IndependentThreads<W>::complete_one(ptx::Warp<W>& warp, ReconvergenceStack& stack, bool without_others,
                                         const Executed& executed) {
  for (const Waiting& first : waiting_) {
    if (first.barrier != kBarriers) continue;
    std::uint64_t members = first.members, lanes = first.lanes, paths = first.path;
    for (bool grown = true; grown;) {
      grown = false;
      for (const Waiting& other : waiting_) {
        if (other.barrier != kBarriers || (other.path & paths) != 0 || (other.lanes & members) == 0 ||
            !same_exchange(*first.op, *other.op))
          continue;
        members |= other.members;
        lanes |= other.lanes;
        paths |= other.path;
        grown = true;
      }
    }
    if ((members & stack.live() & ~paths) != 0 && !without_others) continue;
    std::vector<Waiting> group;
    std::erase_if(waiting_, [&](const Waiting& waiting) {
      if (waiting.barrier != kBarriers || (waiting.path & paths) == 0) return false;
      group.push_back(waiting);
      return true;
    });
    execute(warp, group, lanes);
    blocked_ &= ~paths;
    stack.step(paths, blocked_);
    for (const Waiting& waiting : group) executed(waiting, lanes);
    return true;
  }
  return false;
}

// The lanes of all paths exchange at once, each path through the registers of its own instruction: in a warp
// made of the operands alone.
template <unsigned W>
void IndependentThreads<W>::execute(ptx::Warp<W>& warp, const std::vector<Waiting>& group,
                                    std::uint64_t lanes) const {
  const MicroOp& first = *group.front().op;
  if (first.kind == ptx::Kind::Barrier) return;
  constexpr unsigned kOperands = 5, kWords = W * 2;  // each in a pair of slots; a wide operand fills both
  alignas(64) std::array<std::uint32_t, (kOperands + 1) * kWords> words{};
  std::array<std::uint64_t, kOperands + 2> predicates{};
  const bool wide = ptx::type_bytes(first.type) == 8;
  ptx::Warp<W> joint;
  joint.width = warp.width;
  joint.registers = reinterpret_cast<std::byte*>(words.data());
  for (auto& bank : joint.banks) bank = joint.registers;
  joint.predicates = predicates.data();
  MicroOp op = first;
  const auto is_wide = [&](unsigned source) { return wide && source == 0; };
  for (unsigned i = 0; i < op.source_count; ++i) {
    op.sources[i].slot = i;
    if (first.sources[i].bank == ptx::Bank::Predicate) {
      op.sources[i].negate = false;
      for (const Waiting& path : group) {
        const ptx::Operand& source = path.op->sources[i];
        const std::uint64_t value = warp.predicates[source.slot];
        predicates[i] |= (source.negate ? ~value : value) & path.lanes;
      }
      continue;
    }
    op.sources[i].bank = ptx::Bank::Register;
    op.sources[i].slot = i * 2;
    for (const Waiting& path : group)
      LaneMask(path.lanes).for_each([&](unsigned lane) {
        if (is_wide(i))
          joint.destination64(static_cast<std::uint16_t>(i * 2))[lane] =
              warp.lanes64(path.op->sources[i])[lane];
        else
          joint.destination32(static_cast<std::uint16_t>(i * 2))[lane] =
              warp.lanes32(path.op->sources[i])[lane];
      });
  }
  constexpr std::uint16_t kResult = kOperands * 2;
  if (op.destination_count != 0) op.destinations[0] = kResult;
  op.predicate_destination = kOperands;
  op.predicate_destination_second = ptx::kNoPredicate;
  ptx::execute(joint, op, lanes);
  for (const Waiting& path : group) {
    const MicroOp& own = *path.op;
    if (own.destination_count != 0 && own.destinations[0] != ptx::kNoRegister) {
      const std::uint32_t* from = joint.destination32(kResult);
      std::uint32_t* to = warp.destination32(own.destinations[0]);
      LaneMask(path.lanes).for_each([&](unsigned lane) { to[lane] = from[lane]; });
    }
    if (own.predicate_destination != ptx::kNoPredicate) {
      std::uint64_t& predicate = warp.predicates[own.predicate_destination];
      predicate = (predicate & ~path.lanes) | (predicates[kOperands] & path.lanes);
    }
  }
}

template class IndependentThreads<32>;
template class IndependentThreads<64>;

}  // namespace duet::gpu
