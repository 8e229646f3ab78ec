// The DRAM standards for gpu.dram.standard: each is a table of rules in a file of its own under standards/,
// beside the rules of every standard.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "memory/dram/timing_rules.h"

namespace duet::memory {

struct DramStandard {
  std::string_view name;
  bool has_bank_groups, has_ranks, refreshes_banks;  // otherwise a machine file cannot ask for them
  std::span<const StandardRule> rules;
};

extern const std::span<const StandardRule> kRulesOfEveryStandard;
extern const DramStandard kGddr5, kDdr3, kHbm3;

// Why no rule of this machine's standard has the parameter; empty: one has.
std::string why_unused(const config::Dram& dram, std::uint64_t config::DramTiming::*parameter);

// Throws duet::Error: an unknown name, or a parameter outside the standard.
const DramStandard& standard_of(const config::Dram& dram);

}  // namespace duet::memory
