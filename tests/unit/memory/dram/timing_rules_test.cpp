// Each rule of each standard: legal at its cycle, illegal one cycle earlier, and not felt outside of its
// scope. What the standards demand stands here a second time, as numbers.
#include "memory/dram/timing_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "config/names.h"
#include "dram_rig.h"
#include "memory/dram/standards.h"

namespace duet::test {
namespace {

using namespace memory;
using enum DramCommand;

// Numbers that no two parameters share, so that a rule with the wrong one is found.
config::Dram distinct(const std::string& standard) {
  config::Dram dram = gtx580_dram().dram;
  dram.standard = standard;
  dram.bank_groups = standard == "DDR3" ? 1 : 4;
  dram.ranks = standard == "GDDR5" ? 1 : 2;
  dram.banks = 32;
  dram.burst_cycles = 2;
  auto& t = dram.timing;
  t.rcd = 13;
  t.rp = 17;
  t.ras = 31;
  t.rc = 53;
  t.rrd = 7;
  t.rrd_l = 9;
  t.faw = 43;
  t.aw32 = 400;
  t.cl = 19;
  t.wl = 5;
  t.ccd = 3;
  t.ccd_l = 11;
  t.wtr = 6;
  t.wtr_l = 10;
  t.wr = 23;
  t.rtp = 8;
  t.rtw = 37;
  t.rtrs = 4;
  t.rfc = 97;
  t.rfc_pb = 61;
  t.rrefd = 14;
  return dram;
}
// Bursts longer than what else keeps column commands apart.
config::Dram long_bursts(const std::string& standard) {
  config::Dram dram = distinct(standard);
  dram.burst_cycles = 16;
  dram.timing.rtw = 1;
  dram.timing.wtr = 0;
  dram.timing.cl = 1;
  return dram;
}

// `next` comes this many cycles after `previous` to the same bank, another bank of its group, of another
// group of its rank, and of another rank. Pairs that are not listed may follow at once.
struct Demand {
  DramCommand previous, next;
  Cycle same_bank, same_group, same_rank, other_rank;
};
using Demands = std::vector<Demand>;

const Demands kOfAll{{Activate, Read, 13, 0, 0, 0},       {Activate, Write, 13, 0, 0, 0},
                     {Activate, Precharge, 31, 0, 0, 0},  {Precharge, Activate, 17, 0, 0, 0},
                     {Read, Precharge, 8, 0, 0, 0},       {Activate, Refresh, 53, 53, 53, 0},
                     {Precharge, Refresh, 17, 17, 17, 0}, {Refresh, Activate, 97, 97, 97, 0},
                     {Refresh, Refresh, 97, 97, 97, 0}};

Demands with(Demands all, const Demands& own) {
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

struct Case {
  const char* standard;
  Demands distinct, long_bursts;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all{{"GDDR5",
                                      with(kOfAll, {{Activate, Activate, 53, 7, 7, 0},
                                                    {Write, Precharge, 30, 0, 0, 0},
                                                    {Read, Read, 11, 11, 3, 0},
                                                    {Write, Write, 11, 11, 3, 0},
                                                    {Read, Write, 37, 37, 37, 0},
                                                    {Write, Read, 13, 13, 13, 0}}),
                                      with(kOfAll, {{Activate, Activate, 53, 7, 7, 0},
                                                    {Write, Precharge, 44, 0, 0, 0},
                                                    {Read, Read, 16, 16, 16, 0},
                                                    {Write, Write, 16, 16, 16, 0},
                                                    {Read, Write, 12, 12, 12, 0},
                                                    {Write, Read, 21, 21, 21, 0}})},
                                     {"DDR3",
                                      with(kOfAll, {{Activate, Activate, 53, 7, 7, 0},
                                                    {Write, Precharge, 30, 0, 0, 0},
                                                    {Read, Read, 3, 3, 3, 6},
                                                    {Write, Write, 3, 3, 3, 6},
                                                    {Read, Write, 37, 37, 37, 20},
                                                    {Write, Read, 13, 13, 13, 0}}),
                                      with(kOfAll, {{Activate, Activate, 53, 7, 7, 0},
                                                    {Write, Precharge, 44, 0, 0, 0},
                                                    {Read, Read, 16, 16, 16, 20},
                                                    {Write, Write, 16, 16, 16, 20},
                                                    {Read, Write, 12, 12, 12, 16},
                                                    {Write, Read, 21, 21, 21, 24}})},
                                     {"HBM3",
                                      with(kOfAll, {{Activate, Activate, 53, 9, 7, 0},
                                                    {Write, Precharge, 30, 0, 0, 0},
                                                    {Read, Read, 11, 11, 3, 6},
                                                    {Write, Write, 11, 11, 3, 6},
                                                    {Read, Write, 37, 37, 37, 20},
                                                    {Write, Read, 17, 17, 13, 0},
                                                    {Activate, RefreshBank, 53, 7, 7, 0},
                                                    {Precharge, RefreshBank, 17, 0, 0, 0},
                                                    {RefreshBank, Activate, 61, 14, 14, 0},
                                                    {RefreshBank, RefreshBank, 61, 14, 14, 0},
                                                    {RefreshBank, Refresh, 61, 61, 61, 0},
                                                    {Refresh, RefreshBank, 97, 97, 97, 0}}),
                                      with(kOfAll, {{Activate, Activate, 53, 9, 7, 0},
                                                    {Write, Precharge, 44, 0, 0, 0},
                                                    {Read, Read, 16, 16, 16, 20},
                                                    {Write, Write, 16, 16, 16, 20},
                                                    {Read, Write, 12, 12, 12, 16},
                                                    {Write, Read, 31, 31, 21, 24},
                                                    {Activate, RefreshBank, 53, 7, 7, 0},
                                                    {Precharge, RefreshBank, 17, 0, 0, 0},
                                                    {RefreshBank, Activate, 61, 14, 14, 0},
                                                    {RefreshBank, RefreshBank, 61, 14, 14, 0},
                                                    {RefreshBank, Refresh, 61, 61, 61, 0},
                                                    {Refresh, RefreshBank, 97, 97, 97, 0}})}};
  return all;
}

// Every pair of commands to every pair of banks: how many differ from what is demanded, and the first.
struct Differences {
  unsigned number = 0;
  std::string first;
};
Differences differences(const config::Dram& dram, const std::vector<TimingRule>& rules,
                        const Demands& demands) {
  const auto groups = static_cast<unsigned>(dram.bank_groups), ranks = static_cast<unsigned>(dram.ranks);
  Differences found;
  for (unsigned previous = 0; previous < kDramCommands; ++previous)
    for (unsigned next = 0; next < kDramCommands; ++next) {
      const auto demand = std::find_if(demands.begin(), demands.end(), [&](const Demand& d) {
        return d.previous == DramCommand{static_cast<std::uint8_t>(previous)} &&
               d.next == DramCommand{static_cast<std::uint8_t>(next)};
      });
      for (const unsigned bank : {0u, 5u, 31u}) {
        CommandTimer timer(rules, BankNumbering(dram));
        timer.record(DramCommand{static_cast<std::uint8_t>(previous)}, bank, 1000);
        for (unsigned other = 0; other < dram.banks; ++other) {
          Cycle gap = 0;
          if (demand != demands.end()) {
            const bool rank = bank / groups % ranks == other / groups % ranks;
            gap = bank == other                     ? demand->same_bank
                  : !rank                           ? demand->other_rank
                  : bank % groups == other % groups ? demand->same_group
                                                    : demand->same_rank;
          }
          const Cycle earliest = timer.earliest(DramCommand{static_cast<std::uint8_t>(next)}, other);
          if (earliest == (gap == 0 ? 0 : 1000 + gap)) continue;
          if (found.number++ == 0)
            found.first = "command " + std::to_string(next) + " to bank " + std::to_string(other) +
                          " after " + std::to_string(previous) + " to bank " + std::to_string(bank) + ": " +
                          std::to_string(earliest - 1000) + " cycles instead of " + std::to_string(gap);
        }
      }
    }
  return found;
}

TEST(TimingRules, EveryPairOfCommandsAndBanksOfEveryStandard) {
  for (const Case& c : cases()) {
    const auto short_bursts =
        differences(distinct(c.standard), timing_rules(distinct(c.standard)), c.distinct);
    EXPECT_EQ(short_bursts.number, 0u) << c.standard << ": " << short_bursts.first;
    const auto bursts =
        differences(long_bursts(c.standard), timing_rules(long_bursts(c.standard)), c.long_bursts);
    EXPECT_EQ(bursts.number, 0u) << c.standard << ", long bursts: " << bursts.first;
  }
}

// So every rule is there for something, and the test above would miss it.
TEST(TimingRules, WithoutAnyOneRuleSomethingWouldBeLegalTooEarly) {
  for (const Case& c : cases()) {
    const auto rules = timing_rules(distinct(c.standard)), bursts = timing_rules(long_bursts(c.standard));
    for (std::size_t i = 0; i < rules.size(); ++i) {
      if (rules[i].window != 1) continue;
      auto fewer = rules, fewer_bursts = bursts;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      fewer_bursts.erase(fewer_bursts.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_NE(differences(distinct(c.standard), fewer, c.distinct).number +
                    differences(long_bursts(c.standard), fewer_bursts, c.long_bursts).number,
                0u)
          << c.standard << ", rule " << i;
    }
  }
}

TEST(TimingRules, EveryNameOfAStandardIsKnown) {
  for (const std::string_view name : config::kDramStandards)
    EXPECT_EQ(standard_of(distinct(std::string(name))).name, name);
  EXPECT_EQ(cases().size(), config::kDramStandards.size());
}

TEST(TimingRules, WhatAStandardDoesNotHaveIsRefused) {
  const auto refused = [](const char* standard, auto change) -> std::string {
    config::Dram dram = distinct(standard);
    change(dram);
    try {
      standard_of(dram);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(refused("DDR3", [](auto& dram) { dram.bank_groups = 4; }).find("no bank groups"),
            std::string::npos);
  EXPECT_NE(refused("GDDR5", [](auto& dram) { dram.ranks = 2; }).find("no ranks"), std::string::npos);
  EXPECT_NE(refused("DDR3", [](auto& dram) { dram.refresh_unit = "bank"; }).find("refresh of single banks"),
            std::string::npos);
  EXPECT_EQ(refused("DDR3", [](auto& dram) { dram.standard = "DDR9"; }),
            "gpu.dram.standard = \"DDR9\" is not known: known are GDDR5, DDR3, HBM3");
  EXPECT_EQ(refused("HBM3", [](auto& dram) { dram.refresh_unit = "bank"; }), "");
}

// ACTs as early as they are legal, to banks and ranks at random: exactly when rrd and the windows, counted
// over all ACTs of the rank, allow it.
void expect_windows(config::Dram dram, Cycle rrd, Cycle faw, Cycle aw32) {
  dram.timing.rc = dram.timing.rrd_l = 1;
  dram.timing.rrd = rrd;
  dram.timing.faw = faw;
  dram.timing.aw32 = aw32;
  const BankNumbering numbering(dram);
  CommandTimer timer(timing_rules(dram), numbering);
  std::vector<std::vector<Cycle>> activates(numbering.ranks);
  Random random;
  Cycle now = 1000;
  unsigned four = 0, many = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    const auto bank = static_cast<unsigned>(random(numbering.banks));
    auto& own = activates[numbering.rank_of(bank)];
    Cycle expected = own.empty() ? 0 : own.back() + rrd;
    const auto window = [&](std::size_t length, Cycle cycles) {
      if (own.size() < length || own[own.size() - length] + cycles <= std::max(expected, now)) return 0u;
      expected = own[own.size() - length] + cycles;
      return 1u;
    };
    four += window(4, faw);
    if (dram.standard == "GDDR5") many += window(32, aw32);
    ASSERT_EQ(std::max(timer.earliest(Activate, bank), now), std::max(expected, now)) << dram.standard << i;
    now = std::max(expected, now) + (random(8) == 0 ? random(60) : 0);
    own.push_back(now);
    timer.record(Activate, bank, now++);
  }
  EXPECT_EQ(four != 0, faw != 0);
  EXPECT_EQ(many != 0, dram.standard == "GDDR5" && aw32 != 0);
}

TEST(TimingRules, WindowsOfActivatesCountARanksOwn) {
  expect_windows(distinct("GDDR5"), 2, 0, 150);
  expect_windows(distinct("GDDR5"), 2, 23, 0);
  expect_windows(distinct("GDDR5"), 2, 11, 170);
  expect_windows(distinct("DDR3"), 3, 40, 0);
  expect_windows(distinct("HBM3"), 3, 40, 500);
}

TEST(TimingRules, BanksThatCannotBeNumberedAreRefused) {
  const auto refused = [](std::uint64_t banks, std::uint64_t groups, std::uint64_t ranks) {
    config::Dram dram = distinct("HBM3");
    dram.banks = banks;
    dram.bank_groups = groups;
    dram.ranks = ranks;
    EXPECT_THROW(BankNumbering{dram}, Error);
  };
  refused(128, 4, 1);
  refused(16, 3, 1);
  refused(4, 8, 1);
  refused(16, 4, 8);
  refused(16, 4, 3);
}

}  // namespace
}  // namespace duet::test
