// Loads, and the lines of a core.
#include <algorithm>
#include <cstring>

#include "cpu/core.h"

namespace duet::cpu {

using memory::CoherenceKind;

bool Core::translate(std::uint64_t address, unsigned bytes, rv64::Access kind, Access& access) {
  access.address = address;
  access.bytes = bytes;
  access.count = 0;
  unsigned left = bytes;
  while (left != 0) {
    const std::uint64_t page = address >> rv64::kPageShift;
    Translation& known = translations_[page % kTranslations];
    if (known.page != page || !known.rights.allow(kind)) {
      const rv64::Page found = view_.page_of(VirtualAddress(address), kind, number_);
      if (found.bytes == nullptr || !found.rights.allow(kind)) {
        fault_ = {address, kind, false, found.bytes != nullptr};
        return false;
      }
      known = {page, view_.physical_of(found.bytes).value(), found.rights, found.type};
    }
    if (access.count == 0) {
      access.type = known.type;
    } else if (access.type != known.type) {  // RISC-V leaves the effect of such an access open
      fault_ = {address, kind, false, true};
      return false;
    }
    const std::uint64_t physical = known.physical + address % rv64::kPageBytes;
    const unsigned part =
        static_cast<unsigned>(std::min<std::uint64_t>(left, line_mask_ + 1 - (physical & line_mask_)));
    access.pieces[access.count++] = {physical, part};
    address += part;
    left -= part;
  }
  return true;
}

bool Core::load(std::uint64_t address, unsigned bytes, std::uint64_t& value) {
  if (correcting_) {
    value = right_value_;
    return true;
  }
  if (!translate(address, bytes, rv64::Access::Load, access_)) [[unlikely]] {
    if (!suppress_load_faults_) return false;
    ++statistics_.suppressed_loads;
    access_.count = 0;
    access_.type = rv64::MemoryType::WriteBack;
    value = access_.value = 0;
    return true;
  }
  if (access_.type != rv64::MemoryType::WriteBack) [[unlikely]]
    return load_uncached(value);
  value = access_.value = read_bytes(access_, next_store_);
  return true;
}

bool Core::may_store(std::uint64_t address, unsigned bytes) {
  if (!translate(address, bytes, rv64::Access::Store, access_)) return false;
  return access_.type != rv64::MemoryType::Device || store_device();
}

std::uint64_t Core::read_bytes(const Access& access, std::uint64_t stores_before) {
  std::byte bytes[8] = {};
  std::byte* to = bytes;
  for (unsigned i = 0; i < access.count; ++i) {
    read_piece(access.pieces[i], to, stores_before);
    to += access.pieces[i].bytes;
  }
  std::uint64_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The bytes of now, with the stores older than stores_before over them.
void Core::read_piece(const Piece& piece, std::byte* to, std::uint64_t stores_before) {
  const std::uint64_t line = line_of(piece.physical);
  PrivateLine* held = l1_.find(line);
  if (held == nullptr) held = outer(line);
  if (held != nullptr)
    std::memcpy(to, held->bytes + (piece.physical & line_mask_), piece.bytes);
  else
    view_.peek(PhysicalAddress(piece.physical), piece.bytes, to, number_);
  if (may_be_in_stores(piece)) put_stores_over(piece, to, stores_before);
}

void Core::put_stores_over(const Piece& piece, std::byte* to, std::uint64_t stores_before) {
  for (std::uint64_t place = oldest_store_; place < stores_before; ++place) {
    const Access& older = store(place).access;
    unsigned done = 0;
    for (unsigned i = 0; i < older.count; ++i) {
      const Piece& part = older.pieces[i];
      const std::uint64_t first = std::max(part.physical, piece.physical);
      const std::uint64_t end = std::min(part.physical + part.bytes, piece.physical + piece.bytes);
      std::byte value[8];
      std::memcpy(value, &older.value, sizeof value);
      if (first < end)
        std::memcpy(to + (first - piece.physical), value + done + (first - part.physical), end - first);
      done += part.bytes;
    }
  }
}

// The cache behind L1, or the other L1 where there is no L2.
PrivateLine* Core::outer(std::uint64_t line) {
  if (l2_.exists()) return l2_.find(line);
  PrivateLine* const of_data = l1_.find(line);
  return of_data != nullptr ? of_data : instruction_cache_.find(line);
}

bool Core::holds_exclusively(std::uint64_t line) {
  const PrivateLine* held = l1_.find(line);
  if (held == nullptr) held = outer(line);
  return held != nullptr && held->exclusive;
}

Core::Miss* Core::find_miss(std::uint64_t line) {
  for (Miss& miss : misses_)
    if (miss.line == line) return &miss;
  return nullptr;
}

Core::Miss& Core::ask(std::uint64_t line, bool exclusive, Cycle cycle) {
  ++statistics_.requests;
  Miss& made = misses_.emplace_back();
  made.line = line;
  made.exclusive = exclusive;
  port_.send(cycle, exclusive ? CoherenceKind::GetExclusive : CoherenceKind::GetShared, line);
  return made;
}

// False: there is no room for another miss.
bool Core::prefetch(std::uint64_t line, Cycle cycle) {
  if (misses_.size() >= (l2_.exists() ? config_.l2 : config_.l1).misses) return false;
  if (outer(line) != nullptr || find_miss(line) != nullptr) return true;
  ask(line, false, cycle).prefetch = true;
  ++statistics_.prefetches;
  return true;
}

// The next lines, when one was asked for. They stay in the outermost private cache until they are used.
void Core::prefetch_after(std::uint64_t line, Cycle cycle) {
  const config::Cpu::Cache& outermost = l2_.exists() ? config_.l2 : config_.l1;
  if (outermost.prefetcher != "next-line") return;
  for (std::uint64_t i = 1; i <= outermost.prefetch_lines; ++i) {
    const std::uint64_t next = line + i * (line_mask_ + 1);
    if (next / rv64::kPageBytes != line / rv64::kPageBytes || !prefetch(next, cycle)) return;
  }
}

// After an access to the outermost private cache, hit or miss.
void Core::prefetch_stream(std::uint64_t line, Cycle cycle) {
  const config::Cpu::Cache& outermost = l2_.exists() ? config_.l2 : config_.l1;
  if (outermost.prefetcher != "stream") return;
  const auto line_bytes = static_cast<std::int64_t>(line_mask_ + 1);
  const StreamDetector::Ahead ahead = streams_.observe(
      static_cast<std::int64_t>(line) / line_bytes, static_cast<std::int64_t>(rv64::kPageBytes) / line_bytes,
      static_cast<std::int64_t>(outermost.prefetch_lines));
  for (unsigned i = 0; i < ahead.count; ++i) {
    const std::int64_t next = ahead.first + static_cast<int>(i) * ahead.step;
    if (prefetch(static_cast<std::uint64_t>(next * line_bytes), cycle)) continue;
    streams_.give_back(ahead.count - i);
    return;
  }
}

// Whether every missing line is on its way, or may be asked for.
bool Core::lines_can_be_had(const Access& access) {
  unsigned wanted = 0;
  for (unsigned i = 0; i < access.count; ++i) {
    const std::uint64_t line = line_of(access.pieces[i].physical);
    if (l1_.find(line) == nullptr && outer(line) == nullptr && find_miss(line) == nullptr) ++wanted;
  }
  return data_misses_ + wanted <= config_.l1.misses || (wanted != 0 && data_misses_ == 0);
}

// A load starts its lookup.
void Core::perform(std::uint64_t sequence, Cycle cycle) {
  Entry& made = entry(sequence);
  if (made.behind != kNoStore && made.behind >= oldest_store_) {
    if (!made.forwarded) {
      behind_stores_.push_back(sequence);
      return;
    }
    made.bound = cycle;
    complete(sequence, cycle + config_.l1.latency_cycles);
    return;
  }
  if (made.access.type != rv64::MemoryType::WriteBack) [[unlikely]]
    return perform_uncached(sequence, cycle);
  made.forwarded = false;  // the store is in L1
  if (!lines_can_be_had(made.access)) {
    made.level = Level::Below;
    waiting_for_miss_.push_back(sequence);
    return;
  }
  Cycle there = cycle;
  for (unsigned i = 0; i < made.access.count; ++i) {
    Level level = Level::L1;
    const Cycle line_there = reach_line(sequence, line_of(made.access.pieces[i].physical), cycle, level);
    made.level = std::max(made.level, level);
    if (line_there != kUnknown) there = std::max(there, line_there);
    if (sequence >= next_) return;  // its victim in L1 has squashed it
  }
  if (made.lines_missing != 0) return;
  made.bound = cycle;
  performed(sequence, there);
}

// When the line's bytes can be used; kUnknown while it is on its way.
Cycle Core::reach_line(std::uint64_t sequence, std::uint64_t line, Cycle cycle, Level& level) {
  if (PrivateLine* const held = l1_.find(line)) {
    l1_.use(*held);
    ++statistics_.l1_hits;
    if (suppress_load_faults_) count_held(sequence, *held);
    return cycle + config_.l1.latency_cycles;
  }
  ++statistics_.l1_misses;
  prefetch_stream(line, cycle + config_.l1.latency_cycles);
  if (PrivateLine* const held = outer(line)) {
    ++statistics_.l2_hits;
    if (suppress_load_faults_) count_held(sequence, *held);
    if (held->prefetched) {
      held->prefetched = false;
      ++statistics_.prefetches_used;
      prefetch_after(line, cycle + config_.l1.latency_cycles);
    }
    place_in_l1(line, *held);
    level = Level::L2;
    return cycle + config_.l1.latency_cycles + config_.l2.latency_cycles;
  }
  level = Level::Below;
  const Cycle asked = cycle + config_.l1.latency_cycles + (l2_.exists() ? config_.l2.latency_cycles : 0);
  Miss* miss = find_miss(line);
  const bool is_new = miss == nullptr;
  if (is_new) miss = &ask(line, false, asked);
  if (!miss->data) ++data_misses_;
  miss->data = true;
  miss->loads.push_back(sequence);
  ++entry(sequence).lines_missing;
  if (is_new) prefetch_after(line, asked);
  return kUnknown;
}

// Its lines are there. Where its bytes differ from its execution's, all later instructions are executed
// again.
void Core::performed(std::uint64_t sequence, Cycle cycle) {
  const Access& access = entry(sequence).access;
  const std::uint64_t value = read_bytes(access, entry(sequence).store);
  if (value != access.value) correct(sequence, value, cycle);
  complete(sequence, cycle);
}

void Core::correct(std::uint64_t sequence, std::uint64_t value, Cycle cycle) {
  ++statistics_.squashes_value;
  squash_from(sequence + 1, cycle);
  Entry& load = entry(sequence);
  const CodeEntry* const code = code_.find(load.pc);
  if (code == nullptr || code->treatment != Treatment::Load) return;
  load.access.value = value;
  // Its own operands are overwritten where it loads into the register of its address.
  const std::uint8_t destination = load.destination;
  if (destination != kNoRegister)
    (destination < 32 ? registers_->x[destination] : registers_->f[destination - 32]) = load.old_value;
  correcting_ = true;
  right_value_ = value;
  execution_.registers = registers_;
  execution_.pc_value = load.pc;
  code->execute(execution_, code->instruction);
  correcting_ = false;
  registers_->pc = load.pc + code->instruction.length;
}

// The line is not held any more. Where it was held for reading, and the core has asked to write it, the
// directory may have granted the write already: the directory goes on counting this core as a holder, which
// it will be again.
void Core::put(std::uint64_t line, bool dirty, Cycle at) {
  statistics_.write_backs += dirty;
  if (reservation_ == line) reservation_ = kNoLine;
  if (find_miss(line) == nullptr) port_.send(at, CoherenceKind::Put, line, dirty);
}

PrivateLine& Core::place_in_l1(std::uint64_t line, const PrivateLine& from) {
  std::optional<PrivateLine> victim;
  const PrivateLine copy = from;  // may be the victim
  PrivateLine& placed = l1_.insert(line, victim);
  placed.bytes = copy.bytes;
  placed.exclusive = copy.exclusive;
  placed.brought = copy.brought;
  if (!victim) return placed;
  if (!l2_.exists()) {
    const std::uint64_t gone = victim->line;
    if (PrivateLine* const other = instruction_cache_.find(gone)) {
      other->dirty |= victim->dirty;
    } else {
      // All accesses up to ahead_.limit() are over before another agent can write the line.
      line_lost(gone, ahead_.limit());
      put(gone, victim->dirty, ahead_.now());
    }
  } else if (victim->dirty) {
    l2_.find(victim->line)->dirty = true;
  }
  return placed;
}

void Core::place_in_instruction_cache(std::uint64_t line, const PrivateLine& from) {
  std::optional<PrivateLine> victim;
  const PrivateLine copy = from;
  PrivateLine& placed = instruction_cache_.insert(line, victim);
  placed.bytes = copy.bytes;
  placed.exclusive = copy.exclusive;
  placed.brought = copy.brought;
  if (victim && !l2_.exists() && l1_.find(victim->line) == nullptr) {
    line_lost(victim->line, ahead_.limit());  // without L2 a load may have read it here
    put(victim->line, victim->dirty, ahead_.now());
  }
  if (victim && fetch_address_ != kNoLine) fetch_address_ = kNoLine;  // it may be the one in use
}

// Out of all private caches; whether it was there.
bool Core::take_out(std::uint64_t line, bool& dirty) {
  bool held = false;
  for_each_copy(line, [&](PrivateCache& cache, PrivateLine& copy) {
    held = true;
    dirty |= copy.dirty;
    cache.remove(copy);
  });
  if (!held) return false;
  fetch_address_ = kNoLine;
  if (reservation_ == line) reservation_ = kNoLine;
  return true;
}

bool Core::touches(const Entry& load, std::uint64_t line) const {
  for (unsigned i = 0; i < load.access.count; ++i)
    if (line_of(load.access.pieces[i].physical) == line) return true;
  return false;
}

// Loads with bytes of it taken too early, or before an older load, are executed again.
void Core::line_lost(std::uint64_t line, Cycle cycle) {
  bool older_waits = false;
  const std::uint64_t first = loads_ > config_.load_entries ? loads_ - config_.load_entries : 0;
  for (std::uint64_t place = first; place < loads_; ++place) {
    const std::uint64_t sequence = load_places_[place % load_places_.size()];
    if (sequence + config_.rob_entries < next_) continue;  // gone
    Entry& load = entry(sequence);
    if (load.retire != kUnknown && load.retire <= cycle) continue;
    // A load with bytes of this cycle keeps them: the requester of the line writes it later. Otherwise cores
    // could take it from each other for ever.
    const bool waits = load.bound == kUnknown || load.bound > cycle;
    // Bytes from a store are the line's too as soon as the store is in L1.
    const bool of_line = !load.forwarded || load.behind < oldest_store_;
    if (load.bound != kUnknown && of_line && (waits || older_waits) && touches(load, line)) {
      ++statistics_.squashes_order;
      squash_from(sequence, cycle);
      return;
    }
    older_waits |= waits;
  }
}

void Core::line_rewritten(PhysicalAddress line) {
  if (registers_ == nullptr || outer(line.value()) == nullptr) return;
  if (reservation_ == line.value()) reservation_ = kNoLine;
  line_lost(line.value(), std::max(ahead_.cycle_at(engine().now()), ahead_.reached()));
  engine().wake_after(*this, engine().now());
}

// Counts a line that an instruction waited for.
void Core::count_line(memory::GrantSource source) {
  switch (source) {
    case memory::GrantSource::Domain:
      ++statistics_.lines_from_cores;
      break;
    case memory::GrantSource::Own:
      ++statistics_.upgrades;
      break;
    case memory::GrantSource::Cache:
      ++statistics_.l3_hits;
      break;
    case memory::GrantSource::Memory:
      ++statistics_.lines_from_memory;
      break;
    case memory::GrantSource::Nowhere:  // a core never overwrites a line unfetched
      break;
  }
}

void Core::granted(const Message& message, Cycle cycle) {
  const std::uint64_t line = message.line.value();
  Miss* const found = find_miss(line);
  Miss miss = std::move(*found);
  misses_.erase(misses_.begin() + (found - misses_.data()));
  if (miss.data) --data_misses_;
  if (miss.data || miss.fetch) count_line(message.source);
  PrivateLine arrived;
  arrived.line = line;
  arrived.bytes = message.bytes;
  arrived.exclusive = message.exclusive;
  arrived.brought = engine().now();
  if (outer(line) != nullptr) {
    for_each_copy(line, [&](PrivateCache&, PrivateLine& copy) {
      copy.exclusive = message.exclusive;
      copy.bytes = message.bytes;
    });
  } else if (l2_.exists()) {
    std::optional<PrivateLine> victim;
    PrivateLine& placed = l2_.insert(line, victim);
    placed.bytes = message.bytes;
    placed.exclusive = message.exclusive;
    placed.brought = arrived.brought;
    placed.prefetched = miss.prefetch && !miss.data && !miss.fetch;
    if (victim) {
      // L1's copy goes with it; its dirtiness was the victim's too.
      bool dirty = victim->dirty;
      take_out(victim->line, dirty);
      put(victim->line, dirty, ahead_.now());
      line_lost(victim->line, cycle);
    }
  }
  if ((miss.data || (!l2_.exists() && !miss.fetch)) && l1_.find(line) == nullptr) place_in_l1(line, arrived);
  if (miss.fetch && instruction_cache_.find(line) == nullptr) place_in_instruction_cache(line, arrived);
  if (miss.fetch && fetch_missing_ && fetch_line_ == line) {
    fetch_missing_ = false;
    fetch_cycle_ = std::max(fetch_cycle_, cycle);
    fetched_ = 0;
    fetch_cause_ = Cause::InstructionCache;
  }
  if (miss.walk && walk_line_ == line) table_is_there(cycle);
  // Loads in their order; a wrong one squashes the ones behind it.
  for (const std::uint64_t sequence : miss.loads) {
    if (sequence >= next_) continue;
    Entry& load = entry(sequence);
    if (load.treatment != Treatment::Load || load.complete != kUnknown || load.lines_missing == 0) continue;
    if (--load.lines_missing != 0) continue;
    load.bound = cycle;
    performed(sequence, cycle);
  }
  tell_waiters();
  retry_waiting(cycle);
  retire_known();
}

// There is room for another miss.
void Core::retry_waiting(Cycle cycle) {
  while (!waiting_for_miss_.empty()) {
    const std::uint64_t sequence = waiting_for_miss_.front();
    if (!lines_can_be_had(entry(sequence).access)) return;
    waiting_for_miss_.pop_front();
    perform(sequence, cycle);
    tell_waiters();
  }
}

// The reservation is used, or lost.
void Core::answer_held_probe(Cycle cycle) {
  if (!held_probe_) return;
  const Message message = *held_probe_;
  held_probe_.reset();
  reserved_until_ = cycle;
  probed(message, cycle);
}

void Core::probed(const Message& message, Cycle cycle) {
  const std::uint64_t line = message.line.value();
  if (line == reservation_ && cycle < reserved_until_) {
    held_probe_ = message;
    return;
  }
  bool dirty = false, held = false;
  if (message.kind == CoherenceKind::Invalidate) {
    take_out(line, dirty);
    line_lost(line, cycle);
  } else {
    for_each_copy(line, [&](PrivateCache&, PrivateLine& copy) {
      held = true;
      dirty |= copy.dirty;
      copy.dirty = copy.exclusive = false;
    });
  }
  port_.send(cycle, CoherenceKind::Answer, line, dirty, held);
}

}  // namespace duet::cpu
