#include "memory/dram/dram_banks.h"

#include "config/names.h"

namespace duet::memory {

DramBanks::DramBanks(const config::Dram& config, const RequestLists& list)
    : requests(list),
      timer(timing_rules(config), BankNumbering(config)),
      limit(config.queue_entries != 0 ? config.queue_entries : kNoSequence),
      bank_count_(static_cast<unsigned>(config.banks)),
      closes_idle_rows_(config::place_of("gpu.dram.row_policy", config.row_policy, config::kRowPolicies) ==
                        1) {}

std::uint32_t DramBanks::first_of(unsigned bank, Direction direction) const {
  std::uint32_t index = requests.first(bank, direction);
  if ((blocked_ | held) != 0) [[unlikely]] {
    if (held >> bank & 1) return kNoEntry;
    while (index != kNoEntry && (blocked_ >> requests[index].client & 1)) index = requests[index].next;
  }
  return index;
}

std::uint32_t DramBanks::first_hit(unsigned bank, Direction direction) const {
  std::uint32_t index = requests.first(bank, direction);
  while (index != kNoEntry &&
         (requests[index].row != banks[bank].row || (blocked_ >> requests[index].client & 1)))
    index = requests[index].next;
  return index;
}

inline void DramBanks::set_hit(unsigned bank, unsigned direction, std::uint32_t hit, std::uint64_t sequence) {
  banks[bank].hit[direction] = hit;
  Columns& ready = columns[direction];
  const std::uint64_t bit = 1ull << bank;
  if ((ready.banks & bit) != 0) {
    if (ready.sequence[bank] == sequence) return;
    drop_hit(bank, direction);
  }
  ready.banks |= bit;
  ready.sequence[bank] = sequence;
  unsigned at = ready.count++;
  for (; at != 0 && ready.sequence[ready.order[at - 1]] > sequence; --at)
    ready.order[at] = ready.order[at - 1];
  ready.order[at] = static_cast<std::uint8_t>(bank);
}

inline void DramBanks::drop_hit(unsigned bank, unsigned direction) {
  Columns& ready = columns[direction];
  const std::uint64_t bit = 1ull << bank;
  if ((ready.banks & bit) == 0) return;
  ready.banks &= ~bit;
  --ready.count;
  unsigned at = 0;
  while (ready.order[at] != bank) ++at;
  for (; at < ready.count; ++at) ready.order[at] = ready.order[at + 1];
}

inline void DramBanks::need_row(RowCommands& commands, DramCommand command, unsigned bank) {
  const Cycle earliest = timer.earliest_of_bank(command, bank);
  commands.bound = commands.banks == 0 ? earliest : std::min(commands.bound, earliest);
  commands.banks |= 1ull << bank;
}

// The result of update(): nothing changes for the requests before it.
void DramBanks::added(std::uint32_t index) {
  const DramEntry& entry = requests[index];
  if ((blocked_ >> entry.client | held >> entry.bank) & 1) [[unlikely]]
    return;
  const std::uint64_t bit = 1ull << entry.bank;
  Bank& bank = banks[entry.bank];
  const bool first = (work & bit) == 0;
  if (first) {
    bank.oldest = index;
    bank.oldest_sequence = entry.sequence;
    work |= bit;
    outdated = true;
    if (!bank.open) need_row(activate, DramCommand::Activate, entry.bank);
  }
  if (!bank.open) return;
  const unsigned d = index_of(entry.direction);
  if (bank.row != entry.row) {
    if (first) need_row(precharge, DramCommand::Precharge, entry.bank);
  } else if ((columns[d].banks & bit) == 0 && entry.sequence < bank.oldest_sequence + limit) {
    set_hit(entry.bank, d, index, entry.sequence);
    precharge.banks &= ~bit;
    outdated = true;
  }
}

void DramBanks::update(unsigned bank_number) {
  outdated = true;
  Bank& bank = banks[bank_number];
  const std::uint64_t bit = 1ull << bank_number;
  work &= ~bit;
  precharge.banks &= ~bit;
  activate.banks &= ~bit;
  const std::uint32_t read = first_of(bank_number, Direction::Read),
                      write = first_of(bank_number, Direction::Write);
  if (read != kNoEntry || write != kNoEntry) {
    bank.oldest =
        write == kNoEntry || (read != kNoEntry && requests[read].sequence < requests[write].sequence) ? read
                                                                                                      : write;
    bank.oldest_sequence = requests[bank.oldest].sequence;
    work |= bit;
    if (!bank.open) need_row(activate, DramCommand::Activate, bank_number);
  } else {
    bank.oldest = kNoEntry;
    bank.oldest_sequence = kNoSequence;
  }
  bool usable = false;
  for (const Direction direction : {Direction::Read, Direction::Write}) {
    const unsigned d = index_of(direction);
    const std::uint32_t hit = bank.open && (work & bit) != 0 ? first_hit(bank_number, direction) : kNoEntry;
    if (hit != kNoEntry && requests[hit].sequence < bank.oldest_sequence + limit) {
      set_hit(bank_number, d, hit, requests[hit].sequence);
      usable = true;
    } else {
      drop_hit(bank_number, d);
    }
  }
  if (bank.open && !usable && ((work & bit) != 0 || closes_idle_rows_))
    need_row(precharge, DramCommand::Precharge, bank_number);
}

void DramBanks::update_all() {
  for (unsigned bank = 0; bank < bank_count_; ++bank) update(bank);
}

void DramBanks::hold(std::uint64_t which) {
  std::uint64_t changed = held ^ which;
  held = which;
  for (; changed != 0; changed &= changed - 1) update(static_cast<unsigned>(std::countr_zero(changed)));
}

void DramBanks::issue(const DramPlan& plan) {
  timer.record(plan.command, plan.bank, plan.cycle);
  Bank& bank = banks[plan.bank];
  switch (plan.command) {
    case DramCommand::Activate:
      bank.open = true;
      bank.row = requests[plan.entry].row;
      open |= 1ull << plan.bank;
      update(plan.bank);
      break;
    case DramCommand::Precharge:
      bank.open = false;
      open &= ~(1ull << plan.bank);
      update(plan.bank);
      break;
    case DramCommand::Read:
      direction = Direction::Read;
      break;
    case DramCommand::Write:
      direction = Direction::Write;
      break;
    case DramCommand::Refresh:
    case DramCommand::RefreshBank:
      break;
  }
}

}  // namespace duet::memory
