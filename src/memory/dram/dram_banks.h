// The choices of a scheduling policy: the banks of a channel, each with its open row and the oldest requests
// for it, and the column and row commands for these requests. A row is closed when a request waits for
// another row of the bank and no request may use the open one; with the row policy "closed" also when no
// request waits for the bank.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "memory/dram/request_lists.h"
#include "memory/dram/timing_rules.h"

namespace duet::memory {

inline constexpr Cycle kNoCycle = ~Cycle{0};

struct DramPlan {
  Cycle cycle = kNoCycle;  // kNoCycle: nothing to do
  DramCommand command = DramCommand::Precharge;
  std::uint32_t bank = 0;
  std::uint32_t entry = kNoEntry;  // on whose behalf; kNoEntry: nobody's
};

constexpr DramCommand column_command(Direction direction) {
  return direction == Direction::Read ? DramCommand::Read : DramCommand::Write;
}
constexpr unsigned index_of(Direction direction) { return static_cast<unsigned>(direction); }

class DramBanks {
 public:
  struct Bank {
    bool open = false;
    std::uint32_t row = 0;
    std::uint32_t oldest = kNoEntry;                       // not blocked
    std::array<std::uint32_t, 2> hit{kNoEntry, kNoEntry};  // the oldest requests for the open row
    std::uint64_t oldest_sequence = kNoSequence;
  };
  struct Candidate {
    Cycle cycle = kNoCycle;
    std::uint64_t sequence = 0;
    std::uint32_t bank = 0;
  };
  // Banks whose row can be used in one direction, the one of the oldest request first.
  struct Columns {
    std::uint64_t banks = 0;
    unsigned count = 0;
    std::array<std::uint8_t, kMaxBanks> order{};
    std::array<std::uint64_t, kMaxBanks> sequence{};  // by bank: age of Bank::hit
  };
  // Banks that need a row command. By the banks' own rules none of them may have it before `bound`.
  struct RowCommands {
    std::uint64_t banks = 0;
    Cycle bound = 0;
  };
  static constexpr std::uint64_t kNoSequence = std::uint64_t{1} << 62;  // younger than every request

  DramBanks(const config::Dram& config, const RequestLists& requests);

  // The youngest request has been put into its list.
  void added(std::uint32_t index);
  // The bank's requests, its row, or the blocked clients have changed.
  void update(unsigned bank);
  void update_all();
  // Requests of these clients (a bit mask) wait, as if they were not there.
  void block(std::uint64_t clients) {
    blocked_ = clients;
    update_all();
  }
  // Holds the commands of these banks.
  void hold(std::uint64_t banks);
  void issue(const DramPlan& plan);

  // The first legal command among the wanted ones, at `from` or later.
  Candidate best_column(Direction direction, Cycle from) const;
  void best_row(DramCommand command, RowCommands& commands, Cycle from, Candidate& best) const;

  const RequestLists& requests;
  CommandTimer timer;
  std::array<Bank, kMaxBanks> banks;
  std::array<Columns, 2> columns;
  RowCommands activate, precharge;
  std::uint64_t work = 0, open = 0;  // sets of banks: with requests, with an open row
  std::uint64_t held = 0;
  Direction direction = Direction::Read;  // of the last column command
  // No request is overtaken, at a cost of time, by one admitted this many or more after it. kNoSequence:
  // none.
  std::uint64_t limit;
  // Whether the choice could differ from the last one, from any cycle up to the cycle of its command.
  bool outdated = true;

 private:
  std::uint32_t first_of(unsigned bank, Direction direction) const;
  std::uint32_t first_hit(unsigned bank, Direction direction) const;
  void set_hit(unsigned bank, unsigned direction, std::uint32_t hit, std::uint64_t sequence);
  void drop_hit(unsigned bank, unsigned direction);
  void need_row(RowCommands& commands, DramCommand command, unsigned bank);

  unsigned bank_count_;
  bool closes_idle_rows_;
  std::uint64_t blocked_ = 0;
};

inline DramBanks::Candidate DramBanks::best_column(Direction wanted, Cycle from) const {
  const Columns& ready = columns[index_of(wanted)];
  const DramCommand command = column_command(wanted);
  from = std::max(from, timer.earliest(command));
  Candidate best;
  for (unsigned i = 0; i < ready.count; ++i) {  // by age: the first of equal ones is the best
    const unsigned bank = ready.order[i];
    const Cycle cycle = std::max(from, timer.earliest_of_bank(command, bank));
    if (cycle >= best.cycle) continue;
    best = {cycle, ready.sequence[bank], bank};
    if (cycle == from) break;
  }
  return best;
}

inline void DramBanks::best_row(DramCommand command, RowCommands& commands, Cycle from,
                                Candidate& best) const {
  from = std::max(from, timer.earliest(command));
  commands.bound = kNoCycle;
  for (std::uint64_t wanted = commands.banks; wanted != 0; wanted &= wanted - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(wanted));
    const Cycle ready = timer.earliest_of_bank(command, bank);
    commands.bound = std::min(commands.bound, ready);
    const Cycle cycle = std::max(from, ready);
    const std::uint64_t sequence = banks[bank].oldest_sequence;
    if (cycle < best.cycle || (cycle == best.cycle && sequence < best.sequence))
      best = {cycle, sequence, bank};
  }
}

}  // namespace duet::memory
