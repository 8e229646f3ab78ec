// The barriers of a block, its fences, and instructions with a mask of lanes (block_check.h).
#include <algorithm>
#include <cstdio>

#include "base/lane_mask.h"
#include "base/readable_name.h"
#include "check/block_check.h"

namespace duet::check {

std::uint64_t BlockCheck::started(unsigned warp) const {
  const std::uint64_t threads = std::uint64_t{launch_.block[0]} * launch_.block[1] * launch_.block[2];
  const std::uint64_t left = threads - std::uint64_t{warp} * launch_.width;
  return LaneMask::first(static_cast<unsigned>(std::min<std::uint64_t>(launch_.width, left))).bits();
}

std::string BlockCheck::thread_of(unsigned warp, std::uint64_t lanes) const {
  return thread_text(launch_, number_, warp * launch_.width + LaneMask(lanes).lowest());
}

void BlockCheck::barrier_missed(FindingKind kind, const BarrierArrivals::Arrival& arrival, std::uint64_t id,
                                const std::string& why) {
  found(key(kind, *arrival.op), [&] {
    return std::string(kind == FindingKind::BarrierAfterExit
                           ? "barrier of the whole block behind which threads have ended"
                           : "barrier in divergent code: not all threads of the warp reach it") +
           ", kernel '" + readable_name(launch_.kernel->name) + "', barrier " + std::to_string(id) +
           "\nreached by " + thread_of(arrival.warp, arrival.lanes) + ", " +
           launch_.kernel->place_of(arrival.op->ptx_line) + "\n" + why;
  });
}

void BlockCheck::at_two_barriers(const BarrierArrivals::Arrival& one, const BarrierArrivals::Arrival& other,
                                 unsigned id) {
  barrier_missed(FindingKind::DivergentBarrier, one, id,
                 "at another barrier: " + thread_of(other.warp, other.lanes) + ", " +
                     launch_.kernel->place_of(other.op->ptx_line));
}

// Lanes in step arrive as one. Independent ones have until the barrier is complete.
void BlockCheck::arrives(unsigned warp, const ptx::MicroOp& op, unsigned id, bool whole, std::uint64_t lanes,
                         std::uint64_t live) {
  order_.arrive(id, warp, static_cast<ptx::BarrierMode>(op.mode) != ptx::BarrierMode::Arrive);
  if (passes_on_) warps_at_[id].push_back(warp);
  if (!checks_.sync) return;
  const BarrierArrivals::Arrival arrival{warp, &op, lanes};
  if (!order_.lockstep()) {
    if (const auto* other = arrivals_.elsewhere(arrival, id)) at_two_barriers(*other, arrival, id);
    return arrivals_.arrived(arrival, id);
  }
  if (lanes != live)
    barrier_missed(FindingKind::DivergentBarrier, arrival, id,
                   "not reached here by " + thread_of(warp, live & ~lanes));
  if (const std::uint64_t gone = started(warp) & ~live; whole && gone != 0)
    barrier_missed(FindingKind::BarrierAfterExit, arrival, id, "ended before it: " + thread_of(warp, gone));
}

void BlockCheck::completed(unsigned id) {
  order_.completed(id);
  if (passes_on_ && checks_.races) {
    order_.share_fences(warps_at_[id]);
    of_grid_.met(warps_at_[id]);
    warps_at_[id].clear();
  }
  if (!checks_.sync || order_.lockstep()) return;
  const auto missed = [&](const BarrierArrivals::Arrival& one, std::uint64_t missing) {
    const std::uint32_t end = arrivals_.end_of(one.warp, LaneMask(missing).lowest());
    const auto at = static_cast<std::uint32_t>(one.op - launch_.kernel->code.data());
    const std::string thread = thread_of(one.warp, missing);
    if (end < at)
      barrier_missed(FindingKind::BarrierAfterExit, one, id, "ended before it: " + thread);
    else
      barrier_missed(FindingKind::DivergentBarrier, one, id,
                     "not reached by " + thread + (end == BarrierArrivals::kNone ? "" : ", which has ended"));
  };
  const auto elsewhere = [&](const BarrierArrivals::Arrival& one, const BarrierArrivals::Arrival& other) {
    at_two_barriers(one, other, id);
  };
  arrivals_.completed(
      id, [this](unsigned warp) { return started(warp); }, missed, elsewhere);
}

void BlockCheck::wrong_mask(unsigned thread, const ptx::MicroOp& op, std::uint64_t members,
                            const std::string& why) {
  char mask[24];
  std::snprintf(mask, sizeof mask, "0x%llx", static_cast<unsigned long long>(members));
  found(key(FindingKind::LaneMask, op), [&] {
    return std::string(ptx::opcode_name(op.opcode)) + " with a wrong mask of lanes " + mask + ", kernel '" +
           readable_name(launch_.kernel->name) + "': " + why + "\nexecuted by " +
           thread_text(launch_, number_, thread) + ", " + launch_.kernel->place_of(op.ptx_line);
  });
}

void BlockCheck::masks(unsigned warp, const ptx::MicroOp& op, std::uint64_t lanes,
                       const std::uint32_t* members) {
  if (!checks_.sync) return;
  LaneMask(lanes).for_each([&](unsigned lane) {
    if ((members[lane] >> lane & 1) == 0)
      wrong_mask(warp * launch_.width + lane, op, members[lane], "the thread is not in its own mask");
  });
}

void BlockCheck::fence(unsigned warp, const ptx::MicroOp& op) {
  if (!passes_on_ || !checks_.races) return;
  order_.fence(warp);
  if (op.scope != ptx::MemoryScope::Cta) of_grid_.fence(warp, order_);
}

void BlockCheck::meets(const Meeting& meeting) {
  order_.warp_met(meeting.warp);
  if (!checks_.sync) return;
  const std::uint64_t absent = meeting.members & started(meeting.warp) & ~meeting.together;
  if (absent == 0) return;
  const unsigned lane = LaneMask(absent).lowest();
  wrong_mask(meeting.warp * launch_.width + LaneMask(meeting.lanes).lowest(), *meeting.op, meeting.members,
             "it names lane " + std::to_string(lane) +
                 ((meeting.live >> lane & 1) != 0 ? ", which does not execute it" : ", which has ended"));
}

}  // namespace duet::check
