// Which frames of a range of physical memory are free. Frames are handed out from below, those that are asked
// for together one after the other, so that what a program allocates lies in its order; they come back one by
// one or together. Left out: gathering frames that do not follow each other.
#pragma once

#include <map>
#include <optional>

#include "base/address.h"

namespace duet::memory {

class FrameAllocator {
 public:
  FrameAllocator(PhysicalAddress base, Bytes bytes, Bytes page_bytes);

  // As many whole frames as hold `bytes`: the lowest place that has room for all; nothing when none has.
  std::optional<PhysicalAddress> take(Bytes bytes);
  // The same at the highest place.
  std::optional<PhysicalAddress> take_highest(Bytes bytes);
  // Gives back whole frames, which need not have been taken together.
  void give_back(PhysicalAddress first, Bytes bytes);
  Bytes free_bytes() const;

 private:
  const Bytes page_bytes_;
  std::map<PhysicalAddress, Bytes> free_;  // no two touch
};

}  // namespace duet::memory
