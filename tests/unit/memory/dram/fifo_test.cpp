// FIFO with a latch a bank: order of admission, banks side by side, and a slow model that looks at every
// cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "dram_rig.h"
#include "legal_commands.h"

namespace duet::test {
namespace {

using namespace memory;

config::Gpu with_fifo() {
  config::Gpu gpu = gtx580_dram();
  gpu.dram.scheduler = "fifo";
  gpu.dram.queue_entries = 0;
  return gpu;
}

// Of the commands to a bank, the `number`-th of a kind.
Cycle cycle_of(const DramRig& rig, DramCommand command, unsigned bank, unsigned number = 0) {
  for (const IssuedCommand& c : rig.commands)
    if (c.command == command && c.bank == bank && number-- == 0) return c.cycle;
  return 0;
}

// FR-FCFS takes the hit before the conflict, and FIFO the one that was admitted first.
TEST(DramFifo, ARowHitWaitsBehindAConflictOfItsBank) {
  for (const bool fifo : {false, true})
    for (const bool conflict_first : {false, true}) {
      config::Gpu gpu = with_fifo();
      if (!fifo) gpu.dram.scheduler = "fr-fcfs";
      DramRig rig(gpu);
      const RequestHandle opens = rig.read(DramRig::at(0, 1));
      rig.run();
      const unsigned first = conflict_first ? 2 : 1;
      std::vector<RequestHandle> sent{opens, rig.read(DramRig::at(0, first, 256)),
                                      rig.read(DramRig::at(0, 3 - first, 512))};
      rig.run();
      if (!fifo && conflict_first) std::swap(sent[1], sent[2]);
      EXPECT_EQ(rig.order(), sent) << fifo << conflict_first;
      EXPECT_EQ(rig.unit.statistics().row_conflicts, fifo && conflict_first ? 2u : 1u);
      expect_legal(rig.commands);
    }
}

// The head of the queue finds its bank's latch taken: what is behind it waits, though its bank is free.
TEST(DramFifo, ARequestBehindABlockedHeadWaits) {
  for (const unsigned bytes : {64u, 128u})
    for (const bool blocked : {false, true}) {
      DramRig rig(with_fifo());
      rig.read(DramRig::at(0, 1), bytes);
      if (blocked) rig.read(DramRig::at(0, 2), bytes);
      rig.read(DramRig::at(1, 1), bytes);
      rig.run();
      // The first is latched at cycle 1 and opens its row. Its only RD, or the last one of two, is 12 or 15
      // cycles later; then the head is latched, and a cycle later the request behind it.
      const Cycle last_read = 1 + 12 + (bytes == 128 ? 3 : 0);
      EXPECT_EQ(cycle_of(rig, DramCommand::Activate, 0), 1u);
      EXPECT_EQ(cycle_of(rig, DramCommand::Read, 0, bytes / 64 - 1), last_read);
      EXPECT_EQ(cycle_of(rig, DramCommand::Activate, 1), blocked ? last_read + 2 : 1u + 6) << bytes;
      expect_legal(rig.commands);
    }
}

// The same for the last of n banks with latches, and the first of n + 1 requests that finds none.
TEST(DramFifo, AsManyRequestsAreLatchedAsThereAreBanks) {
  for (const unsigned requests : {16u, 17u}) {
    DramRig rig(with_fifo());
    for (unsigned i = 0; i < requests; ++i) rig.read(DramRig::at(i % 16, i / 16), 64);
    rig.run();
    unsigned opened = 0;
    for (const IssuedCommand& c : rig.commands) {
      if (c.command == DramCommand::Precharge) break;
      opened += c.command == DramCommand::Activate;
    }
    EXPECT_EQ(cycle_of(rig, DramCommand::Precharge, 0) != 0, requests == 17);
    EXPECT_EQ(rig.client().answers.size(), requests);
    // Not before the first one's row has been open for tRAS.
    if (requests == 17) {
      EXPECT_EQ(cycle_of(rig, DramCommand::Precharge, 0), 1u + 28);
    } else {
      EXPECT_EQ(opened, 16u);
    }
  }
}

// As FR-FCFS for requests to banks of their own (DramScheduling.BanksWorkSideBySide).
TEST(DramFifo, BanksWorkSideBySide) {
  DramRig rig(with_fifo());
  for (unsigned bank = 0; bank < 4; ++bank) rig.read(DramRig::at(bank, 0));
  rig.run();
  EXPECT_EQ(cycle_of(rig, DramCommand::Activate, 1), 1u + 6);
  // The first bank's RD takes the cycle of the third ACT: column commands go first.
  EXPECT_EQ(cycle_of(rig, DramCommand::Read, 0), 1u + 12);
  EXPECT_EQ(cycle_of(rig, DramCommand::Activate, 2), 1u + 12 + 1);
  EXPECT_EQ(rig.client().answers.back().time, rig.clock.edge(1 + 18 + 1 + 12 + 3 + 12 + 2 + 100) + 1);
}

// A write in an open row among reads of other banks, which would keep the bus forever; and a conflict among
// hits of other banks, which would take every command slot.
TEST(DramFifo, NobodyStarves) {
  for (const bool slots : {false, true}) {
    config::Gpu gpu = with_fifo();
    if (slots) gpu.dram.burst_cycles = gpu.dram.timing.ccd = gpu.dram.timing.ccd_l = 1;
    DramRig rig(gpu, 1, 4096);
    for (unsigned bank = 0; bank < 4; ++bank) rig.read(DramRig::at(bank, 0), 64);
    rig.run();
    const auto before = static_cast<std::ptrdiff_t>(rig.order().size());
    for (unsigned i = 0; i < 4; ++i) rig.read(DramRig::at(i % 3, 0, 128 * i), 64);
    const RequestHandle victim = slots ? rig.read(DramRig::at(3, 1), 64) : rig.write(DramRig::at(3, 0), 64);
    for (unsigned i = 0; i < 1000; ++i) rig.read(DramRig::at(i % 3, 0, 128 * (i / 3 % 32)), 64);
    rig.run();
    const auto order = rig.order();
    const auto position = std::find(order.begin(), order.end(), victim) - order.begin() - before;
    EXPECT_EQ(order.size(), 1009u);
    EXPECT_GE(position, 4 + 32) << slots;  // it is overtaken
    EXPECT_LE(position, 4 + static_cast<std::ptrdiff_t>(Fifo::kOvertaken)) << slots;
  }
}

// Every cycle: requests are admitted, the head of the queue is latched, a command is chosen.
struct SlowModel {
  struct Item {
    Cycle seen;
    unsigned bank, row;
    bool write;
    unsigned bursts;
    unsigned number;
  };

  bool legal(DramCommand command, unsigned bank, Cycle now) const {
    const IssuedCommand next{now, command, bank, 0};
    for (std::size_t i = log.size(); i-- > 0 && log[i].cycle + 65 > now;)
      if (now < log[i].cycle + std::max<Cycle>(least_gap(log[i], next), 1)) return false;
    if (command == DramCommand::Activate && activates.size() >= 4)
      return now >= activates[activates.size() - 4] + 23;
    if (command == DramCommand::Read) return now + 12 >= bus_free;
    if (command == DramCommand::Write) return now + 4 >= bus_free;
    return true;
  }

  void issue(DramCommand command, unsigned bank, unsigned row, Cycle now) {
    log.push_back({now, command, bank, row});
    if (command == DramCommand::Activate) {
      rows[bank] = row;
      activates.push_back(now);
    }
    if (command == DramCommand::Precharge) rows[bank].reset();
    if (command == DramCommand::Read) bus_free = now + 12 + 2;
    if (command == DramCommand::Write) bus_free = now + 4 + 2;
  }

  bool is_wanted(unsigned bank) const {
    return latches[bank] ||
           std::any_of(queue.begin(), queue.end(), [bank](const Item& item) { return item.bank == bank; });
  }

  void refresh(Cycle now) {
    bool open = false;
    for (unsigned bank = 0; bank < 16; ++bank) {
      if (!rows[bank]) continue;
      open = true;
      if (legal(DramCommand::Precharge, bank, now)) return issue(DramCommand::Precharge, bank, 0, now);
    }
    if (open || !legal(DramCommand::Refresh, 0, now)) return;
    issue(DramCommand::Refresh, 0, 0, now);
    refresh_due += 1904;
  }

  void command(Cycle now) {
    std::optional<unsigned> best, oldest;
    for (unsigned bank = 0; bank < 16; ++bank)
      if (latches[bank] && (!oldest || latches[bank]->number < latches[*oldest]->number)) oldest = bank;
    DramCommand chosen{};
    bool best_column = false;
    for (unsigned bank = 0; bank < 16; ++bank) {
      if (!latches[bank] || latches[bank]->number >= latches[*oldest]->number + 64) continue;
      const Item& item = *latches[bank];
      const bool column = rows[bank] == item.row;
      const DramCommand wanted = !rows[bank]  ? DramCommand::Activate
                                 : !column    ? DramCommand::Precharge
                                 : item.write ? DramCommand::Write
                                              : DramCommand::Read;
      if (!legal(wanted, bank, now)) continue;
      const bool better = !best || (column != best_column ? column : item.number < latches[*best]->number);
      if (!better) continue;
      best = bank;
      chosen = wanted;
      best_column = column;
    }
    if (best) {
      issue(chosen, *best, latches[*best]->row, now);
      if (best_column && --latches[*best]->bursts == 0) latches[*best].reset();
      return;
    }
    for (unsigned bank = 0; closes && bank < 16; ++bank)
      if (rows[bank] && !is_wanted(bank) && legal(DramCommand::Precharge, bank, now))
        return issue(DramCommand::Precharge, bank, 0, now);
  }

  bool done() const {
    for (unsigned bank = 0; bank < 16; ++bank)
      if (latches[bank] || (closes && rows[bank])) return false;
    return to_come.empty() && queue.empty();
  }

  void run() {
    for (Cycle now = 0; !done(); ++now) {
      for (; !to_come.empty() && to_come.front().seen == now; to_come.pop_front())
        queue.push_back(to_come.front());
      if (!queue.empty() && !latches[queue.front().bank]) {
        latches[queue.front().bank] = queue.front();
        queue.pop_front();
      }
      if (refreshes && now >= refresh_due)
        refresh(now);
      else
        command(now);
    }
  }

  bool refreshes = false, closes = false;
  std::deque<Item> to_come;
  std::deque<Item> queue;
  std::array<std::optional<Item>, 16> latches;
  std::array<std::optional<unsigned>, 16> rows;
  std::vector<IssuedCommand> log;
  std::vector<Cycle> activates;
  Cycle bus_free = 0, refresh_due = 1904;
};

TEST(DramFifo, IssuesWhatASlowModelIssues) {
  unsigned commands = 0;
  for (unsigned seed = 1; seed <= 48; ++seed) {
    SCOPED_TRACE(seed);
    Random random{seed};
    SlowModel slow;
    slow.refreshes = seed % 2 != 0;
    slow.closes = seed % 3 == 0;
    config::Gpu gpu = with_fifo();
    gpu.dram.refresh = slow.refreshes;
    gpu.dram.row_policy = slow.closes ? "closed" : "open";
    DramRig rig(gpu, 1, 4096);
    const unsigned banks = 1u << random(5), rows = 1 + random(3), most = 1 + random(80),
                   gap = 1 + random(400);
    const bool writes = random(3) != 0;
    Cycle now = 1;
    for (unsigned number = 0; number < 600;) {
      rig.engine.run_until(rig.clock.edge(now) - 2);
      for (unsigned i = 1 + random(most); i-- > 0; ++number) {
        SlowModel::Item item{now,
                             static_cast<unsigned>(random(banks)),
                             static_cast<unsigned>(random(rows)),
                             writes && random(3) == 0,
                             1 + static_cast<unsigned>(random(2)),
                             number};
        slow.to_come.push_back(item);
        rig.send(item.write ? Operation::Write : Operation::Read,
                 DramRig::at(item.bank, item.row, 128 * random(32)), 64 * item.bursts);
      }
      now += 1 + random(gap) + (random(20) == 0 ? 3000 : 0);
    }
    rig.run();
    slow.run();
    // Refreshes of an idle channel are counted, and not all are in the log.
    const auto without_refreshes = [](const std::vector<IssuedCommand>& log) {
      std::vector<std::tuple<Cycle, DramCommand, unsigned, unsigned>> result;
      for (const IssuedCommand& c : log)
        if (c.command != DramCommand::Refresh)
          result.emplace_back(c.cycle, c.command, c.bank, c.command == DramCommand::Precharge ? 0 : c.row);
      return result;
    };
    const auto expected = without_refreshes(slow.log), issued = without_refreshes(rig.commands);
    ASSERT_EQ(issued.size(), expected.size());
    for (std::size_t i = 0; i < issued.size(); ++i) ASSERT_EQ(issued[i], expected[i]) << "command " << i;
    commands += issued.size();
  }
  EXPECT_GT(commands, 48u * 600);
}

// An atomic's read leaves its latch, and its write is the youngest request: others to its line come between.
TEST(DramFifo, AtomicsAndReadsOfALineKeepTheirOrder) {
  for (const std::uint64_t entries : {0, 2}) {
    config::Gpu gpu = with_fifo();
    gpu.dram.queue_entries = entries;
    gpu.dram.refresh = true;
    DramRig rig(gpu);
    Random random;
    std::array<std::uint32_t, 5> words{};
    std::vector<std::pair<RequestHandle, std::uint32_t>> expected;
    for (unsigned i = 0; i < 1000; ++i) {
      const auto word = random(words.size());
      const Address address = DramRig::at(word % 2, word / 2, 128 * word);
      const bool atomic = random(2) == 0;
      const RequestHandle handle = rig.send(atomic ? Operation::Atomic : Operation::Read, address, 4);
      expected.emplace_back(handle, words[word]);
      if (!atomic) continue;
      Request& request = rig.pool[handle];
      request.atomic_operation = AtomicOperation::Add;
      request.atomic_type = AtomicType::U32;
      const std::uint32_t one = 1;
      std::memcpy(request.data.data(), &one, sizeof one);
      ++words[word];
    }
    rig.run();
    ASSERT_EQ(rig.client().answers.size(), 1000u);
    unsigned wrong = 0;
    for (const auto& [handle, value] : expected)
      wrong += std::memcmp(rig.pool[handle].data.data(), &value, 4) != 0;
    EXPECT_EQ(wrong, 0u);
    expect_legal(rig.commands);
  }
}

// A client without room for answers now and then: its latched requests go back, and nobody else waits for
// them.
TEST(DramFifo, BlockedClientsComeBack) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Random random{seed};
    config::Gpu gpu = seed % 4 == 0 ? with_full_empty() : with_fifo();
    gpu.dram.scheduler = "fifo";
    gpu.dram.queue_entries = seed % 3 == 0 ? 4 : 0;
    gpu.dram.refresh = seed % 2 == 0;
    DramRig rig(gpu, 3, 3, seed);
    const unsigned lines = 1 + random(60);
    std::array<unsigned, 3> sent{};
    for (unsigned i = 0; i < 900; ++i) {
      const auto client = static_cast<unsigned>(random(3));
      ++sent[client];
      const auto line = random(lines);  // of whichever client: lines are shared, too
      const Operation operations[] = {Operation::Read, Operation::Write, Operation::Read};
      rig.send(operations[random(3)], DramRig::at(line % 16, line / 16), 128, client);
    }
    for (unsigned i = 0; i < 60; ++i) {
      rig.engine.run_until(rig.engine.now() + 1 + random(400'000));
      for (unsigned client = 0; client < 3; ++client) {
        rig.client(client).takes_answers = random(2) == 0;
        rig.engine.wake(rig.client(client), rig.engine.now() + 1);
      }
    }
    for (unsigned client = 0; client < 3; ++client) {
      rig.client(client).takes_answers = true;
      rig.engine.wake(rig.client(client), rig.engine.now() + 1);
    }
    rig.run();
    for (unsigned client = 0; client < 3; ++client)
      EXPECT_EQ(rig.client(client).answers.size(), sent[client]) << seed;
    expect_legal(rig.commands);
  }
}

}  // namespace
}  // namespace duet::test
