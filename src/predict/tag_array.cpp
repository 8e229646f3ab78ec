#include "predict/tag_array.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace duet::predict {

TagArray::TagArray(const config::Cache& config, const memory::SliceMap* map)
    : map_(map),
      numbering_(map != nullptr ? map->numbering() : memory::LineNumbering{}),
      line_shift_(static_cast<unsigned>(std::countr_zero(config.line_bytes))),
      segments_of_sector_(config.sector_bytes >= 32 ? static_cast<unsigned>(config.sector_bytes / 32) : 1),
      all_segments_((1u << std::min<Bytes>(config.line_bytes / 32, 4)) - 1),
      ways_(static_cast<std::uint32_t>(config.ways)),
      sets_(config.sets),
      set_bits_(static_cast<unsigned>(std::countr_zero(config.sets))),
      hash_(config.hash_sets),
      tags_(config.sets * config.ways * (map != nullptr ? map->slices() : 1), kNoTag),
      used_(tags_.size()),
      valid_(tags_.size()),
      dirty_(tags_.size()) {}

unsigned TagArray::slice_of(std::uint64_t address) const {
  return map_ == nullptr
             ? 0
             : map_->slice_of(PhysicalAddress(address).aligned_down(std::uint64_t{1} << line_shift_));
}

// A miss brings whole sectors.
unsigned TagArray::with_sectors(unsigned segments) const {
  unsigned result = 0;
  for (unsigned first = 0; first < 4; first += segments_of_sector_) {
    const unsigned sector = ((1u << segments_of_sector_) - 1) << first;
    if ((segments & sector) != 0) result |= sector;
  }
  return result & 0xf;
}

std::uint64_t TagArray::set_of(std::uint64_t address) const {
  std::uint64_t number = numbering_.local(address >> line_shift_);
  if (hash_ && set_bits_ != 0)
    for (std::uint64_t rest = number >> set_bits_; rest != 0; rest >>= set_bits_) number ^= rest;
  return number & (sets_ - 1);
}

TagArray::Set TagArray::set_at(std::uint64_t address) const {
  return static_cast<Set>(slice_of(address) * sets_ + set_of(address));
}

namespace {

// Where among 16 tags one is, counted from 1; 0: nowhere.
unsigned find_of_16(const std::uint32_t* tags, std::uint32_t tag) {
  using Four = std::uint32_t __attribute__((vector_size(16)));
  const Four wanted = {tag, tag, tag, tag};
  Four place = {1, 2, 3, 4}, found = {};
  for (unsigned i = 0; i < 16; i += 4) {
    Four four;
    std::memcpy(&four, tags + i, sizeof four);
    found |= reinterpret_cast<Four>(four == wanted) & place;  // of one at most
    place += 4;
  }
  return found[0] | found[1] | found[2] | found[3];
}

}  // namespace

std::size_t TagArray::find(std::uint64_t line, Set set) const {
  constexpr std::uint32_t kAtOnce = 16;
  const std::size_t first = std::size_t{set} * ways_;
  const auto tag = static_cast<std::uint32_t>(line);
  const std::uint32_t* const tags = &tags_[first];
  std::uint32_t way = 0;
  for (; way + kAtOnce <= ways_; way += kAtOnce) {
    if (const unsigned found = find_of_16(tags + way, tag); found != 0) return first + way + found - 1;
  }
  for (; way < ways_; ++way)
    if (tags[way] == tag) return first + way;
  return kNone;
}

std::size_t TagArray::take(std::uint64_t line, Set set) {
  const std::size_t first = std::size_t{set} * ways_;
  std::size_t victim = first;
  for (std::size_t way = first + 1; way != first + ways_; ++way)
    if (used_[way] < used_[victim]) victim = way;
  displaced_ = tags_[victim] == kNoTag ? 0 : dirty_[victim];
  constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 24;
  displaced_passed_ = tags_[victim] == kPassed;
  displaced_line_ = displaced_passed_ ? (line ^ kElsewhere) << line_shift_ : address_of(victim);
  clear(victim);
  tags_[victim] = static_cast<std::uint32_t>(line);
  ++held_;
  return victim;
}

void TagArray::begin_kernel() {
  seen_.assign(tags_.size(), Seen::Once);
  comes_back_ = false;
  first_uses_ = dirtied_lines_ = {};
  kernel_ = wave_ = uses_;
}

// Lines that lie side by side go to sets in turn: a set with fewer so far gets more.
void TagArray::pass(const FirstUses& uses, double dirty_share, const Displaced& displaced) {
  const std::size_t sets = tags_.size() / ways_;
  std::uint64_t lines = uses.all();
  const double found_share =
      static_cast<double>(uses.found) / std::max<double>(static_cast<double>(lines), 1);
  std::vector<std::uint32_t> had(sets);
  std::vector<std::uint64_t> sets_of(ways_ + 1);
  for (std::size_t set = 0; set < sets; ++set) {
    for (std::size_t way = set * ways_; way < (set + 1) * ways_; ++way) had[set] += used_[way] > kernel_;
    ++sets_of[had[set]];
  }
  std::uint32_t level = 0;
  std::uint64_t below = sets_of[0];  // sets with as many or fewer
  while (level < ways_ && lines >= below) {
    lines -= below;
    below += sets_of[++level];
  }
  // At the last level the remaining lines go to its sets one by one; lines beyond the number of ways go
  // through the ways again and again.
  const std::uint64_t every = std::min<std::uint64_t>(lines / sets, ways_);
  std::uint64_t rest = lines % sets;
  for (std::size_t set = 0; set < sets; ++set) {
    std::uint64_t count = level - std::min(level, had[set]) + every;
    if (rest != 0 && had[set] <= level) ++count, --rest;
    if (count != 0) {
      pass_in(set, count, found_share, dirty_share, displaced);
    }
    for (std::size_t way = set * ways_; comes_back_ && way < (set + 1) * ways_; ++way)
      if (seen_[way] == Seen::ComesBack) use(way);
  }
}

void TagArray::pass_in(std::size_t set, std::uint64_t count, double found_share, double dirty_share,
                       const Displaced& displaced) {
  // The least recently used first.
  constexpr unsigned kUsed = 32;
  constexpr std::uint64_t kMoved = ~std::uint64_t{0};
  order_.clear();
  for (std::uint32_t way = 0; way < ways_; ++way)
    if (const std::size_t at = set * ways_ + way; seen_[at] != Seen::ComesBack)
      order_.push_back(std::uint64_t{used_[at]} << kUsed | way);
  if (order_.empty()) return;
  std::sort(order_.begin(), order_.end());
  const auto place = [&](std::uint64_t entry) { return set * ways_ + static_cast<std::uint32_t>(entry); };
  const auto used = [](std::uint64_t entry) { return entry >> kUsed; };
  std::size_t oldest = 0, old = 0;
  for (; count != 0; --count) {
    dirty_left_ += dirty_share;
    const unsigned dirty = dirty_left_ >= 1 ? all_segments_ : 0;
    if (dirty != 0) dirty_left_ -= 1;
    found_left_ += found_share;
    const bool found = found_left_ >= 1;
    if (found) found_left_ -= 1;
    while (old < order_.size() && (used(order_[old]) == 0 || order_[old] == kMoved)) ++old;
    std::size_t at = 0;
    if (found && old < order_.size() && used(order_[old]) <= kernel_) {
      at = place(std::exchange(order_[old++], kMoved));
      make_dirty(at, dirty);
      used_[at] = next_use();
      seen_[at] = Seen::FoundUnseen;
    } else {
      while (order_[oldest] == kMoved) ++oldest;
      at = place(std::exchange(order_[oldest++], kMoved));
      if (displaced && dirty_[at] != 0)
        displaced(tags_[at] == kPassed ? kNowhere : address_of(at), dirty_[at]);
      put(at, dirty);
    }
    order_.push_back(std::uint64_t{used_[at]} << kUsed | (at - set * ways_));
  }
}

unsigned TagArray::make_dirty(std::size_t at, unsigned segments) {
  const auto more = static_cast<unsigned>(std::popcount(segments & ~unsigned{dirty_[at]}));
  dirty_segments_ += more;
  dirty_[at] |= static_cast<std::uint8_t>(segments);
  return more;
}

bool TagArray::write_passed(unsigned segments) {
  constexpr std::size_t kFurthest = 1024;  // ways to look at
  for (std::size_t i = 0; i < std::min(kFurthest, tags_.size()); ++i) {
    const std::size_t at = next_passed_;
    if (++next_passed_ == tags_.size()) next_passed_ = 0;
    if (tags_[at] != kPassed) continue;
    make_dirty(at, segments & all_segments_);
    used_[at] = next_use();
    return true;
  }
  return false;
}

void TagArray::put(std::size_t at, unsigned dirty) {
  clear(at);
  tags_[at] = kPassed;
  ++held_;
  make_dirty(at, dirty);
  used_[at] = next_use();
}

// The line has no address; passed lines leave in a row.
void TagArray::pass_line(Set set, unsigned dirty) {
  const std::size_t at = take(kPassed, set);
  if (displaced_passed_) displaced_line_ = std::uint64_t{uses_} << line_shift_;
  put(at, dirty);
}

void TagArray::clear(std::size_t at) {
  dirty_segments_ -= static_cast<unsigned>(std::popcount(dirty_[at]));
  held_ -= tags_[at] != kNoTag;
  tags_[at] = kNoTag;
  used_[at] = 0;
  valid_[at] = dirty_[at] = 0;
  if (!stamps_.empty()) stamps_[at] = 0;
  if (!seen_.empty()) seen_[at] = Seen::Once;
}

// Where the count is full, all moments move together by half.
std::uint32_t TagArray::next_use() {
  if (++uses_ == 0) {
    for (std::uint32_t& used : used_) used /= 2;
    kernel_ /= 2;
    wave_ /= 2;
    uses_ = 1u << 31;
  }
  return uses_;
}

void TagArray::use(std::size_t at) {
  const std::uint32_t now = next_use();
  if (used_[at] <= kernel_) {
    ++(used_[at] != 0 ? first_uses_.found : first_uses_.missed);
  } else if (used_[at] <= wave_ && seen_[at] == Seen::FoundUnseen) {
    seen_[at] = Seen::Once;  // it was another one
    ++first_uses_.found;
  } else if (used_[at] <= wave_) {
    seen_[at] = Seen::ComesBack;
    comes_back_ = true;
  }
  used_[at] = now;
}

bool TagArray::read(std::uint64_t address, unsigned segments, bool allocate, Set set) {
  displaced_ = 0;
  const std::uint64_t number = address >> line_shift_;
  std::size_t line = find(number, set);
  const unsigned held = line == kNone ? 0 : valid_[line];
  brought_ = with_sectors(segments & ~held) & ~held;
  if (line == kNone) {
    if (!allocate) return false;
    line = take(number, set);
  }
  use(line);
  if (allocate) valid_[line] |= static_cast<std::uint8_t>(brought_);
  if (!stamps_.empty()) {
    if (brought_ != 0) stamps_[line] = stamp_;
    found_stamp_ = stamps_[line];
  }
  return (segments & ~held) == 0;
}

bool TagArray::write(std::uint64_t address, unsigned segments, bool whole, bool allocate, Set set) {
  displaced_ = 0;
  const std::uint64_t number = address >> line_shift_;
  std::size_t line = find(number, set);
  const bool hit = line != kNone;
  if (line == kNone) {
    if (!allocate) return false;
    line = take(number, set);
  }
  use(line);
  if (whole) valid_[line] |= static_cast<std::uint8_t>(segments);
  if (dirty_[line] == 0) ++(hit ? dirtied_lines_.found : dirtied_lines_.missed);
  dirtied_ += make_dirty(line, segments);
  return hit;
}

void TagArray::forget(std::uint64_t address) {
  if (const std::size_t at = find(address >> line_shift_, set_at(address)); at != kNone) clear(at);
}

bool TagArray::holds(std::uint64_t address) const {
  return find(address >> line_shift_, set_at(address)) != kNone;
}

}  // namespace duet::predict
