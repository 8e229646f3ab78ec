// The checks of one block: every access of its warps before it is executed, and its barriers. The model of
// time does not matter.
//   block.start(checker, launch, number);  lanes = block.access({...});  block.arrives(...);
//   block.completed(id);
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "check/access_strength.h"
#include "check/barrier_arrivals.h"
#include "check/block_order.h"
#include "check/checker.h"
#include "check/lane_runs.h"
#include "check/shared_shadow.h"

namespace duet::check {

struct Access {
  const ptx::MicroOp* op = nullptr;
  std::uint32_t pc = 0;
  unsigned warp = 0;
  std::uint64_t lanes = 0;
  const std::uint64_t* addresses = nullptr;  // by lane, in the instruction's space
  unsigned bytes = 0, alignment = 1;         // of a lane
  const std::byte* values = nullptr;         // of a store: lane i's at + i * bytes
};

// Lanes of a warp execute an instruction with a mask of lanes.
struct Meeting {
  unsigned warp = 0;
  const ptx::MicroOp* op = nullptr;
  std::uint64_t lanes = 0, together = 0;  // at this instruction; with lanes at others of its kind
  std::uint64_t members = 0, live = 0;    // named; of the warp
};

class BlockCheck {
 public:
  explicit BlockCheck(Checker& checker) : checker_(checker), checks_(checker.checks()) {}

  void start(const Launch& launch, std::uint64_t number);
  // The lanes that may execute it: all but lanes with an access to foreign memory.
  std::uint64_t access(const Access& access);
  // Lanes store so many bytes each through a surface.
  void image_stored(std::uint64_t lanes, const std::uint64_t* addresses, unsigned bytes);
  // Whether the check needs a store's values.
  bool wants_values(const ptx::MicroOp& op) const {
    return checks_.races && op.kind == ptx::Kind::Store && op.space != ptx::StateSpace::Local;
  }

  // A warp comes to barrier `id` with `lanes` of its live ones. `whole`: of the whole block.
  void arrives(unsigned warp, const ptx::MicroOp& op, unsigned id, bool whole, std::uint64_t lanes,
               std::uint64_t live);
  void completed(unsigned id);
  // Lanes come to an instruction with a mask of lanes; `members` by lane.
  void masks(unsigned warp, const ptx::MicroOp& op, std::uint64_t lanes, const std::uint32_t* members);
  void meets(const Meeting& meeting);
  void fence(unsigned warp, const ptx::MicroOp& op);
  void lanes_ended(unsigned warp, std::uint64_t lanes, std::uint32_t pc) {
    if (!order_.lockstep() && checks_.sync) arrivals_.ended(warp, lanes, pc);
  }
  void ended(unsigned warp) { order_.exited(warp); }

 private:
  std::uint64_t started(unsigned warp) const;  // lanes at the warp's beginning
  std::uint64_t each_inside_shared(const Access& access, const LaneRun& run, const std::uint64_t* offsets);
  std::uint64_t shared(const Access& access, std::uint64_t lanes, const std::uint64_t* offsets);
  std::uint64_t local(const Access& access, std::uint64_t lanes, const std::uint64_t* offsets);
  std::uint64_t run_in_global(const Access& access, const LaneRun& run);
  std::uint64_t global(const Access& access, std::uint64_t lanes);
  void prepare(const ptx::Kernel& kernel);
  bool lane_in_global(const Access& access, unsigned lane, VirtualAddress address);
  void touch(Region& region, const Access& access, const LaneRun& run, VirtualAddress address, Bytes bytes);
  void in_kernel(Region& region, const Access& access, const LaneRun& run, VirtualAddress address);
  void outside(const Access& access, unsigned lane, const char* space, std::uint64_t address,
               const std::string& where, FindingKind kind);
  void beside(const Access& access, unsigned lane, VirtualAddress address);
  void in_step(const ptx::MicroOp& op);
  void unwritten(const Access& access, unsigned lane, FindingKind kind, const std::string& where);
  bool meant_to_meet(const ptx::MicroOp& one, std::uint32_t pc, const ptx::MicroOp& other,
                     std::uint32_t other_pc, std::uint64_t address) const;
  void race(const Access& access, std::uint64_t address, unsigned lane, const Touch& other);
  bool races(const Access& access, const GridTouch& now, const GridTouch& earlier, unsigned lane) const;
  void race_in_global(const Access& access, std::uint64_t address, unsigned lane, const GridTouch& other);
  void pass(const Access& access, std::uint64_t lanes, const std::uint64_t* addresses, bool reads,
            bool of_block);
  void barrier_missed(FindingKind kind, const BarrierArrivals::Arrival& arrival, std::uint64_t id,
                      const std::string& why);
  void wrong_mask(unsigned thread, const ptx::MicroOp& op, std::uint64_t members, const std::string& why);
  void at_two_barriers(const BarrierArrivals::Arrival& one, const BarrierArrivals::Arrival& other,
                       unsigned id);
  Findings::Key key(FindingKind kind, const ptx::MicroOp& op, const ptx::MicroOp* other = nullptr);
  template <typename Text>
  void found(const Findings::Key& key, const Text& text) {
    checker_.findings().add(key, [&] { return text() + checker_.call_text("launched at", launch_.command); });
  }
  std::string thread_of(unsigned warp, std::uint64_t lanes) const;
  std::string side(const ptx::MicroOp& op, unsigned thread) const;
  std::string shared_place(std::uint64_t address) const;

  Checker& checker_;
  const Checks checks_;
  Launch launch_;
  std::uint64_t number_ = 0;
  unsigned warps_ = 0;
  const ptx::Kernel* prepared_ = nullptr;
  bool passes_on_ = false;                    // the kernel has fences, or accesses that are as good
  bool too_large_ = false;                    // more threads than a touch can name
  unsigned piece_ = 4;                        // of shared memory
  unsigned grid_shift_ = 2;                   // a piece of global memory has 2^grid_shift_ bytes
  std::vector<bool> polls_;                   // by instruction
  std::unordered_set<std::uint64_t> polled_;  // addresses at which a thread has waited for a value
  std::array<std::vector<unsigned>, BlockOrder::kBarriers> warps_at_;
  GridOrder::Block of_grid_;
  BlockOrder order_;
  BarrierArrivals arrivals_;
  SharedShadow shared_;
  std::vector<std::uint8_t> local_;  // by thread and byte: written
};

}  // namespace duet::check
