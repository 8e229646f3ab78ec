// FR-FCFS (Rixner et al., "Memory Access Scheduling", ISCA 2000): the command with the earliest legal cycle
// goes first; at one cycle a column command to an open row goes before ACT and PRE; among equals the older
// request goes first. Column commands keep the bus's direction as long as there is one for it. No request is
// overtaken by one admitted `limit` (queue_entries) or more requests after it, where an overtaker would cost
// it time: by row hits of its bank, by the other direction's hits while its own row is open, or at a cycle's
// command slot. This bounds starvation; queue_entries = 0 does not.
#pragma once

#include "memory/dram/dram_banks.h"

namespace duet::memory {

struct FrFcfs {
  static DramPlan choose(DramBanks& b, Cycle from) {
    const Direction turned = b.direction == Direction::Read ? Direction::Write : Direction::Read;
    Direction direction = b.direction;
    DramBanks::Candidate column = b.best_column(direction, from);
    if (const DramBanks::Columns& others = b.columns[index_of(turned)]; others.count != 0) {
      const bool starved = others.sequence[others.order[0]] + b.limit <= column.sequence;
      if (starved || std::max(from, b.timer.earliest(column_command(turned))) < column.cycle) {
        const DramBanks::Candidate other = b.best_column(turned, from);
        const bool earlier = other.cycle < column.cycle;
        if (earlier || starved) {
          column = other;
          direction = turned;
          b.outdated = !earlier;  // otherwise it is the first legal command
        }
      }
    }
    DramBanks::Candidate row;
    // A command too late for the whole channel or for every bank need not be looked at bank by bank.
    const auto possible = [&](DramCommand command, const DramBanks::RowCommands& commands) {
      return commands.banks != 0 &&
             std::max({from, b.timer.earliest(command), commands.bound}) <= column.cycle;
    };
    if (possible(DramCommand::Activate, b.activate)) b.best_row(DramCommand::Activate, b.activate, from, row);
    if (possible(DramCommand::Precharge, b.precharge))
      b.best_row(DramCommand::Precharge, b.precharge, from, row);
    if (row.cycle < column.cycle ||
        (row.cycle == column.cycle && row.sequence + b.limit <= column.sequence)) {
      const DramCommand command =
          b.activate.banks >> row.bank & 1 ? DramCommand::Activate : DramCommand::Precharge;
      return {row.cycle, command, row.bank, b.banks[row.bank].oldest};
    }
    return {column.cycle, column_command(direction), column.bank,
            b.banks[column.bank].hit[index_of(direction)]};
  }
};

}  // namespace duet::memory
