#include "memory/dram/scheduler.h"

#include <bit>

#include "base/error.h"
#include "config/names.h"

namespace duet::memory {

namespace {

constexpr DramCommand column_command(Direction direction) {
  return direction == Direction::Read ? DramCommand::Read : DramCommand::Write;
}
constexpr unsigned index_of(Direction direction) { return static_cast<unsigned>(direction); }

}  // namespace

DramScheduler::DramScheduler(const config::Dram& config, const RequestLists& requests)
    : requests_(requests),
      timer_(timing_rules(config), static_cast<unsigned>(config.banks),
             static_cast<unsigned>(config.bank_groups)),
      bank_count_(static_cast<unsigned>(config.banks)),
      first_ready_(config::place_of("gpu.dram.scheduler", config.scheduler, config::kDramSchedulers) == 0),
      limit_(config.queue_entries),
      refresh_interval_(config.timing.refi) {
  if (!config.refresh) return;
  // Within one interval: every row closed, the refresh itself, and something left for requests.
  const config::DramTiming& t = config.timing;
  const Cycle closing = config.banks + t.rc + t.wl + config.burst_cycles + t.wr + t.rtp + t.rp;
  if (t.refi <= closing + t.rfc)
    throw Error("gpu.dram.timing.refi = " + std::to_string(t.refi) +
                " leaves no time between refreshes: more than " + std::to_string(closing + t.rfc) +
                " cycles are needed");
  refresh_due_ = refresh_interval_;
}

std::uint32_t DramScheduler::first_of(unsigned bank, Direction direction) const {
  std::uint32_t index = requests_.first(bank, direction);
  if (blocked_ != 0) [[unlikely]]
    while (index != kNoEntry && (blocked_ >> requests_[index].client & 1)) index = requests_[index].next;
  return index;
}

std::uint32_t DramScheduler::first_hit(unsigned bank, Direction direction) const {
  std::uint32_t index = requests_.first(bank, direction);
  while (index != kNoEntry &&
         (requests_[index].row != banks_[bank].row || (blocked_ >> requests_[index].client & 1)))
    index = requests_[index].next;
  return index;
}

inline void DramScheduler::set_hit(unsigned bank, unsigned direction, std::uint32_t hit,
                                   std::uint64_t sequence) {
  banks_[bank].hit[direction] = hit;
  Columns& columns = columns_[direction];
  const std::uint64_t bit = 1ull << bank;
  if ((columns.banks & bit) != 0) {
    if (columns.sequence[bank] == sequence) return;
    drop_hit(bank, direction);
  }
  columns.banks |= bit;
  columns.sequence[bank] = sequence;
  unsigned at = columns.count++;
  for (; at != 0 && columns.sequence[columns.order[at - 1]] > sequence; --at)
    columns.order[at] = columns.order[at - 1];
  columns.order[at] = static_cast<std::uint8_t>(bank);
}

inline void DramScheduler::drop_hit(unsigned bank, unsigned direction) {
  Columns& columns = columns_[direction];
  const std::uint64_t bit = 1ull << bank;
  if ((columns.banks & bit) == 0) return;
  columns.banks &= ~bit;
  --columns.count;
  unsigned at = 0;
  while (columns.order[at] != bank) ++at;
  for (; at < columns.count; ++at) columns.order[at] = columns.order[at + 1];
}

inline void DramScheduler::need_row(RowCommands& commands, DramCommand command, unsigned bank) {
  const Cycle earliest = timer_.earliest_of_bank(command, bank);
  commands.bound = commands.banks == 0 ? earliest : std::min(commands.bound, earliest);
  commands.banks |= 1ull << bank;
}

// What update() would find: nothing changes for the requests before it.
void DramScheduler::added(std::uint32_t index) {
  const DramEntry& entry = requests_[index];
  if (blocked_ >> entry.client & 1) [[unlikely]]
    return;
  const std::uint64_t bit = 1ull << entry.bank;
  Bank& bank = banks_[entry.bank];
  const bool first = (work_ & bit) == 0;
  if (first) {
    bank.oldest = index;
    bank.oldest_sequence = entry.sequence;
    work_ |= bit;
    outdated_ = true;
    if (!bank.open) need_row(activate_, DramCommand::Activate, entry.bank);
  }
  if (!bank.open) return;
  const unsigned d = index_of(entry.direction);
  if (bank.row != entry.row) {
    if (first) need_row(precharge_, DramCommand::Precharge, entry.bank);
  } else if ((columns_[d].banks & bit) == 0 && entry.sequence < bank.oldest_sequence + limit_) {
    set_hit(entry.bank, d, index, entry.sequence);
    precharge_.banks &= ~bit;
    outdated_ = true;
  }
}

void DramScheduler::update(unsigned bank_number) {
  outdated_ = true;
  Bank& bank = banks_[bank_number];
  const std::uint64_t bit = 1ull << bank_number;
  work_ &= ~bit;
  precharge_.banks &= ~bit;
  activate_.banks &= ~bit;
  const std::uint32_t read = first_of(bank_number, Direction::Read),
                      write = first_of(bank_number, Direction::Write);
  if (read != kNoEntry || write != kNoEntry) {
    bank.oldest =
        write == kNoEntry || (read != kNoEntry && requests_[read].sequence < requests_[write].sequence)
            ? read
            : write;
    bank.oldest_sequence = requests_[bank.oldest].sequence;
    work_ |= bit;
    if (!bank.open) need_row(activate_, DramCommand::Activate, bank_number);
  }
  bool usable = false;
  for (const Direction direction : {Direction::Read, Direction::Write}) {
    const unsigned d = index_of(direction);
    const std::uint32_t hit = bank.open && (work_ & bit) != 0 ? first_hit(bank_number, direction) : kNoEntry;
    if (hit != kNoEntry && requests_[hit].sequence < bank.oldest_sequence + limit_) {
      set_hit(bank_number, d, hit, requests_[hit].sequence);
      usable = true;
    } else {
      drop_hit(bank_number, d);
    }
  }
  if (bank.open && !usable && (work_ & bit) != 0) need_row(precharge_, DramCommand::Precharge, bank_number);
}

void DramScheduler::update_all() {
  for (unsigned bank = 0; bank < bank_count_; ++bank) update(bank);
}

inline DramScheduler::Candidate DramScheduler::best_column(Direction direction, Cycle from) const {
  const Columns& columns = columns_[index_of(direction)];
  const DramCommand command = column_command(direction);
  from = std::max(from, timer_.earliest(command));
  Candidate best;
  for (unsigned i = 0; i < columns.count; ++i) {  // by age: the first of those that are equal is the best
    const unsigned bank = columns.order[i];
    const Cycle cycle = std::max(from, timer_.earliest_of_bank(command, bank));
    if (cycle >= best.cycle) continue;
    best = {cycle, columns.sequence[bank], bank};
    if (cycle == from) break;
  }
  return best;
}

inline void DramScheduler::best_row(DramCommand command, RowCommands& commands, Cycle from,
                                    Candidate& best) const {
  from = std::max(from, timer_.earliest(command));
  commands.bound = kNoCycle;
  for (std::uint64_t banks = commands.banks; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    const Cycle ready = timer_.earliest_of_bank(command, bank);
    commands.bound = std::min(commands.bound, ready);
    const Cycle cycle = std::max(from, ready);
    const std::uint64_t sequence = banks_[bank].oldest_sequence;
    if (cycle < best.cycle || (cycle == best.cycle && sequence < best.sequence))
      best = {cycle, sequence, bank};
  }
}

inline DramPlan DramScheduler::choose_first_ready(Cycle from) {
  const Direction turned = direction_ == Direction::Read ? Direction::Write : Direction::Read;
  Direction direction = direction_;
  Candidate column = best_column(direction, from);
  if (const Columns& others = columns_[index_of(turned)]; others.count != 0) {
    const bool starved = others.sequence[others.order[0]] + limit_ <= column.sequence;
    if (starved || std::max(from, timer_.earliest(column_command(turned))) < column.cycle) {
      const Candidate other = best_column(turned, from);
      const bool earlier = other.cycle < column.cycle;
      if (earlier || starved) {
        column = other;
        direction = turned;
        outdated_ = !earlier;  // otherwise it is the first legal command
      }
    }
  }
  Candidate row;
  // What comes too late for the whole channel or for every bank need not be looked at bank by bank.
  const auto possible = [&](DramCommand command, const RowCommands& commands) {
    return commands.banks != 0 && std::max({from, timer_.earliest(command), commands.bound}) <= column.cycle;
  };
  if (possible(DramCommand::Activate, activate_)) best_row(DramCommand::Activate, activate_, from, row);
  if (possible(DramCommand::Precharge, precharge_)) best_row(DramCommand::Precharge, precharge_, from, row);
  if (row.cycle < column.cycle || (row.cycle == column.cycle && row.sequence + limit_ <= column.sequence)) {
    const DramCommand command =
        activate_.banks >> row.bank & 1 ? DramCommand::Activate : DramCommand::Precharge;
    return {row.cycle, command, row.bank, banks_[row.bank].oldest};
  }
  return {column.cycle, column_command(direction), column.bank, banks_[column.bank].hit[index_of(direction)]};
}

DramPlan DramScheduler::choose(Cycle from) {
  outdated_ = false;
  if (work_ == 0) return {};
  from = std::max(from, free_at_);
  if (from < refresh_due_) {
    const DramPlan plan = first_ready_ ? choose_first_ready(from) : choose_oldest(from);
    if (plan.cycle < refresh_due_) return plan;
  }
  outdated_ = true;  // what refresh puts off comes earlier when there is less of it
  return choose_refresh(std::max(from, refresh_due_));
}

DramPlan DramScheduler::choose_oldest(Cycle from) const {
  auto oldest = static_cast<unsigned>(std::countr_zero(work_));
  for (std::uint64_t banks = work_ & (work_ - 1); banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    if (banks_[bank].oldest_sequence < banks_[oldest].oldest_sequence) oldest = bank;
  }
  const Bank& bank = banks_[oldest];
  const DramEntry& entry = requests_[bank.oldest];
  const DramCommand command = !bank.open              ? DramCommand::Activate
                              : bank.row != entry.row ? DramCommand::Precharge
                                                      : column_command(entry.direction);
  return {std::max(from, timer_.earliest(command, oldest)), command, oldest, bank.oldest};
}

DramPlan DramScheduler::choose_refresh(Cycle from) const {
  if (open_ == 0) return {std::max(from, timer_.earliest(DramCommand::Refresh, 0)), DramCommand::Refresh};
  DramPlan best;
  best.command = DramCommand::Precharge;
  for (std::uint64_t banks = open_; banks != 0; banks &= banks - 1) {
    const auto bank = static_cast<unsigned>(std::countr_zero(banks));
    const Cycle cycle = std::max(from, timer_.earliest(DramCommand::Precharge, bank));
    if (cycle < best.cycle) {
      best.cycle = cycle;
      best.bank = bank;
    }
  }
  return best;
}

void DramScheduler::issue(const DramPlan& plan) {
  timer_.record(plan.command, plan.bank, plan.cycle);
  free_at_ = plan.cycle + 1;
  Bank& bank = banks_[plan.bank];
  switch (plan.command) {
    case DramCommand::Activate:
      bank.open = true;
      bank.row = requests_[plan.entry].row;
      open_ |= 1ull << plan.bank;
      update(plan.bank);
      break;
    case DramCommand::Precharge:
      bank.open = false;
      open_ &= ~(1ull << plan.bank);
      update(plan.bank);
      break;
    case DramCommand::Read:
      direction_ = Direction::Read;
      break;
    case DramCommand::Write:
      direction_ = Direction::Write;
      break;
    case DramCommand::Refresh:
      refresh_due_ += refresh_interval_;
      break;
  }
}

}  // namespace duet::memory
