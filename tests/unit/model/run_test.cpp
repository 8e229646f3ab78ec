// The descriptive model executes scripts as section 2 of hu2016 says. Each test would fail if that rule were
// not kept.
#include "model/run.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.h"
#include "examples.h"

namespace duet::model {
namespace {


// The step of the first entry of the log with these words; 0: there is none.
std::uint64_t step_of(const Execution& run, const std::string& instance, const std::string& operation) {
  const auto found = std::find_if(run.log.begin(), run.log.end(), [&](const LogEntry& entry) {
    return entry.instance == instance && entry.operation.starts_with(operation);
  });
  return found == run.log.end() ? 0 : found->step;
}

std::uint64_t entries(const Execution& run, const std::string& operation) {
  return static_cast<std::uint64_t>(std::count_if(run.log.begin(), run.log.end(), [&](const LogEntry& entry) {
    return entry.operation.starts_with(operation);
  }));
}

TEST(ModelRun, TheExampleOfTwoLevelsEnds) {
  const Execution run = execute(example("d2"), {});
  EXPECT_TRUE(run.finished);
  EXPECT_EQ(run.counts[1].groups, 1u);       // a kernel
  EXPECT_EQ(run.counts[1].instances, 4u);    // its blocks
  EXPECT_EQ(run.counts[1].moves, 3u);        // copies
  EXPECT_EQ(run.counts[1].commands, 14u);    // push-buffer commands
  EXPECT_EQ(run.counts[0].groups, 8u);       // FMUL, of two warps in four blocks
  EXPECT_EQ(run.counts[0].instances, 256u);  // their threads
  EXPECT_EQ(run.counts[0].moves, 16u);       // LD and ST
  EXPECT_EQ(run.counts[0].controls, 8u);     // BAR
}

TEST(ModelRun, TheSameModelGivesTheSameExecution) {
  const Model model = example("d2");
  EXPECT_EQ(text_of(execute(model, {})), text_of(execute(model, {})));
}

TEST(ModelRun, AGroupBeginsWhenThatBeforeItInItsChannelHasEnded) {
  const Execution run = execute(example("d2"), {});
  const std::uint64_t copied = step_of(run, "process/copy_a", "end the group");
  const std::uint64_t begins = step_of(run, "process/scale(0)", "dispatch"),
                      ends = step_of(run, "process/scale", "end the group");
  EXPECT_LT(copied, begins);
  EXPECT_LT(ends, step_of(run, "process/copy_c", "dispatch"));
  // Another channel does not wait for it.
  EXPECT_LT(step_of(run, "process/copy_b", "dispatch"), ends);
}

TEST(ModelRun, AWaveHasAsManyInstancesAsTheArrayIsWide) {
  const Execution run = execute(example("d2"), {});
  EXPECT_EQ(step_of(run, "process/scale(0)/FMUL@0(0-15)", "execute") + 1,
            step_of(run, "process/scale(0)/FMUL@0(16-31)", "execute"));
  EXPECT_EQ(entries(run, "execute"), 16u);  // 8 instructions of 32 threads on 16 PEs
}

TEST(ModelRun, StepsCutItOff) {
  const Execution run = execute(example("d2"), {.steps = 10});
  EXPECT_FALSE(run.finished);
  EXPECT_EQ(run.steps, 10u);
  EXPECT_EQ(run.log.back().step, 10u);
}

}  // namespace
}  // namespace duet::model
