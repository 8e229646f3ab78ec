// The time of kernels from a model in place of the simulator: a functional GPU executes them, and each
// kernel's end is held back until the model's time. All else (calls, driver, link, copies, streams) is
// simulated.
//   Predictor predictor(machine, address_space, [](const Prediction& p) {...});
//   services.recorder = &predictor.recorder();          of a functional GPU built from functional_gpu()
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "predict/recorder.h"
#include "predict/sm_model.h"

namespace duet::predict {

// Limits: each kernel's time is computed again without each.
enum class Limit : std::uint8_t {
  Dependencies,  // results of arithmetic are there at once
  Fetch,         // the instruction cache has all code
  BankConflicts,
  L1Misses,    // L1 has everything
  L2Misses,    // L2 has everything
  SharedRate,  // L2, interconnect and DRAM answer as if one SM were alone
  DramRate,    // DRAM has twice its rate
  Atomics,     // atomics of one word do not wait for each other
  Calls,       // calls of the device runtime take no time
  ClockWaits,  // no warp waits until a clock shows so much
  Count
};
inline constexpr std::size_t kLimits = static_cast<std::size_t>(Limit::Count);

// Assumptions of the model that a kernel breaks, a bit each.
enum class Doubt : std::uint8_t {
  Truncated,      // long warps: only their beginning was computed, and it did not go on alike
  FullEmptyBits,  // waits for bits take no time
  Barriers,       // some do not wait for the whole block
  Clock,          // it reads a clock, or sleeps
  Waits,          // its blocks may wait for each other: a cooperative grid
  Overlapped,     // other kernels ran at the same time
  Imbalanced,     // blocks execute very different numbers of instructions
  WrongData,      // it decides by data without computed values (--sampled)
  HostRead,       // the host had read such data when it launched it
  Count
};

// Of one launch.
struct Prediction {
  const KernelRecording* recording = nullptr;
  const MemoryLoad* load = nullptr;
  SmTimes times;
  Picoseconds time_ps = 0;  // from the first block's start to the last one's end
  // Computed again without each limit, where this was the first launch of the kernel with this grid; 0: not.
  std::array<Picoseconds, kLimits> without_ps{};
  Picoseconds roofline_ps = 0, hong_kim_ps = 0;
  std::uint32_t doubts = 0;
  SmModel::Code code;     // the contents of the instruction caches after it
  bool repeated = false;  // not computed: it did the same as earlier launches (repeats.h)
};

// Doubts without influence on the interval of the time: they concern the cause of a launch.
inline constexpr std::uint32_t kDoubtsOfLaunch = 1u << static_cast<unsigned>(Doubt::HostRead);

class Repeats;

class Predictor {
 public:
  using Tell = std::function<void(const Prediction&)>;
  Predictor(const config::Machine& machine, const memory::AddressSpace& address_space, bool sampled,
            Tell tell);
  ~Predictor();

  gpu::BlockRecorder& recorder() { return recorder_; }
  // A copy engine writes or reads device memory; `command`: for whom.
  void written_by_copy(PhysicalAddress first, Bytes bytes, std::uint64_t command);
  void read_by_copy(PhysicalAddress first, std::uint64_t command) { recorder_.read_by_copy(first, command); }
  // With --sampled: how many blocks from this one on, up to `most`, are not to be executed.
  std::uint64_t skips(const gpu::Grid& grid, std::uint64_t block, std::uint64_t most) {
    return recorder_.skips(grid, block, most);
  }

 private:
  MemoryModel& memory() { return recorder_.memory(); }
  Picoseconds finish(KernelRecording& recording);
  Picoseconds in_time(double cycles) const;
  std::uint32_t doubts_of(const Prediction& prediction) const;

  const config::Machine machine_;
  const Tell tell_;
  std::unique_ptr<Repeats> repeats_;
  Recorder recorder_;
  SmModel model_;
  std::set<std::string> seen_;  // kernels with their grids
};

// Blocks take no time of their own.
config::Gpu functional_gpu(config::Gpu gpu);

}  // namespace duet::predict
