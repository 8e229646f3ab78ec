// Messages that a core sends ahead of the engine's time: none leaves beyond the tick's last cycle.
#include "cpu/directory_port.h"

#include <gtest/gtest.h>

#include <vector>

namespace duet::cpu {
namespace {

using memory::CoherenceKind;
using memory::CoherenceMessage;

config::Cpu with_cycles() {
  config::Cpu cpu;
  cpu.clock_khz = 1'000'000;  // a cycle is 1000 ps
  cpu.to_directory_cycles = 5;
  cpu.from_directory_cycles = 7;
  return cpu;
}

struct DirectoryPortTest : testing::Test {
  DirectoryPortTest() { port.connect(requests, answers); }
  std::vector<std::uint64_t> sent(Picoseconds until) {
    std::vector<std::uint64_t> lines;
    while (requests.can_pop(until)) lines.push_back(requests.pop(until).line.value());
    return lines;
  }
  sim::Queue<CoherenceMessage> requests{16, nullptr, nullptr}, answers{16, nullptr, nullptr};
  Lookahead ahead{with_cycles()};
  DirectoryPort port{ahead, 3};
};

TEST_F(DirectoryPortTest, MessagesLeaveInTheOrderOfTheirCycles) {
  ahead.begin(10'000);
  ahead.set_limit(16);
  port.send(13, CoherenceKind::GetShared, 0x100);
  port.send(11, CoherenceKind::GetShared, 0x200);
  port.send(11, CoherenceKind::GetShared, 0x300);
  port.flush(10'000);
  EXPECT_TRUE(port.is_empty());
  EXPECT_EQ(sent(100'000), (std::vector<std::uint64_t>{0x200, 0x300, 0x100}));
}

TEST_F(DirectoryPortTest, ATickEndsBeforeAnAnswerMayArrive) {
  ahead.begin(10'000);
  ahead.set_limit(500);
  port.send(20, CoherenceKind::GetShared, 0x100);
  EXPECT_EQ(ahead.limit(), 31u);  // 20 + 5 + 7 is the first cycle of an answer
  port.send(60, CoherenceKind::GetShared, 0x200);
  EXPECT_EQ(ahead.limit(), 31u);
}

TEST_F(DirectoryPortTest, AMessageBeyondTheTickWaitsForALaterOne) {
  ahead.begin(10'000);
  ahead.set_limit(16);
  port.send(20, CoherenceKind::GetShared, 0x100);
  port.flush(10'000);
  EXPECT_FALSE(port.is_empty());
  EXPECT_EQ(ahead.end(10'000), 14'000);  // a tick there goes as far as cycle 20
  ahead.begin(14'000);
  ahead.set_limit(20);
  port.flush(14'000);
  EXPECT_TRUE(port.is_empty());
  EXPECT_EQ(ahead.end(14'000), kNever);
}

TEST(Lookahead, ATickIsAskedForWhereItReachesTheCycle) {
  Lookahead ahead{with_cycles()};
  ahead.begin(10'000);
  ahead.set_limit(16);
  ahead.wake_for(30);  // 30 is the last cycle of the tick in cycle 24
  ahead.wake_for(50);
  EXPECT_EQ(ahead.end(10'000), 24'000);
  EXPECT_EQ(ahead.reached(), 16u);
  ahead.begin(24'000);
  EXPECT_EQ(ahead.before_arrival(ahead.now()), 30u);
  ahead.wake_at(3);  // before the tick: the next cycle
  EXPECT_EQ(ahead.end(24'000), 25'000);
  EXPECT_EQ(ahead.reached(), 24u);
}

}  // namespace
}  // namespace duet::cpu
