// The part of a DRAM controller (dram_controller.h) for tracked memory: triggers, actions, overrides,
// refusals and atomics (lustig2013 §4.3, §4.5). Bits and bytes change in the same order, because requests to
// one line are never reordered. A read without a trigger takes bytes whatever their bits are. A read with a
// trigger for some of its bytes (Request::required) takes the full ones of the others along.
#include <algorithm>

#include "memory/atomic_request.h"
#include "memory/dram/dram_controller.h"

namespace duet::memory {

bool DramController::satisfied(const Request& request) const {
  const ByteMask& bytes = any(request.required) ? request.required : request.mask;
  switch (request.trigger) {
    case Trigger::Full:
      return bits_.all_full(request.address, bytes);
    case Trigger::Empty:
      return bits_.all_empty(request.address, bytes);
    default:
      return true;
  }
}

// The request joins the scheduler: from now on the bits are as it leaves them.
void DramController::apply_action(Request& request) {
  FullEmptyStatistics& statistics = full_empty_statistics_;
  // The required bytes come in any case: they are full, or an override has let the request go.
  const bool takes_along = any(request.required) && full_empty_.valid_masks;
  if (takes_along) request.mask = bits_.full(request.address, request.mask) | request.required;
  if (request.action == Action::None) {
    if (request.operation == Operation::Write) note_plain_write(request);
    return;
  }
  if (!plain_writes_.empty()) plain_writes_.forget(request.address, request.mask);
  if (request.action == Action::Empty) {
    ++statistics.empties;
    if (races_ != nullptr) races_->empty(request.address, request.mask, engine().now());
    if (request.operation == Operation::SetBits)
      bits_.empty(request.address, request.mask);
    else
      bits_.take(request.address, request.mask);
  } else {
    ++statistics.fills;
    const ByteMask whole = FullEmptyBits::whole_words(request.address, request.mask);
    const bool narrow = whole.bits != request.mask.bits;
    statistics.narrow_stores += narrow;
    bits_.fill(request.address, narrow && full_empty_.narrow_store == "keep" ? whole : request.mask);
  }
  look_again_ |= !triggered_.empty();
}

// Keeps the writer of words left empty, for reports about requests that wait for these words.
void DramController::note_plain_write(const Request& request) {
  const ByteMask empty = request.mask & ~bits_.full(request.address, request.mask);
  if (any(empty)) plain_writes_.note(request.address, empty, {request.agent, request.pc, engine().now()});
}

// Lets requests with satisfied triggers go. Their actions may satisfy others.
bool DramController::release_triggered(Cycle cycle) {
  bool released = false;
  TriggerQueues::Entry entry;
  const auto may_leave = [&](TriggerQueues::Entry& waiting) {
    Request& request = pool_[waiting.packet.request];
    if (!satisfied(request)) {
      waiting.waited = true;
      if (!waiting.released) return false;
      request.released = true;
    }
    return used_[static_cast<unsigned>(waiting.packet.traffic_class)] < entries_;
  };
  while (triggered_.take(may_leave, entry)) {
    FullEmptyStatistics& statistics = full_empty_statistics_;
    statistics.triggered += pool_[entry.packet.request].trigger != Trigger::None;
    statistics.waited += entry.waited;
    statistics.released += pool_[entry.packet.request].released;
    statistics.wait_cycles += cycle - entry.since;
    accept(entry.packet, entry.client);
    released = true;
  }
  look_again_ = false;  // take() has looked at everything since the last change
  return released;
}

// lustig2013 §4.5: requests waiting for bits of this line are let go.
void DramController::override_triggers(const Request& request) {
  const std::uint64_t line = request.address / kLineBytes;
  triggered_.for_each([&](TriggerQueues::Entry& entry) {
    entry.released |= pool_[entry.packet.request].address / kLineBytes == line;
  });
  look_again_ |= !triggered_.empty();
}

// lustig2013 §4.5: a request that has waited too long at an observed place is refused; its sender sends it
// again, behind the others. Returns the cycle of the next look.
Cycle DramController::refuse_late(Picoseconds now, Cycle cycle) {
  Cycle next = kNoCycle;
  TriggerQueues::Entry entry;
  const auto late = [&](TriggerQueues::Entry& waiting) {
    const Request& request = pool_[waiting.packet.request];
    if (request.refusals >= full_empty_.nack_limit) return false;
    const Cycle due = waiting.since + full_empty_.nack_cycles;
    if (due > cycle || !clients_[waiting.client].responses->can_push(now)) {
      next = std::min(next, std::max(due, cycle + 1));
      return false;
    }
    return true;
  };
  while (triggered_.take(late, entry)) {
    ++pool_[entry.packet.request].refusals;
    ++full_empty_statistics_.nacks;
    Packet packet = entry.packet;
    packet.kind = PacketKind::Nack;
    packet.payload_bytes = 0;
    std::swap(packet.source, packet.destination);
    clients_[entry.client].responses->push(now, packet, clock_.edge(cycle + 1 + config_.controller_cycles));
    look_again_ = true;
  }
  return next;
}

// Performs an atomic on tracked memory whose bytes have been read; the written bytes go back.
void DramController::perform(std::uint32_t index) {
  DramEntry entry = requests_[index];
  if (before_write_) before_write_(*entry.request);
  perform_atomic(pool_, *entry.request, address_space_.memory().bytes(entry.request->address), name());
  ++full_empty_statistics_.atomics;
  requests_.remove(index);
  scheduler_.removed(entry.bank);
  const std::uint32_t back = requests_.allocate();
  DramEntry& write = requests_[back];
  write.packet = entry.packet;
  write.request = entry.request;
  write.line = entry.line;
  write.row = entry.row;
  write.bank = entry.bank;
  write.client = entry.client;
  write.traffic_class = entry.traffic_class;
  write.direction = Direction::Write;
  write.bursts_left = 1;
  scheduler_.admitted(back, requests_.admit(back));
}

WaitingRequest DramController::describe(const Request& request) const {
  WaitingRequest out;
  ByteMask bytes = any(request.required) ? request.required : request.mask;
  const ByteMask full = bits_.full(request.address, bytes);
  const ByteMask wrong = request.trigger == Trigger::Empty  ? full
                         : request.trigger == Trigger::Full ? bytes & ~full
                                                            : ByteMask{};
  out.satisfied = !any(wrong);
  if (const PlainWrite* by = plain_writes_.find(request.address, wrong);
      by != nullptr && request.trigger == Trigger::Full)
    out.written = *by;
  if (any(wrong)) bytes = wrong;
  out.address = address_space_.pages().virtual_of(request.address + first_byte(bytes));
  out.bytes = last_byte(bytes) + 1 - first_byte(bytes);
  out.trigger = request.trigger;
  out.operation = request.operation;
  out.agent = request.agent;
  out.unit = request.unit;
  out.requester = request.requester;
  out.pc = request.pc;
  out.controller = channel_;
  return out;
}

std::vector<WaitingRequest> DramController::waiting_requests() const {
  std::vector<WaitingRequest> result;
  for (unsigned q = 0; q < TriggerQueues::kMaxQueues; ++q) {
    std::size_t place = 0;
    for (const TriggerQueues::Entry& entry : triggered_.waiting(q)) {
      WaitingRequest& waiting = result.emplace_back(describe(pool_[entry.packet.request]));
      waiting.queue = q;
      waiting.place = place++;
      waiting.since = clock_.edge(entry.since);
    }
  }
  return result;
}

}  // namespace duet::memory
