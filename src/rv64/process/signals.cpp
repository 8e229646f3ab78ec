#include "rv64/process/signals.h"

#include <algorithm>
#include <bit>
#include <csignal>

#include "rv64/process/linux_constants.h"

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kFaults =
    bit_of(SIGSEGV) | bit_of(SIGBUS) | bit_of(SIGILL) | bit_of(SIGTRAP) | bit_of(SIGFPE) | bit_of(SIGSYS);
constexpr std::uint32_t kAutoDisarm = 1u << 31;

}  // namespace

bool PendingSignals::add(const SignalInfo& info) {
  const auto signal = static_cast<unsigned>(info.signal);
  if (signal < kFirstRealTime && (bits_ & bit_of(signal)) != 0) return true;
  if (queue_.size() >= kMostQueued) return false;
  bits_ |= bit_of(signal);
  queue_.push_back(info);
  return true;
}

std::optional<SignalInfo> PendingSignals::take(std::uint64_t signals) {
  std::uint64_t wanted = bits_ & signals;
  if (wanted == 0) return std::nullopt;
  if ((wanted & kFaults) != 0) wanted &= kFaults;
  const auto signal = static_cast<std::int32_t>(std::countr_zero(wanted) + 1);
  const auto is_it = [&](const SignalInfo& info) { return info.signal == signal; };
  const auto at = std::find_if(queue_.begin(), queue_.end(), is_it);
  const SignalInfo info = *at;
  queue_.erase(at);
  if (std::none_of(queue_.begin(), queue_.end(), is_it)) bits_ &= ~bit_of(static_cast<unsigned>(signal));
  return info;
}

void PendingSignals::drop(unsigned signal) {
  bits_ &= ~bit_of(signal);
  std::erase_if(queue_, [&](const SignalInfo& info) { return info.signal == static_cast<int>(signal); });
}

bool AlternateStack::holds(std::uint64_t pointer) const {
  return (flags & kAutoDisarm) == 0 && pointer > address && pointer - address <= bytes;
}

void SignalFrame::save(const Registers& registers) {
  x[0] = registers.pc;
  std::copy_n(registers.x.begin() + 1, 31, x.begin() + 1);
  f = registers.f;
  fcsr = registers.fcsr();
}

void SignalFrame::restore(Registers& registers) const {
  registers.pc = x[0];
  std::copy_n(x.begin() + 1, 31, registers.x.begin() + 1);
  registers.f = f;
  registers.set_fcsr(fcsr);
}

}  // namespace duet::rv64
