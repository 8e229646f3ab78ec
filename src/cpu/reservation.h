// The line reserved by LR for SC, and a probe of it, waiting meanwhile.
//
//   reservation.make(line, 120);     // LR in cycle 120: not given up before cycle 200
//   reservation.keeps(line, 150);    // true: the probe of cycle 150 waits (hold())
//   reservation.drop();              // SC, a trap or a lost line
//
// Without this time cores could take the line from each other between LR and SC for ever. It is longer than
// the time of 16 instructions, within which RISC-V guarantees success (Rocket Chip's lrscCycles).
#pragma once

#include <optional>
#include <utility>

#include "cpu/lookahead.h"
#include "cpu/private_cache.h"
#include "memory/coherence/coherence_message.h"

namespace duet::cpu {

class Reservation {
 public:
  using Message = memory::CoherenceMessage;

  bool is_of(std::uint64_t line) const { return line_ == line; }
  void drop() { line_ = PrivateLine::kNone; }
  void lost(std::uint64_t line) {
    if (line_ == line) drop();
  }
  // An agent with a waiting probe goes first: the time does not begin again.
  void make(std::uint64_t line, Cycle cycle) {
    line_ = line;
    if (!held_) until_ = cycle + kCycles;
  }
  bool keeps(std::uint64_t line, Cycle cycle) const { return line == line_ && cycle < until_; }

  // ---- the probe ----
  void hold(const Message& probe) { held_ = probe; }
  const Message* held() const { return held_ ? &*held_ : nullptr; }
  // The end of its wait, while the line is reserved; 0: it need not wait.
  Cycle held_until() const { return held_->line.value() == line_ ? until_ : 0; }
  // It is answered in `cycle`.
  Message take(Cycle cycle) {
    until_ = cycle;
    return *std::exchange(held_, std::nullopt);
  }

 private:
  static constexpr Cycle kCycles = 80;
  std::uint64_t line_ = PrivateLine::kNone;
  Cycle until_ = 0;
  std::optional<Message> held_;
};

}  // namespace duet::cpu
