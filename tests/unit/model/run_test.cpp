// The descriptive model executes scripts as section 2 of hu2016 says. Each test would fail if that rule were
// not kept.
#include "model/run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

// Section 2.4: with one hardware channel a script whose queue is full holds those of other channels; with one
// for each it does not.
TEST(ModelRun, OneHardwareChannelMakesFalseDependencies) {
  Model model = example("d2");
  model.structure.levels[1].depth = 1;
  const Execution one = execute(model, {});
  model.structure.levels[1].hardware_channels = 4;
  const Execution four = execute(model, {});
  const auto waits = [](const Execution& run) {
    return step_of(run, "process/copy_b", "dispatch") > step_of(run, "process/scale", "end the group");
  };
  EXPECT_TRUE(waits(one));
  EXPECT_FALSE(waits(four));
}

TEST(ModelRun, ABarrierWaitsForAllColumns) {
  const Execution run = execute(example("d2"), {});
  for (const char* const block : {"0", "1", "2", "3"}) {
    const std::string task = std::string("process/scale(") + block + ")";
    const std::uint64_t last = std::max(step_of(run, task + "/FMUL@0(16-31)", "execute"),
                                        step_of(run, task + "/FMUL@1(16-31)", "execute"));
    for (const char* const column : {"@0", "@1"})
      EXPECT_GT(step_of(run, task + "/ST" + column, "dispatch"), last) << task;
  }
}

TEST(ModelRun, DataIsInPositionWhenItIsUsed) {
  for (const char* const name : {"d3", "d4"}) {
    const Execution run = execute(example(name), {});
    EXPECT_TRUE(run.finished) << name;
    // All that computes at level 0 is there once: blocks of both GPUs, and the core's instruction.
    EXPECT_EQ(run.counts[0].instances, std::string(name) == "d3" ? 4u * 32 + 1 : 4u * 16) << name;
  }
  // In another channel, without any order but the data's.
  Model model = example("d2");
  for (ScriptList& list : model.lists)
    for (Script& script : list.scripts)
      if (script.name == "scale") script.channel = 2;
  const Execution run = execute(model, {});
  EXPECT_GT(step_of(run, "process/scale(0)", "dispatch"), step_of(run, "process/copy_a", "Stage-In"));
}

// A level's memory bounds how many blocks have their data there at once.
TEST(ModelRun, MemoryBoundsWhatIsInPosition) {
  Model model = example("d2");
  const auto most = [](const Execution& run) {
    std::int64_t now = 0, most = 0;
    for (const LogEntry& entry : run.log) {
      if (entry.level != 0 || !entry.unit.ends_with("SM 0")) continue;
      if (entry.instance.find("/LD@") != std::string::npos && entry.operation.starts_with("dispatch")) ++now;
      if (entry.operation == "deallocate the context") now -= 2;
      most = std::max(most, now);
    }
    return most;
  };
  EXPECT_EQ(most(execute(model, {})), 4);        // two blocks of two warps
  model.structure.levels[0].memory_bytes = 512;  // in and out of one block
  const Execution tight = execute(model, {});
  EXPECT_TRUE(tight.finished);
  EXPECT_EQ(most(tight), 2);
}

TEST(ModelRun, SchedulersDispatchSeveralAtOnce) {
  Model model = example("d2");
  const std::uint64_t before = execute(model, {}).steps;
  for (Level& level : model.structure.levels) level.schedulers = 4;
  model.structure.levels[0].arrays[0].count = model.structure.levels[0].arrays[1].count = 4;
  EXPECT_LT(execute(model, {}).steps, before);
}

TEST(ModelRun, JsonHasStructureScriptsAndExecution) {
  const Model model = example("d2");
  const Execution run = execute(model, {.steps = 5});
  const auto json = nlohmann::json::parse(json_of(model, &run));
  EXPECT_EQ(json.at("schema"), "duet.model/1");
  EXPECT_EQ(json.at("levels").size(), 2u);
  EXPECT_EQ(json.at("script_lists").at(0).at("scripts").at(1).at("runs"), "kernel");
  EXPECT_EQ(json.at("execution").at("steps"), 5);
  EXPECT_EQ(json.at("execution").at("operations").size(), run.log.size());
  EXPECT_TRUE(nlohmann::json::parse(json_of(model, nullptr)).at("execution").is_null());
}

}  // namespace
}  // namespace duet::model
