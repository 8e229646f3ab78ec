// Accesses to pages that no cache holds (rv64::MemoryType): they go to memory, through the directory.
//
//   uncached load     sent as soon as its address is there, beside others; looked at again when answered
//   uncached store    leaves the store buffer in order, into a write-combining buffer
//   device access     one request, made when all earlier instructions have retired
//
// Buffers are written in any order: fences order them. uncached.md has the rules, faults, sources and
// omissions.
#include <algorithm>
#include <cstring>
#include <utility>

#include "cpu/core.h"

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

// The bytes of a load at this moment; false: not now, or not so.
bool Core::load_uncached(std::uint64_t& value) {
  if (access_.type == rv64::MemoryType::Device) {
    of_device_ = access_.address % access_.bytes == 0;
    if (!of_device_) fault_ = {access_.address, rv64::Access::Load, true, true};
    return false;
  }
  std::byte bytes[8] = {};
  std::byte* to = bytes;
  for (unsigned i = 0; i < access_.count; ++i) {
    const Piece& piece = access_.pieces[i];
    view_.peek(PhysicalAddress(piece.physical), piece.bytes, to, number_);
    put_combined_over(piece, to);
    if (may_be_in_stores(piece)) put_stores_over(piece, to, next_store_);
    to += piece.bytes;
  }
  std::memcpy(&value, bytes, sizeof value);
  access_.value = value;
  return true;
}

// The bytes of it in write-combining buffers, on their way or not.
void Core::put_combined_over(const Piece& piece, std::byte* to) {
  const auto put = [&](const Request& request) {
    const std::uint64_t base = request.address.value();
    for_common(piece.physical, piece.bytes, base, request.bytes, [&](std::uint64_t first, std::uint64_t end) {
      for (std::uint64_t at = first; at != end; ++at)
        if (request.mask.test(static_cast<unsigned>(at - base)))
          to[at - piece.physical] = request.data[at - base];
    });
  };
  for (const Uncached& sent : uncached_)
    if (sent.writes) put((*pool_)[sent.request]);
  for (const WriteCombining::Buffer& buffer : combining_.open()) put((*pool_)[buffer.request]);
}

// Whether nothing keeps the load back; it is not sent before `cycle`.
bool Core::may_be_sent(const Entry& load, std::uint64_t sequence, Cycle& cycle) {
  if (load.fence > retired_) return false;
  if (load.fence != 0 && load.fence + config_.rob_entries >= next_)
    cycle = std::max(cycle, entry(load.fence).retire);
  if (uncached_loads_ != 0 && uncached_loads_ + load.access.count > config_.l1.misses) return false;
  const std::uint64_t first = loads_ > config_.load_entries ? loads_ - config_.load_entries : 0;
  for (std::uint64_t place = first; place < loads_; ++place) {
    const std::uint64_t other = load_places_[place % load_places_.size()];
    if (other >= sequence) break;
    if (other + config_.rob_entries < next_) continue;  // gone
    const Entry& older = entry(other);
    if (older.access.type == rv64::MemoryType::WriteBack || older.asked != kUnknown) continue;
    for (unsigned i = 0; i < load.access.count; ++i)
      if (touches(older, line_of(load.access.pieces[i].physical))) return false;
  }
  return true;
}

// A load's address and translation are there, and no store of its bytes is in the store buffer.
void Core::perform_uncached(std::uint64_t sequence, Cycle cycle) {
  Entry& load = entry(sequence);
  load.level = Level::Below;
  cycle = std::max(cycle, ahead_.now());
  if (!may_be_sent(load, sequence, cycle)) {
    uncached_waiting_.push_back(sequence);
    ahead_.stop_at(ahead_.answer_after(std::max(slots_.cycle() + 1, ahead_.now())));
    return;
  }
  for (unsigned i = 0; i < load.access.count; ++i) {
    const Piece& piece = load.access.pieces[i];
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
  unsigned at = 0;
  for (unsigned i = 0; i < load.access.count; ++i) {
    const Piece& piece = load.access.pieces[i];
    send_uncached(cycle, {make_request(Operation::Read, piece), 0, sequence, at, false});
    at += piece.bytes;
  }
  uncached_loads_ += load.access.count;
  load.lines_missing = load.access.count;
  load.asked = cycle;
  ++statistics_.uncached_loads;
}

void Core::retry_uncached() {
  std::vector<std::uint64_t> waiting;
  waiting.swap(uncached_waiting_);
  std::sort(waiting.begin(), waiting.end());
  for (const std::uint64_t sequence : waiting)
    if (sequence < next_) perform_uncached(sequence, entry(sequence).start);
}

void Core::forget_squashed_uncached() {
  std::erase_if(uncached_waiting_, [this](std::uint64_t sequence) { return sequence >= next_; });
  for (Uncached& sent : uncached_)
    if (sent.load >= next_) sent.load = 0;
  load_fence_ = std::min(load_fence_, next_ - 1);  // the fence before is not known any more
}

// A fence in the window.
void Core::note_fence(std::uint64_t sequence) {
  const CodeEntry* const code = code_.find(entry(sequence).pc);
  if (code == nullptr || code->orders_loads) load_fence_ = sequence;
  store_fence_ |= code == nullptr || code->orders_stores;
}

// ---- stores ----

// Of a store whose turn it is; false where it has to wait for a buffer.
bool Core::combine(Store& store, Cycle cycle) {
  send_idle(cycle - 1);
  Access& access = store.access;
  while (access.count != 0) {
    const std::uint64_t place = access.pieces[0].physical;
    const std::uint64_t block = combining_.block_of(place);
    WriteCombining::Buffer* buffer = combining_.find(block);
    if (buffer == nullptr) {
      if (!combining_.has_free()) {
        if (!combining_.any_sent()) send_combined(combining_.open().front(), cycle);
        return false;
      }
      const RequestHandle handle =
          make_request(Operation::Write, {block, static_cast<unsigned>(combining_.bytes())});
      (*pool_)[handle].mask = {};
      buffer = &combining_.take(block, handle);
    }
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
      ahead_.stop_at(ahead_.answer_after(combining_.deadline(*buffer)));
  }
  ++statistics_.uncached_stores;
  return true;
}

// The first `bytes` bytes of a store have left the store buffer.
void Core::remove_front(Access& access, unsigned bytes) {
  count_granules(access, -1);
  access.address += bytes;
  access.bytes -= bytes;
  access.value = bytes == 8 ? 0 : access.value >> 8 * bytes;
  access.pieces[0].physical += bytes;
  access.pieces[0].bytes -= bytes;
  if (access.pieces[0].bytes == 0) {
    access.pieces[0] = access.pieces[1];
    --access.count;
  }
  count_granules(access, 1);
}

void Core::send_combined(WriteCombining::Buffer& buffer, Cycle cycle) {
  ++statistics_.combined_writes;
  const RequestHandle request = buffer.request;
  combining_.sent(buffer);
  send_uncached(std::max(cycle, ahead_.now()), {request, 0, 0, 0, true});
}

void Core::send_all_combined(Cycle cycle) {
  while (combining_.any_open()) send_combined(combining_.open().front(), cycle);
}

// Sends buffers without a store for long enough by `limit`.
void Core::send_idle(Cycle limit) {
  for (std::size_t i = 0; i < combining_.open().size();) {
    WriteCombining::Buffer& buffer = combining_.open()[i];
    const Cycle deadline = combining_.deadline(buffer);
    if (deadline <= limit) {
      send_combined(buffer, deadline);
    } else {
      ahead_.wake_for(deadline);
      ++i;
    }
  }
}

// ---- requests ----

RequestHandle Core::make_request(Operation operation, const Piece& piece) {
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

// Behind earlier ones to the same line.
void Core::send_uncached(Cycle at, const Uncached& access) {
  const std::uint64_t line = line_of((*pool_)[access.request].address.value());
  for (const Uncached& other : uncached_)
    if (line_of((*pool_)[other.request].address.value()) == line) at = std::max(at, other.sent);
  uncached_.push_back(access);
  uncached_.back().sent = at;
  port_.send(at, line, access.request);
}

void Core::uncached_done(RequestHandle handle) {
  const auto place = std::find_if(uncached_.begin(), uncached_.end(),
                                  [handle](const Uncached& sent) { return sent.request == handle; });
  const Uncached done = *place;
  uncached_.erase(place);
  if (handle == device_request_) {
    device_done(handle);
  } else if (done.writes) {
    combining_.answered();
    combined_done_ = ahead_.now();
  } else {
    --uncached_loads_;
    if (done.load != 0) {
      const Request& request = (*pool_)[handle];
      Entry& load = entry(done.load);
      std::uint64_t part = 0;
      std::memcpy(&part, request.data.data(), request.bytes);
      load.arrived |= part << 8 * done.at;
      if (--load.lines_missing == 0) {
        load.bound = ahead_.now();
        if (load.arrived != load.access.value) correct(done.load, load.arrived, ahead_.now());
        complete(done.load, ahead_.now());
      }
    }
  }
  pool_->release(handle);
  tell_waiters();
  if (!uncached_waiting_.empty()) retry_uncached();
  retire_known();
}

// ---- device pages ----

bool Core::store_device() {
  of_device_ = access_.address % access_.bytes == 0;
  if (!of_device_) fault_ = {access_.address, rv64::Access::Store, true, true};
  return false;
}

// A load or store to a device page, maybe by a wrong address: it waits until the window is empty. Returns
// whether anything can be dispatched at once.
bool Core::access_device(const CodeEntry& code) {
  Cycle cycle = 0;
  const std::uint64_t before = squashes_;
  const bool empty = window_empties(false, cycle);
  if (squashes_ != before) return true;
  if (!empty) return false;
  const bool writes = code.treatment == Treatment::Store;
  device_request_ = make_request(writes ? Operation::Write : Operation::Read, access_.pieces[0]);
  device_code_ = &code;
  fetch_missing_ = true;  // until it is answered
  fetch_line_ = kNoLine;
  if (writes) std::memcpy((*pool_)[device_request_].data.data(), &execution_.access.value, access_.bytes);
  send_uncached(std::max(cycle, ahead_.now()), {device_request_, 0, 0, 0, false});
  return false;
}

void Core::device_done(RequestHandle handle) {
  device_request_ = memory::kNoRequest;
  fetch_missing_ = false;
  if (registers_ == nullptr) return;  // the program has ended
  const CodeEntry& code = *device_code_;
  const Request& request = (*pool_)[handle];
  slots_.move_to(ahead_.now(), Cause::Serial);
  ++statistics_.instructions;
  ++statistics_.serial;
  ++statistics_.device_accesses;
  ++(request.operation == Operation::Read ? statistics_.loads : statistics_.stores);
  if (request.operation == Operation::Read) {
    right_value_ = 0;
    std::memcpy(&right_value_, request.data.data(), request.bytes);
    correcting_ = true;
    execution_.registers = registers_;
    execution_.pc_value = registers_->pc;
    code.execute(execution_, code.instruction);
    correcting_ = false;
    if (code.destination != kNoRegister) {
      ready_[code.destination] = ahead_.now();
      writers_[code.destination] = 0;
    }
  }
  go_on(registers_->pc + code.instruction.length, ahead_.now() + 1);
}

}  // namespace duet::cpu
