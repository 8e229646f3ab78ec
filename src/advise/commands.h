// The run's copies and kernels once more, in a model of the driver: when the last one ends, if something
// about their order were different.
//
//   const Commands commands(report, machine);
//   const Picoseconds saved = commands.saved({.issue = Issue::BreadthFirst});
//
// Each command keeps its length, and is queued when it was; in another order, when the command in its place
// was. The driver prepares one at a time, a channel keeps its order, a copy engine moves one copy at a time,
// and kernels run at once as far as the SMs have room. Left out: events, and that a program that waits queues
// its next command earlier. Of a long run the first 20,000 commands stand for all, and 2,000 where each has a
// stream of its own: then every one is looked at before every other.
#pragma once

#include <vector>

#include "config/machine.h"
#include "report/run_report.h"

namespace duet::advise {

// The order of commands queued while earlier ones have not ended. Pipeline: the next stream's first command,
// this one's second, the third of the one before, and so on.
enum class Issue { AsItIs, BreadthFirst, Pipeline };

struct Order {
  Issue issue = Issue::AsItIs;
  bool own_streams = false;  // kernels wait for earlier ones with a pointer of theirs, and for no others
  bool read_ahead = false;   // the driver prepares a command before its predecessor has ended
};

class Commands {
 public:
  Commands(const report::RunReport& report, const config::Machine& machine);

  // Of the run, less than without the change; 0: nothing.
  Picoseconds saved(const Order& order) const;
  std::uint64_t streams() const { return streams_; }  // with kernels
  bool share_queues() const { return streams_ > channels_; }

 private:
  struct Command {
    std::uint64_t number;  // in the order of submission
    std::uint32_t stream;
    bool kernel;
    unsigned engine;  // of a copy, from 1; 0: none
    std::uint64_t pointers;
    Picoseconds queued_ps, prepare_ps, hand_over_ps, run_ps, end_ps;
    double room;  // of all SMs, while it runs; of copies 0
  };
  struct Replay;
  void add(const auto& record, unsigned engine, std::uint64_t pointers, double room);
  static void reorder(std::vector<Command>& commands, Issue issue);
  Picoseconds end_ps(const Order& order, std::size_t count) const;  // of the first so many

  std::vector<Command> commands_;
  std::uint64_t channels_, streams_ = 0, all_ = 0, taken_[2] = {};
  bool read_ahead_;
};

}  // namespace duet::advise
