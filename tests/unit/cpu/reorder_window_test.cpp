// The window of a core: retirement in order, registers' status, waiting operands, and squashes of all three.
#include "cpu/reorder_window.h"

#include <gtest/gtest.h>

#include "cpu/register_status.h"
#include "cpu/wakeup.h"

namespace duet::cpu {
namespace {

std::vector<Cycle> retirements(ReorderWindow& window) {
  std::vector<Cycle> cycles;
  window.retire([&](const WindowEntry& entry) { cycles.push_back(entry.retire); });
  return cycles;
}

// An instruction that is complete in `cycle`, or at no known one.
void add(ReorderWindow& window, Cycle complete) {
  WindowEntry& made = window.add();
  made = {};
  made.complete = complete;
}

TEST(ReorderWindow, InstructionsRetireInOrderAndSoManyACycle) {
  ReorderWindow window(8, 2);
  for (const Cycle complete : {20u, 10u, 10u, 10u}) add(window, complete);
  add(window, kUnknown);
  add(window, 5);
  EXPECT_EQ(retirements(window), (std::vector<Cycle>{21, 21, 22, 22}));
  EXPECT_EQ(window.retired(), 4u);
  window.entry(5).complete = 22;
  EXPECT_EQ(retirements(window), (std::vector<Cycle>{23, 23}));
  EXPECT_TRUE(window.is_empty());
}

TEST(ReorderWindow, NothingRetiresBeforeTheFloor) {
  ReorderWindow window(8, 2);
  window.set_floor(100);
  add(window, 20);
  EXPECT_EQ(retirements(window), (std::vector<Cycle>{100}));
}

TEST(ReorderWindow, APlaceIsFreeWhenAsManyHaveCome) {
  ReorderWindow window(2, 2);
  add(window, 1);
  EXPECT_EQ(window.last_before_room(), nullptr);
  add(window, 1);
  EXPECT_EQ(window.last_before_room(), &window.entry(1));
  EXPECT_FALSE(window.is_gone(1));
  add(window, 1);
  EXPECT_TRUE(window.is_gone(1));
  EXPECT_EQ(window.first(), 2u);
}

TEST(ReorderWindow, ARetirementAfterASquashCountsTheCycleAgain) {
  ReorderWindow window(8, 2);
  for (int i = 0; i < 3; ++i) add(window, 10);
  EXPECT_EQ(retirements(window), (std::vector<Cycle>{11, 11, 12}));
  window.begin_squash();
  while (window.next() > 2) window.remove_last();
  window.end_squash(2);
  EXPECT_EQ(window.last_retire(), 11u);
  for (int i = 0; i < 2; ++i) add(window, 10);
  EXPECT_EQ(retirements(window), (std::vector<Cycle>{11, 12}));
  EXPECT_EQ(window.squashes(), 1u);
}

TEST(ReorderWindow, EveryRetirementIsCountedOnce) {
  ReorderWindow window(8, 2);
  for (int i = 0; i < 3; ++i) add(window, 10);
  retirements(window);
  EXPECT_EQ(window.count_retired(11), 2u);
  EXPECT_EQ(window.count_retired(11), 0u);
  EXPECT_EQ(window.count_retired(50), 1u);
}

TEST(ReorderWindow, TheOldestIsTheFirstThatHasNotRetired) {
  ReorderWindow window(8, 1);
  for (int i = 0; i < 3; ++i) add(window, 10);
  retirements(window);  // in cycles 11 to 13
  EXPECT_EQ(&window.oldest(11), &window.entry(2));
  EXPECT_EQ(&window.oldest(100), &window.entry(3));  // the youngest
}

struct RegisterStatusTest : testing::Test {
  WindowEntry& write(std::uint8_t number) {
    add(window, kUnknown);
    WindowEntry& made = window.entry(window.next() - 1);
    made.destination = number;
    status.claim(made, window.next() - 1);
    return made;
  }
  // What a reader of the register waits for: an instruction, or else a cycle.
  std::pair<std::uint64_t, Cycle> reader(std::uint8_t number) {
    WindowEntry entry;
    status.source(entry, number);
    return {entry.awaited_count != 0 ? entry.awaited[0] : 0, entry.ready};
  }
  ReorderWindow window{8, 2};
  RegisterStatus status;
};

TEST_F(RegisterStatusTest, AReaderWaitsForTheYoungestWriter) {
  write(5);
  write(5);
  EXPECT_EQ(reader(5).first, 2u);
  status.produced(5, 1, 30);  // an older one
  EXPECT_EQ(reader(5).first, 2u);
  status.produced(5, 2, 40);
  EXPECT_EQ(reader(5), (std::pair<std::uint64_t, Cycle>{0, 40}));
}

TEST_F(RegisterStatusTest, UndoBringsTheWriterBack) {
  write(5);
  write(5);
  status.undo(window.entry(2), window);
  EXPECT_EQ(reader(5).first, 1u);
}

TEST_F(RegisterStatusTest, UndoFindsAWriterThatHasCompletedSince) {
  write(5);
  write(5);
  window.entry(1).complete = 30;
  status.produced(5, 1, 30);
  status.undo(window.entry(2), window);
  EXPECT_EQ(reader(5), (std::pair<std::uint64_t, Cycle>{0, 30}));
}

struct WakeupTest : testing::Test {
  // An instruction that needs the results of `writers`.
  void wait_for(std::initializer_list<std::uint64_t> writers) {
    add(window, kUnknown);
    for (const std::uint64_t writer : writers) window.entry(window.next() - 1).await(writer, 0);
    if (writers.size() != 0) wakeup.link(window.next() - 1);
  }
  void complete(std::uint64_t sequence, Cycle cycle) {
    window.entry(sequence).complete = cycle;
    wakeup.completed(sequence, window.entry(sequence));
  }
  std::vector<std::uint64_t> told() {
    std::vector<std::uint64_t> numbers;
    wakeup.tell([&](std::uint64_t sequence) { numbers.push_back(sequence); });
    return numbers;
  }
  ReorderWindow window{8, 2};
  Wakeup wakeup{window};
};

TEST_F(WakeupTest, AnInstructionIsIssuedOnceWithItsLastOperand) {
  wait_for({});
  wait_for({});
  wait_for({1, 2});
  complete(2, 20);
  EXPECT_TRUE(told().empty());
  complete(1, 30);
  EXPECT_EQ(told(), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(window.entry(3).ready, 30u);
  EXPECT_TRUE(told().empty());
}

TEST_F(WakeupTest, CompletionsInACallAreToldByIt) {
  wait_for({});
  wait_for({1});
  wait_for({2});
  complete(1, 20);
  std::vector<std::uint64_t> numbers;
  wakeup.tell([&](std::uint64_t sequence) {
    numbers.push_back(sequence);
    complete(sequence, 30);
    wakeup.tell([](std::uint64_t) { FAIL() << "told by an inner call"; });
  });
  EXPECT_EQ(numbers, (std::vector<std::uint64_t>{2, 3}));
}

TEST_F(WakeupTest, ASquashTakesInstructionsOutOfTheLists) {
  wait_for({});
  wait_for({1});
  wait_for({1});
  window.remove_last();
  wakeup.rebuild();
  complete(1, 20);
  EXPECT_EQ(told(), (std::vector<std::uint64_t>{2}));
}

TEST_F(WakeupTest, AfterASquashAKnownResultIsStillTold) {
  wait_for({});
  wait_for({1});
  window.entry(1).complete = 20;
  wakeup.rebuild();
  EXPECT_EQ(told(), (std::vector<std::uint64_t>{2}));
}

}  // namespace
}  // namespace duet::cpu
