// Pending signals, a handler's frame, and timers.
#include "rv64/process/signals.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstddef>

#include "rv64/process/timers.h"

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

SignalInfo signal_of(int number, std::uint64_t value = 0) {
  SignalInfo info;
  info.signal = number;
  info.fields[1] = value;
  return info;
}

TEST(RvPendingSignals, StandardOnesAreKeptOnceAndOthersQueue) {
  PendingSignals pending;
  for (std::uint64_t i = 0; i < 3; ++i) {
    pending.add(signal_of(SIGUSR1, i));
    pending.add(signal_of(40, i));
  }
  EXPECT_EQ(pending.take(kAll)->fields[1], 0u);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto info = pending.take(kAll);
    ASSERT_TRUE(info);
    EXPECT_EQ(info->signal, 40);
    EXPECT_EQ(info->fields[1], i);
  }
  EXPECT_FALSE(pending.take(kAll));
  EXPECT_EQ(pending.bits(), 0u);
}

TEST(RvPendingSignals, FaultsComeFirstThenTheLowest) {
  PendingSignals pending;
  for (const int number : {SIGTERM, SIGHUP, SIGSEGV, 35}) pending.add(signal_of(number));
  EXPECT_FALSE(pending.take(std::uint64_t{1} << (SIGUSR1 - 1)));
  for (const int number : {SIGSEGV, SIGHUP, SIGTERM, 35}) EXPECT_EQ(pending.take(kAll)->signal, number);
  pending.add(signal_of(36));
  pending.add(signal_of(36));
  pending.drop(36);
  EXPECT_FALSE(pending.take(kAll));
}

TEST(RvPendingSignals, TheQueueIsLimited) {
  PendingSignals pending;
  for (std::size_t i = 0; i < PendingSignals::kMostQueued; ++i) ASSERT_TRUE(pending.add(signal_of(50)));
  EXPECT_FALSE(pending.add(signal_of(50)));
}

TEST(RvSignalFrame, HasLinuxsLayoutAndAllRegisters) {
  // riscv: siginfo 128, ucontext 176 before the registers, which begin with pc; then f0 to f31 and fcsr.
  EXPECT_EQ(offsetof(SignalFrame, flags), 128u);
  EXPECT_EQ(offsetof(SignalFrame, stack), 144u);
  EXPECT_EQ(offsetof(SignalFrame, mask), 168u);
  EXPECT_EQ(offsetof(SignalFrame, x), 304u);
  EXPECT_EQ(offsetof(SignalFrame, f), 560u);
  EXPECT_EQ(offsetof(SignalFrame, fcsr), 816u);
  Registers before;
  for (unsigned i = 1; i < 32; ++i) before.x[i] = i * 3;
  for (unsigned i = 0; i < 32; ++i) before.f[i] = i * 5;
  before.pc = 0x1234;
  before.set_fcsr(0x6b);
  SignalFrame frame;
  frame.save(before);
  Registers after;
  frame.restore(after);
  EXPECT_EQ(after.x, before.x);
  EXPECT_EQ(after.f, before.f);
  EXPECT_EQ(after.pc, before.pc);
  EXPECT_EQ(after.fcsr(), before.fcsr());
  EXPECT_EQ(frame.x[0], 0x1234u);
}

TEST(RvAlternateStack, HoldsWhatIsInIt) {
  AlternateStack stack{0x1000, 0, 0, 0x800};
  EXPECT_FALSE(stack.holds(0x1000));
  EXPECT_TRUE(stack.holds(0x1001));
  EXPECT_TRUE(stack.holds(0x1800));
  EXPECT_FALSE(stack.holds(0x1801));
}

TEST(RvTimers, ExpireOnceOrAgainAndAgain) {
  Timers timers;
  Timer& once = timers.interval_timer(0);
  once.signal = SIGALRM;
  once.expiry = 100;
  Timer* often = timers.create();
  often->signal = 40;
  often->clock = Timer::Clock::Executed;
  often->expiry = 10;
  often->interval = 20;
  EXPECT_EQ(timers.until_next({0, 0}, true), 10);
  EXPECT_EQ(timers.until_next({0, 0}, false), 100);  // the other one stands still
  std::vector<std::pair<unsigned, std::int64_t>> seen;
  const auto see = [&](Timer& timer, std::int64_t expiries) { seen.emplace_back(timer.signal, expiries); };
  timers.expire({99, 9}, see);
  EXPECT_TRUE(seen.empty());
  timers.expire({100, 55}, see);
  EXPECT_EQ(seen, (std::vector<std::pair<unsigned, std::int64_t>>{{SIGALRM, 1}, {40, 3}}));
  EXPECT_EQ(*often->expiry, 70);
  EXPECT_FALSE(once.expiry);
  EXPECT_EQ(timers.find(0), often);
  EXPECT_TRUE(timers.remove(0));
  EXPECT_FALSE(timers.remove(0));
  EXPECT_FALSE(timers.until_next({0, 0}, true));
}

}  // namespace
}  // namespace duet::rv64
