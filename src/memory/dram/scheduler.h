// Which command a DRAM channel issues next, and when: FR-FCFS or FCFS over the admitted requests, and
// refresh.
//
// FR-FCFS (Rixner et al., "Memory Access Scheduling", ISCA 2000): the command that is legal first goes first;
// at one cycle a column command to an open row goes before ACT and PRE; among equals the older request goes
// first. Column commands keep the bus's direction as long as there is one for it. A row is closed when
// somebody waits for another row of the bank and nobody may use the open one. No request is overtaken by one
// admitted `limit` (queue_entries) or more requests after it, where an overtaker would cost it time: by row
// hits of its bank, by the other direction's hits while its own row is open, or at a cycle's command slot.
// That bounds starvation. FCFS: only the oldest request gets commands.
// Refresh is due every refi cycles; a refresh that is due closes all rows and goes before everything else.
// Left out: postponing refresh, closing rows that nobody waits for.
#pragma once

#include <array>
#include <cstdint>

#include "memory/dram/request_lists.h"
#include "memory/dram/timing_rules.h"

namespace duet::memory {

inline constexpr Cycle kNoCycle = ~Cycle{0};

struct DramPlan {
  Cycle cycle = kNoCycle;  // kNoCycle: nothing to do
  DramCommand command = DramCommand::Precharge;
  std::uint32_t bank = 0;
  std::uint32_t entry = kNoEntry;  // on whose behalf; kNoEntry: refresh
};

class DramScheduler {
 public:
  // `requests` is what the caller keeps; throws duet::Error for numbers that do not fit together.
  DramScheduler(const config::Dram& config, const RequestLists& requests);

  // The youngest request has been put into its list.
  void added(std::uint32_t index);
  // The bank's requests, its row, or the blocked clients have changed.
  void update(unsigned bank);
  void update_all();
  // Requests of these clients wait, as if they were not there (a bit mask).
  void block(std::uint64_t clients) {
    blocked_ = clients;
    update_all();
  }
  // The best command at `from` or later as things stand.
  DramPlan choose(Cycle from);
  // Whether choose() could find anything else than it last found, from any cycle up to that of its plan.
  bool outdated() const { return outdated_; }
  // The command is issued. The caller updates what changes with its request; rows are known here.
  void issue(const DramPlan& plan);
  // Issues the refreshes (and the PREs they need) that come before `cycle` while there are no requests;
  // `on_command` hears of each command, with the number of whole intervals skipped before it.
  template <typename F>
  void refresh_before(Cycle cycle, F&& on_command) {
    while (refresh_due_ < cycle) {
      DramPlan plan = choose_refresh(std::max(free_at_, refresh_due_));
      if (plan.cycle >= cycle) return;
      std::uint64_t skipped = 0;
      if (plan.command == DramCommand::Refresh && plan.cycle == refresh_due_) {
        // Rows stay closed and an interval is longer than a refresh: every one starts when it is due.
        skipped = (cycle - 1 - refresh_due_) / refresh_interval_;
        refresh_due_ += skipped * refresh_interval_;
        plan.cycle = refresh_due_;
      }
      issue(plan);
      on_command(plan, skipped);
    }
  }

 private:
  struct Bank {
    bool open = false;
    std::uint32_t row = 0;
    std::uint32_t oldest = kNoEntry;                       // not blocked
    std::array<std::uint32_t, 2> hit{kNoEntry, kNoEntry};  // oldest that may use the open row
    std::uint64_t oldest_sequence = 0;
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
  // Banks that need a row command; none of them may have it before `bound` as far as the banks are concerned.
  struct RowCommands {
    std::uint64_t banks = 0;
    Cycle bound = 0;
  };
  std::uint32_t first_of(unsigned bank, Direction direction) const;
  std::uint32_t first_hit(unsigned bank, Direction direction) const;
  void set_hit(unsigned bank, unsigned direction, std::uint32_t hit, std::uint64_t sequence);
  void drop_hit(unsigned bank, unsigned direction);
  void need_row(RowCommands& commands, DramCommand command, unsigned bank);
  Candidate best_column(Direction direction, Cycle from) const;
  void best_row(DramCommand command, RowCommands& commands, Cycle from, Candidate& best) const;
  DramPlan choose_first_ready(Cycle from);
  DramPlan choose_oldest(Cycle from) const;
  DramPlan choose_refresh(Cycle from) const;

  const RequestLists& requests_;
  CommandTimer timer_;
  unsigned bank_count_;
  bool first_ready_;
  std::uint64_t limit_;
  Cycle refresh_interval_;
  Cycle refresh_due_ = kNoCycle;
  Cycle free_at_ = 0;  // the cycle after the last command
  Direction direction_ = Direction::Read;
  std::uint64_t blocked_ = 0;
  bool outdated_ = true;
  std::array<Bank, kMaxBanks> banks_;
  std::uint64_t work_ = 0, open_ = 0;  // sets of banks: with requests, with an open row
  std::array<Columns, 2> columns_;
  RowCommands activate_, precharge_;
};

}  // namespace duet::memory
