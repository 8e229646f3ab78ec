// The parts of memory that functional execution touched last, to warm caches afterwards.
//   LineLog log(1000, 32);  log.touch(address); ...
//   log.take_latest([](VirtualAddress part) {...});  each once, the latest first
// It keeps the last `4 * parts` touches, so where few parts are touched again and again, older ones are lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "base/address.h"

namespace duet::gpu {

class LineLog {
 public:
  // As many parts as are asked for at most, each of `bytes`, a power of two.
  LineLog(std::size_t parts, unsigned bytes) : parts_(parts), bytes_(bytes), touches_(4 * parts) {}

  unsigned bytes() const { return bytes_; }
  void touch(std::uint64_t address) {
    const std::uint64_t part = address & ~std::uint64_t{bytes_ - 1};
    if (part == last_) return;
    last_ = part;
    touches_[count_++ % touches_.size()] = part;
  }

  // Another name for a part, outside the addresses of device code.
  static constexpr std::uint64_t kPhysical = std::uint64_t{1} << 63;
  void touch(PhysicalAddress address) { touch(address.value() | kPhysical); }

  // Forgets them. f(virtual address) or, for parts with the other name, f(physical address).
  template <typename F>
  void take_latest(const F& f) {
    std::unordered_set<std::uint64_t> seen;
    const std::size_t kept = count_ < touches_.size() ? count_ : touches_.size();
    for (std::size_t back = 1; back <= kept && seen.size() < parts_; ++back) {
      const std::uint64_t part = touches_[(count_ - back) % touches_.size()];
      if (!seen.insert(part).second) continue;
      if ((part & kPhysical) != 0)
        f(PhysicalAddress(part & ~kPhysical));
      else
        f(VirtualAddress(part));
    }
    count_ = 0;
    last_ = ~std::uint64_t{0};
  }

 private:
  std::size_t parts_, count_ = 0;
  unsigned bytes_;
  std::uint64_t last_ = ~std::uint64_t{0};
  std::vector<std::uint64_t> touches_;
};

}  // namespace duet::gpu
