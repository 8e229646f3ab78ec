#include "predict/code_fetch.h"

#include <gtest/gtest.h>

#include "config/loader.h"

namespace duet::predict {
namespace {

// gtx580: four sets of four ways, and two registers.
class Code : public testing::Test {
 protected:
  Code()
      : machine(config::load_machine("gtx580", std::string(DUET_SOURCE_DIRECTORY) + "/machines").machine),
        memory(machine),
        tags(machine.gpu.instruction_cache, nullptr) {
    recording.grid = &grid;
    recording.blocks = recording.wave = 1;
    timed.machine_instructions = 1 << 20;
  }
  config::Machine machine;
  MemoryModel memory;
  TagArray tags;
  gpu::Grid grid;
  gpu::TimedKernel timed;
  KernelRecording recording;
  std::vector<Block*> mine;
  Changes changes;
};

TEST_F(Code, WhoFindsNoRegisterAsksAgain) {
  MemoryPath path(machine, recording, mine, nullptr, changes);
  CodeFetch code(machine, recording, timed, changes, tags, path, &memory);
  const CodeFetch::Answer first = code.fetch(0, 10), second = code.fetch(128, 10);
  EXPECT_FALSE(first.again || second.again);
  EXPECT_GT(first.at, 100u);
  const CodeFetch::Answer third = code.fetch(256, 20);
  EXPECT_TRUE(third.again);
  EXPECT_EQ(third.at, std::min(first.at, second.at));
  EXPECT_FALSE(code.fetch(256, third.at).again);
  EXPECT_TRUE(tags.holds(0)) << "it has arrived";
  EXPECT_FALSE(tags.holds(256)) << "it has not";
  // Who wants a line that is on its way has it when it is there, and takes no register.
  EXPECT_EQ(code.fetch(128, third.at).at, std::max(second.at + 1, third.at + 1));
  code.finish();
  EXPECT_TRUE(tags.holds(256));
}

// Lines that wait for a register displace nobody: those that are there go on being found.
TEST_F(Code, ALineDisplacesWhenItArrives) {
  MemoryPath path(machine, recording, mine, nullptr, changes);
  CodeFetch code(machine, recording, timed, changes, tags, path, &memory);
  constexpr std::uint64_t kSet = 4 * 128;
  Cycle now = 0;
  for (std::uint64_t way = 0; way < 4; ++way) now = code.fetch(way * kSet, now).at;
  code.finish();
  for (std::uint64_t more = 4; more < 8; ++more) code.fetch(more * kSet, now);
  for (std::uint64_t way = 0; way < 4; ++way)
    EXPECT_LT(code.fetch(way * kSet, now).at, now + 20) << "it is there";
}

// A line that is asked for late does not hold up a request that is sent before.
TEST_F(Code, CodeAskedForLaterHoldsNobodyUp) {
  MemoryPath path(machine, recording, mine, nullptr, changes),
      alone(machine, recording, mine, nullptr, changes);
  CodeFetch code(machine, recording, timed, changes, tags, path, &memory);
  code.fetch(0, 5000);
  Request request;
  request.sectors = 0xf;
  request.used_bytes = 128;
  request.store = true;
  EXPECT_EQ(path.send(request, 100, 0).answered, alone.send(request, 100, 0).answered);
}

}  // namespace
}  // namespace duet::predict
