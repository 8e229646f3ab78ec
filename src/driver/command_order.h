// CUDA's order of commands: vector clocks over streams (Fidge, Mattern 1988). A command is ordered after
// earlier ones of its stream, after the record of its stream's wait, by the rules of the legacy default
// stream, and after all commands whose completion the host has learnt before its submission. The knowledge of
// several host threads is taken together, because their communication cannot be seen. A point is a place in a
// stream between commands, and is ordered as a command there would be. Kept only for checks.
#pragma once

#include <string>
#include <vector>

#include "driver/driver.h"

namespace duet::driver {

class CommandOrder {
 public:
  // Commands are added in the order of their ids, from 1. `before`: the commands directly before this one,
  // and with them all before each; 0 is none. `streams`: all points of these come before it too.
  void add(const Command& command, const std::vector<CommandId>& before,
           const std::vector<StreamId>& streams);
  StreamPoint point(StreamId stream, const std::vector<CommandId>& before,
                    const std::vector<StreamId>& streams);
  // The host has seen that the command is complete; 0 is none.
  void host_knows(CommandId id);
  // The host has seen that all of the stream is complete.
  void host_knows_points(StreamId stream);
  // Whether it has, of this command or of one behind it.
  bool known_to_host(CommandId id) const { return reaches(host_.commands, known_[id - 1].label.stream, id); }

  bool before(CommandId earlier, CommandId later) const;
  bool before(const StreamPoint& earlier, CommandId later) const;
  bool before(CommandId earlier, const StreamPoint& later) const;
  bool before(const StreamPoint& earlier, const StreamPoint& later) const;
  const CommandLabel& label(CommandId id) const { return known_[id - 1].label; }

 private:
  using Clock = std::vector<CommandId>;
  struct Past {      // by stream, what is ordered before
    Clock commands;  // the latest one
    Clock points;    // the latest one's place in the stream
  };
  struct Known {
    Past past;
    CommandLabel label;
  };
  struct Point {
    Past past;
    StreamId stream = 0;
    CommandId place = 0;
  };
  static void join(Clock& clock, const Clock& other);
  static bool reaches(const Clock& clock, StreamId stream, CommandId at) {
    return stream < clock.size() && clock[stream] >= at;
  }
  Past past_of(const std::vector<CommandId>& before, const std::vector<StreamId>& streams) const;

  std::vector<Known> known_;   // by id - 1
  std::vector<Point> points_;  // by number - 1
  Clock places_;               // by stream: of its last point
  Past host_;
};

}  // namespace duet::driver
