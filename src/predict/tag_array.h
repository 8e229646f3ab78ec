// Which lines a cache would hold, without their bytes and without time: true least recently used, sectors as
// the machine file has them. Several slices are one array. Source of the index: memory/cache/line_array.h.
//   TagArray l2(config.l2, map);
//   if (!l2.read(address, 0b0011)) ...   segments of 32 bytes of the line, a bit each
// Left out: replacement policies other than LRU, lines that wait for a fetch.
#pragma once

#include <cstdint>
#include <vector>

#include "config/machine.h"
#include "memory/cache/slice_map.h"

namespace duet::predict {

class TagArray {
 public:
  // `map` lives as long; null: one array that sees all addresses.
  TagArray(const config::Cache& config, const memory::SliceMap* map);

  // Whether all of these segments were there. They are now, where `allocate`; otherwise nothing changes but
  // what was used last.
  bool read(std::uint64_t address, unsigned segments, bool allocate = true);
  // The same of a write: they are there, and dirty. `whole`: all their bytes are written.
  bool write(std::uint64_t address, unsigned segments, bool whole, bool allocate = true);
  bool holds(std::uint64_t address) const;
  void drop(std::uint64_t address);
  void drop_all();
  // Of the last read: segments that it brought.
  unsigned brought() const { return brought_; }
  // Of the last call: segments of a line that it displaced and that were dirty, and where they lie.
  unsigned displaced() const { return displaced_; }
  std::uint64_t displaced_line() const { return displaced_line_; }
  std::uint64_t dirty_segments() const { return dirty_segments_; }  // of all lines
  std::uint64_t lines() const { return lines_.size(); }
  // Calls f(when it was used last, address, dirty segments) for each line that has some.
  template <typename F>
  void for_dirty(const F& f) const {
    for (const Line& line : lines_)
      if (line.dirty != 0) f(line.used, line.tag << line_shift_, unsigned{line.dirty});
  }
  unsigned slice_of(std::uint64_t address) const;
  std::uint64_t set_of(std::uint64_t address) const;  // in its slice

 private:
  static constexpr std::uint64_t kNoTag = ~std::uint64_t{0};
  struct Line {
    std::uint64_t tag = kNoTag;
    std::uint64_t used = 0;
    std::uint8_t valid = 0, dirty = 0;
  };
  Line* find(std::uint64_t line, Line*& set);
  Line& take(std::uint64_t line, Line* set);
  unsigned with_sectors(unsigned segments) const;

  const memory::SliceMap* map_;
  memory::LineNumbering numbering_;
  unsigned line_shift_, segments_of_sector_;
  std::uint32_t ways_;
  std::uint64_t sets_;
  unsigned set_bits_;
  bool hash_;
  std::vector<Line> lines_;
  std::uint64_t uses_ = 0, dirty_segments_ = 0;
  unsigned brought_ = 0, displaced_ = 0;
  std::uint64_t displaced_line_ = 0;
};

}  // namespace duet::predict
