#include "memory/physical/physical_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"

namespace duet::memory {

namespace {

// Host DRAM begins far above device DRAM. Its size does not matter: the host has the bytes already.
constexpr PhysicalAddress kHostBase{0x0100'0000'0000};
constexpr Bytes kHostBytes = 0x0100'0000'0000;

PhysicalRange make_range(const char* name, PhysicalAddress base, Bytes bytes, Route route, Bytes page_bytes) {
  bytes = bytes / page_bytes * page_bytes;
  return {name, base, bytes, route, FrameAllocator(base, bytes, page_bytes)};
}

}  // namespace

PhysicalMemory::PhysicalMemory(Bytes device_bytes, Bytes page_bytes)
    : page_bytes_(page_bytes),
      ranges_{make_range("device DRAM", PhysicalAddress(), device_bytes, Route::DeviceDram, page_bytes),
              make_range("host DRAM", kHostBase, kHostBytes, Route::HostDram, page_bytes)} {
  const Bytes bytes = range(Route::DeviceDram).bytes;
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw Error("cannot reserve " + std::to_string(bytes >> 20) +
                " MiB of address space for device memory: set gpu.dram.bytes smaller");
  // Touched for the first time in large pieces; where the kernel has no huge pages, it stays as it was.
  madvise(memory, bytes, MADV_HUGEPAGE);
  device_bytes_ = static_cast<std::byte*>(memory);
}

PhysicalMemory::~PhysicalMemory() { munmap(device_bytes_, range(Route::DeviceDram).bytes); }

PhysicalAddress PhysicalMemory::lend(std::byte* host, Bytes bytes, Bytes into_page, bool through_port) {
  PhysicalRange& dram = range(Route::HostDram);
  const auto frames = dram.frames.take(std::max<Bytes>(into_page + bytes, 1));
  if (!frames)
    throw Error(dram.name + ": no room for " + std::to_string(bytes) + " bytes that the GPU is to reach");
  const PhysicalAddress first = *frames + into_page;
  lent_[first] = {host, bytes, through_port};
  last_backing_ = {};
  return first;
}

void PhysicalMemory::take_back(PhysicalAddress first) {
  const auto it = lent_.find(first);
  const PhysicalAddress frames = first.aligned_down(page_bytes_);
  range(Route::HostDram).frames.give_back(frames, std::max<Bytes>(first - frames + it->second.left, 1));
  lent_.erase(it);
  last_backing_ = {};
}

Backing PhysicalMemory::lent(PhysicalAddress address) const {
  Bytes offset = address - last_lent_;
  if (offset >= last_backing_.left) {
    auto it = lent_.upper_bound(address);
    if (it == lent_.begin()) return {};
    --it;
    offset = address - it->first;
    if (offset >= it->second.left) return {};
    last_lent_ = it->first;
    last_backing_ = it->second;
  }
  return {last_backing_.bytes + offset, last_backing_.left - offset, last_backing_.through_port};
}

}  // namespace duet::memory
