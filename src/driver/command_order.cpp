#include "driver/command_order.h"

#include <algorithm>

namespace duet::driver {

namespace {

std::string name_of(const Command& command) {
  switch (command.kind) {
    case CommandKind::Launch:
      return command.grid->kernel->name;
    case CommandKind::Fill:
      return "fill";
    case CommandKind::Copy: {
      const bool from_host = command.copy.from.host || command.copy.staged != nullptr;
      return from_host              ? "copy host to device"
             : command.copy.to.host ? "copy device to host"
                                    : "copy on the device";
    }
    default:
      return {};
  }
}

}  // namespace

void CommandOrder::join(Clock& clock, const Clock& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (std::size_t s = 0; s < other.size(); ++s) clock[s] = std::max(clock[s], other[s]);
}

CommandOrder::Past CommandOrder::past_of(const std::vector<CommandId>& before,
                                         const std::vector<StreamId>& streams) const {
  Past past = host_;
  for (const CommandId id : before) {
    if (id == 0) continue;
    join(past.commands, known_[id - 1].past.commands);
    join(past.points, known_[id - 1].past.points);
  }
  for (const StreamId stream : streams) {
    if (stream >= places_.size()) continue;
    if (past.points.size() <= stream) past.points.resize(stream + std::size_t{1});
    past.points[stream] = places_[stream];
  }
  return past;
}

void CommandOrder::add(const Command& command, const std::vector<CommandId>& before,
                       const std::vector<StreamId>& streams) {
  Known known{past_of(before, streams),
              {name_of(command), command.stream,
               command.kind == CommandKind::Launch ? command.grid->kernel : nullptr}};
  Clock& commands = known.past.commands;
  if (commands.size() <= command.stream) commands.resize(command.stream + 1);
  commands[command.stream] = known_.size() + 1;
  known_.push_back(std::move(known));
}

StreamPoint CommandOrder::point(StreamId stream, const std::vector<CommandId>& before,
                                const std::vector<StreamId>& streams) {
  if (places_.size() <= stream) places_.resize(stream + std::size_t{1});
  Point point{past_of(before, streams), stream, ++places_[stream]};
  if (point.past.points.size() <= stream) point.past.points.resize(stream + std::size_t{1});
  point.past.points[stream] = point.place;
  points_.push_back(std::move(point));
  return {points_.size(), known_.size(), stream};
}

void CommandOrder::host_knows(CommandId id) {
  if (id == 0) return;
  join(host_.commands, known_[id - 1].past.commands);
  join(host_.points, known_[id - 1].past.points);
}

void CommandOrder::host_knows_points(StreamId stream) {
  if (stream >= places_.size()) return;
  if (host_.points.size() <= stream) host_.points.resize(stream + std::size_t{1});
  host_.points[stream] = places_[stream];
}

bool CommandOrder::before(CommandId earlier, CommandId later) const {
  return reaches(known_[later - 1].past.commands, known_[earlier - 1].label.stream, earlier);
}

bool CommandOrder::before(const StreamPoint& earlier, CommandId later) const {
  const Point& point = points_[earlier.number - 1];
  return reaches(known_[later - 1].past.points, point.stream, point.place);
}

bool CommandOrder::before(CommandId earlier, const StreamPoint& later) const {
  return reaches(points_[later.number - 1].past.commands, known_[earlier - 1].label.stream, earlier);
}

bool CommandOrder::before(const StreamPoint& earlier, const StreamPoint& later) const {
  const Point& point = points_[earlier.number - 1];
  return reaches(points_[later.number - 1].past.points, point.stream, point.place);
}

}  // namespace duet::driver
