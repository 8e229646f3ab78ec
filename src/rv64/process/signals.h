// Signals as in Linux: the data of one, the pending ones of a thread or of the process, and a handler's
// frame. Standard signals are kept once; real-time signals (from 32 on) queue. Source: Linux 6.1,
// include/uapi/asm-generic/siginfo.h, arch/riscv/include/uapi/asm/ucontext.h, sigcontext.h and
// arch/riscv/kernel/signal.c.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "rv64/hart.h"

namespace duet::rv64 {

// siginfo_t. The fields: its sender (process, and in the upper half user) and a value; or an address.
struct SignalInfo {
  std::int32_t signal = 0, error = 0, code = 0, padding = 0;
  std::array<std::uint64_t, 14> fields{};
};
static_assert(sizeof(SignalInfo) == 128);

class PendingSignals {
 public:
  static constexpr unsigned kFirstRealTime = 32;
  static constexpr std::size_t kMostQueued = 4096;

  // False: the queue is full.
  bool add(const SignalInfo& info);
  // The next one of these, bit 0 being signal 1: faults first, then by number.
  std::optional<SignalInfo> take(std::uint64_t signals);
  void drop(unsigned signal);
  std::uint64_t bits() const { return bits_; }

 private:
  std::uint64_t bits_ = 0;
  std::vector<SignalInfo> queue_;  // in the order of their sending
};

// As the guest has it: of sigaltstack.
struct AlternateStack {
  std::uint64_t address = 0;
  std::uint32_t flags = 2;  // SS_DISABLE
  std::uint32_t padding = 0;
  std::uint64_t bytes = 0;

  bool holds(std::uint64_t pointer) const;
};

// struct rt_sigframe: the data at a handler's stack pointer.
struct SignalFrame {
  SignalInfo info;
  std::uint64_t flags = 0, link = 0;
  AlternateStack stack;
  std::uint64_t mask = 0;
  std::array<std::uint64_t, 16> unused{};
  std::array<std::uint64_t, 32> x{};  // pc in the place of x0
  std::array<std::uint64_t, 32> f{};
  std::uint32_t fcsr = 0;
  std::array<std::uint32_t, 67> reserved{};  // room for quad precision

  void save(const Registers& registers);
  void restore(Registers& registers) const;
};
static_assert(sizeof(SignalFrame) == 1088);

}  // namespace duet::rv64
