#include "gpu/front_end/giga_thread_engine.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "gpu/front_end/move_command.h"
#include "sim/event_sink.h"

namespace duet::gpu {

using memory::Packet;
using memory::PacketKind;

namespace {

// What a trace says of a command beside its name.
std::uint64_t argument_of(const PushBufferCommand& command) {
  switch (command.opcode) {
    case PushBufferOpcode::SetStream:
      return static_cast<std::uint32_t>(command.words[0]);
    case PushBufferOpcode::Launch:
    case PushBufferOpcode::AcquireSemaphore:
    case PushBufferOpcode::ReleaseSemaphore:
    case PushBufferOpcode::FillRange:
    case PushBufferOpcode::FullEmptyRange:
    case PushBufferOpcode::CacheRange:
      return command.words[1];
    case PushBufferOpcode::CopyRange:
      return command.words[3];
    default:
      return command.words[0];
  }
}

}  // namespace

GigaThreadEngine::GigaThreadEngine(sim::Engine& engine, const sim::Component* parent,
                                   const config::Gpu& config, GpuPort& port, TaskPool& tasks,
                                   std::uint8_t host_memory_number)
    : Component(engine, "GigaThread engine", parent, 1, sim::Role::TaskUnit),
      clock_(config.core_clock_khz * 1000),
      decode_cycles_(std::max<Cycle>(config.front_end.decode_cycles_per_command, 1)),
      port_(port),
      requests_(&port.pool),
      tasks_(tasks),
      host_memory_number_(host_memory_number) {}

void GigaThreadEngine::connect_link(sim::Queue<Packet>& to_host, sim::Queue<Packet>& from_host) {
  to_host_ = &to_host;
  from_host_ = &from_host;
}

void GigaThreadEngine::connect_channel(sim::Queue<TaskReady>& tasks) {
  channels_.emplace_back().output = &tasks;
}

void GigaThreadEngine::receive(Picoseconds now) {
  while (from_host_->can_pop(now)) {
    const Packet packet = from_host_->pop(now);
    if (packet.kind == PacketKind::Doorbell) {
      channels_[packet.tag].put = packet.argument;
      ++statistics_.doorbells;
      continue;
    }
    // Answers of one client return in order, so the bytes of a channel do too.
    const memory::Request& request = requests_[packet.request];
    Channel& channel = channels_[request.requester];
    channel.bytes.insert(channel.bytes.end(), request.data.begin(), request.data.begin() + request.bytes);
    statistics_.fetched_bytes += request.bytes;
    requests_.release(packet.request);
  }
}

// Asks for the next line of a channel that has bytes to fetch and room for them.
bool GigaThreadEngine::fetch(Picoseconds now) {
  std::size_t index = fetch_round_robin_;
  for (std::size_t i = 0; i < channels_.size(); ++i, index = after(index)) {
    Channel& channel = channels_[index];
    const std::uint64_t ahead = channel.requested - channel.decoded;
    if (channel.requested == channel.put ||
        ahead + memory::kLineBytes > kFetchAheadLines * memory::kLineBytes)
      continue;
    if (!to_host_->can_push(now)) return false;
    const GpuPort::Ring& ring = port_.rings[index];
    const Bytes offset = channel.requested % ring.bytes;
    const Bytes in_line = memory::kLineBytes - offset % memory::kLineBytes;
    const memory::RequestHandle handle = requests_.allocate();
    memory::Request& request = requests_[handle];
    request.address = ring.base + offset;
    request.bytes = static_cast<std::uint16_t>(std::min<Bytes>(in_line, channel.put - channel.requested));
    request.kind = memory::RequestKind::Copy;
    request.agent = memory::Agent::FrontEnd;
    request.requester = static_cast<std::uint32_t>(index);
    request.mask = memory::ByteMask::first(request.bytes);
    channel.requested += request.bytes;
    Packet packet;
    packet.request = handle;
    packet.source = port_.front_end_number;
    packet.destination = host_memory_number_;
    to_host_->push(now, packet);
    fetch_round_robin_ = after(index);
    return true;
  }
  return false;
}

// A quarter of the ring: the driver is told often enough to keep writing, and seldom enough to cost little.
void GigaThreadEngine::report_get_pointers(Picoseconds now) {
  if (!decoded_more_) return;
  for (std::size_t index = 0; index < channels_.size(); ++index) {
    Channel& channel = channels_[index];
    if (channel.decoded - channel.reported < port_.rings[index].bytes / 4) continue;
    if (!to_host_->can_push(now)) return;
    Packet packet;
    packet.kind = PacketKind::GetPointer;
    packet.payload_bytes = sizeof packet.argument;
    packet.tag = static_cast<std::uint16_t>(index);
    packet.source = port_.front_end_number;
    packet.destination = port_.driver_number;
    packet.argument = channel.decoded;
    to_host_->push(now, packet);
    channel.reported = channel.decoded;
  }
  decoded_more_ = false;
}

bool GigaThreadEngine::command_complete(const Channel& channel) const {
  const std::span<const std::byte> bytes(channel.bytes.data() + channel.head,
                                         channel.bytes.size() - channel.head);
  const auto size = push_buffer_command_bytes(bytes);
  return size && *size <= bytes.size();
}

bool GigaThreadEngine::start_decoding(Picoseconds now) {
  std::size_t index = decode_round_robin_;
  for (std::size_t i = 0; i < channels_.size(); ++i, index = after(index)) {
    Channel& channel = channels_[index];
    if (channel.head == channel.bytes.size()) continue;  // most of them
    // A stream begins only when its task can be handed over, so a decoded task never waits in here.
    if (!command_complete(channel) || (!channel.in_task && !channel.output->can_push(now))) continue;
    decoding_ = index;
    decode_end_ps_ = clock_.edge_after(now, decode_cycles_);
    decode_round_robin_ = after(index);
    return true;
  }
  return false;
}

void GigaThreadEngine::finish_decoding(Picoseconds now) {
  Channel& channel = channels_[decoding_];
  const std::span<const std::byte> bytes(channel.bytes.data() + channel.head,
                                         channel.bytes.size() - channel.head);
  const std::size_t size = *push_buffer_command_bytes(bytes);
  const PushBufferCommand command = decode_push_buffer_command(bytes.first(size));
  channel.head += size;
  channel.decoded += size;
  decoded_more_ = true;
  if (channel.head == channel.bytes.size() || channel.head > kFetchAheadLines * memory::kLineBytes) {
    channel.bytes.erase(channel.bytes.begin(),
                        channel.bytes.begin() + static_cast<std::ptrdiff_t>(channel.head));
    channel.head = 0;
  }
  build(channel, command);
  ++statistics_.commands;
  if (sim::EventSink* sink = engine().event_sink(TaskEventKind::PushBufferCommand)) {
    const Task& task = tasks_[channel.task];
    sink->take({.kind = TaskEventKind::PushBufferCommand,
                .stream = task.stream,
                .unit = static_cast<std::uint32_t>(decoding_),
                .time_ps = now,
                .id = statistics_.commands,
                .parent = task.command,
                .argument = argument_of(command),
                .component = this,
                .name = push_buffer_command_name(command.opcode)});
  }
  if (command.last) {
    channel.output->push(now, {channel.task});
    channel.in_task = false;
    ++statistics_.tasks;
  }
  decoding_ = kNoChannel;
}

void GigaThreadEngine::refuse(const Channel& channel, const std::string& what) const {
  throw Error("push buffer of channel " + std::to_string(&channel - channels_.data()) + ": " + what);
}

void GigaThreadEngine::build(Channel& channel, const PushBufferCommand& command) {
  const auto& words = command.words;
  if (!channel.in_task) {
    if (command.opcode != PushBufferOpcode::SetStream) refuse(channel, "a stream must begin with SetStream");
    channel.in_task = true;
    channel.task = tasks_.allocate();
    Task& task = tasks_[channel.task];
    task.age = next_age_++;
    task.stream = static_cast<std::uint32_t>(words[0]);
    task.priority = static_cast<std::int32_t>(words[0] >> 32);
    task.command = words[1];
    return;
  }
  Task& task = tasks_[channel.task];
  switch (command.opcode) {
    case PushBufferOpcode::SetStream:
      refuse(channel, "SetStream inside a stream");
    case PushBufferOpcode::SetProgram: {
      Grid* grid = port_.grids.find(words[0]);
      if (grid == nullptr) refuse(channel, "SetProgram names no kernel");
      const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
      const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
      grid->grid = {low(words[1]), high(words[1]), low(words[2])};
      grid->block = {high(words[2]), low(words[3]), high(words[3])};
      grid->dynamic_shared_bytes = words[4];
      grid->cooperative = (words[5] & kProgramCooperative) != 0;
      task.grid = grid;
      return;
    }
    case PushBufferOpcode::SetParameterSize:
      if (task.grid == nullptr) refuse(channel, "SetParameterSize without SetProgram");
      task.grid->parameters.assign(words[0], std::byte{0});
      return;
    case PushBufferOpcode::Parameter:
      if (task.grid == nullptr || words[0] + command.data_bytes > task.grid->parameters.size())
        refuse(channel, "Parameter outside the space of SetParameterSize");
      std::memcpy(task.grid->parameters.data() + words[0], command.data.data(), command.data_bytes);
      return;
    case PushBufferOpcode::CopyRange:
    case PushBufferOpcode::FillRange:
    case PushBufferOpcode::FullEmptyRange:
    case PushBufferOpcode::CacheRange:
      task.steps.push_back({command.opcode, task.moves.size(), 0});
      try {
        task.moves.push_back(read_move(command));
      } catch (const Error& error) {
        refuse(channel, error.what());
      }
      return;
    case PushBufferOpcode::SetLaunchID:
      if (task.grid == nullptr) refuse(channel, "SetLaunchID without SetProgram");
      task.grid->launch_id = words[0];
      [[fallthrough]];
    default:
      task.steps.push_back({command.opcode, words[0], words[1]});
  }
}

Picoseconds GigaThreadEngine::tick(Picoseconds now) {
  receive(now);
  if (decoding_ != kNoChannel && decode_end_ps_ <= now) finish_decoding(now);
  if (decoding_ == kNoChannel) start_decoding(now);
  report_get_pointers(now);
  const bool fetched = fetch(now);
  Picoseconds next = decoding_ != kNoChannel ? decode_end_ps_ : kNever;
  if (fetched) next = std::min(next, clock_.first_edge_after(now));
  const Picoseconds arrival = from_host_->next_arrival(now);
  if (arrival != kNever) next = std::min(next, clock_.first_edge_after(arrival));
  return next;
}

std::string GigaThreadEngine::waits_for() const {
  std::string report;
  for (std::size_t index = 0; index < channels_.size(); ++index) {
    const Channel& channel = channels_[index];
    if (channel.decoded == channel.put) continue;
    if (!report.empty()) report += ", ";
    report += "channel " + std::to_string(index) +
              (command_complete(channel) ? ": room in the work distributor's queue"
                                         : ": push-buffer bytes from host memory");
  }
  return report;
}

}  // namespace duet::gpu
