// When the kernels of packets began and ended, and the copies of AMD's extension: by the signal that the
// packet or the copy completes.
//
//   profiles.launched(signal, {command, ..});     // of a queue that is profiled
//   profiles.times(signal)->start_ps
//
// A signal has the times of its latest packet or copy.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/runtime.h"

namespace duet::hsa {

struct Times {
  Picoseconds start_ps = kNever, end_ps = 0;
  std::size_t running = 0;  // commands that have not completed
};

class Profiles : private driver::CommandWatcher {
 public:
  explicit Profiles(core::Runtime& runtime) { runtime.driver().watch(*this); }

  void launched(std::uint64_t signal, const std::vector<driver::CommandId>& commands);
  void copied(std::uint64_t signal, Picoseconds start_ps, Picoseconds end_ps) {
    times_[signal] = {start_ps, end_ps, 0};
  }
  // Null: nothing was profiled with this signal.
  const Times* times(std::uint64_t signal) const;
  void forget();

  bool of_copies = false;

 private:
  void completed(const driver::CommandRecord& record) override;

  std::unordered_map<std::uint64_t, Times> times_;                // by signal
  std::unordered_map<driver::CommandId, std::uint64_t> running_;  // commands: whose signal
};

}  // namespace duet::hsa
