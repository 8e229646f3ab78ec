// Builds a machine from its file: the only room with a view of all the others.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "check/checker.h"
#include "config/machine.h"
#include "driver/driver.h"
#include "gpu/functional/functional_sm.h"
#include "gpu/outside_accesses.h"
#include "gpu/sm/line_counts.h"
#include "machine/watch/standstill.h"
#include "memory/address_space.h"
#include "memory/host_port.h"
#include "memory/race_detector.h"
#include "sim/engine.h"
#include "sim/statistics.h"

namespace duet::predict {
struct Prediction;
}
namespace duet::sample {
struct Launch;
}

namespace duet::machine {

class Board;
class Processor;

struct Options {
  std::uint64_t shuffle_seed = 0;  // other than 0: shuffles tick order (results must not change)
  bool two_threads = false;        // ticks components on two threads (results must not change)
  bool functional = false;         // the functional GPU instead of the timed one
  bool predict = false;            // functional, and kernels take the time of a model: src/predict
  bool sampled = false;            // with predict: only what decides the kernels' time is executed
  bool check_races = false;        // memory/race_detector.h; timed GPU
  check::Checks check;             // of kernels: src/check
  bool strict_memory = false;      // accesses beside allocations are faults
  bool skip_clock_loops = true;    // gpu/sm/sm_spin.cpp
  bool fast_forward =
      false;  // the timed GPU may execute kernels functionally: machine/time_models/fast_forward.h
  double sample_error = 0;   // of the time that src/sample is to find; 0: all kernels are simulated in time
  bool count_lines = false;  // gpu/sm/line_counts.h; timed GPU
  bool simulated_host = false;  // the program runs on the machine's cores; it has some
};

class System {
 public:
  System(const config::Machine& config, memory::HostPort& host, gpu::DeviceServices services,
         const Options& options = {});
  ~System();

  sim::Engine& engine();
  memory::AddressSpace& address_space();
  driver::Driver& driver();
  // Its parts, for what stands beside them (cpu_blocks.h).
  Board& board();
  // Null without Options::simulated_host on a machine whose cores share no level of cache with the GPU.
  Processor* processor();
  const config::Machine& config() const;
  bool functional() const;
  // Functional, with the time of a model: kernels' code and local memory have places as on the timed GPU.
  bool predicts() const;

  // Before something outside the machine reads or writes the backing of device memory: brings what caches
  // hold of these bytes there and drops it. Costs no simulated time.
  void settle(VirtualAddress first, Bytes bytes);
  // After settle(): these bytes of tracked memory are empty.
  void empty_bits(VirtualAddress first, Bytes bytes);
  // Gives a page of device memory that nobody uses another frame; false when none is free. Not of tracked
  // memory, whose bits belong to the frame.
  bool move_page(VirtualAddress page);
  // The races whose writes this command made; of all commands with 0. Each is told once.
  std::vector<memory::Race> races(driver::CommandId writer);
  // After races(): other conflicts of this command with those that are complete; with 0 all.
  std::vector<memory::Conflict> conflicts(driver::CommandId command);
  // The accesses of a launch (Grid::launch_id) beside allocations; of all launches with 0. Each is told once.
  std::vector<gpu::OutsideAccess> outside_accesses(std::uint64_t launch);
  // With Options::predict: hears of each launch's prediction, before the launch completes.
  void on_prediction(std::function<void(const predict::Prediction&)> f);
  // With Options::sample_error: hears of each launch when its blocks have ended.
  void on_sampled(std::function<void(const sample::Launch&)> f);
  // Null: nothing of kernels is checked.
  check::Checker* checker();
  // Why it stands still, or what it is busy with.
  Standstill standstill() const;
  sim::Statistics& statistics();
  // What has been counted of a kernel so far.
  gpu::GridCounts counts(const gpu::Grid& grid) const;
  // Adds to `total` what has been counted by instruction of a kernel since the last call.
  void take_lines(const ptx::Kernel& kernel, gpu::LineCounts& total);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace duet::machine
