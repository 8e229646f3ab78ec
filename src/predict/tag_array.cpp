#include "predict/tag_array.h"

#include <bit>
#include <cstring>

namespace duet::predict {

TagArray::TagArray(const config::Cache& config, const memory::SliceMap* map)
    : map_(map),
      numbering_(map != nullptr ? map->numbering() : memory::LineNumbering{}),
      line_shift_(static_cast<unsigned>(std::countr_zero(config.line_bytes))),
      segments_of_sector_(config.sector_bytes >= 32 ? static_cast<unsigned>(config.sector_bytes / 32) : 1),
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

// What a miss brings along: whole sectors.
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
  ++taken_;
  displaced_ = tags_[victim] == kNoTag ? 0 : dirty_[victim];
  displaced_line_ = address_of(victim);
  clear(victim);
  tags_[victim] = static_cast<std::uint32_t>(line);
  return victim;
}

std::uint64_t TagArray::age(std::uint64_t lines, std::uint32_t moment) {
  const std::uint64_t before = dirty_segments_, sets = tags_.size() / ways_;
  for (std::uint64_t number = 0; number < sets; ++number) {
    const std::size_t set = number * ways_;
    // Free ways take the first of them.
    std::uint64_t left = lines / sets + (number < lines % sets);
    for (std::uint32_t way = 0; way < ways_; ++way)
      if (left != 0 && tags_[set + way] == kNoTag) --left;
    for (; left != 0; --left) {
      std::size_t oldest = kNone;
      for (std::size_t way = set; way < set + ways_; ++way)
        if (tags_[way] != kNoTag && used_[way] <= moment && (oldest == kNone || used_[way] < used_[oldest]))
          oldest = way;
      if (oldest == kNone) break;
      clear(oldest);
    }
  }
  return before - dirty_segments_;
}

void TagArray::clear(std::size_t at) {
  dirty_segments_ -= static_cast<unsigned>(std::popcount(dirty_[at]));
  tags_[at] = kNoTag;
  used_[at] = 0;
  valid_[at] = dirty_[at] = 0;
  if (!stamps_.empty()) stamps_[at] = 0;
}

// Where the count is full, all moments move together by half.
void TagArray::use(std::size_t at) {
  if (++uses_ == 0) {
    for (std::uint32_t& used : used_) used /= 2;
    uses_ = 1u << 31;
  }
  used_[at] = uses_;
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
  dirty_segments_ += static_cast<unsigned>(std::popcount(segments & ~unsigned{dirty_[line]}));
  dirty_[line] |= static_cast<std::uint8_t>(segments);
  return hit;
}

bool TagArray::holds(std::uint64_t address) const {
  return find(address >> line_shift_, set_at(address)) != kNone;
}

void TagArray::drop(std::uint64_t address) {
  if (const std::size_t line = find(address >> line_shift_, set_at(address)); line != kNone) clear(line);
}

}  // namespace duet::predict
