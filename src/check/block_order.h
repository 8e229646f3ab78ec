// The happens-before order inside one block: vector clocks of its warps (Fidge, Mattern 1988), stamped by one
// counter of the block. An access is ordered before a warp's present when its stamp is not above the warp's
// entry for the accessing warp. A barrier of the whole block sets all entries at once (`floor`): the usual
// case, for one comparison. Barriers of some warps (bar.sync with a count, bar.arrive), and accesses that
// pass a value on (exchanges and compare-and-swaps, volatile and ordered accesses, by address), join clocks.
// bar.warp.sync advances a warp's own stamp.
//   order.start(4, true); order.arrive(0, 1, true); ...; order.completed(0);
// Left out: exchanges between lanes (shfl.sync, ..) do not order memory in PTX, but are taken to order the
// lanes of their warp; atomic additions pass nothing on.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace duet::check {

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
    for (Waiting& barrier : barriers_) barrier.clear();
  }
  // Whether stamps are about to be used up: their keepers drop them all.
  bool used_up() const { return now_ > kLast; }
  void begin_again() { now_ = 0; }

  Stamp base() const { return base_; }    // stamps up to here are of earlier blocks
  Stamp floor() const { return floor_; }  // accesses up to it are ordered before every warp's present
  Stamp time(unsigned warp) const { return time_[warp]; }
  bool lockstep() const { return lockstep_; }
  bool ordered(Stamp stamp, unsigned of, unsigned before) const {
    if (stamp <= floor_ || stamp <= known_[std::size_t{before} * warps_ + of]) return true;
    return of == before && lockstep_;
  }

  void arrive(unsigned barrier, unsigned warp, bool waits);
  void completed(unsigned barrier);
  void exited(unsigned warp) { exited_[warp] = true; }
  // Lanes of the warp have waited for each other.
  void warp_met(unsigned warp) {
    known_[std::size_t{warp} * warps_ + warp] = time_[warp];
    time_[warp] = ++now_;
  }
  // A warp reads (and joins others' clocks), or writes (and passes its clock on), to synchronise.
  void pass(unsigned warp, std::uint64_t address, bool reads, bool writes);

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
  void join(std::vector<Stamp>& clock, unsigned warp);
  void take_in(unsigned warp, const std::vector<Stamp>& clock);

  unsigned warps_ = 0;
  bool lockstep_ = true;
  Stamp now_ = 0, base_ = 0, floor_ = 0;
  std::vector<Stamp> time_, known_;
  std::vector<bool> exited_;
  std::array<Waiting, kBarriers> barriers_;
  std::unordered_map<std::uint64_t, std::vector<Stamp>> passed_on_;
};

}  // namespace duet::check
