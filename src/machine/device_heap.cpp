#include "machine/device_heap.h"

namespace duet::machine {

namespace {

constexpr Bytes kAlignment = 16;

}  // namespace

Address DeviceHeap::allocate(Bytes bytes) {
  const Bytes size = round_up(bytes, kAlignment);
  if (size == 0 || size < bytes) return 0;
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    if (at->second < size) continue;
    const auto [address, room] = *at;
    free_.erase(at);
    if (room > size) free_[address + size] = room - size;
    held_[address] = size;
    return address;
  }
  return 0;
}

bool DeviceHeap::release(Address address) {
  const auto found = held_.find(address);
  if (found == held_.end()) return false;
  Bytes size = found->second;
  held_.erase(found);
  auto after = free_.lower_bound(address);
  if (after != free_.end() && after->first == address + size) {
    size += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin())
    if (const auto before = std::prev(after); before->first + before->second == address) {
      before->second += size;
      return true;
    }
  free_[address] = size;
  return true;
}

}  // namespace duet::machine
