// The storage of a cache: tags, byte masks, data, replacement. It knows no time and no requests. Lines that
// wait for a fetch are never victims; among the others the machine file's policy chooses (replacement/, one a
// file). Behind the sets lie side lines, one a miss-status register: bytes on their way to requesters,
// invisible to later requests.
//
// Set index: the low bits of the line's number, or with hash_sets all of its bits folded by XOR. A slice of a
// cache sees only some lines of the address space; LineNumbering numbers just those, so that no set stays
// empty. A replacement policy is a type with one function, victim(ways); `ways` has the last use of each.
// Left out: inclusion, policies that keep a state of their own.
#pragma once

#include <memory>
#include <vector>

#include "config/machine.h"
#include "memory/cache/byte_masks.h"

namespace duet::memory {

// Lines are dealt out to `channels` channels, `interleave_lines` consecutive ones each, and the lines of a
// channel in turn to its slices (memory/address_map.h). The defaults are for a cache of all lines.
struct LineNumbering {
  std::uint32_t interleave_lines = 1;
  std::uint32_t channels = 1;
  std::uint32_t slices_per_channel = 1;
  // The number of a line among the lines of its slice.
  std::uint64_t local(std::uint64_t line) const {
    if (channels == 1 && slices_per_channel == 1) return line;
    const std::uint64_t in_channel =
        line / (std::uint64_t{interleave_lines} * channels) * interleave_lines + line % interleave_lines;
    return slices_per_channel == 1 ? in_channel : in_channel / slices_per_channel;
  }
};

// The agent and unit that brought the bytes of a line.
struct LineUser {
  Agent agent = Agent::Host;
  std::uint16_t unit = 0;
};

struct Line {
  ByteMask valid, dirty;
  std::uint32_t mshr = ~0u;  // the register whose fetch it waits for
  LineUser filled_by;
  Cacheability cacheability;  // of its page, for caches below
  bool tracked = false;       // its dirty bytes fill
};

// The ways of one set, for replacement policies.
struct Ways {
  static constexpr std::uint32_t kNone = ~0u;
  const std::uint64_t* last_use;  // counted from 1; 0: the way is free
  const Line* lines;
  std::uint32_t count;
  std::uint64_t uses;  // of the whole cache, so far
  bool waits(std::uint32_t way) const { return last_use[way] != 0 && lines[way].mshr != kNone; }
};

class LineArray {
 public:
  static constexpr std::uint32_t kNone = Ways::kNone;

  // Throws duet::Error, in the name of `owner`, when the numbers do not fit together.
  LineArray(const config::Cache& config, const LineNumbering& numbering, std::size_t side_lines,
            const std::string& owner);

  PhysicalAddress line_of(PhysicalAddress address) const { return address.aligned_down(line_bytes_); }
  unsigned line_bytes() const { return line_bytes_; }
  // Without the side lines.
  std::uint32_t lines() const { return static_cast<std::uint32_t>(tags_.size()); }
  std::uint32_t side_line(std::uint32_t mshr) const { return lines() + mshr; }

  Line& operator[](std::uint32_t index) { return lines_[index]; }
  const Line& operator[](std::uint32_t index) const { return lines_[index]; }
  const std::byte* data(std::uint32_t index) const { return data_.get() + std::size_t{index} * line_bytes_; }
  std::byte* data(std::uint32_t index) { return data_.get() + std::size_t{index} * line_bytes_; }
  // kNoTag for a free way.
  static constexpr PhysicalAddress kNoTag{~std::uint64_t{0}};
  PhysicalAddress tag(std::uint32_t index) const { return tags_[index]; }
  std::uint32_t held() const { return held_; }  // lines with a tag

  std::uint32_t find(PhysicalAddress line) const {
    const std::uint32_t begin = first_way(line);
    found_line_ = line;
    found_set_ = begin;
    for (std::uint32_t i = begin; i < begin + ways_; ++i)
      if (tags_[i] == line) return i;
    return kNone;
  }
  // The way to take for a new line; kNone: every way waits for a fetch.
  std::uint32_t victim(PhysicalAddress line) const;
  // An empty way for a new line; kNone: there is none.
  std::uint32_t free_way_for(PhysicalAddress line) const {
    const std::uint32_t begin = first_way(line);
    for (std::uint32_t i = begin; i < begin + ways_; ++i)
      if (tags_[i] == kNoTag) return i;
    return kNone;
  }
  // Ways of the line's set without a fetch.
  unsigned candidates(PhysicalAddress line) const;
  std::uint64_t last_use(std::uint32_t index) const { return last_use_[index]; }
  void touch(std::uint32_t index) { last_use_[index] = ++uses_; }

  // Gives a free way to a new line.
  void reserve(std::uint32_t index, PhysicalAddress line) {
    lines_[index] = Line{};
    held_ += tags_[index] == kNoTag;
    tags_[index] = line;
    touch(index);
  }
  void free_way(std::uint32_t index) {
    forget_tag(index);
    lines_[index].valid = lines_[index].dirty = {};
  }
  // A line without bytes and without a fetch is given up.
  void drop_bytes(std::uint32_t index, const ByteMask& mask) {
    Line& line = lines_[index];
    line.valid = line.valid & ~mask;
    line.dirty = line.dirty & ~mask;
    if (!any(line.valid) && line.mshr == kNone) forget_tag(index);
  }

 private:
  // Side lines have no tag.
  void forget_tag(std::uint32_t index) {
    held_ -= tags_[index] != kNoTag;
    tags_[index] = kNoTag;
    last_use_[index] = 0;
  }
  std::uint32_t first_way(PhysicalAddress line) const {
    std::uint64_t number = numbering_.local(line >> line_shift_);
    if (hash_ && set_bits_ != 0)
      for (std::uint64_t rest = number >> set_bits_; rest != 0; rest >>= set_bits_) number ^= rest;
    return static_cast<std::uint32_t>(number & set_mask_) * ways_;
  }

  unsigned line_bytes_, line_shift_, set_bits_;
  std::uint32_t ways_;
  std::uint64_t set_mask_;
  bool hash_;
  enum class Replacement : std::uint8_t { Lru, Tree, Random } replacement_;
  LineNumbering numbering_;
  std::uint64_t uses_ = 0;
  std::uint32_t held_ = 0;
  mutable PhysicalAddress found_line_ = kNoTag;  // the line of the last find(), and the first way of its set
  mutable std::uint32_t found_set_ = 0;
  std::vector<PhysicalAddress> tags_;
  std::vector<std::uint64_t> last_use_;  // counted from 1; 0: the way is free
  std::vector<Line> lines_;
  std::unique_ptr<std::byte[]> data_;  // not cleared: only valid bytes are read
};

}  // namespace duet::memory
