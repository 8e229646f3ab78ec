#include "driver/command_book.h"

#include <algorithm>

#include "base/error.h"

namespace duet::driver {

CommandBook::CommandBook(std::size_t channels, bool read_ahead)
    : waiting(channels), read_ahead_(read_ahead) {}

StreamId CommandBook::add_stream(const StreamRules& rules) {
  const auto id = static_cast<StreamId>(streams.size());
  if (rules.order == StreamOrder::Barrier) {
    if (barrier_ != kNoStream) throw Error("driver: a second barrier stream");
    barrier_ = id;
    barrier_text_ = std::string("an earlier command of ") + rules.name;
  }
  streams.emplace_back().rules = rules;
  return id;
}

CommandId CommandBook::add(Command command, Picoseconds now) {
  const CommandId id = first_ + commands_.size();
  Stream& stream = streams[command.stream];
  PendingCommand& pending = commands_.emplace_back();
  pending.record.id = id;
  pending.record.call = command.call;
  pending.record.kind = command.kind;
  pending.record.stream = command.stream;
  pending.record.queued_ps = now;
  pending.record.more_follow = command.more_follow;
  pending.record.pageable = command.copy.pageable;
  pending.record.trigger = command.copy.trigger;
  pending.record.action =
      command.kind == CommandKind::FullEmptySet ? command.full_empty.action : command.copy.action;
  if (command.kind == CommandKind::EventRecord) {
    Event& event = events.at(command.event - 1);
    event.record = id;
    event.time.reset();
  }
  if (command.kind == CommandKind::StreamWaitEvent) {
    pending.waits_for_record = waited_for(command);
    if (pending.waits_for_record != 0 && !done(pending.waits_for_record))
      pending.record_stream = at(pending.waits_for_record).command.stream;
    else
      pending.waits_for_record = 0;
  }
  if (command.grid != nullptr) command.grid->command = id;
  ++incomplete_by_kind_[static_cast<std::size_t>(command.kind)];
  stream.last = id;
  pending.sent = command.outside;
  if (!command.outside) {
    stream.pending.push_back(id);
    if (stream.joins()) joined_.push_back(id);
    waiting[channel_of(command.stream)].push_back(id);
  }
  pending.command = std::move(command);
  return id;
}

bool CommandBook::kernel_outstanding() const {
  return std::any_of(commands_.begin(), commands_.end(), [](const PendingCommand& pending) {
    return !pending.done && pending.command.kind == CommandKind::Launch;
  });
}

std::vector<CommandId> CommandBook::predecessors(StreamId stream) const {
  std::vector<CommandId> result;
  for (std::size_t s = 0; s < streams.size(); ++s)
    if (streams[s].last != 0 && comes_before(static_cast<StreamId>(s), stream))
      result.push_back(streams[s].last);
  return result;
}

std::vector<StreamId> CommandBook::streams_before(StreamId stream) const {
  std::vector<StreamId> result;
  for (std::size_t s = 0; s < streams.size(); ++s)
    if (comes_before(static_cast<StreamId>(s), stream)) result.push_back(static_cast<StreamId>(s));
  return result;
}

const char* CommandBook::text_of(Obstacle obstacle) const {
  switch (obstacle) {
    case Obstacle::Predecessor:
      return "its predecessor in the stream";
    case Obstacle::HostFunction:
      return "a host function before it";
    case Obstacle::JoinedStreams:
      return "earlier commands of blocking streams";
    case Obstacle::BarrierStream:
      return barrier_text_.c_str();
    case Obstacle::Record:
      return "the event's record, which the driver has not yet served";
    case Obstacle::None:
      break;
  }
  return "";
}

// The first command of joining streams that this one, of a barrier's stream, comes after; 0: none. Its own
// stream's are none where they are read ahead: the GPU keeps their order.
CommandId CommandBook::joined_before(CommandId id) const {
  if (joined_.front() == id) return 0;
  if (!read_ahead_) return joined_.front();
  for (const CommandId earlier : joined_) {
    if (earlier == id) break;
    if (!done(earlier) && at(earlier).command.stream != at(id).command.stream) return earlier;
  }
  return 0;
}

CommandBook::Obstacle CommandBook::obstacle(CommandId id) const {
  const PendingCommand& pending = at(id);
  const Stream& stream = streams[pending.command.stream];
  const bool host_function = pending.command.kind == CommandKind::HostFunction;
  if (stream.pending.front() != id) {
    if (!read_ahead_ || host_function) return Obstacle::Predecessor;
    // The GPU keeps the order of what it has been sent; a host function it never sees.
    for (const CommandId earlier : stream.pending) {
      if (earlier == id) break;
      if (at(earlier).command.kind == CommandKind::HostFunction) return Obstacle::HostFunction;
    }
  }
  if (is_barrier(pending.command.stream)) {
    if (joined_before(id) != 0) return Obstacle::JoinedStreams;
  } else if (stream.joins() && barrier_ != kNoStream) {
    const std::deque<CommandId>& barrier = streams[barrier_].pending;
    if (!barrier.empty() && barrier.front() < id) return Obstacle::BarrierStream;
  }
  // So that an acquire never lies before its release in the hardware's queues.
  if (pending.waits_for_record != 0 && !sent(pending.waits_for_record)) return Obstacle::Record;
  return Obstacle::None;
}

std::vector<CommandId> CommandBook::incomplete() const {
  std::vector<CommandId> result;
  for (std::size_t i = 0; i < commands_.size(); ++i)
    if (!commands_[i].done) result.push_back(first_ + i);
  return result;
}

Hold CommandBook::hold(CommandId id) const {
  const PendingCommand& pending = at(id);
  const Stream& stream = streams[pending.command.stream];
  const auto& channel = waiting[channel_of(pending.command.stream)];
  const Obstacle kind = obstacle(id);
  Hold result{Hold::Order, text_of(kind), 0};
  switch (kind) {
    case Obstacle::None:
      if (channel.empty() || channel.front() == id) return {Hold::Nothing, "", 0};
      return {Hold::Channel, "", channel.front()};
    case Obstacle::Predecessor:
      result.kind = Hold::Stream;
      result.by = *std::prev(std::find(stream.pending.begin(), stream.pending.end(), id));
      break;
    case Obstacle::HostFunction:
      result.kind = Hold::Stream;
      result.by = *std::find_if(stream.pending.begin(), stream.pending.end(), [&](CommandId earlier) {
        return at(earlier).command.kind == CommandKind::HostFunction;
      });
      break;
    case Obstacle::JoinedStreams:
      result.by = joined_before(id);
      break;
    case Obstacle::BarrierStream:
      result.by = streams[barrier_].pending.front();
      break;
    case Obstacle::Record:
      result.by = pending.waits_for_record;
      break;
  }
  return result;
}

CommandId CommandBook::oldest_ready() const {
  CommandId best = 0;
  for (const auto& channel : waiting) {
    if (channel.empty() || (best != 0 && channel.front() > best)) continue;
    if (obstacle(channel.front()) == Obstacle::None) best = channel.front();
  }
  return best;
}

void CommandBook::complete(CommandId id) {
  PendingCommand& pending = (*this)[id];
  pending.done = true;
  --incomplete_by_kind_[static_cast<std::size_t>(pending.record.kind)];
  Stream& stream = streams[pending.command.stream];
  if (!pending.command.outside) {
    if (stream.pending.front() != id) throw Error("driver: a stream's commands completed out of order");
    stream.pending.pop_front();
  }
  while (!joined_.empty() && done(joined_.front())) joined_.pop_front();
  pending.command = Command{};
  while (!commands_.empty() && commands_.front().done) {
    commands_.pop_front();
    ++first_;
  }
}

std::string CommandBook::waits_for() const {
  std::string report;
  for (const auto& channel : waiting) {
    if (channel.empty()) continue;
    const Obstacle reason = obstacle(channel.front());
    if (reason == Obstacle::None) continue;
    if (!report.empty()) report += ", ";
    report += "command " + std::to_string(channel.front()) + " of stream " +
              std::to_string(at(channel.front()).command.stream) + ": " + text_of(reason);
  }
  return report;
}

}  // namespace duet::driver
