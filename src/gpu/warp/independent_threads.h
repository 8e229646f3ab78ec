// Paths of one warp that wait for its other lanes: at instructions with a mask of lanes (bar.warp.sync,
// shfl.sync, vote.sync, match, redux, elect) and at barriers of the block; and loops with turns for others.
// Used by kernels with independent progress of lanes (compiled for sm_70 or later), in each model of time.
// Source: CUDA C programming guide, independent thread scheduling; PTX ISA 9.0, 9.7.13. It is not published
// when a path of a real machine gives up its turn: here after a number of rounds of a loop in which it may
// wait for others. Named lanes without a way to come (undefined in PTX) are left out.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "gpu/warp/reconvergence_stack.h"
#include "gpu/warp/warp_control.h"
#include "ptx/semantics/warp.h"

namespace duet::gpu {

template <unsigned W>
class IndependentThreads {
 public:
  struct Waiting {
    const ptx::MicroOp* op = nullptr;
    std::uint64_t path = 0, lanes = 0;  // of the path; lanes that execute the instruction
    std::uint64_t members = 0;          // the lanes it names
    unsigned barrier = kBarriers;       // of the block; kBarriers: it waits for lanes of its warp
    bool counted = false;               // it has arrived already, not with the last path of its warp
    bool reduces = false;
  };
  static constexpr unsigned kRoundsPerTurn = 32;

  void start() {
    waiting_.clear();
    blocked_ = 0;
    rounds_ = 0;
  }
  bool waits() const { return blocked_ != 0; }

  // The lanes that the mask of any of these lanes names.
  static std::uint64_t members_of(const ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes);
  // Whether live lanes named by the running path's instruction are elsewhere.
  static bool incomplete(const ptx::Warp<W>& warp, const ReconvergenceStack& stack, const ptx::MicroOp& op,
                         std::uint64_t lanes) {
    return (members_of(warp, op, lanes) & stack.live() & ~stack.top().lanes) != 0;
  }
  // The running path waits at its instruction. This may complete other paths' instructions; `executed` is
  // called for each path, with the lanes of all paths that execute together.
  using Executed = std::function<void(const Waiting& path, std::uint64_t together)>;
  void wait_for_lanes(ptx::Warp<W>& warp, ReconvergenceStack& stack, const ptx::MicroOp& op,
                      std::uint64_t lanes, const Executed& executed);
  // The running path arrives at a barrier, where it stands.
  void arrive(ptx::Warp<W>& warp, ReconvergenceStack& stack, const ptx::MicroOp& op, std::uint64_t lanes,
              const BarrierUse& use, Barrier& barrier);
  // The running path waits where it stands, at a barrier at which its warp has arrived before.
  void wait_at(const ReconvergenceStack& stack, const ptx::MicroOp& op, std::uint64_t lanes,
               unsigned barrier);
  // The barrier is complete. Returns whether any path waited at it.
  bool release(ptx::Warp<W>& warp, ReconvergenceStack& stack, unsigned barrier,
               const BarrierReduction& result);
  // Lanes have ended. Returns the barrier of the whole block at which all others wait: the warp has arrived
  // now; kBarriers: none.
  unsigned lanes_ended(ptx::Warp<W>& warp, ReconvergenceStack& stack, const Executed& executed);
  // The first path at a barrier.
  const Waiting& at_barrier() const;
  // Puts a runnable path on top of the stack; false: all wait at barriers.
  bool next_path(ptx::Warp<W>& warp, ReconvergenceStack& stack, const Executed& executed);
  // The running path has gone back to `target` in a loop in which it may wait for others, while others wait.
  // True: another path has the turn.
  bool turn_over(ReconvergenceStack& stack, std::uint32_t target) {
    if (++rounds_ < kRoundsPerTurn) return false;
    rounds_ = 0;
    stack.park(target);
    return stack.turn_to_other(blocked_);
  }

 private:
  bool all_at(const ReconvergenceStack& stack, unsigned barrier) const;
  bool complete_one(ptx::Warp<W>& warp, ReconvergenceStack& stack, bool without_others,
                    const Executed& executed);
  void execute(ptx::Warp<W>& warp, const std::vector<Waiting>& group, std::uint64_t lanes) const;

  std::vector<Waiting> waiting_;
  std::uint64_t blocked_ = 0;
  unsigned rounds_ = 0;
};

}  // namespace duet::gpu
