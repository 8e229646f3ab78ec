// Words of lines that a write-through cache holds no more, as a store dropped them (gpu.l1.write_evict). The
// rest of the line stays: a read of the next word hits.
//   DroppedWords dropped;
//   if (tags.holds(address)) dropped.drop(line, DroppedWords::of(12, 4));         a store of the fourth word
//   const bool hit = tags.read(address, segments) && !dropped.any(line, words);   a load
//   if (!hit) dropped.fetched(line);
// The bytes of a request are taken to lie side by side, from its first byte on.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/units.h"

namespace duet::predict {

class DroppedWords {
 public:
  // The words of `bytes` bytes from `first` on, a bit each for a line of 128 bytes.
  static std::uint32_t of(Bytes first, Bytes bytes) {
    const Bytes count = (first % 4 + bytes + 3) / 4;
    return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first / 4);
  }
  void drop(std::uint64_t line, std::uint32_t words) { lines_[line] |= words; }
  bool any(std::uint64_t line, std::uint32_t words) const {
    if (lines_.empty()) return false;
    const auto found = lines_.find(line);
    return found != lines_.end() && (found->second & words) != 0;
  }
  // All of it is there again.
  void fetched(std::uint64_t line) {
    if (!lines_.empty()) lines_.erase(line);
  }

 private:
  std::unordered_map<std::uint64_t, std::uint32_t> lines_;
};

}  // namespace duet::predict
