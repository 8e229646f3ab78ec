// CUDA's order of commands: vector clocks over streams (Fidge, Mattern 1988). A command is ordered after
// earlier ones of its stream, after the record of its stream's wait, by the rules of the legacy default
// stream, and after all commands whose completion the host has learnt before its submission. The knowledge of
// several host threads is taken together, because their communication cannot be seen. Kept only for the race
// check.
#pragma once

#include <string>
#include <vector>

#include "driver/driver.h"

namespace duet::driver {

class CommandOrder {
 public:
  // Commands are added in the order of their ids, from 1. `before`: those that CUDA orders directly before
  // this one, and with them what comes before those; 0 is none.
  void add(const Command& command, const std::vector<CommandId>& before);
  // The host has seen that the command is complete; 0 is none.
  void host_knows(CommandId id);

  bool before(CommandId earlier, CommandId later) const;
  const CommandLabel& label(CommandId id) const { return known_[id - 1].label; }

 private:
  using Clock = std::vector<CommandId>;  // by stream: the latest command that is ordered before
  struct Known {
    Clock clock;
    CommandLabel label;
  };
  static void join(Clock& clock, const Clock& other);

  std::vector<Known> known_;  // by id - 1
  Clock host_;
};

}  // namespace duet::driver
