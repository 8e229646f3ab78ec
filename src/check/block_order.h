// The happens-before order inside one block: vector clocks of its warps (Fidge, Mattern 1988), stamped by one
// counter of the block. An access is ordered before a warp's present when its stamp is not above the warp's
// entry for the accessing warp. A barrier of the whole block sets all entries at once (`floor`): the usual
// case, for one comparison. Barriers of some warps (bar.sync with a count, bar.arrive) join clocks. A strong
// access passes on at its address what a fence of its warp, or itself as a release, has covered; a strong
// read takes it over at once as an acquire, otherwise with the next fence or barrier. bar.warp.sync advances
// a warp's own stamp. Source: PTX ISA 9.0, memory consistency model.
//   order.start(4, true); order.arrive(0, 1, true); ...; order.completed(0);
// Left out: exchanges between lanes (shfl.sync, ..) do not order memory in PTX, but are taken to order the
// lanes of their warp; a fence of one lane counts for its warp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace duet::check {

// An access that others may wait for.
struct StrongAccess {
  bool reads = false, writes = false;
  bool acquires = false, releases = false;  // by itself, without a fence
  bool of_block = false;                    // at the scope of the block
};

class BlockOrder {
 public:
  using Stamp = std::uint32_t;
  static constexpr unsigned kBarriers = 16;
  static constexpr Stamp kLast = (Stamp{1} << 28) - 1024;

  // A block begins: earlier stamps are of no block any more. `lockstep`: the lanes of a warp are ordered by
  // their instructions (kernels compiled for less than sm_70).
  void start(unsigned warps, bool lockstep) {
    warps_ = warps;
    lockstep_ = lockstep;
    base_ = floor_ = now_;
    time_.assign(warps, ++now_);
    known_.assign(std::size_t{warps} * warps, 0);
    exited_.assign(warps, false);
    passed_on_.clear();
    pending_.clear();
    fenced_.clear();
    for (Waiting& barrier : barriers_) barrier.clear();
  }
  // Whether stamps are about to be used up: their keepers drop them all.
  bool used_up() const { return now_ > kLast; }
  void begin_again() { now_ = 0; }

  Stamp base() const { return base_; }    // stamps up to here are of earlier blocks
  Stamp floor() const { return floor_; }  // accesses up to it are ordered before every warp's present
  Stamp time(unsigned warp) const { return time_[warp]; }
  bool lockstep() const { return lockstep_; }
  // Whether nothing but the step of their warp has ordered two accesses, since it was asked last.
  bool take_by_step() { return std::exchange(by_step_, false); }
  // `strong`: the later access is. It comes in order behind the strong reads of its warp, without a fence.
  bool ordered(Stamp stamp, unsigned of, unsigned before, bool strong = false) const {
    const std::size_t at = std::size_t{before} * warps_ + of;
    if (stamp <= floor_ || stamp <= known_[at]) return true;
    if (of == before && lockstep_) return by_step_ = true;
    return strong && !pending_.empty() && stamp <= pending_[at];
  }
  // By warp, the stamp of the last access that is ordered before this warp's present, or before its last
  // fence.
  std::vector<Stamp> covered(unsigned warp) const;
  std::vector<Stamp> covered_by_fence(unsigned warp) const;

  void arrive(unsigned barrier, unsigned warp, bool waits);
  void completed(unsigned barrier);
  void exited(unsigned warp) { exited_[warp] = true; }
  // Lanes of the warp have waited for each other.
  void warp_met(unsigned warp) {
    known_[std::size_t{warp} * warps_ + warp] = time_[warp];
    time_[warp] = ++now_;
  }
  void pass(unsigned warp, std::uint64_t address, const StrongAccess& access);
  void fence(unsigned warp);
  // The warps have met at a barrier: a fence before it counts for the later writes of each.
  void share_fences(const std::vector<unsigned>& warps);

 private:
  struct Waiting {
    std::vector<Stamp> clock;
    std::vector<bool> arrived, waits;
    bool all_wait = true;
    void clear() {
      clock.clear();
      arrived.clear();
      waits.clear();
      all_wait = true;
    }
  };
  Stamp* known(unsigned warp) { return known_.data() + std::size_t{warp} * warps_; }
  // A warp's row of a matrix that is made when first used.
  Stamp* row(std::vector<Stamp>& matrix, unsigned warp) {
    if (matrix.empty()) matrix.assign(known_.size(), 0);
    return matrix.data() + std::size_t{warp} * warps_;
  }
  void raise(Stamp* to, const Stamp* from) const {
    for (unsigned v = 0; v < warps_; ++v) to[v] = std::max(to[v], from[v]);
  }
  void take_pending(unsigned warp) {
    if (!pending_.empty()) raise(known(warp), row(pending_, warp));
  }
  void join(std::vector<Stamp>& clock, unsigned warp);

  unsigned warps_ = 0;
  bool lockstep_ = true;
  mutable bool by_step_ = false;
  Stamp now_ = 0, base_ = 0, floor_ = 0;
  std::vector<Stamp> time_, known_;
  // By warp: what its strong reads have found and no fence has taken over; what its last fence has covered.
  std::vector<Stamp> pending_, fenced_;
  std::vector<bool> exited_;
  std::array<Waiting, kBarriers> barriers_;
  std::unordered_map<std::uint64_t, std::vector<Stamp>> passed_on_;
};

}  // namespace duet::check
