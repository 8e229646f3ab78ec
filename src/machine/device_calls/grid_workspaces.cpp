#include "machine/device_calls/grid_workspaces.h"

#include "base/error.h"
#include "machine/system.h"
#include "memory/address_space.h"

namespace duet::machine {

std::shared_ptr<const VirtualAddress> GridWorkspaces::take(System& system) {
  if (free_->empty()) {
    // A line each, so that grids do not disturb each other. A barrier that has been used is as good as new.
    constexpr Bytes kEach = memory::kLineBytes;
    constexpr std::uint32_t kWords[2] = {8, 0};
    const memory::Allocation* allocation =
        system.address_space().allocate_device(1_KiB, memory::AllocationKind::Module);
    if (allocation == nullptr) throw Error("no room in device memory for the barrier of a cooperative grid");
    system.settle(allocation->base, allocation->mapped_bytes);
    for (Bytes at = 0; at + kEach <= allocation->bytes; at += kEach) {
      system.address_space().write(allocation->base + at, kWords, sizeof kWords);
      free_->push_back(allocation->base + at);
    }
  }
  const VirtualAddress address = free_->back();
  free_->pop_back();
  return {new VirtualAddress(address), [free = free_](const VirtualAddress* own) {
            free->push_back(*own);
            delete own;
          }};
}

}  // namespace duet::machine
