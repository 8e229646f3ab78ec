// FCFS: only the oldest request gets commands; while there is none, rows are closed as the row policy wants.
#pragma once

#include "memory/dram/dram_banks.h"

namespace duet::memory {

struct Fcfs {
  static DramPlan choose(DramBanks& b, Cycle from) {
    if (b.work == 0) {
      DramBanks::Candidate row;
      b.best_row(DramCommand::Precharge, b.precharge, from, row);
      return {row.cycle, DramCommand::Precharge, row.bank, kNoEntry};
    }
    auto oldest = static_cast<unsigned>(std::countr_zero(b.work));
    for (std::uint64_t others = b.work & (b.work - 1); others != 0; others &= others - 1) {
      const auto bank = static_cast<unsigned>(std::countr_zero(others));
      if (b.banks[bank].oldest_sequence < b.banks[oldest].oldest_sequence) oldest = bank;
    }
    const DramBanks::Bank& bank = b.banks[oldest];
    const DramEntry& entry = b.requests[bank.oldest];
    const DramCommand command = !bank.open              ? DramCommand::Activate
                                : bank.row != entry.row ? DramCommand::Precharge
                                                        : column_command(entry.direction);
    return {std::max(from, b.timer.earliest(command, oldest)), command, oldest, bank.oldest};
  }
};

}  // namespace duet::memory
