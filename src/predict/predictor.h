// The time of kernels from a model in place of the simulator: a functional GPU executes them, and each
// kernel's end is kept back until the time that the model gives it. All else (calls, driver, link, copies,
// streams) is simulated.
//   Predictor predictor(machine, address_space, [](const Prediction& p) {...});
//   services.recorder = &predictor.recorder();          of a functional GPU built from functional_machine()
#pragma once

#include <functional>

#include "predict/recorder.h"
#include "predict/sm_model.h"

namespace duet::predict {

// Of one launch.
struct Prediction {
  const KernelRecording* recording = nullptr;
  const MemoryLoad* load = nullptr;
  SmTimes times;
  Picoseconds time_ps = 0;  // from the first block's start to the last one's end
};

class Predictor {
 public:
  using Tell = std::function<void(const Prediction&)>;
  Predictor(const config::Machine& machine, const memory::AddressSpace& address_space, Tell tell);

  gpu::BlockRecorder& recorder() { return recorder_; }
  MemoryModel& memory() { return recorder_.memory(); }

 private:
  Picoseconds finish(KernelRecording& recording);

  const config::Machine machine_;
  const Tell tell_;
  Recorder recorder_;
  SmModel model_;
};

// Blocks take no time of their own, and go on in short turns, so that their requests mix.
config::Gpu functional_gpu(config::Gpu gpu);

}  // namespace duet::predict
