// Each rule finds its fault: an execution that keeps all of them, with one operation changed.
#include "model/rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "examples.h"
#include "model/run.h"

namespace duet::model {
namespace {

using Operations = std::vector<Operation>;

std::vector<Violation> violations(const Operations& operations, const std::vector<LevelLimits>& limits) {
  std::vector<Violation> found;
  Rules rules(limits, [&](const Violation& violation) { found.push_back(violation); });
  for (const Operation& operation : operations) rules.take(operation);
  rules.finish();
  return found;
}

std::set<Rule> rules_of(const std::vector<Violation>& found) {
  std::set<Rule> rules;
  for (const Violation& violation : found) rules.insert(violation.rule);
  return rules;
}

std::string text_of(const std::vector<Violation>& found) {
  std::string text;
  for (const Violation& violation : found)
    text += std::string(name_of(violation.rule)) + " at " + std::to_string(violation.time) + ": " +
            violation.text + "\n";
  return text;
}

TEST(ModelRules, ExecutionsOfTheModelKeepThem) {
  for (const char* const name : {"d1", "d2", "d3", "d4"}) {
    const Model model = example(name);
    const auto found = violations(execute(model, {}).operations, limits_of(model.structure));
    EXPECT_TRUE(found.empty()) << name << ":\n" << text_of(found);
  }
}

class SeededFault : public testing::Test {
 protected:
  SeededFault() : model_(example("d2")), operations_(execute(model_, {}).operations) {}

  // The nth operation of a verb at a level, of groups of a kind.
  Operations::iterator find(Verb verb, unsigned level, ScriptKind kind, std::size_t nth = 0) {
    for (auto at = operations_.begin(); at != operations_.end(); ++at)
      if (at->verb == verb && at->level == level && at->kind == kind && nth-- == 0) return at;
    ADD_FAILURE() << "no such operation";
    return operations_.begin();
  }
  void move_before(Operations::iterator what, Operations::iterator place) {
    std::rotate(place, what, what + 1);
  }
  void expect(Rule rule) {
    const auto found = violations(operations_, limits_of(model_.structure));
    EXPECT_TRUE(rules_of(found).contains(rule)) << "not found: " << name_of(rule) << "; found:\n"
                                                << text_of(found);
  }

  const Model model_;
  Operations operations_;
};

constexpr auto kC = ScriptKind::Computing, kD = ScriptKind::Moving;

TEST_F(SeededFault, AnInstanceTwiceIsAtomicity) {
  const auto at = find(Verb::Dispatch, 1, kC, 1);
  at->index = find(Verb::Dispatch, 1, kC, 0)->index;
  expect(Rule::Atomicity);
}

TEST_F(SeededFault, AnInstanceThatEndsBeforeItsGroupsIsAtomicity) {
  // The block's end before that of its last instruction.
  const auto finish = find(Verb::Finish, 1, kC, 0);
  auto leave = finish;
  while (leave->verb != Verb::Leave || leave->level != 0 || leave->parent_index != finish->index) --leave;
  move_before(finish, leave);
  expect(Rule::Atomicity);
}

TEST_F(SeededFault, AnInstructionInAnotherPeThanItsBlockIsLocality) {
  find(Verb::Enter, 0, kD)->node ^= 1;
  expect(Rule::Locality);
}

TEST_F(SeededFault, ABlockThatEndsElsewhereIsLocality) {
  find(Verb::Finish, 1, kC)->unit ^= 1;
  expect(Rule::Locality);
}

TEST_F(SeededFault, AGroupThatOvertakesInItsQueueIsFifo) {
  // copy_c enters the queue of its channel before the kernel does.
  const auto kernel = find(Verb::Enter, 1, kC);
  move_before(find(Verb::Enter, 1, kD, 1), kernel);
  expect(Rule::Fifo);
}

TEST_F(SeededFault, AScriptThatIsReadOutOfItsTurnIsFifo) {
  move_before(find(Verb::Fetch, 1, kD, 1), find(Verb::Fetch, 1, kC));
  expect(Rule::Fifo);
}

TEST_F(SeededFault, AGroupThatBeginsBeforeThatBeforeItEndsIsSynchronization) {
  const auto end = find(Verb::End, 1, kC);
  move_before(find(Verb::Begin, 1, kD, 2), end);
  expect(Rule::Synchronization);
}

TEST_F(SeededFault, AGroupThatEndsWithoutAnInstanceIsSynchronization) {
  operations_.erase(find(Verb::Finish, 1, kC, 3));
  expect(Rule::Synchronization);
}

TEST_F(SeededFault, AKernelBeforeItsStageInIsInPosition) {
  move_before(find(Verb::Begin, 1, kC), find(Verb::End, 1, kD));
  expect(Rule::InPosition);
}

TEST_F(SeededFault, OneBlockMoreThanAPeHoldsIsCapacity) {
  for (std::size_t i = 0; i < 3; ++i) {
    find(Verb::Dispatch, 1, kC, i)->unit = 0;
    find(Verb::Finish, 1, kC, i)->unit = 0;
  }
  expect(Rule::Capacity);
}

TEST_F(SeededFault, OneGroupMoreThanAQueueHoldsIsCapacity) {
  auto limits = limits_of(model_.structure);
  limits[1].depth = 1;
  EXPECT_TRUE(rules_of(violations(operations_, limits)).contains(Rule::Capacity));
}

TEST_F(SeededFault, TwoMovesOfOneEngineIsCapacity) {
  const auto first = find(Verb::MoveEnd, 1, kD);
  move_before(find(Verb::MoveBegin, 1, kD, 1), first);
  expect(Rule::Capacity);
}

TEST_F(SeededFault, WhatInstancesTakeIsCounted) {
  auto limits = limits_of(model_.structure);
  const auto registers = static_cast<std::size_t>(Resource::Registers);
  limits[1].resources[registers] = 1000;
  const std::uint64_t kernel = find(Verb::Submit, 1, kC)->group;
  for (const std::uint64_t each : {500, 501}) {
    std::vector<Violation> found;
    Rules rules(limits, [&](const Violation& violation) { found.push_back(violation); });
    for (const Operation& operation : operations_) {
      rules.take(operation);
      if (operation.verb != Verb::Submit || operation.group != kernel) continue;
      Resources needs{};
      needs[registers] = each;
      rules.needs(1, kernel, needs);
    }
    EXPECT_EQ(found.empty(), each == 500) << text_of(found);
    EXPECT_EQ(text_of(found).find("1002 registers") == std::string::npos, each == 500) << text_of(found);
  }
}

// Dropping any operation is found, whichever it is; but for reading, and for the begin of a move, which its
// first move stands for.
TEST_F(SeededFault, NoOperationCanBeMissing) {
  const Operations all = operations_;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].verb == Verb::Fetch || (all[i].verb == Verb::Begin && all[i].kind != kC)) continue;
    operations_ = all;
    operations_.erase(operations_.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(violations(operations_, limits_of(model_.structure)).empty())
        << i << ": " << name_of(all[i].verb) << " of group " << all[i].group << " of level " << all[i].level;
  }
}

TEST_F(SeededFault, NoInstanceMayComeTwice) {
  const Operations all = operations_;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].verb == Verb::Fetch) continue;
    operations_ = all;
    operations_.insert(operations_.begin() + static_cast<std::ptrdiff_t>(i), all[i]);
    EXPECT_FALSE(violations(operations_, limits_of(model_.structure)).empty())
        << i << ": " << name_of(all[i].verb) << " of group " << all[i].group << " of level " << all[i].level;
  }
}

}  // namespace
}  // namespace duet::model
