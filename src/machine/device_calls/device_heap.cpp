#include "machine/device_calls/device_heap.h"

#include <iterator>

namespace duet::machine {

namespace {

constexpr Bytes kAlignment = 16;

}  // namespace

DeviceHeap::DeviceHeap(VirtualAddress base, Bytes limit, std::uint32_t arenas)
    : base_(base), limit_(limit), arenas_(arenas) {
  for (std::uint32_t i = 0; i < arenas; ++i) arenas_[i].free[base + i * limit] = limit;
}

VirtualAddress DeviceHeap::allocate(std::uint32_t sm, Bytes bytes, Picoseconds now) {
  advance(now);
  Arena& arena = arenas_[sm % arenas_.size()];
  const Bytes size = round_up(bytes, kAlignment);
  if (size == 0 || size < bytes || size > limit_) return {};
  if (held_bytes_ + arena.change + static_cast<std::int64_t>(size) > static_cast<std::int64_t>(limit_))
    return {};
  for (auto at = arena.free.begin(); at != arena.free.end(); ++at) {
    if (at->second < size) continue;
    const auto [address, room] = *at;
    arena.free.erase(at);
    if (room > size) arena.free[address + size] = room - size;
    held_[address] = size;
    arena.change += static_cast<std::int64_t>(size);
    return address;
  }
  return {};
}

bool DeviceHeap::release(std::uint32_t sm, VirtualAddress address, Picoseconds now) {
  advance(now);
  const auto found = held_.find(address);
  if (found == held_.end()) return false;
  const Bytes bytes = found->second;
  held_.erase(found);
  Arena &owner = arenas_[(address - base_) / limit_], &own = arenas_[sm % arenas_.size()];
  if (&owner == &own) {
    give_back(owner, address, bytes);
    owner.change -= static_cast<std::int64_t>(bytes);
  } else {
    freed_.push_back({address, bytes});
  }
  return true;
}

void DeviceHeap::advance(Picoseconds now) {
  if (now == now_) return;
  now_ = now;
  for (const Freed& freed : freed_) {
    give_back(arenas_[(freed.address - base_) / limit_], freed.address, freed.bytes);
    held_bytes_ -= static_cast<std::int64_t>(freed.bytes);
  }
  freed_.clear();
  for (Arena& arena : arenas_) {
    held_bytes_ += arena.change;
    arena.change = 0;
  }
}

void DeviceHeap::give_back(Arena& arena, VirtualAddress address, Bytes bytes) {
  auto after = arena.free.lower_bound(address);
  if (after != arena.free.end() && after->first == address + bytes) {
    bytes += after->second;
    after = arena.free.erase(after);
  }
  if (after != arena.free.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == address) {
      before->second += bytes;
      return;
    }
  }
  arena.free[address] = bytes;
}

}  // namespace duet::machine
