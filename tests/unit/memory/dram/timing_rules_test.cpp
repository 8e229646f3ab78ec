// Each timing rule: legal at its cycle, illegal one cycle earlier, and not felt outside of its scope.
#include "memory/dram/timing_rules.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "dram_rig.h"

namespace duet::test {
namespace {

using namespace memory;
using enum DramCommand;

// Numbers that no two parameters share, so that a rule with the wrong one is found.
config::Dram distinct() {
  config::Dram dram = gtx580_dram().dram;
  dram.burst_cycles = 2;
  auto& t = dram.timing;
  t.rcd = 13;
  t.rp = 17;
  t.ras = 31;
  t.rc = 53;
  t.rrd = 7;
  t.faw = 43;
  t.cl = 19;
  t.wl = 5;
  t.ccd = 3;
  t.ccd_l = 11;
  t.wtr = 6;
  t.wr = 23;
  t.rtp = 8;
  t.rtw = 37;
  t.rfc = 97;
  return dram;
}

// `next` to `next_bank` comes `cycles` after `previous` to bank 5 (group 1), and not earlier. 16 banks, 4
// groups: bank 9 is of the same group, bank 6 of another.
void expect_gap(const config::Dram& dram, DramCommand previous, DramCommand next, unsigned next_bank,
                Cycle cycles) {
  CommandTimer timer(timing_rules(dram), 16, 4);
  timer.record(previous, 5, 1000);
  const Cycle earliest = timer.earliest(next, next_bank);
  EXPECT_EQ(earliest, cycles == 0 ? 0 : 1000 + cycles)
      << "command " << static_cast<int>(next) << " after " << static_cast<int>(previous) << ", bank "
      << next_bank;
}

TEST(TimingRules, SameBank) {
  const auto dram = distinct();
  expect_gap(dram, Activate, Read, 5, 13);
  expect_gap(dram, Activate, Write, 5, 13);
  expect_gap(dram, Activate, Precharge, 5, 31);
  expect_gap(dram, Activate, Activate, 5, 53);
  expect_gap(dram, Precharge, Activate, 5, 17);
  expect_gap(dram, Read, Precharge, 5, 8);
  expect_gap(dram, Write, Precharge, 5, 5 + 2 + 23);
  expect_gap(dram, Read, Read, 5, 11);
  expect_gap(dram, Write, Write, 5, 11);
  expect_gap(dram, Read, Write, 5, 37);
  expect_gap(dram, Write, Read, 5, 5 + 2 + 6);
}

TEST(TimingRules, SameGroup) {
  const auto dram = distinct();
  expect_gap(dram, Read, Read, 9, 11);
  expect_gap(dram, Write, Write, 9, 11);
  expect_gap(dram, Read, Write, 9, 37);
  expect_gap(dram, Write, Read, 9, 13);
  expect_gap(dram, Activate, Activate, 9, 7);
  expect_gap(dram, Activate, Read, 9, 0);
  expect_gap(dram, Activate, Precharge, 9, 0);
  expect_gap(dram, Precharge, Activate, 9, 0);
  expect_gap(dram, Read, Precharge, 9, 0);
  expect_gap(dram, Write, Precharge, 9, 0);
}

TEST(TimingRules, OtherGroup) {
  const auto dram = distinct();
  expect_gap(dram, Read, Read, 6, 3);
  expect_gap(dram, Write, Write, 6, 3);
  expect_gap(dram, Read, Write, 6, 37);
  expect_gap(dram, Write, Read, 6, 13);
  expect_gap(dram, Activate, Activate, 6, 7);
}

TEST(TimingRules, Refresh) {
  const auto dram = distinct();
  for (const unsigned bank : {0u, 5u, 15u}) {
    expect_gap(dram, Refresh, Activate, bank, 97);
    expect_gap(dram, Refresh, Refresh, bank, 97);
    expect_gap(dram, Precharge, Refresh, bank, 17);
    expect_gap(dram, Activate, Refresh, bank, 53);
  }
}

TEST(TimingRules, TheDataBusIsOccupiedByBursts) {
  auto dram = distinct();
  dram.burst_cycles = 16;  // longer than tCCD, and than what the turnarounds leave
  expect_gap(dram, Read, Read, 6, 16);
  expect_gap(dram, Write, Write, 6, 16);
  dram.timing.rtw = 1;
  expect_gap(dram, Read, Write, 6, 19 + 16 - 5);  // write data lies wl after its command
  dram.timing.wtr = 0;
  dram.timing.cl = 1;
  expect_gap(dram, Write, Read, 6, 5 + 16);
}

TEST(TimingRules, FourActivatesInAWindow) {
  const auto dram = distinct();
  CommandTimer timer(timing_rules(dram), 16, 4);
  const Cycle times[] = {100, 107, 114, 121, 143, 150, 157, 164, 186, 193};
  unsigned bank = 0;
  for (unsigned i = 0; i < std::size(times); ++i) {
    Cycle expected = 0;
    if (i >= 1) expected = times[i - 1] + 7;
    if (i >= 4) expected = std::max(expected, times[i - 4] + 43);
    EXPECT_EQ(timer.earliest(Activate, bank), expected) << i;
    timer.record(Activate, bank++, times[i]);
  }
}

TEST(TimingRules, AWindowCountsEveryCommandHoweverSlow) {
  auto dram = distinct();
  dram.timing.rrd = 1;
  CommandTimer timer(timing_rules(dram), 16, 4);
  std::vector<Cycle> times;
  Random random;
  Cycle now = 0;
  for (unsigned i = 0; i < 200; ++i) {
    now = std::max(now + 1 + random(20), timer.earliest(Activate, i % 16));
    if (i >= 4) {
      EXPECT_GE(now, times[i - 4] + 43);
    }
    times.push_back(now);
    timer.record(Activate, i % 16, now);
    if (i >= 3) {
      EXPECT_GE(timer.earliest(Activate, (i + 1) % 16), times[i - 3] + 43);
    }
  }
}

TEST(TimingRules, MoreBanksThanASetHoldsAreRefused) {
  EXPECT_THROW(CommandTimer(timing_rules(distinct()), 128, 4), Error);
  EXPECT_THROW(CommandTimer(timing_rules(distinct()), 16, 3), Error);
  EXPECT_THROW(CommandTimer(timing_rules(distinct()), 4, 8), Error);
}

}  // namespace
}  // namespace duet::test
