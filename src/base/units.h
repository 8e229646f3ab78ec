// The quantities of every room: simulated time, sizes, addresses. Time is an integer number of picoseconds;
// nobody adds up rounded periods of a clock.
#pragma once

#include <cstdint>
#include <limits>

namespace duet {

using Picoseconds = std::uint64_t;  // a point in simulated time or a duration
using Cycle = std::uint64_t;        // the index of a clock edge
using Bytes = std::uint64_t;
// An address, but not yet one of memory (base/address.h): a lane value, or a place in a state space of PTX.
using Address = std::uint64_t;

inline constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();
inline constexpr Picoseconds kPicosecondsPerNanosecond = 1000;
inline constexpr Picoseconds kPicosecondsPerSecond = 1'000'000'000'000;

inline constexpr Bytes operator""_KiB(unsigned long long n) { return n << 10; }
inline constexpr Bytes operator""_MiB(unsigned long long n) { return n << 20; }
inline constexpr Bytes operator""_GiB(unsigned long long n) { return n << 30; }

template <typename T>
constexpr T round_up(T value, T multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace duet
