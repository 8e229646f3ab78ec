// A process on a whole machine, and one stream of it, for component tests that launch kernels of their own.
//
//   ProcessRig rig(config::load_machine("gtx580", ...).machine, shuffled(7));
//   rig.finish(rig.submit(kernel, 16, 256, {words.value(), count}));    // 16 blocks of 256 threads
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "component/rig.h"
#include "component/statistic_of.h"
#include "machine/process.h"

namespace duet::test {

inline machine::RunOptions shuffled(std::uint64_t seed) {
  machine::RunOptions own;
  own.shuffle_seed = seed;
  return own;
}

struct ProcessRig {
  explicit ProcessRig(const config::Machine& machine, const machine::RunOptions& options = {})
      : process(machine, nullptr, host, {}, options),
        thread(process.new_thread()),
        stream(process.driver().create_stream({})) {}

  // Of a kernel whose parameters are 8 bytes each.
  driver::Command launch_of(const ptx::Kernel& kernel, std::uint32_t blocks, std::uint32_t threads,
                            const std::vector<std::uint64_t>& arguments) {
    std::vector<std::byte> parameters(arguments.size() * sizeof(std::uint64_t));
    std::memcpy(parameters.data(), arguments.data(), parameters.size());
    driver::Command command;
    command.kind = driver::CommandKind::Launch;
    command.cost = &process.config().driver.launch;
    command.stream = stream;
    command.grid =
        process.make_grid(kernel, {blocks, 1, 1}, {threads, 1, 1}, 0, std::move(parameters), false);
    return command;
  }
  driver::CommandId submit(const ptx::Kernel& kernel, std::uint32_t blocks, std::uint32_t threads,
                           const std::vector<std::uint64_t>& arguments) {
    return thread->submit(launch_of(kernel, blocks, threads, arguments));
  }
  void finish(driver::CommandId id) {
    thread->wait(process.config().driver.device_synchronize, [&] { return process.driver().complete(id); });
    EXPECT_FALSE(process.driver().fault()) << process.driver().fault()->text;
  }
  std::uint64_t statistic(const std::string& name) {
    return statistic_of(process.system().statistics(), name);
  }

  PlainHost host;
  machine::Process process;
  std::unique_ptr<host::NativeThread> thread;
  driver::StreamId stream;
};

}  // namespace duet::test
