// The lines of a cache, without their bytes and without time: true least recently used, sectors as in the
// machine file. Several slices are one array. Source of the index: memory/cache/line_array.h.
//   TagArray l2(config.l2, map);
//   if (!l2.read(address, 0b0011)) ...   segments of 32 bytes of the line, a bit each
//   const TagArray::Set set = l2.set_at(address); l2.prefetch(set); ... l2.read(address, 0b0011, true, set);
// Where only the number of accesses is known, lines pass: they take the place of lines, and no read finds
// them.
//   tags.begin_kernel(); ... tags.begin_wave(); ...   marks first uses, and uses in a later wave
//   tags.pass({.found = 30, .missed = 10}, dirty_share)
// Left out: replacement policies other than LRU, lines waiting for a fetch, 2^32 - 2 lines of memory and
// more.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "config/machine.h"
#include "memory/cache/slice_map.h"

namespace duet::predict {

class TagArray {
 public:
  // `map` lives as long; null: one array for all addresses.
  TagArray(const config::Cache& config, const memory::SliceMap* map);

  // Whether all of these segments were there. They are now, where `allocate`; otherwise only the order of use
  // changes.
  bool read(std::uint64_t address, unsigned segments, bool allocate = true) {
    return read(address, segments, allocate, set_at(address));
  }
  // Sets of all slices, one after the other.
  using Set = std::uint32_t;
  Set set_at(std::uint64_t address) const;
  unsigned slice_of(Set set) const { return static_cast<unsigned>(set >> set_bits_); }
  void prefetch(Set set) const {
    const std::size_t first = std::size_t{set} * ways_;
    __builtin_prefetch(&tags_[first]);
    __builtin_prefetch(&used_[first]);
    __builtin_prefetch(&valid_[first]);
    if (!stamps_.empty()) __builtin_prefetch(&stamps_[first]);
  }
  bool read(std::uint64_t address, unsigned segments, bool allocate, Set set);
  // The same of a write: they are there, and dirty. `whole`: all their bytes are written.
  bool write(std::uint64_t address, unsigned segments, bool whole, bool allocate = true) {
    return write(address, segments, whole, allocate, set_at(address));
  }
  bool write(std::uint64_t address, unsigned segments, bool whole, bool allocate, Set set);
  bool holds(std::uint64_t address) const;
  void forget(std::uint64_t address);  // its line is not there any more
  // All segments of the sectors of these.
  unsigned with_sectors(unsigned segments) const;
  // The segments brought by the last read.
  unsigned brought() const { return brought_; }
  // Of the last call: the dirty segments of the displaced line, and their place. Passed lines are as far from
  // each other as the lines that displace them.
  unsigned displaced() const { return displaced_; }
  std::uint64_t displaced_line() const { return displaced_line_; }
  bool displaced_passed() const { return displaced_passed_; }
  std::uint64_t dirty_segments() const { return dirty_segments_; }  // of all lines
  // Since begin_kernel(): the kernel's first uses of lines, by whether they were there, and the segments that
  // it made dirty. The kernel comes back to a line that it uses in one wave of blocks and in a later one.
  struct FirstUses {
    std::uint64_t found = 0, missed = 0;
    std::uint64_t all() const { return found + missed; }
  };
  void begin_kernel();
  void begin_wave() { wave_ = uses_; }
  const FirstUses& first_uses() const { return first_uses_; }
  std::uint64_t dirtied() const { return dirtied_; }
  // Its newly dirty lines, by whether they were there.
  const FirstUses& dirtied_lines() const { return dirtied_lines_; }
  // The kernel uses so many more lines for the first time, evenly. The found lines are the least recently
  // used of the lines that it has not used yet; they stay. The missed lines, and found lines beyond these,
  // take the place of the least recently used lines, but for lines that it comes back to. `displaced`: null,
  // or f(address, dirty segments) for each dirty line that leaves; kNowhere: it had passed.
  static constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  using Displaced = std::function<void(std::uint64_t, unsigned)>;
  void pass(const FirstUses& lines, double dirty_share, const Displaced& displaced = nullptr);
  // A cache above writes back a line that passed there: it is the next of the lines that passed here. False:
  // a search of many ways found none.
  bool write_passed(unsigned segments);
  // One of them.
  void pass_line(Set set, unsigned dirty);
  std::uint64_t lines() const { return tags_.size(); }
  std::uint64_t held() const { return held_; }  // of them
  // From now on each line has the stamp of the last read that brought some of it; 0: none.
  void set_stamp(std::uint32_t stamp) {
    if (stamps_.empty()) stamps_.resize(tags_.size());
    stamp_ = stamp;
  }
  void forget_stamps() { stamps_.clear(); }
  std::uint32_t found_stamp() const { return found_stamp_; }  // of the last hit
  // Calls f(when it was used last, address, dirty segments) for each dirty line with an address.
  template <typename F>
  void for_dirty(const F& f) const {
    for (std::size_t i = 0; i < tags_.size(); ++i)
      if (dirty_[i] != 0 && tags_[i] != kPassed) f(used_[i], address_of(i), unsigned{dirty_[i]});
  }
  struct Line {
    std::uint64_t address = 0;
    Set set = 0;
    std::uint32_t used = 0;
    std::uint8_t segments = 0, dirty = 0;
    bool passed = false;  // it has no address
  };
  // Calls f(line) for each line used after a moment().
  template <typename F>
  void for_used_since(std::uint32_t moment, const F& f) const {
    for (std::size_t i = 0; i < tags_.size(); ++i)
      if (used_[i] > moment)
        f(Line{address_of(i), static_cast<Set>(i / ways_), used_[i], valid_[i], dirty_[i],
               tags_[i] == kPassed});
  }
  std::uint32_t moment() const { return uses_; }
  unsigned slice_of(std::uint64_t address) const;
  std::uint64_t set_of(std::uint64_t address) const;  // in its slice

 private:
  static constexpr std::uint32_t kNoTag = ~std::uint32_t{0};
  static constexpr std::uint32_t kPassed = kNoTag - 1;  // a passed line
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::uint64_t address_of(std::size_t at) const { return std::uint64_t{tags_[at]} << line_shift_; }
  std::size_t find(std::uint64_t line, Set set) const;  // its place
  std::size_t take(std::uint64_t line, Set set);
  void pass_in(std::size_t set, std::uint64_t count, double found_share, double dirty_share,
               const Displaced& displaced);
  unsigned make_dirty(std::size_t at, unsigned segments);  // how many were not
  void put(std::size_t at, unsigned dirty);                // a passing line
  std::uint32_t next_use();
  void use(std::size_t at);
  void clear(std::size_t at);
  const memory::SliceMap* map_;
  memory::LineNumbering numbering_;
  unsigned line_shift_, segments_of_sector_;
  unsigned all_segments_;  // of a line, a bit each
  std::uint32_t ways_;
  std::uint64_t sets_;
  unsigned set_bits_;
  bool hash_;
  // By place: number of the line, when it was used last, its segments. Apart, as most look only at tags.
  std::vector<std::uint32_t> tags_, used_;
  std::vector<std::uint8_t> valid_, dirty_;
  std::vector<std::uint32_t> stamps_;
  std::uint32_t stamp_ = 0, found_stamp_ = 0;
  std::uint32_t uses_ = 0;
  std::uint64_t dirty_segments_ = 0, dirtied_ = 0;
  FirstUses first_uses_, dirtied_lines_;
  std::uint32_t kernel_ = 0, wave_ = 0;  // moments of their begin
  enum class Seen : std::uint8_t { Once, ComesBack, FoundUnseen };
  std::vector<Seen> seen_;                  // by place: how the kernel has used it
  bool comes_back_ = false;                 // to some
  double dirty_left_ = 0, found_left_ = 0;  // of passed lines, less than one
  std::vector<std::uint64_t> order_;        // of a set
  unsigned brought_ = 0, displaced_ = 0;
  std::uint64_t displaced_line_ = 0, held_ = 0;
  bool displaced_passed_ = false;
  std::size_t next_passed_ = 0;  // where write_passed() goes on
};

}  // namespace duet::predict
