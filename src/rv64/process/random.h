// Random bytes, the same in every run. Source: Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
// Generators", 2014 (SplitMix64).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace duet::rv64 {

class RandomBytes {
 public:
  explicit RandomBytes(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  void fill(std::span<std::byte> bytes) {
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(next() >> 56);
  }

 private:
  std::uint64_t state_;
};

}  // namespace duet::rv64
