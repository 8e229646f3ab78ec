#include "predict/tag_array.h"

#include <bit>

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
      lines_(config.sets * config.ways * (map != nullptr ? map->slices() : 1)) {}

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

TagArray::Line* TagArray::find(std::uint64_t line, Line*& set) {
  const std::uint64_t slice = slice_of(line << line_shift_);
  set = &lines_[(slice * sets_ + set_of(line << line_shift_)) * ways_];
  for (Line* way = set; way != set + ways_; ++way)
    if (way->tag == line) return way;
  return nullptr;
}

TagArray::Line& TagArray::take(std::uint64_t line, Line* set) {
  Line* victim = set;
  for (Line* way = set + 1; way != set + ways_; ++way)
    if (way->used < victim->used) victim = way;
  displaced_ = victim->tag == kNoTag ? 0 : victim->dirty;
  displaced_line_ = victim->tag << line_shift_;
  dirty_segments_ -= static_cast<unsigned>(std::popcount(victim->dirty));
  *victim = {line, 0, 0, 0};
  return *victim;
}

bool TagArray::read(std::uint64_t address, unsigned segments, bool allocate) {
  displaced_ = 0;
  Line* set;
  const std::uint64_t number = address >> line_shift_;
  Line* line = find(number, set);
  const unsigned held = line == nullptr ? 0 : line->valid;
  brought_ = with_sectors(segments & ~held) & ~held;
  if (line == nullptr) {
    if (!allocate) return false;
    line = &take(number, set);
  }
  line->used = ++uses_;
  if (allocate) line->valid |= static_cast<std::uint8_t>(brought_);
  return (segments & ~held) == 0;
}

bool TagArray::write(std::uint64_t address, unsigned segments, bool whole, bool allocate) {
  displaced_ = 0;
  Line* set;
  const std::uint64_t number = address >> line_shift_;
  Line* line = find(number, set);
  const bool hit = line != nullptr;
  if (line == nullptr) {
    if (!allocate) return false;
    line = &take(number, set);
  }
  line->used = ++uses_;
  if (whole) line->valid |= static_cast<std::uint8_t>(segments);
  dirty_segments_ += static_cast<unsigned>(std::popcount(segments & ~unsigned{line->dirty}));
  line->dirty |= static_cast<std::uint8_t>(segments);
  return hit;
}

bool TagArray::holds(std::uint64_t address) const {
  Line* set;
  return const_cast<TagArray*>(this)->find(address >> line_shift_, set) != nullptr;
}

void TagArray::drop(std::uint64_t address) {
  Line* set;
  if (Line* line = find(address >> line_shift_, set); line != nullptr) {
    dirty_segments_ -= static_cast<unsigned>(std::popcount(line->dirty));
    *line = {};
  }
}

void TagArray::drop_all() {
  for (Line& line : lines_) line = {};
  dirty_segments_ = 0;
}

}  // namespace duet::predict
