// The task events of a simulated run (base/task_event.h) as operations of the model's instance for its
// machine (instance.h; hu2016, section 3): a command of the driver is a script of level 1, in its stream's
// logical channel; a kernel is a group of blocks, its context a reference counter; a warp is a channel of
// level 0 (section 3.4) in the task buffer of its SM, and its instructions have no events one by one: all of
// them stand for a group.
//
//   TaskEvents events(machine, report);
//   events.describe(7, facts);                     // of command 7, before its first event
//   engine.report_events(events, kModelEvents);    // or events.take(...) of a journal
//   events.finish();
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/trace_detail.h"
#include "config/machine.h"
#include "model/rules.h"
#include "sim/event_sink.h"

namespace duet::model {

inline constexpr TaskEventMask kModelEvents = kExplainedEvents;

// The facts of a command that no event has.
struct CommandFacts {
  ScriptKind kind = ScriptKind::Scheduling;
  Movement movement = Movement::Equipotent;  // of data
  std::string name;                          // "kernel 'smooth'"
  std::uint64_t blocks = 1;
  Resources block{};  // resources of a block
};

// The resources of a block: warps and registers as the machine gives them out. `shared_bytes`: as it gives
// them.
Resources block_resources(const config::Sm& sm, std::uint64_t threads, std::uint64_t registers_per_thread,
                          Bytes shared_bytes);
// Of level 0, an SM, and level 1, the GPU.
std::vector<LevelLimits> limits_of(const config::Machine& machine);

// The numbers of events, for a comparison.
struct EventCounts {
  std::uint64_t commands = 0, push_buffer_commands = 0, queued = 0, kernels = 0, blocks = 0, warps = 0,
                moves = 0;
  std::uint64_t moved_bytes = 0, commands_ended = 0;
};

class TaskEvents : public sim::EventSink {
 public:
  TaskEvents(const config::Machine& machine, Rules::Report report);

  void describe(std::uint64_t command, const CommandFacts& facts);
  // A fault has happened: later operations may be dropped.
  void fault() {
    fault_ = true;
    rules_.fault();
  }
  void take(const sim::Event& event) override;
  // The run has come to its end.
  void finish() { rules_.finish(); }

  const EventCounts& counts() const { return counts_; }
  std::uint64_t operations() const { return rules_.taken(); }
  // "kernel 'smooth' (command 7, stream 1)", while it is there.
  std::string name(unsigned level, std::uint64_t group) const;
  std::function<void(const Operation&)> on_operation;  // told before the rules are; null: nobody

 private:
  void tell(const Operation& operation) {
    if (on_operation) on_operation(operation);
    rules_.take(operation);
  }
  struct Command {
    CommandFacts facts;
    std::uint64_t stream = 0, channel = 0;
    std::uint64_t moves = 0, moved = 0;  // to come, and ended
    std::uint64_t launched = 0;          // blocks of Launch commands
    bool fetched = false, blocks_ended = false;
    Picoseconds ended_ps = 0;
  };

  void command(const sim::Event& event);
  void push_buffer(const sim::Event& event);
  void queue(const sim::Event& event);
  void kernel(const sim::Event& event);
  void block(const sim::Event& event);
  void warp(const sim::Event& event);
  void move(const sim::Event& event);
  void check_father(const sim::Event& event);
  Operation operation(Verb verb, const sim::Event& event, const Command& command) const;
  Command* known(std::uint64_t number);

  const std::uint64_t warp_slots_;
  Rules rules_;
  std::unordered_map<std::uint64_t, Command> commands_;  // incomplete ones
  struct Slot {
    std::uint64_t group = kNobody, command = 0, block = 0, warp = 0;
  };
  std::vector<Slot> slots_;                                 // of warps, by SM and slot
  std::unordered_map<std::uint64_t, std::size_t> slot_of_;  // by group of level 0
  std::uint64_t next_warp_ = 0;
  bool fault_ = false;
  const sim::Component* father_ = nullptr;  // of components that work at level 1
  EventCounts counts_;
};

}  // namespace duet::model
