// The track of an SM for a block: the lowest without another block at the time.
//
//   const std::uint32_t place = places.take(sm);    places.give_back(sm, place);
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace duet::report {

class BlockPlaces {
 public:
  std::uint32_t take(std::uint32_t sm) {
    std::vector<bool>& taken = taken_[sm];
    const auto free = std::find(taken.begin(), taken.end(), false);
    const auto place = static_cast<std::uint32_t>(free - taken.begin());
    if (free == taken.end())
      taken.push_back(true);
    else
      *free = true;
    return place;
  }
  void give_back(std::uint32_t sm, std::uint32_t place) { taken_[sm][place] = false; }

 private:
  std::map<std::uint32_t, std::vector<bool>> taken_;
};

}  // namespace duet::report
