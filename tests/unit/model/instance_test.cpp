// A machine as an instance of the model: every machine file gives one, with its numbers, and its program
// runs.
#include "model/instance.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "config/loader.h"
#include "model/exceptions.h"
#include "model/run.h"
#include "model/task_events.h"

namespace duet::model {
namespace {

const std::string kMachines = std::string(DUET_SOURCE_DIRECTORY) + "/machines";

TEST(ModelInstance, EveryMachineIsOneAndRuns) {
  unsigned with_gpu = 0;
  for (const auto& [name, description] : config::list_machines(kMachines)) {
    const config::Topology machine = config::load_topology(name, kMachines).topology;
    for (const View view : {View::Cuda, View::OpenCl})
      for (const bool host : {false, true}) {
        if (!machine.gpu && !host) {
          EXPECT_THROW(instance_of(machine, {view, host}), Error) << name;
          continue;
        }
        const Model model = instance_of(machine, {view, host});
        EXPECT_EQ(model.structure.depth(), (machine.gpu ? 2u : 0u) + host) << name;
        const Execution run = execute(model, {});
        EXPECT_TRUE(run.finished) << name;
        unsigned violations = 0;
        Rules rules(limits_of(model.structure), [&](const Violation& one) {
          ++violations;
          ADD_FAILURE() << name << ": " << one.text;
        });
        for (const Operation& operation : run.operations) rules.take(operation);
        rules.finish();
        with_gpu += machine.gpu.has_value();
      }
  }
  EXPECT_GE(with_gpu, 20u);
}

TEST(ModelInstance, NumbersAreTheMachineFiles) {
  const config::Machine machine = config::load_machine("gtx580", kMachines).machine;
  const Model model = instance_of(config::load_topology("gtx580", kMachines).topology, {});
  const auto limits = limits_of(machine);
  const Level &gpu = model.structure.levels[1], &sm = model.structure.levels[0];
  EXPECT_EQ(gpu.arrays[0].width, machine.gpu.sm.count);
  EXPECT_EQ(gpu.arrays[0].places, limits[1].places);
  EXPECT_EQ(gpu.queues, limits[1].queues);
  EXPECT_EQ(gpu.depth, limits[1].depth);
  EXPECT_EQ(gpu.arrays[1].count + gpu.arrays[2].count, limits[1].movers);
  EXPECT_EQ(sm.queues, limits[0].queues);
  EXPECT_EQ(gpu.hardware_channels, machine.gpu.front_end.hardware_channels);
}

TEST(ModelInstance, AViewChangesWordsOnly) {
  const config::Topology machine = config::load_topology("gtx580", kMachines).topology;
  const Model cuda = instance_of(machine, {}), opencl = instance_of(machine, {.view = View::OpenCl});
  EXPECT_EQ(execute(cuda, {}).steps, execute(opencl, {}).steps);
  EXPECT_EQ(text_of(opencl).find("warp"), std::string::npos);
  EXPECT_EQ(text_of(opencl).find("block"), std::string::npos);
  EXPECT_NE(text_of(opencl).find("wavefront scheduler"), std::string::npos);
  EXPECT_NE(text_of(cuda).find("GigaThread engine"), std::string::npos);
}

// What a block takes is what the distributor counts (gpu/occupancy.h): allocation units of registers and
// warps.
TEST(ModelInstance, ABlockTakesWholeUnits) {
  config::Sm sm;
  sm.warp_width = 32;
  sm.register_allocation_unit = 64;
  sm.warp_allocation_unit = 2;
  const Resources block = block_resources(sm, 65, 21, 1024);
  EXPECT_EQ(block[0], 3u);        // warps
  EXPECT_EQ(block[1], 65u);       // threads
  EXPECT_EQ(block[2], 704u * 4);  // 21 x 32 = 672, in units of 64; four warps
  EXPECT_EQ(block[3], 1024u);
}

TEST(ModelExceptions, TheDocumentHasEachOfThem) {
  const auto text = read_file(std::string(DUET_SOURCE_DIRECTORY) + "/docs/design/model.md");
  ASSERT_TRUE(text);
  std::istringstream lines(*text);
  std::size_t rows = 0;
  bool in_list = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## ")) in_list = line == "## Exceptions";
    rows += in_list && line.starts_with("| ") && !line.starts_with("| exception") ? 1 : 0;
  }
  EXPECT_EQ(rows, exceptions().size());
  for (const Exception& one : exceptions())
    EXPECT_NE(text->find(std::string("| ") + one.name + " | " + name_of(one.rule) + " |"), std::string::npos)
        << one.name;
}

}  // namespace
}  // namespace duet::model
