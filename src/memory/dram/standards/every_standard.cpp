// Rules that GDDR5 (JESD212), DDR3 (JESD79-3) and HBM3 (JESD238) share, and the search by name.
#include "base/error.h"
#include "config/names.h"
#include "memory/dram/standards/parameters.h"

namespace duet::memory {

namespace {

using namespace standards;

constexpr StandardRule kRules[] = {
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

const std::span<const StandardRule> kRulesOfEveryStandard = kRules;

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
