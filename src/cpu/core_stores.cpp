// The store buffer: retired stores are written to L1, in order, when their lines are held for writing. Stores
// behind the oldest ask for their lines in advance.
#include <algorithm>
#include <cstring>

#include "cpu/core.h"

namespace duet::cpu {

void Core::count_granules(const Access& access, int by) {
  for (unsigned i = 0; i < access.count; ++i) {
    const Piece& piece = access.pieces[i];
    const unsigned first = granule_of(piece.physical), last = granule_of(piece.physical + piece.bytes - 1);
    granules_[first] = static_cast<std::uint16_t>(granules_[first] + by);
    if (last != first) granules_[last] = static_cast<std::uint16_t>(granules_[last] + by);
  }
}

bool Core::holds_lines(const Access& access) {
  for (unsigned i = 0; i < access.count; ++i)
    if (!holds_exclusively(line_of(access.pieces[i].physical))) return false;
  return true;
}

// Its lines are on their way to L1 from `cycle` on, or there is no room for another miss. Work possible
// before this tick has waited for a message of this tick.
void Core::prepare(Store& store, Cycle cycle) {
  cycle = std::max(cycle, ahead_.now());
  store.asked = true;
  const Cycle from_l2 = l2_.exists() ? config_.l2.latency_cycles : 0;
  for (unsigned i = 0; i < store.access.count; ++i) {
    const std::uint64_t line = line_of(store.access.pieces[i].physical);
    if (const PrivateLine* const held = l1_.find(line); held != nullptr && held->exclusive) continue;
    prefetch_stream(line, cycle + config_.l1.latency_cycles);
    if (const PrivateLine* const held = outer(line); held != nullptr && held->exclusive) {
      place_in_l1(line, *held);
      store.ready = std::max(store.ready, cycle + from_l2);
      continue;
    }
    if (const Miss* const miss = find_miss(line)) {
      store.asked &= miss->exclusive;
      continue;
    }
    if (data_misses_ >= config_.l1.misses) {
      store.asked = false;
      continue;
    }
    Miss& miss = ask(line, true, cycle + config_.l1.latency_cycles + from_l2);
    miss.data = true;
    ++data_misses_;
    if (outer(line) == nullptr) prefetch_after(line, cycle + config_.l1.latency_cycles + from_l2);
  }
}

// Writes stores to L1 whose time has come by `limit`, as far as the one at the place `up_to`. Its requests
// may bring ahead_.limit() nearer.
void Core::drain_stores(Cycle limit, std::uint64_t up_to) {
  drain_at_ = kUnknown;
  while (oldest_store_ < next_store_) {
    if (oldest_store_ > up_to) {
      drain_at_ = 0;  // there may be more
      return;
    }
    const std::uint64_t end = std::min(next_store_, oldest_store_ + 1 + config_.store_prefetches);
    for (std::uint64_t place = oldest_store_; place < end; ++place) {
      Store& next = store(place);
      if (next.senior == kUnknown) break;
      if (next.senior > std::min(limit, ahead_.limit())) {
        drain_at_ = std::min(drain_at_, next.senior);
        break;
      }
      if (!next.asked) prepare(next, std::max(next.senior, place == oldest_store_ ? Cycle{0} : last_drain_));
    }
    Store& oldest = store(oldest_store_);
    if (oldest.senior == kUnknown) return;
    const Cycle cycle = std::max({oldest.senior + 1, last_drain_ + 1, oldest.ready, ahead_.now()});
    if (cycle > std::min(limit, ahead_.limit())) {
      drain_at_ = std::min(drain_at_, cycle);
      return;
    }
    if (!oldest.plain && oldest.fenced && combining_.in_use() != 0) {
      send_all_combined(cycle);
      return;
    }
    if (!oldest.plain && oldest.access.type != rv64::MemoryType::WriteBack) {
      if (!combine(oldest, cycle)) return;
    } else if (!holds_lines(oldest.access)) {
      // Its line may have been lost since it came.
      bool on_their_way = true;
      for (unsigned i = 0; i < oldest.access.count; ++i) {
        const std::uint64_t line = line_of(oldest.access.pieces[i].physical);
        on_their_way &= holds_exclusively(line) || find_miss(line) != nullptr;
      }
      if (!on_their_way) prepare(oldest, cycle);
      write_held_part(oldest.access);
      return;
    } else {
      write_to_l1(oldest.access);
    }
    oldest.drained = last_drain_ = cycle;
    count_granules(oldest.access, -1);
    ++oldest_store_;
    drained_one(cycle);
  }
}

// Writes the part of a store over two lines whose line is held. Otherwise cores with stores to the same two
// lines would take them from each other for ever; no program may expect to see both parts at once.
void Core::write_held_part(Access& access) {
  if (access.count == 1) return;
  for (unsigned i = 0; i < 2; ++i) {
    if (!holds_exclusively(line_of(access.pieces[i].physical))) continue;
    const unsigned first = access.pieces[0].bytes;
    Access low = access, high = access;
    low.count = high.count = 1;
    low.bytes = first;
    high.pieces[0] = access.pieces[1];
    high.bytes -= first;
    high.address += first;
    high.value >>= 8 * first;
    count_granules(access, -1);
    write_to_l1(i == 0 ? low : high);
    access = i == 0 ? high : low;
    count_granules(access, 1);
    return;
  }
}

void Core::write_to_l1(const Access& access) {
  std::byte value[8];
  std::memcpy(value, &access.value, sizeof value);
  const std::byte* from = value;
  for (unsigned i = 0; i < access.count; ++i) {
    const Piece& piece = access.pieces[i];
    const std::uint64_t line = line_of(piece.physical);
    PrivateLine* held = l1_.find(line);
    if (held == nullptr) held = &place_in_l1(line, *outer(line));
    l1_.use(*held);
    std::byte* const place = held->bytes + (piece.physical & line_mask_);
    if (!alone_) view_.about_to_write(PhysicalAddress(piece.physical), piece.bytes, place, number_);
    std::memcpy(place, from, piece.bytes);
    held->dirty = true;
    from += piece.bytes;
  }
  const VirtualAddress address(access.address);
  if (memory_.may_have_code(address) || memory_.may_have_code(address + (access.bytes - 1)))
    code_written(access);
}

// Decoded instructions of this core go at once, other cores' when all have been ticked: so the order of ticks
// does not matter.
void Core::code_written(const Access& access) {
  const VirtualAddress first(access.address);
  const VirtualAddress first_page = first.aligned_down(rv64::kPageBytes);
  const VirtualAddress last_page = (first + (access.bytes - 1)).aligned_down(rv64::kPageBytes);
  code_.code_changed(first_page, (last_page - first_page) / rv64::kPageBytes + 1);
  engine().after_ticks([this, first, bytes = access.bytes] { memory_.bytes_changed(first, bytes); });
}

// Loads with some of its bytes can be performed.
void Core::drained_one(Cycle cycle) {
  if (behind_stores_.empty()) return;
  std::vector<std::uint64_t> waiting;
  waiting.swap(behind_stores_);
  for (const std::uint64_t sequence : waiting)
    if (sequence < next_) perform(sequence, std::max(entry(sequence).start, cycle));
  tell_waiters();
  retire_known();
}

}  // namespace duet::cpu
