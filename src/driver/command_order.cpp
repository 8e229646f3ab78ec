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

void CommandOrder::add(const Command& command, const std::vector<CommandId>& before) {
  Known known{host_,
              {name_of(command), command.stream,
               command.kind == CommandKind::Launch ? command.grid->kernel : nullptr}};
  for (const CommandId id : before)
    if (id != 0) join(known.clock, known_[id - 1].clock);
  if (known.clock.size() <= command.stream) known.clock.resize(command.stream + 1);
  known_.push_back(std::move(known));
  known_.back().clock[command.stream] = known_.size();
}

void CommandOrder::host_knows(CommandId id) {
  if (id != 0) join(host_, known_[id - 1].clock);
}

bool CommandOrder::before(CommandId earlier, CommandId later) const {
  const Clock& clock = known_[later - 1].clock;
  const StreamId stream = known_[earlier - 1].label.stream;
  return stream < clock.size() && clock[stream] >= earlier;
}

}  // namespace duet::driver
