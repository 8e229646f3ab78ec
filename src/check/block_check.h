// The checks of one block: every access of its warps before it is executed, and its barriers. The model of
// time does not matter.
//   block.start(checker, launch, number);  lanes = block.access({...});  block.arrives(...);
//   block.completed(id);
#pragma once

#include <cstdint>
#include <vector>

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

class BlockCheck {
 public:
  explicit BlockCheck(Checker& checker) : checker_(checker), checks_(checker.checks()) {}

  void start(const Launch& launch, std::uint64_t number);
  // The lanes that may execute it: all but lanes with an access to foreign memory.
  std::uint64_t access(const Access& access);
  // Whether the check needs a store's values.
  bool wants_values(const ptx::MicroOp& op) const {
    return checks_.races && op.kind == ptx::Kind::Store && op.space != ptx::StateSpace::Global;
  }

  // A warp comes to barrier `id` with `lanes` of its live ones. `whole`: of the whole block.
  void arrives(unsigned warp, const ptx::MicroOp& op, unsigned id, bool whole, std::uint64_t lanes,
               std::uint64_t live);
  void completed(unsigned id) { order_.completed(id); }
  // Lanes meet at an instruction with a mask of lanes; `members` by lane.
  void meets(unsigned warp, const ptx::MicroOp& op, std::uint64_t lanes, std::uint64_t live,
             const std::uint32_t* members);
  void ended(unsigned warp) { order_.exited(warp); }

 private:
  std::uint64_t started(unsigned warp) const;  // lanes at the warp's beginning
  std::uint64_t each_inside_shared(const Access& access, const LaneRun& run, const std::uint64_t* offsets);
  std::uint64_t shared(const Access& access, std::uint64_t lanes, const std::uint64_t* offsets);
  std::uint64_t local(const Access& access, std::uint64_t lanes, const std::uint64_t* offsets);
  std::uint64_t run_in_global(const Access& access, const LaneRun& run);
  std::uint64_t global(const Access& access, std::uint64_t lanes);
  bool lane_in_global(const Access& access, unsigned lane, VirtualAddress address);
  void touch(Region& region, const Access& access, unsigned lane, VirtualAddress address, Bytes bytes,
             bool in_row);
  void outside(const Access& access, unsigned lane, const char* space, std::uint64_t address,
               const std::string& where, FindingKind kind);
  void beside(const Access& access, unsigned lane, VirtualAddress address);
  void unwritten(const Access& access, unsigned lane, FindingKind kind, const std::string& where);
  void race(const Access& access, std::uint64_t address, unsigned lane, const Touch& other,
            bool other_writes);
  void pass(const Access& access, std::uint64_t lanes, const std::uint64_t* addresses, bool reads,
            bool writes);
  std::string side(const ptx::MicroOp& op, unsigned thread) const;
  std::string shared_place(std::uint64_t address) const;

  Checker& checker_;
  const Checks checks_;
  Launch launch_;
  std::uint64_t number_ = 0;
  unsigned warps_ = 0;
  const ptx::Kernel* prepared_ = nullptr;
  bool passes_on_ = false;  // the kernel has accesses that order other ones
  bool too_large_ = false;  // more threads than a touch can name
  unsigned piece_ = 4;
  BlockOrder order_;
  SharedShadow shared_;
  std::vector<std::uint8_t> local_;  // by thread and byte: written
};

}  // namespace duet::check
