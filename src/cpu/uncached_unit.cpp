#include "cpu/uncached_unit.h"

#include <algorithm>
#include <cstring>

#include "cpu/back_end.h"
#include "cpu/load_unit.h"

namespace duet::cpu {

using memory::Operation;
using memory::Request;
using memory::RequestHandle;

namespace {

// Calls use(first, end) for the common addresses of two ranges, if any.
template <typename F>
void for_common(std::uint64_t a, std::uint64_t a_bytes, std::uint64_t b, std::uint64_t b_bytes, F use) {
  const std::uint64_t first = std::max(a, b), end = std::min(a + a_bytes, b + b_bytes);
  if (first < end) use(first, end);
}

}  // namespace

// ---- loads ----

std::uint64_t UncachedUnit::read(const Access& access) {
  std::byte bytes[8] = {};
  std::byte* to = bytes;
  for (unsigned i = 0; i < access.count; ++i) {
    const Piece& piece = access.pieces[i];
    state_.view.peek(PhysicalAddress(piece.physical), piece.bytes, to, state_.number);
    put_combined_over(piece, to);
    if (state_.stores.may_hold(piece)) state_.stores.put_over(piece, to, state_.stores.next());
    to += piece.bytes;
  }
  std::uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The bytes of it in write-combining buffers, on their way or not.
void UncachedUnit::put_combined_over(const Piece& piece, std::byte* to) {
  const auto put = [&](const Request& request) {
    const std::uint64_t base = request.address.value();
    for_common(piece.physical, piece.bytes, base, request.bytes, [&](std::uint64_t first, std::uint64_t end) {
      for (std::uint64_t at = first; at != end; ++at)
        if (request.mask.test(static_cast<unsigned>(at - base)))
          to[at - piece.physical] = request.data[at - base];
    });
  };
  for (const Sent& sent : sent_)
    if (sent.kind == Kind::Combined) put((*pool_)[sent.request]);
  for (const WriteCombining::Buffer& buffer : combining_.open()) put((*pool_)[buffer.request]);
}

// Whether nothing keeps the load back; it is not sent before `cycle`.
bool UncachedUnit::may_be_sent(const WindowEntry& load, std::uint64_t sequence, Cycle& cycle) {
  ReorderWindow& window = state_.window;
  if (load.fence > window.retired()) return false;
  if (load.fence != 0 && !window.is_gone(load.fence))
    cycle = std::max(cycle, window.entry(load.fence).retire);
  if (loads_sent_ != 0 && loads_sent_ + load.access.count > state_.config.l1.misses) return false;
  bool of_its_lines = false;  // an older load that has not been sent
  state_.loads.for_each([&](std::uint64_t other) {
    if (other >= sequence) return false;
    if (window.is_gone(other)) return true;
    const WindowEntry& older = window.entry(other);
    if (older.access.type == rv64::MemoryType::WriteBack || older.asked != kUnknown) return true;
    for (unsigned i = 0; i < load.access.count; ++i)
      of_its_lines |= state_.touches(older.access, state_.line_of(load.access.pieces[i].physical));
    return !of_its_lines;
  });
  return !of_its_lines;
}

// Writes buffers with bytes of `piece`; the load is not sent before their last store came.
void UncachedUnit::write_asked_for(const Piece& piece, Cycle& cycle) {
  for (std::size_t b = 0; b < combining_.open().size();) {
    WriteCombining::Buffer& buffer = combining_.open()[b];
    const memory::ByteMask& mask = (*pool_)[buffer.request].mask;
    bool asked_for = false;
    for_common(piece.physical, piece.bytes, buffer.block, combining_.bytes(),
               [&](std::uint64_t first, std::uint64_t end) {
                 for (std::uint64_t at = first; at != end; ++at)
                   asked_for |= mask.test(static_cast<unsigned>(at - buffer.block));
               });
    if (asked_for) {
      cycle = std::max(cycle, buffer.written);
      send_combined(buffer, cycle);
    } else {
      ++b;
    }
  }
}

void UncachedUnit::perform(std::uint64_t sequence, Cycle cycle) {
  WindowEntry& load = state_.entry(sequence);
  load.level = Level::Below;
  cycle = std::max(cycle, state_.ahead.now());
  if (!may_be_sent(load, sequence, cycle)) {
    waiting_.push_back(sequence);
    state_.ahead.stop_at(state_.ahead.answer_after(std::max(state_.slots.cycle() + 1, state_.ahead.now())));
    return;
  }
  for (unsigned i = 0; i < load.access.count; ++i) write_asked_for(load.access.pieces[i], cycle);
  unsigned at = 0;
  for (unsigned i = 0; i < load.access.count; ++i) {
    const Piece& piece = load.access.pieces[i];
    send(cycle, {make_request(Operation::Read, piece), 0, Kind::Load, sequence, at});
    at += piece.bytes;
  }
  loads_sent_ += load.access.count;
  load.lines_missing = load.access.count;
  load.asked = cycle;
  ++state_.statistics.uncached_loads;
}

void UncachedUnit::perform_waiting() {
  std::vector<std::uint64_t> waiting;
  waiting.swap(waiting_);
  std::sort(waiting.begin(), waiting.end());
  for (const std::uint64_t sequence : waiting)
    if (sequence < state_.window.next()) perform(sequence, state_.entry(sequence).start);
}

void UncachedUnit::forget_loads(std::uint64_t next) {
  std::erase_if(waiting_, [next](std::uint64_t sequence) { return sequence >= next; });
  for (Sent& sent : sent_)
    if (sent.load >= next) sent.load = 0;
  load_fence_ = std::min(load_fence_, next - 1);  // the fence before is not known any more
}

void UncachedUnit::note_fence(std::uint64_t sequence) {
  const CodeEntry* const code = state_.code.find(state_.entry(sequence).pc);
  if (code == nullptr || code->orders_loads) load_fence_ = sequence;
  store_fence_ |= code == nullptr || code->orders_stores;
}

// ---- stores ----

// The open buffer of the block, or a new one; null: none is free, and one will be.
WriteCombining::Buffer* UncachedUnit::buffer_for(std::uint64_t block, Cycle cycle) {
  if (WriteCombining::Buffer* const open = combining_.find(block)) return open;
  if (!combining_.has_free()) {
    if (!combining_.any_sent()) send_combined(combining_.open().front(), cycle);
    return nullptr;
  }
  const RequestHandle handle =
      make_request(Operation::Write, {block, static_cast<unsigned>(combining_.bytes())});
  (*pool_)[handle].mask = {};
  return &combining_.take(block, handle);
}

bool UncachedUnit::combine(Access& access, Cycle cycle) {
  send_idle(cycle - 1);
  while (access.count != 0) {
    const std::uint64_t place = access.pieces[0].physical;
    const std::uint64_t block = combining_.block_of(place);
    WriteCombining::Buffer* const buffer = buffer_for(block, cycle);
    if (buffer == nullptr) return false;
    Request& request = (*pool_)[buffer->request];
    const unsigned bytes = std::min(access.pieces[0].bytes, combining_.room_from(place));
    for (unsigned i = 0; i < bytes; ++i) {
      const auto at = static_cast<unsigned>(place - block) + i;
      buffer->filled += !request.mask.test(at);
      request.mask.bits[at / 64] |= std::uint64_t{1} << at % 64;
      request.data[at] = static_cast<std::byte>(access.value >> 8 * i);
    }
    buffer->written = cycle;
    remove_front(access, bytes);
    if (buffer->filled == combining_.bytes())
      send_combined(*buffer, cycle);
    else
      state_.ahead.stop_at(state_.ahead.answer_after(combining_.deadline(*buffer)));
  }
  ++state_.statistics.uncached_stores;
  return true;
}

// The first `bytes` bytes of a store have left the store buffer.
void UncachedUnit::remove_front(Access& access, unsigned bytes) {
  Access rest = access;
  rest.address += bytes;
  rest.bytes -= bytes;
  rest.value = bytes == 8 ? 0 : rest.value >> 8 * bytes;
  rest.pieces[0].physical += bytes;
  rest.pieces[0].bytes -= bytes;
  if (rest.pieces[0].bytes == 0) {
    rest.pieces[0] = rest.pieces[1];
    --rest.count;
  }
  state_.stores.replace(access, rest);
}

void UncachedUnit::send_combined(WriteCombining::Buffer& buffer, Cycle cycle) {
  ++state_.statistics.combined_writes;
  const RequestHandle request = buffer.request;
  combining_.sent(buffer);
  send(std::max(cycle, state_.ahead.now()), {request, 0, Kind::Combined});
}

void UncachedUnit::send_all_combined(Cycle cycle) {
  while (combining_.any_open()) send_combined(combining_.open().front(), cycle);
}

void UncachedUnit::send_idle(Cycle limit) {
  for (std::size_t i = 0; i < combining_.open().size();) {
    WriteCombining::Buffer& buffer = combining_.open()[i];
    const Cycle deadline = combining_.deadline(buffer);
    if (deadline <= limit) {
      send_combined(buffer, deadline);
    } else {
      state_.ahead.wake_for(deadline);
      ++i;
    }
  }
}

// ---- requests ----

RequestHandle UncachedUnit::make_request(Operation operation, const Piece& piece) {
  const RequestHandle handle = pool_->allocate();
  Request& request = (*pool_)[handle];
  request.address = PhysicalAddress(piece.physical);
  request.bytes = static_cast<std::uint16_t>(piece.bytes);
  request.operation = operation;
  request.scope = memory::Scope::System;
  request.cacheability.cpu = false;
  request.mask = memory::ByteMask::first(piece.bytes);
  return handle;
}

void UncachedUnit::send(Cycle at, const Sent& access) {
  const std::uint64_t line = state_.line_of((*pool_)[access.request].address.value());
  for (const Sent& other : sent_)
    if (state_.line_of((*pool_)[other.request].address.value()) == line) at = std::max(at, other.sent);
  sent_.push_back(access);
  sent_.back().sent = at;
  state_.port.send(at, line, access.request);
}

void UncachedUnit::answered(RequestHandle handle) {
  const auto place =
      std::find_if(sent_.begin(), sent_.end(), [handle](const Sent& sent) { return sent.request == handle; });
  const Sent done = *place;
  sent_.erase(place);
  if (done.kind == Kind::Combined) {
    combining_.answered();
    combined_done_ = state_.ahead.now();
  } else if (done.kind == Kind::Load) {
    --loads_sent_;
    if (done.load != 0) load_answered(done);
  }
}

void UncachedUnit::load_answered(const Sent& done) {
  const Request& request = (*pool_)[done.request];
  WindowEntry& load = state_.entry(done.load);
  std::uint64_t part = 0;
  std::memcpy(&part, request.data.data(), request.bytes);
  load.arrived |= part << 8 * done.at;
  if (--load.lines_missing != 0) return;
  const Cycle now = state_.ahead.now();
  load.bound = now;
  if (load.arrived != load.access.value) loads_.correct(done.load, load.arrived, now);
  back_end_.complete(done.load, now);
}

}  // namespace duet::cpu
