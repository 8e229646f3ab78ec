// Memory in stream order: commands and points are numbers, and the order is a table here.
#include "check/stream_memory.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace duet::check {
namespace {

constexpr VirtualAddress kBase{0x1000};

struct Lives {
  std::set<std::pair<std::string, std::string>> before;  // "p1" is a point, "c1" a command
  Findings findings;
  StreamMemory memory{findings, order()};

  StreamMemory::Order order() {
    const auto has = [this](const std::string& a, const std::string& b) { return before.contains({a, b}); };
    const auto p = [](std::size_t n) { return "p" + std::to_string(n); };
    const auto c = [](std::size_t n) { return "c" + std::to_string(n); };
    return {[=](std::size_t point, CommandNumber command) { return has(p(point), c(command)); },
            [=](CommandNumber command, std::size_t point) { return has(c(command), p(point)); },
            [=](std::size_t a, std::size_t b) { return has(p(a), p(b)); }};
  }
  void use(CommandNumber command) {
    memory.used(kBase, command, [] { return "write by k"; });
  }
  std::vector<FindingKind> kinds() {
    std::vector<FindingKind> result;
    findings.take_changed([&](std::size_t, const Finding& finding) { result.push_back(finding.kind); });
    return result;
  }
};

using Kinds = std::vector<FindingKind>;

TEST(StreamMemory, BetweenAllocationAndFreeIsRight) {
  Lives lives;
  lives.before = {{"p1", "c1"}, {"c1", "p2"}, {"p1", "p2"}};
  lives.memory.allocated(kBase, "m", {1, 0, 0, ""});
  lives.use(1);
  lives.memory.freed(kBase, "m", {2, 1, 0, ""}, false);
  EXPECT_EQ(lives.kinds(), Kinds{});
}

TEST(StreamMemory, AUseThatRunsLateIsJudgedLikewise) {
  Lives lives;
  lives.before = {{"p1", "c1"}, {"p1", "p2"}};
  lives.memory.allocated(kBase, "m", {1, 0, 0, ""});
  lives.memory.freed(kBase, "m", {2, 1, 0, ""}, false);
  lives.use(1);
  EXPECT_EQ(lives.kinds(), Kinds{FindingKind::UseAfterFree});
}

TEST(StreamMemory, UnorderedUsesAndFreesAreFound) {
  Lives lives;
  lives.memory.allocated(kBase, "m", {1, 0, 0, ""});
  lives.use(1);
  EXPECT_EQ(lives.kinds(), Kinds{FindingKind::UseBeforeAllocation});
  lives.memory.freed(kBase, "m", {2, 1, 1, ""}, false);
  EXPECT_EQ(lives.kinds(), (Kinds{FindingKind::UseBeforeAllocation, FindingKind::UseAfterFree}));
}

TEST(StreamMemory, EachLifeHasItsCommands) {
  Lives lives;
  lives.before = {{"p1", "c1"}, {"c1", "p2"}, {"p1", "p2"}, {"p3", "c2"}, {"c2", "p4"}, {"p3", "p4"}};
  lives.memory.allocated(kBase, "m", {1, 0, 0, ""});
  lives.memory.freed(kBase, "m", {2, 1, 0, ""}, false);
  lives.memory.allocated(kBase, "m", {3, 1, 0, ""});
  lives.use(1);  // it runs when the memory has been given again
  lives.use(2);
  lives.memory.freed(kBase, "m", {4, 2, 0, ""}, false);
  EXPECT_EQ(lives.kinds(), Kinds{});
}

TEST(StreamMemory, AFreeOfTheHostEndsAll) {
  Lives lives;
  lives.before = {{"p1", "c1"}, {"p1", "c2"}};
  lives.memory.allocated(kBase, "m", {1, 0, 0, ""});
  lives.use(1);
  lives.memory.freed(kBase, "m", {2, 1, 0, ""}, true);
  EXPECT_EQ(lives.kinds(), Kinds{});
  lives.use(2);
  EXPECT_EQ(lives.kinds(), Kinds{FindingKind::UseAfterFree});
}

}  // namespace
}  // namespace duet::check
