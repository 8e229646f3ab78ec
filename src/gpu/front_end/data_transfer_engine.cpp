#include "gpu/front_end/data_transfer_engine.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "sim/event_sink.h"

namespace duet::gpu {

using memory::Packet;

DataTransferEngine::DataTransferEngine(sim::Engine& engine, const sim::Component* parent,
                                       const DataTransferEngineConfig& config, memory::RequestPool& pool,
                                       const memory::AddressSpace& address_space, TaskPool& tasks)
    : Component(engine, "data transfer engine " + std::to_string(config.number), parent, 1,
                sim::Role::DataMovementElement),
      config_(config),
      clock_(config.core_clock_khz * 1000),
      pool_(&pool),
      address_space_(address_space),
      translator_(address_space.pages()),
      tasks_(tasks),
      places_(std::max(config.outstanding_packets, config.device_packets)),
      blocks_(places_.size()),
      read_(places_.size()) {
  for (std::size_t i = places_.size(); i-- > 0;) free_places_.push_back(static_cast<std::uint32_t>(i));
}

void DataTransferEngine::start(Picoseconds now) {
  current_ = ports_.starts->pop(now);
  move_ = tasks_[current_.task].moves[current_.move];
  command_ = tasks_[current_.task].command;
  to_ = {};
  from_ = {};
  to_.row = to_.slice = move_.to;
  from_.row = from_.slice = move_.from;
  to_.physical_is_given = (move_.flags & kCopyToPhysical) != 0;
  from_.physical_is_given = (move_.flags & kCopyFromPhysical) != 0;
  row_ = slice_ = 0;
  offset_ = 0;
  issued_ = move_.width_bytes == 0 || move_.rows == 0 || move_.slices == 0;
  inside_ = (move_.flags & (kCopyFromHost | kCopyToHost)) == 0 && !move_.bits_only;
  window_ =
      inside_ ? std::max(config_.device_packets, config_.outstanding_packets) : config_.outstanding_packets;
  store_and_forward_ =
      config_.packet_payload_bytes > config_.line_bytes && (move_.flags & (kCopyFromHost | kCopyToHost)) != 0;
  // Without data only the line bounds a request.
  const bool blocks = config_.block_bytes != 0 && !store_and_forward_ && !move_.bits_only;
  longest_ = blocks            ? config_.block_bytes
             : move_.bits_only ? config_.line_bytes
                               : std::min(config_.packet_payload_bytes, config_.line_bytes);
  faulted_ = false;
  fault_address_ = {};
  start_ps_ = last_answer_ps_ = busy_counted_ps_ = now;
  ++statistics_.moves;
  busy_ = true;
  for (std::size_t i = 0; i < pattern_.size() && move_.pattern_bytes != 0; ++i)
    pattern_[i] = static_cast<std::byte>(move_.pattern >> (8 * (i % move_.pattern_bytes)));
  tell(TaskEventPhase::Begin, now);
}

void DataTransferEngine::tell(TaskEventPhase phase, Picoseconds now) {
  sim::EventSink* const sink = engine().event_sink(TaskEventKind::Move);
  if (sink == nullptr) return;
  sink->take({.kind = TaskEventKind::Move,
              .phase = phase,
              .stream = tasks_[current_.task].stream,
              .unit = config_.number,
              .time_ps = now,
              .id = current_.move,
              .parent = command_,
              .argument = move_.width_bytes * move_.rows * move_.slices,
              .component = this,
              .name = move_.bits_only            ? "full/empty bits"
                      : move_.pattern_bytes != 0 ? "fill"
                                                 : "copy"});
}

bool DataTransferEngine::translate(End& end, Address from, PhysicalAddress& physical, Bytes& left) {
  if (end.physical_is_given) {
    physical = PhysicalAddress(from);
    left = kNever;
    return true;
  }
  const VirtualAddress address(from);
  const memory::PageRun& run = translator_.translate(address, &end == &to_);
  if (run.bytes == 0) return false;
  physical = run[address];
  left = run.end() - address;
  end.tracked = run.attributes.tracked;
  end.cacheability = run.attributes.cacheability;
  return true;
}

void DataTransferEngine::advance(Bytes bytes) {
  offset_ += bytes;
  if (offset_ < move_.width_bytes) return;
  offset_ = 0;
  if (++row_ < move_.rows) {
    to_.row += move_.to_row_pitch;
    from_.row += move_.from_row_pitch;
    return;
  }
  row_ = 0;
  to_.row = to_.slice += move_.to_slice_pitch;
  from_.row = from_.slice += move_.from_slice_pitch;
  issued_ = ++slice_ == move_.slices;
}

void DataTransferEngine::set_attributes(memory::Request& request, const End& end) const {
  const bool host = is_host(request.address);
  request.tracked = end.tracked;
  request.cacheability = end.cacheability;
  request.trigger = host ? memory::Trigger::None : move_.trigger;
  request.action = host ? memory::Action::None : move_.action;
  request.traffic_class = class_at(request.address);
}

memory::RaceAgent DataTransferEngine::race_agent() const { return {command_, false, config_.number, 0}; }

// Whether a write of what was read gives its place back when it is sent.
bool DataTransferEngine::counts_ack(const memory::Request& request) const {
  return config_.outstanding_acks != 0 && request.trigger == memory::Trigger::None && !request.is_block();
}

void DataTransferEngine::give_back(std::uint32_t place) {
  places_[place] = {};
  free_places_.push_back(place);
  --outstanding_;
}

bool DataTransferEngine::send(Picoseconds now, memory::RequestHandle handle) {
  const memory::Request& request = pool_[handle];
  if (!can_send(now, request.address)) return false;
  // A write that waits for empty comes after those that read, and emptied.
  if (ports_.races != nullptr && request.operation == memory::Operation::Write && !is_host(request.address) &&
      request.trigger != memory::Trigger::Empty)
    ports_.races->write(race_agent(), request.address, request.mask, now,
                        request.trigger != memory::Trigger::None);
  Packet packet;
  packet.request = handle;
  packet.traffic_class = request.traffic_class;
  packet.payload_bytes = request.operation == memory::Operation::Write ? request.bytes : 0;
  if (is_host(request.address)) {
    packet.source = config_.link_number;
    packet.destination = config_.host_memory_number;
    ports_.to_host->push(now, packet);
  } else {
    packet.destination = destination_of(request.address);
    const std::uint16_t port = port_to(packet.destination);
    packet.source = static_cast<std::uint16_t>(ports_.device_number + port);
    ports_.to_device[port]->push(now, packet);
  }
  return true;
}

// Sends the next packet of the move: a read of its source, the write of a fill, or a change of full/empty
// bits. False when it cannot go.
bool DataTransferEngine::issue(Picoseconds now) {
  if (!may_issue()) return false;
  const bool one_end = move_.pattern_bytes != 0 || move_.bits_only;
  const Bytes unit = std::max(longest_, config_.line_bytes);
  const auto in_line = [&](PhysicalAddress physical) { return unit - physical % unit; };
  PhysicalAddress to, from;
  Bytes left = 0;
  Bytes bytes = std::min(move_.width_bytes - offset_, longest_);
  const auto fault = [&](Address address) {
    faulted_ = issued_ = true;
    fault_address_ = VirtualAddress(address);
    close_link_packet();
    return false;
  };
  if (!translate(to_, to_.row + offset_, to, left)) return fault(to_.row + offset_);
  bytes = std::min({bytes, in_line(to), left});
  if (!one_end) {
    if (!translate(from_, from_.row + offset_, from, left)) return fault(from_.row + offset_);
    bytes = std::min({bytes, in_line(from), left});
  }
  if (!can_send(now, one_end ? to : from)) return false;
  const memory::RequestHandle handle = pool_.allocate();
  memory::Request& request = pool_[handle];
  request.address = one_end ? to : from;
  request.tag = to.value();
  request.bytes = static_cast<std::uint16_t>(bytes);
  request.operation = move_.bits_only ? memory::Operation::SetBits
                      : one_end       ? memory::Operation::Write
                                      : memory::Operation::Read;
  request.kind = memory::RequestKind::Copy;
  request.agent = memory::Agent::CopyEngine;
  request.unit = config_.number;
  request.pc = static_cast<std::uint32_t>(command_);
  request.mask = memory::ByteMask::first(request.bytes);
  set_attributes(request, one_end ? to_ : from_);
  request.requester = free_places_.back();
  free_places_.pop_back();
  const VirtualAddress device((is_host(to) ? from_.row : to_.row) + offset_);
  places_[request.requester].device = device;
  if (request.is_block())
    take_block(request);
  else if (move_.pattern_bytes != 0)
    std::memcpy(request.data.data(), &pattern_[offset_ % move_.pattern_bytes], bytes);
  if (store_and_forward_) join_link_packet(request.requester);
  send(now, handle);
  ++outstanding_;
  ++statistics_.packets;
  statistics_.bytes += bytes;
  advance(bytes);
  const Bytes payload = config_.packet_payload_bytes;
  if (offset_ == 0 || (device + bytes) % payload == 0 || pieces_ == payload / config_.line_bytes)
    close_link_packet();
  return true;
}

// The place's block; of a fill with the pattern in it.
void DataTransferEngine::take_block(memory::Request& request) {
  auto& block = blocks_[request.requester];
  if (block == nullptr) block = std::make_unique_for_overwrite<std::byte[]>(config_.block_bytes);
  request.set_block(block.get());
  for (Bytes at = 0; at < request.bytes && move_.pattern_bytes != 0; at += memory::kLineBytes)
    std::memcpy(&block[at], &pattern_[(offset_ + at) % move_.pattern_bytes],
                std::min<Bytes>(memory::kLineBytes, request.bytes - at));
}

void DataTransferEngine::join_link_packet(std::uint32_t place) {
  if (open_ == kNoPlace) {
    open_ = place;
    places_[open_].missing = 1;
    pieces_ = 0;
  } else {
    places_[last_piece_].next = place;
  }
  places_[place].packet = open_;
  ++places_[open_].missing;
  last_piece_ = place;
  ++pieces_;
}

void DataTransferEngine::close_link_packet() {
  if (open_ != kNoPlace) arrived(std::exchange(open_, kNoPlace));
}

void DataTransferEngine::arrived(std::uint32_t packet) {
  if (--places_[packet].missing != 0) return;
  for (std::uint32_t place = packet; place != kNoPlace; place = places_[place].next) {
    write_next(std::exchange(places_[place].held, memory::kNoRequest));
    --held_;
  }
}

// Its bytes have been read and may be written.
void DataTransferEngine::write_next(memory::RequestHandle handle) {
  std::size_t tail = read_head_ + read_count_;
  if (tail >= read_.size()) tail -= read_.size();
  read_[tail] = handle;
  ++read_count_;
}

void DataTransferEngine::send_read(Picoseconds now) {
  while (read_count_ != 0) {
    memory::Request& request = pool_[read_[read_head_]];
    const bool counted = counts_ack(request);
    const std::uint64_t acks =
        inside_ ? std::max(window_, config_.outstanding_acks) : config_.outstanding_acks;
    if ((counted && unacknowledged_ == acks) || !send(now, read_[read_head_])) return;
    if (counted) {
      give_back(std::exchange(request.requester, kNoPlace));
      ++unacknowledged_;
    }
    if (++read_head_ == read_.size()) read_head_ = 0;
    --read_count_;
  }
}

void DataTransferEngine::receive(Picoseconds now, sim::Queue<Packet>& from) {
  while (from.can_pop(now)) {
    const memory::RequestHandle handle = from.pop(now).request;
    memory::Request& request = pool_[handle];
    last_answer_ps_ = now;
    if (request.operation != memory::Operation::Read) {
      if (request.requester == kNoPlace)
        --unacknowledged_;
      else
        give_back(request.requester);
      pool_.release(handle);
      continue;
    }
    if (ports_.races != nullptr && !is_host(request.address) && request.action != memory::Action::Empty)
      ports_.races->read(race_agent(), request.address, request.mask, now,
                         request.trigger != memory::Trigger::None);
    // The request that was read becomes the write: its bytes are not copied.
    request.operation = memory::Operation::Write;
    request.address = PhysicalAddress(request.tag);
    set_attributes(request, to_);
    const std::uint32_t packet = places_[request.requester].packet;
    if (packet == kNoPlace) {
      write_next(handle);
      continue;
    }
    places_[request.requester].held = handle;
    ++held_;
    arrived(packet);
  }
}

void DataTransferEngine::finish(Picoseconds now) {
  if (!ports_.done->can_push(now)) return;
  ports_.done->push(now, {current_.task, faulted_, fault_address_, start_ps_});
  count_busy(now);
  tell(TaskEventPhase::End, now);
  busy_ = false;
}

void DataTransferEngine::count_busy(Picoseconds now) {
  if (busy_) statistics_.busy_ps += now - std::exchange(busy_counted_ps_, now);
}

Picoseconds DataTransferEngine::tick(Picoseconds now) {
  receive(now, *ports_.from_host);
  for (std::size_t port = 0; port < ports_in_use(); ++port) receive(now, *ports_.from_device[port]);
  send_read(now);
  if (!busy_ && ports_.starts->can_pop(now)) start(now);
  if (!busy_) return kNever;
  bool sent = issue(now);
  // A packet a port and cycle.
  for (std::size_t port = 1; sent && port < ports_in_use(); ++port) sent = issue(now);
  if (faulted_) send_read(now);  // it may have closed a link packet that only waited for more to read
  if (issued_ && outstanding_ + unacknowledged_ == 0) {
    finish(now);
    return !ports_.starts->empty() && !busy_ ? clock_.first_edge_after(now) : kNever;
  }
  if (sent && may_issue()) return clock_.first_edge_after(now);
  const Picoseconds arrival = next_answer(now);
  return arrival == kNever ? kNever : clock_.first_edge_after(arrival);
}

Picoseconds DataTransferEngine::next_answer(Picoseconds now) const {
  Picoseconds result = ports_.from_host->next_arrival(now);
  for (std::size_t port = 0; port < ports_in_use(); ++port)
    result = std::min(result, ports_.from_device[port]->next_arrival(now));
  return result;
}

std::optional<DataTransferEngine::Progress> DataTransferEngine::progress() const {
  if (!busy_) return std::nullopt;
  Progress result{command_, move_, {}, outstanding_ + unacknowledged_ - held_, last_answer_ps_};
  for (const Place& place : places_)
    if (place.device != VirtualAddress() && place.held == memory::kNoRequest &&
        (result.lowest == VirtualAddress() || place.device < result.lowest))
      result.lowest = place.device;
  return result;
}

std::string DataTransferEngine::waits_for() const {
  if (!busy_) return {};
  if (outstanding_ + unacknowledged_ == 0)
    return issued_ ? "room in the work distributor's queue" : "room for its first packet";
  std::string text = move_.trigger == memory::Trigger::Full    ? "full at "
                     : move_.trigger == memory::Trigger::Empty ? "empty at "
                                                               : "answers from ";
  constexpr VirtualAddress kNone{~std::uint64_t{0}};
  VirtualAddress lowest = kNone;  // of those with a place; else where the move begins
  for (const Place& place : places_)
    if (place.device != VirtualAddress() && place.held == memory::kNoRequest)
      lowest = std::min(lowest, place.device);
  if (lowest == kNone) lowest = VirtualAddress((move_.flags & kCopyToHost) != 0 ? move_.from : move_.to);
  char number[32];
  std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(lowest.value()));
  text += number;
  text += " (copy of stream " + std::to_string(tasks_[current_.task].stream);
  text += (move_.flags & kCopyToHost) != 0     ? " to the host, "
          : (move_.flags & kCopyFromHost) != 0 ? " to the GPU, "
                                               : " inside the GPU, ";
  const std::uint64_t unanswered = outstanding_ + unacknowledged_ - held_;
  text += std::to_string(unanswered) + (unanswered == 1 ? " packet" : " packets");
  std::snprintf(number, sizeof number, "%.1f us)", static_cast<double>(last_answer_ps_) * 1e-6);
  return text + " not answered since " + number;
}

}  // namespace duet::gpu
