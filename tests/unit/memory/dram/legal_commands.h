// The rules of gtx580's DRAM (dram_rig.h), written down a second time: a function of two commands, and a
// check of everything that a channel has issued.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "memory/dram/dram_controller.h"

namespace duet::test {

// What gtx580's numbers demand between two commands, written down a second time: a function of the pair.
inline Cycle least_gap(const memory::IssuedCommand& a, const memory::IssuedCommand& b) {
  using enum memory::DramCommand;
  const bool bank = a.bank == b.bank, group = a.bank % 4 == b.bank % 4;
  if (a.command == Activate) {
    if (b.command == Activate) return bank ? 40 : 6;
    if (b.command == Precharge) return bank ? 28 : 0;
    if (b.command == Refresh) return 40;
    return bank ? 12 : 0;
  }
  if (a.command == Precharge) return b.command == Refresh || (b.command == Activate && bank) ? 12 : 0;
  if (a.command == Read) {
    if (b.command == Read) return group ? 3 : 2;
    if (b.command == Write) return 12;
    return b.command == Precharge && bank ? 2 : 0;
  }
  if (a.command == Write) {
    if (b.command == Write) return group ? 3 : 2;
    if (b.command == Read) return 4 + 2 + 5;
    return b.command == Precharge && bank ? 4 + 2 + 12 : 0;
  }
  return b.command == Activate || b.command == Refresh ? 65 : 0;
}

inline void expect_legal(const std::vector<memory::IssuedCommand>& commands) {
  using enum memory::DramCommand;
  std::array<std::optional<std::uint32_t>, 16> rows;
  std::vector<Cycle> activates;
  Cycle bus_free = 0;
  unsigned violations = 0;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const memory::IssuedCommand& b = commands[i];
    for (std::size_t k = i; k-- > 0 && commands[k].cycle + 65 > b.cycle;) {
      const Cycle gap = std::max<Cycle>(least_gap(commands[k], b), 1);  // one command a cycle
      violations += b.cycle < commands[k].cycle + gap;
    }
    switch (b.command) {
      case Activate:
        violations += rows[b.bank].has_value();
        rows[b.bank] = b.row;
        if (activates.size() >= 4) violations += b.cycle < activates[activates.size() - 4] + 23;
        activates.push_back(b.cycle);
        break;
      case Precharge:
        violations += !rows[b.bank].has_value();
        rows[b.bank].reset();
        break;
      case Refresh:
        for (const auto& row : rows) violations += row.has_value();
        break;
      default: {
        violations += rows[b.bank] != b.row;
        const Cycle data = b.cycle + (b.command == Read ? 12 : 4);
        violations += data < bus_free;
        bus_free = data + 2;
      }
    }
    ASSERT_EQ(violations, 0u) << "command " << i << " at cycle " << b.cycle;
  }
}

}  // namespace duet::test
