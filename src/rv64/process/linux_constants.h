// Shared constants of the system calls: the process's ids, time, and signals, as in Linux. Source: Linux 6.1,
// include/uapi/asm-generic.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <optional>

#include "rv64/process/threads.h"

namespace duet::rv64 {

inline constexpr std::uint64_t kProcess = Threads::kFirstId, kParent = 1, kUser = 1000;
inline constexpr std::int64_t kSecond = 1'000'000'000;
// The date, and how long the machine has been on, when the run begins.
inline constexpr std::int64_t kEpoch = 946'684'800 * kSecond, kBooted = 1000 * kSecond;

struct Timespec {
  std::int64_t seconds, nanoseconds;
};
inline Timespec timespec_of(std::int64_t time) { return {time / kSecond, time % kSecond}; }
inline std::optional<std::int64_t> nanoseconds_of(const Timespec& time) {
  if (time.seconds < 0 || time.nanoseconds < 0 || time.nanoseconds >= kSecond) return std::nullopt;
  return std::min<std::int64_t>(time.seconds, 1'000'000'000) * kSecond + time.nanoseconds;
}

inline constexpr std::uint64_t bit_of(unsigned signal) { return std::uint64_t{1} << (signal - 1); }
inline constexpr std::uint64_t kNeverBlocked = bit_of(SIGKILL) | bit_of(SIGSTOP);
inline constexpr std::uint32_t kAnyBits = ~std::uint32_t{0};  // of a futex
inline constexpr std::uint64_t kDefault = 0, kIgnored = 1;    // handlers

}  // namespace duet::rv64
