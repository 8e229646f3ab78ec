#include "gpu/front_end/packet_processor.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "memory/cache/cache_command.h"

namespace duet::gpu {

using memory::Packet;
using memory::PacketKind;

PacketProcessor::PacketProcessor(sim::Engine& engine, const sim::Component* parent, const config::Gpu& config,
                                 GpuPort& port, TaskPool& tasks, std::uint8_t number,
                                 std::uint8_t host_memory_number)
    : Component(engine, "packet processor", parent, 1, sim::Role::TaskUnit),
      clock_(config.core_clock_khz * 1000),
      edges_(config.core_clock_khz * 1000),
      packet_cycles_(config.front_end.packet_cycles),
      poll_cycles_(config.front_end.packet_poll_cycles),
      port_(port),
      requests_(&port.pool),
      tasks_(tasks),
      number_(number),
      host_memory_number_(host_memory_number) {}

void PacketProcessor::connect_link(sim::Queue<Packet>& to_host, sim::Queue<Packet>& from_host) {
  to_host_ = &to_host;
  from_host_ = &from_host;
}

void PacketProcessor::connect_distributor(sim::Queue<TaskReady>& tasks, sim::Queue<TaskEnded>& ended) {
  distributor_ = &tasks;
  ended_ = &ended;
}

std::uint32_t PacketProcessor::open(const UserQueue& queue) {
  // A place of one that is closed and has nothing on its way is given again.
  auto free = std::find_if(queues_.begin(), queues_.end(), [](const Queue& own) {
    return !own.open && own.stage == Stage::Idle && own.incomplete == 0 && own.invalid.empty() &&
           own.asked == own.answered;
  });
  if (free == queues_.end()) free = queues_.emplace(free);
  *free = Queue{};
  free->place = queue;
  free->open = true;
  return static_cast<std::uint32_t>(free - queues_.begin());
}

void PacketProcessor::close(std::uint32_t queue) {
  queues_[queue].open = false;
  if (queues_[queue].stage == Stage::Poll) queues_[queue].stage = Stage::Idle;
}

// ---- Memory ----

// A request within a line, of mapped memory.
memory::Request& PacketProcessor::request_to(VirtualAddress address, Bytes bytes, Packet& packet) {
  packet.request = requests_.allocate();
  packet.source = number_;
  packet.destination = host_memory_number_;
  memory::Request& request = requests_[packet.request];
  request.address = port_.address_space.physical(address);
  request.bytes = static_cast<std::uint16_t>(bytes);
  request.kind = memory::RequestKind::Copy;
  request.agent = memory::Agent::FrontEnd;
  request.scope = memory::Scope::System;
  request.mask = memory::ByteMask::first(request.bytes);
  return request;
}

bool PacketProcessor::is_mapped(VirtualAddress address, Bytes bytes) const {
  const memory::Allocation* const allocation = port_.address_space.find(address);
  return allocation != nullptr && address + bytes <= allocation->end();
}

// False: there is no room for it now.
bool PacketProcessor::read(std::uint32_t queue, Purpose purpose, VirtualAddress address, Bytes bytes,
                           Picoseconds now, Bytes offset) {
  if (outstanding_ == kOutstanding || !to_host_->can_push(now)) return false;
  ++outstanding_;
  Packet packet;
  memory::Request& request = request_to(address, bytes, packet);
  request.requester = queue;
  request.tag = offset << 8 | static_cast<std::uint64_t>(purpose);
  to_host_->push(now, packet);
  return true;
}

void PacketProcessor::send_due(Picoseconds now) {
  while (!due_.empty() && outstanding_ < kOutstanding && to_host_->can_push(now)) {
    ++outstanding_;
    to_host_->push(now, due_.front());
    due_.pop_front();
  }
}

void PacketProcessor::receive(Picoseconds now) {
  while (from_host_->can_pop(now)) {
    const Packet packet = from_host_->pop(now);
    if (packet.kind == PacketKind::Doorbell) {
      ++statistics_.doorbells;
      if (packet.tag >= queues_.size()) continue;  // of no queue: a core may store anything anywhere there
      Queue& queue = queues_[packet.tag];
      queue.put = std::max(queue.put, packet.argument);
      look_again(now);
      continue;
    }
    const memory::Request& request = requests_[packet.request];
    const auto purpose = static_cast<Purpose>(request.tag & 0xff);
    const std::uint64_t own = request.tag >> 8;  // the offset of arguments, or the packet's serial number
    Queue& queue = queues_[request.requester];
    const std::byte* const data = request.data.data();
    switch (purpose) {
      case Purpose::Packet:
        std::memcpy(queue.bytes.data(), data, kAqlPacketBytes);
        statistics_.read_bytes += kAqlPacketBytes;
        queue.packet = decode_aql_packet(queue.bytes);
        queue.stage = Stage::Decode;
        queue.until = 0;
        if (queue.packet.type == AqlType::Invalid) poll(queue, Stage::Idle, now);
        break;
      case Purpose::Signal: {
        std::int64_t value = 0;
        std::memcpy(&value, data, sizeof value);
        statistics_.read_bytes += sizeof value;
        const bool wants_all = queue.packet.type == AqlType::BarrierAnd;
        queue.one_is_down |= value == 0;
        queue.stage = Stage::Order;
        // One that is up decides of a barrier of all, one that is down of a barrier of any.
        if (wants_all && value != 0)
          poll(queue, Stage::Order, now);
        else if (!wants_all && value == 0)
          queue.signal = queue.packet.depends.size();
        else
          ++queue.signal;
        break;
      }
      case Purpose::Argument:
        std::memcpy(queue.arguments.data() + own, data, request.bytes);
        statistics_.read_bytes += request.bytes;
        queue.answered += request.bytes;
        break;
      case Purpose::Header:
        give_back(request.requester, own);
        break;
      case Purpose::ReadIndex:
        break;
      case Purpose::Completion:
        finished(own);
        break;
    }
    requests_.release(packet.request);
    --outstanding_;
  }
}

// ---- Packets ----

void PacketProcessor::poll(Queue& queue, Stage again, Picoseconds now) {
  ++statistics_.polls;
  queue.stage = Stage::Poll;
  queue.after_poll = again;
  queue.until = clock_.edge_after(now, poll_cycles_);
}

bool PacketProcessor::refuse(std::uint32_t number, const char* why, PacketRefusal::Fault fault) {
  Queue& queue = queues_[number];
  queue.open = false;
  queue.stage = Stage::Idle;
  engine().after_ticks([this, number, packet = queue.next, why, fault] {
    services_->refused(number, packet, {fault, why});
  });
  return false;
}

// The packet is read to its end: it is Invalid again, and when memory has that, its place in the ring is
// free. So a doorbell of a later packet cannot have an old one executed anew.
void PacketProcessor::taken(std::uint32_t number) {
  Queue& queue = queues_[number];
  constexpr auto kInvalid = static_cast<std::uint16_t>(AqlType::Invalid);
  Packet packet;
  memory::Request& request = request_to(queue.place.ring + queue.next % queue.place.packets * kAqlPacketBytes,
                                        sizeof kInvalid, packet);
  request.operation = memory::Operation::Write;
  request.requester = number;
  request.tag = queue.next << 8 | static_cast<std::uint64_t>(Purpose::Header);
  std::memcpy(request.data.data(), &kInvalid, sizeof kInvalid);
  packet.payload_bytes = request.bytes;
  due_.push_back(packet);
  queue.invalid.push_back(false);
  ++queue.next;
  queue.stage = Stage::Idle;
}

void PacketProcessor::give_back(std::uint32_t number, std::uint64_t index) {
  Queue& queue = queues_[number];
  queue.invalid[index - queue.given_back] = true;
  const std::uint64_t before = queue.given_back;
  for (; !queue.invalid.empty() && queue.invalid.front(); ++queue.given_back) queue.invalid.pop_front();
  if (queue.given_back == before) return;
  Packet packet;
  memory::Request& request = request_to(queue.place.read_index, sizeof queue.given_back, packet);
  request.operation = memory::Operation::Write;
  request.requester = number;
  request.tag = static_cast<std::uint64_t>(Purpose::ReadIndex);
  std::memcpy(request.data.data(), &queue.given_back, sizeof queue.given_back);
  packet.payload_bytes = request.bytes;
  due_.push_back(packet);
}

void PacketProcessor::memory_written() {
  if (look_again(engine().now())) engine().wake_after(*this, engine().now());
}

// Whether anything is to be looked at now. What is being read is looked at again if it is found not ready.
bool PacketProcessor::look_again(Picoseconds now) {
  bool any = false;
  for (Queue& queue : queues_) {
    if (std::exchange(queue.looks_again, true) || queue.stage != Stage::Poll) continue;
    any = true;
    if (queue.until > now) continue;
    // The next of the edges at which it would have polled all along.
    const Cycle first = edges_.cycle_at(queue.until);
    const Cycle polls = (edges_.cycle_at(now) - first) / poll_cycles_ + 1;
    queue.until = edges_.edge(first + polls * poll_cycles_);
  }
  return any;
}

// Whether something of the queue went on.
bool PacketProcessor::advance(std::uint32_t number, Picoseconds now) {
  Queue& queue = queues_[number];
  switch (queue.stage) {
    case Stage::Idle: {
      if (!queue.open || queue.next == queue.put) return false;
      const VirtualAddress place = queue.place.ring + queue.next % queue.place.packets * kAqlPacketBytes;
      if (!is_mapped(place, kAqlPacketBytes))
        return refuse(number, "its ring is not in memory that the GPU reaches");
      if (!read(number, Purpose::Packet, place, kAqlPacketBytes, now)) return false;
      queue.looks_again = false;
      queue.stage = Stage::Packet;
      return true;
    }
    case Stage::Decode:
      if (queue.until == 0) {
        if (decoder_free_ps_ > now) return false;
        queue.until = decoder_free_ps_ = clock_.edge_after(now, packet_cycles_);
        return true;
      }
      if (queue.until > now) return false;
      queue.stage = Stage::Order;
      queue.signal = 0;
      queue.one_is_down = false;
      return true;
    case Stage::Order:
      return (!queue.packet.barrier || queue.incomplete == 0) && begin_packet(number, now);
    case Stage::Poll:
      if (queue.until > now || !polls(queue)) return false;
      queue.looks_again = false;
      queue.stage = queue.after_poll;
      return true;
    case Stage::Arguments:
      return read_arguments(number, now);
    case Stage::HandOver:
      return hand_over(number, now);
    case Stage::Packet:
    case Stage::Signals:
    case Stage::Grids:
      return false;
  }
  return false;
}

bool PacketProcessor::begin_packet(std::uint32_t number, Picoseconds now) {
  Queue& queue = queues_[number];
  switch (queue.packet.type) {
    case AqlType::KernelDispatch: {
      const auto bytes = services_->kernarg_bytes(queue.packet.dispatch.kernel_object);
      if (!bytes) return refuse(number, "its kernel object names no kernel", PacketRefusal::Fault::Kernel);
      queue.arguments.assign(*bytes, std::byte{0});
      queue.asked = queue.answered = 0;
      queue.stage = Stage::Arguments;
      return true;
    }
    case AqlType::BarrierAnd:
    case AqlType::BarrierOr:
      return read_signals(number, now);
    default:
      return refuse(number, queue.packet.type == AqlType::AgentDispatch
                                ? "it is an agent dispatch, which nobody serves"
                                : "its type is none of the specification's");
  }
}

// One after the other.
bool PacketProcessor::read_signals(std::uint32_t number, Picoseconds now) {
  Queue& queue = queues_[number];
  const auto& depends = queue.packet.depends;
  while (queue.signal < depends.size() && depends[queue.signal] == 0) ++queue.signal;
  if (queue.signal < depends.size()) {
    const VirtualAddress value(depends[queue.signal] + kSignalValueOffset);
    if (!is_mapped(value, sizeof(std::int64_t))) return refuse(number, "it waits for a signal that is none");
    if (!read(number, Purpose::Signal, value, sizeof(std::int64_t), now)) return false;
    queue.stage = Stage::Signals;
    return true;
  }
  const bool names_none = std::count(depends.begin(), depends.end(), 0) == std::ssize(depends);
  if (queue.packet.type == AqlType::BarrierOr && !queue.one_is_down && !names_none) {
    queue.signal = 0;
    poll(queue, Stage::Order, now);
    return true;
  }
  const std::uint64_t serial = next_serial_++;
  running_[serial] = {number, queue.packet.completion_signal, {}, 0};
  ++queue.incomplete;
  taken(number);
  complete(serial);
  return true;
}

bool PacketProcessor::read_arguments(std::uint32_t number, Picoseconds now) {
  Queue& queue = queues_[number];
  const Bytes all = queue.arguments.size();
  bool went_on = false;
  while (queue.asked < all) {
    const VirtualAddress from(queue.packet.dispatch.kernarg + queue.asked);
    const Bytes bytes = std::min(all - queue.asked, memory::kLineBytes - from.value() % memory::kLineBytes);
    if (!is_mapped(from, bytes))
      return refuse(number, "its arguments are not in memory that the GPU reaches");
    if (!read(number, Purpose::Argument, from, bytes, now, queue.asked)) return went_on;
    queue.asked += bytes;
    went_on = true;
  }
  if (queue.answered < all) return went_on;
  queue.stage = Stage::Grids;
  engine().after_ticks([this, number] { make_grids(number); });
  return true;
}

void PacketProcessor::make_grids(std::uint32_t number) {
  Queue& queue = queues_[number];
  queue.grids = services_->launch(number, queue.next, queue.packet.dispatch, queue.arguments);
  queue.handed_over = 0;
  queue.stage = queue.grids.empty() ? Stage::Idle : Stage::HandOver;
  if (queue.grids.empty()) {
    queue.open = false;
    return;
  }
  running_[next_serial_] = {number, queue.packet.completion_signal, queue.grids, queue.grids.size()};
  queue.serial = next_serial_++;
  ++queue.incomplete;
  engine().wake_after(*this, engine().now());
}

// Where the work distributor has room.
bool PacketProcessor::hand_over(std::uint32_t number, Picoseconds now) {
  Queue& queue = queues_[number];
  if (!distributor_->can_push(now)) return false;
  Grid& grid = *queue.grids[queue.handed_over++];
  const TaskHandle handle = tasks_.allocate();
  Task& task = tasks_[handle];
  task.stream = grid.stream;
  task.alone = true;
  task.command = grid.command;
  task.grid = &grid;
  task.ended = ended_;
  task.packet = queue.serial;
  const std::uint64_t blocks = grid.grid.count();
  // Others' kernels may have left bytes that memory has not.
  add_l2_step(task, queue.packet.acquire, kCacheClean | kCacheInvalidate);
  task.steps.insert(task.steps.end(), {{PushBufferOpcode::SetLaunchID, grid.launch_id, 0},
                                       {PushBufferOpcode::SetRefCntValue, blocks, 0},
                                       {PushBufferOpcode::ResetRefCnt, 0, 0},
                                       {PushBufferOpcode::Launch, 0, blocks},
                                       {PushBufferOpcode::WaitRefCnt, 0, 0}});
  add_l2_step(task, queue.packet.release, kCacheClean);
  distributor_->push(now, {handle});
  if (queue.handed_over == queue.grids.size()) taken(number);
  return true;
}

void PacketProcessor::add_l2_step(Task& task, FenceScope scope, std::uint64_t operations) const {
  if (!maintains_l2_ || scope != FenceScope::System) return;
  DataMove move;
  move.width_bytes = memory::CacheCommand::kWhole;
  move.cache_operations = operations;
  task.steps.push_back({PushBufferOpcode::CacheRange, task.moves.size(), 0});
  task.moves.push_back(move);
}

// ---- Completion ----

void PacketProcessor::collect_ended(Picoseconds now) {
  while (ended_->can_pop(now)) {
    const TaskEnded ended = ended_->pop(now);
    if (--running_.at(ended.packet).tasks == 0) complete(ended.packet);
  }
}

// Its signal goes down by one; the packet has completed when memory has it.
void PacketProcessor::complete(std::uint64_t serial) {
  const Running& running = running_.at(serial);
  const VirtualAddress value(running.signal + kSignalValueOffset);
  if (running.signal == 0 || !is_mapped(value, sizeof(std::int64_t))) return finished(serial);
  constexpr std::int64_t kDown = -1;
  Packet packet;
  memory::Request& request = request_to(value, sizeof kDown, packet);
  request.operation = memory::Operation::Atomic;
  request.atomic_operation = AtomicOperation::Add;
  request.atomic_type = AtomicType::U64;
  request.wants_result = false;
  request.tag = serial << 8 | static_cast<std::uint64_t>(Purpose::Completion);
  std::memcpy(request.data.data(), &kDown, sizeof kDown);
  packet.payload_bytes = request.bytes;
  due_.push_back(packet);
}

void PacketProcessor::finished(std::uint64_t serial) {
  const auto running = running_.find(serial);
  --queues_[running->second.queue].incomplete;
  ++statistics_.packets;
  if (!running->second.grids.empty())
    engine().after_ticks([this, grids = std::move(running->second.grids)] { services_->completed(grids); });
  running_.erase(running);
  look_again(engine().now());
}

Picoseconds PacketProcessor::tick(Picoseconds now) {
  receive(now);
  collect_ended(now);
  bool went_on = true;
  while (went_on) {
    went_on = false;
    for (std::uint32_t i = 0; i < queues_.size(); ++i)
      went_on |= advance(static_cast<std::uint32_t>((turn_ + i) % queues_.size()), now);
  }
  if (!queues_.empty()) turn_ = (turn_ + 1) % queues_.size();
  send_due(now);
  const Picoseconds arrival = std::min(from_host_->next_arrival(now), ended_->next_arrival(now));
  Picoseconds next = arrival == kNever ? kNever : clock_.first_edge_after(arrival);
  for (const Queue& queue : queues_)
    if (queue.stage == Stage::Decode)
      next = std::min(next, queue.until != 0 ? queue.until : decoder_free_ps_);
    else if (queue.stage == Stage::Poll && polls(queue))
      next = std::min(next, queue.until);
  return next;
}

std::string PacketProcessor::waits_for() const {
  std::string report;
  for (std::size_t i = 0; i < queues_.size(); ++i) {
    const Queue& queue = queues_[i];
    if (queue.stage == Stage::Idle) continue;
    if (!report.empty()) report += ", ";
    report += "packet " + std::to_string(queue.next) + " of user queue " + std::to_string(i) + ": ";
    switch (queue.stage) {
      case Stage::Poll:
        report += queue.after_poll == Stage::Idle ? "that its type is written" : "a signal that is not 0";
        break;
      case Stage::Order:
        report += "packets before it";
        break;
      case Stage::HandOver:
        report += "room in the work distributor";
        break;
      default:
        report += "host memory";
    }
  }
  return report;
}

}  // namespace duet::gpu
