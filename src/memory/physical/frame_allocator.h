// The free frames of a range of physical memory. Frames are handed out from below, frames of one call one
// after the other, so the allocations of a program lie in their order. They come back one by one or together.
// Left out: gathering frames from several places.
#pragma once

#include <map>
#include <optional>

#include "base/address.h"

namespace duet::memory {

class FrameAllocator {
 public:
  FrameAllocator(PhysicalAddress base, Bytes bytes, Bytes page_bytes);

  // As many whole frames as hold `bytes`: the lowest place with room for all; nothing when there is none.
  std::optional<PhysicalAddress> take(Bytes bytes);
  // The same at the highest place.
  std::optional<PhysicalAddress> take_highest(Bytes bytes);
  // Gives back whole frames. They need not have been taken together.
  void give_back(PhysicalAddress first, Bytes bytes);
  Bytes free_bytes() const;

 private:
  const Bytes page_bytes_;
  std::map<PhysicalAddress, Bytes> free_;  // no two touch
};

}  // namespace duet::memory
