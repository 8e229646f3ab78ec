// A warp's access as runs of lanes: side by side, with one address or each behind the one before. Most
// accesses of warps are like this, and a check of a run replaces a check of every lane.
//   LaneRun runs[kMostRuns];  const unsigned count = split(lanes, addresses, bytes, runs);
#pragma once

#include <bit>
#include <cstdint>

namespace duet::check {

struct LaneRun {  // an array of them is left as it is until split() fills it
  std::uint8_t first, lanes;
  bool one_address;  // otherwise each lane is `bytes` behind the one before
};
constexpr unsigned kMostRuns = 64;

// In order of lanes; how many. `bytes`: of a lane. A lane alone has one address.
inline unsigned split(std::uint64_t lanes, const std::uint64_t* addresses, unsigned bytes, LaneRun* runs) {
  unsigned count = 0;
  while (lanes != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    const auto beside = static_cast<unsigned>(std::countr_one(lanes >> first));
    const std::uint64_t* const at = addresses + first;
    const std::uint64_t step = beside > 1 ? at[1] - at[0] : 0;
    unsigned length = 1;
    if (beside > 1 && (step == 0 || step == bytes)) {
      for (length = 2; length + 4 <= beside; length += 4) {
        const std::uint64_t next = at[0] + length * step;
        const std::uint64_t* const four = at + length;
        if (((four[0] ^ next) | (four[1] ^ (next + step)) | (four[2] ^ (next + 2 * step)) |
             (four[3] ^ (next + 3 * step))) != 0)
          break;
      }
      while (length < beside && at[length] == at[0] + length * step) ++length;
    }
    runs[count++] = {static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(length),
                     length == 1 || step == 0};
    const unsigned end = first + length;
    lanes = end >= 64 ? 0 : lanes >> end << end;
  }
  return count;
}

}  // namespace duet::check
