// The books of the driver: commands from submission to completion, streams, events, and the waits between
// commands. The rules of order are here; driver.cpp serves the commands in time.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/driver.h"

namespace duet::driver {

struct PendingCommand {
  Command command;
  CommandRecord record;
  CommandId waits_for_record = 0;     // StreamWaitEvent: the record, or command, it refers to; 0: none
  StreamId record_stream = 0;         // and that record's stream
  std::vector<PhysicalAddress> lent;  // host memory, for as long as it runs
  std::optional<std::uint64_t> grid_slot;
  bool sent = false;  // stage (ii) has ended
  bool done = false;
};

struct Stream {
  StreamRules rules;
  bool exists = true;
  bool joins() const { return rules.order != StreamOrder::Alone; }
  std::deque<CommandId> pending;  // submitted and not complete
  CommandId last = 0;
  PhysicalAddress semaphore;  // rises to the id of each command that is complete
  bool semaphore_defined = false;
};

struct Event {
  bool exists = true;
  CommandId record = 0;  // the latest; 0: never recorded
  std::optional<Picoseconds> time;
};

class CommandBook {
 public:
  CommandBook(std::size_t channels, bool read_ahead);

  std::vector<Stream> streams;
  std::vector<Event> events;                  // event n at n - 1
  std::deque<std::deque<CommandId>> waiting;  // per channel: before stage (ii)

  // Throws duet::Error for a second barrier stream.
  StreamId add_stream(const StreamRules& rules);
  bool is_barrier(StreamId stream) const { return stream == barrier_; }
  // Whether a command of `stream` waits for earlier ones of `other`.
  bool comes_before(StreamId other, StreamId stream) const {
    const bool by_barrier =
        (is_barrier(stream) || is_barrier(other)) && streams[other].joins() && streams[stream].joins();
    return other == stream || by_barrier;
  }
  std::size_t channel_of(StreamId stream) const { return stream % waiting.size(); }
  CommandId add(Command command, Picoseconds now);
  // By a StreamWaitEvent that is submitted now: a record, or any command; 0: nothing.
  CommandId waited_for(const Command& command) const {
    return command.after != 0 ? command.after : events.at(command.event - 1).record;
  }
  PendingCommand& operator[](CommandId id) { return commands_[id - first_]; }
  bool done(CommandId id) const { return id < first_ || commands_[id - first_].done; }
  bool sent(CommandId id) const {
    return id < first_ || commands_[id - first_].done || commands_[id - first_].sent;
  }
  // What the streams' rules order before a command that is submitted to the stream now: the last commands of
  // the streams for which it waits.
  std::vector<CommandId> predecessors(StreamId stream) const;
  // These streams.
  std::vector<StreamId> streams_before(StreamId stream) const;
  // The oldest command that may enter stage (ii) now; 0: none.
  CommandId oldest_ready() const;
  void complete(CommandId id);
  bool joined_idle() const { return joined_.empty(); }
  bool idle() const { return commands_.empty(); }
  CommandId last() const { return first_ + commands_.size() - 1; }  // that was added; 0: none
  const CommandCounts& incomplete_by_kind() const { return incomplete_by_kind_; }
  bool kernel_outstanding() const;
  // Why the heads of the channels do not enter stage (ii).
  std::string waits_for() const;
  // For reports: those that are not complete, oldest first, and what keeps one that is not yet in stage (ii).
  std::vector<CommandId> incomplete() const;
  Hold hold(CommandId id) const;
  const PendingCommand& at(CommandId id) const { return commands_[id - first_]; }

 private:
  // Why a command may not enter stage (ii).
  enum class Obstacle : std::uint8_t {
    None,
    Predecessor,
    HostFunction,
    JoinedStreams,
    BarrierStream,
    Record
  };
  const char* text_of(Obstacle obstacle) const;
  Obstacle obstacle(CommandId id) const;
  CommandId joined_before(CommandId id) const;

  bool read_ahead_;
  std::deque<PendingCommand> commands_;  // from id first_
  CommandId first_ = 1;
  CommandCounts incomplete_by_kind_{};
  static constexpr StreamId kNoStream = ~StreamId{0};
  StreamId barrier_ = kNoStream;
  std::string barrier_text_;      // what waits for it waits for
  std::deque<CommandId> joined_;  // commands of streams that join from the oldest that is not complete
};

}  // namespace duet::driver
