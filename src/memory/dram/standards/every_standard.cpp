// The common rules of GDDR5 (JESD212), DDR3 (JESD79-3) and HBM3 (JESD238), and the search by name.
#include "base/error.h"
#include "config/names.h"
#include "memory/dram/standards/parameters.h"

namespace duet::memory {

namespace {

using namespace standards;

constexpr StandardRule kCommonRules[] = {
    {Activate, Read, Bank, rcd},
    {Activate, Write, Bank, rcd},
    {Activate, Precharge, Bank, ras},
    {Activate, Activate, Bank, rc},
    {Precharge, Activate, Bank, rp},
    {Read, Precharge, Bank, rtp},
    {Write, Precharge, Bank, wl + burst + wr},
    {Read, Read, Rank, ccd},
    {Write, Write, Rank, ccd},
    {Read, Write, Rank, rtw},
    {Write, Read, Rank, wl + burst + wtr},
    {Activate, Activate, Rank, rrd},
    {Activate, Activate, Rank, faw, 4},
    // The data bus: a burst starts when the last one has ended. A read after a write is later anyway.
    {Read, Read, Channel, burst},
    {Write, Write, Channel, burst},
    {Read, Write, Channel, cl + burst - wl},
    // Refresh of a rank.
    {Activate, Refresh, Rank, rc},
    {Precharge, Refresh, Rank, rp},
    {Refresh, Activate, Rank, rfc},
    {Refresh, Refresh, Rank, rfc},
};

constexpr const DramStandard* kStandards[] = {&kGddr5, &kDdr3, &kHbm3};

}  // namespace

const std::span<const StandardRule> kRulesOfEveryStandard = kCommonRules;

std::string why_unused(const config::Dram& dram, std::uint64_t config::DramTiming::*parameter) {
  // The time of the data is no rule: the controller adds it.
  if (parameter == &config::DramTiming::cl || parameter == &config::DramTiming::wl) return {};
  const TimingSum one = standards::parameter(parameter);
  std::string why = "gpu.dram.standard = \"" + dram.standard + "\" has no such rule";
  for (const auto table : {kRulesOfEveryStandard, standard_of(dram).rules})
    for (const StandardRule& rule : table) {
      bool has = false;
      for (std::size_t i = 0; i < kTimingParameters.size(); ++i)
        has |= one.times[i] != 0 && rule.time.times[i] != 0;
      if (!has) continue;
      const auto is = [&rule](DramCommand command) {
        return rule.previous == command || rule.next == command;
      };
      if (rule.scope == TimingScope::OtherRanks && dram.ranks == 1) {
        why = "gpu.dram.ranks is 1";
      } else if (!dram.refresh && (is(DramCommand::Refresh) || is(DramCommand::RefreshBank))) {
        why = "gpu.dram.refresh is false";
      } else if (is(dram.refresh_unit == "bank" ? DramCommand::Refresh : DramCommand::RefreshBank)) {
        why = "gpu.dram.refresh_unit is \"" + dram.refresh_unit + "\"";
      } else {
        return {};
      }
    }
  return why;
}

const DramStandard& standard_of(const config::Dram& dram) {
  const DramStandard* found = nullptr;
  for (const DramStandard* standard : kStandards)
    if (standard->name == dram.standard) found = standard;
  if (found == nullptr)
    throw Error(config::unknown_name("gpu.dram.standard", dram.standard, config::kDramStandards));
  const auto refuse = [&](const std::string& what) {
    throw Error("gpu.dram.standard = \"" + dram.standard + "\": " + what);
  };
  if (!found->has_bank_groups && dram.bank_groups != 1)
    refuse("it has no bank groups, so gpu.dram.bank_groups must be 1");
  if (!found->has_ranks && dram.ranks != 1) refuse("it has no ranks, so gpu.dram.ranks must be 1");
  if (!found->refreshes_banks && dram.refresh_unit == "bank")
    refuse("it has no refresh of single banks, so gpu.dram.refresh_unit must be \"rank\"");
  return *found;
}

}  // namespace duet::memory
