#include "memory/physical/physical_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "base/error.h"

namespace duet::memory {

namespace {

// Host DRAM begins there, or behind larger device DRAM.
constexpr PhysicalAddress kHostBase{0x0100'0000'0000};
constexpr Bytes kFirstBytes = 64_MiB;  // of device DRAM, mapped at once

PhysicalRange make_range(const char* name, PhysicalAddress base, Bytes bytes, Home home, Bytes page_bytes) {
  bytes = bytes / page_bytes * page_bytes;
  return {{name, base, bytes, home}, FrameAllocator(base, bytes, page_bytes)};
}

[[noreturn]] void throw_unmapped(Bytes bytes) {
  throw NoMemory("cannot map " + std::to_string((bytes + 1_MiB - 1) >> 20) +
                 " MiB for device memory: " + std::strerror(errno) + " (" + kAddressSpaceHint + ")");
}

}  // namespace

PhysicalMemory::PhysicalMemory(Bytes device_bytes, Bytes page_bytes, Bytes host_bytes, Home host_home)
    : page_bytes_(page_bytes),
      device_(make_range("device DRAM", PhysicalAddress(), device_bytes, Home::DeviceDram, page_bytes)),
      host_(make_range("host DRAM", std::max(kHostBase, device_.base + device_.bytes),
                       std::min(host_bytes, kMostHostBytes), host_home, page_bytes)),
      window_(make_range("window", host_.base + host_.bytes, is_one() ? host_.bytes : 0, Home::HostDram,
                         page_bytes)),
      window_in_l2_(make_range("window in L2", window_.base + window_.bytes, window_.bytes, Home::HostInL2,
                               page_bytes)) {
  map_.add(device_);
  map_.add(host_);
  map_.add(window_);
  map_.add(window_in_l2_);
  map_up_to(std::min(device_.bytes, kFirstBytes));
}

std::optional<PhysicalAddress> PhysicalMemory::device_address_of(const std::byte* byte) const {
  const auto offset = static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(byte) -
                                         reinterpret_cast<std::uintptr_t>(device_bytes_));
  const auto above = static_cast<Bytes>(reinterpret_cast<std::uintptr_t>(byte) -
                                        reinterpret_cast<std::uintptr_t>(highest_bytes_));
  const PhysicalAddress base = device_.base;
  if (offset < mapped_) return base + offset;
  if (above < highest_mapped_) return base + (highest_from_ + above);
  return std::nullopt;
}

Home PhysicalMemory::home_at_host(PhysicalAddress first, Bytes bytes) const {
  for (Bytes i = 0; i < bytes; ++i)
    if (const Backing there = backing(first + i); there.bytes != nullptr)
      return there.through_port ? Home::Program : Home::Driver;
  return Home::Driver;
}

PhysicalMemory::~PhysicalMemory() {
  if (device_bytes_ != nullptr) munmap(device_bytes_, mapped_);
  unmap_highest();
}

// Maps `bytes` bytes from the first one, mapped ones included. False: not possible (errno).
bool PhysicalMemory::map(Bytes bytes) {
  void* const memory = device_bytes_ == nullptr ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                                                : mremap(device_bytes_, mapped_, bytes, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) return false;
  // Touched for the first time in large pieces; where the kernel has no huge pages, it stays as it was.
  madvise(memory, bytes, MADV_HUGEPAGE);
  if (memory != device_bytes_) ++moves_;
  device_bytes_ = static_cast<std::byte*>(memory);
  mapped_ = bytes;
  return true;
}

void PhysicalMemory::unmap_highest() {
  if (highest_mapped_ != 0) munmap(highest_bytes_, highest_mapped_);
  highest_mapped_ = 0;
}

void PhysicalMemory::map_up_to(Bytes end) {
  if (end <= mapped_) return;
  // Twice as much each time, so that it grows seldom; where this fails, as much as needed.
  if (end > highest_from_) unmap_highest();
  const Bytes most = highest_mapped_ != 0 ? highest_from_ : device_.bytes;
  if (map(std::min(most, std::max(end, 2 * mapped_))) || map(end)) return;
  throw_unmapped(end);
}

std::optional<PhysicalAddress> PhysicalMemory::take_device(Bytes bytes) {
  PhysicalRange& device = device_;
  const auto first = device.frames.take(bytes);
  if (!first) return std::nullopt;
  try {
    map_up_to(*first - device.base + round_up(bytes, page_bytes_));
  } catch (const NoMemory&) {
    device.frames.give_back(*first, bytes);
    throw;
  }
  return first;
}

std::optional<PhysicalAddress> PhysicalMemory::take_highest_device(Bytes bytes) {
  PhysicalRange& device = device_;
  const auto first = device.frames.take_highest(bytes);
  if (!first) return std::nullopt;
  bytes = round_up(bytes, page_bytes_);
  const Bytes from = *first - device.base;
  if (from <= mapped_) {
    map_up_to(from + bytes);
    return first;
  }
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    device.frames.give_back(*first, bytes);
    throw_unmapped(bytes);
  }
  highest_bytes_ = static_cast<std::byte*>(memory);
  highest_from_ = from;
  highest_mapped_ = bytes;
  return first;
}

PhysicalRange& PhysicalMemory::lender_of(Home home, bool through_port) {
  if (!is_one()) return host_;
  if (home == Home::HostInL2) return window_in_l2_;
  return through_port || home != Home::OneDram ? window_ : host_;
}

PhysicalAddress PhysicalMemory::lend(std::byte* host, Bytes bytes, Bytes into_page, bool through_port,
                                     Home home) {
  PhysicalRange& dram = lender_of(home, through_port);
  const auto frames = dram.frames.take(std::max<Bytes>(into_page + bytes, 1));
  if (!frames)
    throw Error(host_.name + ": no room for " + std::to_string(bytes) +
                " bytes that the GPU is to reach (host.dram_bytes)");
  const PhysicalAddress first = *frames + into_page;
  lent_[first] = {host, bytes, through_port};
  last_backing_ = {};
  return first;
}

void PhysicalMemory::take_back(PhysicalAddress first) {
  const auto it = lent_.find(first);
  const PhysicalAddress frames = first.aligned_down(page_bytes_);
  lender_of(map_.home_of(first), false)
      .frames.give_back(frames, std::max<Bytes>(first - frames + it->second.left, 1));
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
