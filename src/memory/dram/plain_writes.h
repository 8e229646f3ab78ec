// Words that were written while they were empty, without a fill, and their writers: a request that waits for
// such words waits for a forgotten fill. For reports only. One writer a line is kept, the latest.
#pragma once

#include <unordered_map>

#include "memory/cache/byte_masks.h"
#include "memory/waiting_request.h"

namespace duet::memory {

class PlainWrites {
 public:
  bool empty() const { return lines_.empty(); }
  void note(PhysicalAddress address, const ByteMask& bytes, const PlainWrite& by) {
    Line& line = lines_[address / kLineBytes];
    line.bytes = line.bytes | moved_up(bytes, static_cast<unsigned>(address % kLineBytes));
    line.by = by;
  }
  // They have been filled, or emptied again.
  void forget(PhysicalAddress address, const ByteMask& bytes) {
    const auto found = lines_.find(address / kLineBytes);
    if (found == lines_.end()) return;
    found->second.bytes = found->second.bytes & ~moved_up(bytes, static_cast<unsigned>(address % kLineBytes));
    if (!any(found->second.bytes)) lines_.erase(found);
  }
  void forget_lines(PhysicalAddress base, Bytes bytes) {
    std::erase_if(lines_,
                  [&](const auto& line) { return PhysicalAddress(line.first * kLineBytes) - base < bytes; });
  }
  // The writer of one of these; null: nobody.
  const PlainWrite* find(PhysicalAddress address, const ByteMask& bytes) const {
    const auto found = lines_.find(address / kLineBytes);
    const bool written =
        found != lines_.end() &&
        any(found->second.bytes & moved_up(bytes, static_cast<unsigned>(address % kLineBytes)));
    return written ? &found->second.by : nullptr;
  }

 private:
  struct Line {
    ByteMask bytes;  // of the line
    PlainWrite by;
  };
  std::unordered_map<std::uint64_t, Line> lines_;
};

}  // namespace duet::memory
