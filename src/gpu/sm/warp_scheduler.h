// Chooses the ready warp to try first. One scheduler owns every n-th warp slot. Policies are small types in
// schedulers/, a file each, listed in this file; `gpu.sm.scheduler` names one. A policy has
//   static constexpr const char* kName           as machine files name it
//   unsigned pick(std::uint64_t ready) const     one of these slots; there is at least one
//   void issued(unsigned slot)                   its warp has issued a machine instruction
//   std::uint64_t state() const                  the state of pick(), beside launched()'s
//   void launched(unsigned slot)                 a new warp has come there (may be left out)
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/sm/schedulers/greedy_then_oldest.h"
#include "gpu/sm/schedulers/loose_round_robin.h"

namespace duet::gpu {

class WarpScheduler {
  using Policies = std::tuple<GreedyThenOldest, LooseRoundRobin>;

  // The hook of the chosen policy: a comparison each, no call.
  template <std::size_t i = 0, typename Self, typename F>
  static decltype(auto) call(Self& self, const F& hook) {
    if constexpr (i + 1 < std::tuple_size_v<Policies>)
      if (self.policy_ != i) return call<i + 1>(self, hook);
    return hook(std::get<i>(self.policies_));
  }

 public:
  // A value of the policy of this name; throws duet::Error where there is none.
  WarpScheduler(std::uint64_t warps, const std::string& policy);
  static std::vector<std::string> names();  // of all policies

  std::uint64_t warps() const { return warps_; }  // its slots
  unsigned pick(std::uint64_t ready) const {
    return call(*this, [&](const auto& policy) { return policy.pick(ready); });
  }
  void issued(unsigned slot) {
    call(*this, [&](auto& policy) { policy.issued(slot); });
  }
  void launched(unsigned slot) {
    call(*this, [&](auto& policy) {
      if constexpr (requires { policy.launched(slot); }) policy.launched(slot);
    });
  }
  std::uint64_t state() const {
    return call(*this, [](const auto& policy) { return policy.state(); });
  }

 private:
  std::uint64_t warps_;
  std::size_t policy_;
  Policies policies_;
};

}  // namespace duet::gpu
