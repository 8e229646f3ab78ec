#include "machine/features.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"
#include "config/loader.h"
#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/cores_for_gpu/preexecution_options.h"
#include "machine/process.h"
#include "machine/time_models/fast_forward.h"
#include "machine/time_models/sample_options.h"
#include "memory/host_port.h"

namespace duet::machine {
namespace {

class NoHost final : public memory::HostPort {
 public:
  void read(const std::byte*, std::byte* to, Bytes bytes) override { std::memset(to, 0, bytes); }
  void write(std::byte*, const std::byte*, Bytes) override {}
};

// What is said of a process that is to have these; empty: it has them.
std::string refusal(const RunOptions& options, const char* machine) {
  NoHost host;
  try {
    const Process process(config::load_machine(machine, DUET_SOURCE_DIRECTORY "/machines").machine, nullptr,
                          host, {}, options);
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Features, OneThatDecidesAboutBlocksIsTaken) {
  RunOptions samples, skips;
  samples.of<SampleOptions>().on = true;
  skips.of<FastForwardOptions>().skip = 1;
  EXPECT_EQ(refusal(samples, "gtx580"), "");
  EXPECT_EQ(refusal(skips, "gtx580"), "");
}

TEST(Features, ASecondOneThatDecidesAboutBlocksIsRefusedByName) {
  RunOptions options;
  options.of<SampleOptions>().on = true;
  options.of<FastForwardOptions>().skip = 1;
  const std::string line = refusal(options, "gtx580");
  EXPECT_NE(line.find("--sample"), std::string::npos) << line;
  EXPECT_NE(line.find("--skip-kernels"), std::string::npos) << line;
}

TEST(Features, ASecondOneThatNeedsTheCoresIsRefusedByName) {
  RunOptions runs_ahead, blocks;
  runs_ahead.of<PreexecutionOptions>().mode = PreexecutionMode::Adaptive;
  blocks.of<CpuBlocksOptions>().on = true;
  EXPECT_EQ(refusal(runs_ahead, "fused"), "");
  EXPECT_EQ(refusal(blocks, "fused"), "");
  RunOptions both = runs_ahead;
  both.of<CpuBlocksOptions>().on = true;
  EXPECT_EQ(refusal(both, "fused"), "--preexec and --cpu-blocks both need the cores: leave out one of them");
}

}  // namespace
}  // namespace duet::machine
