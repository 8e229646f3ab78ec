#include "predict/predictor.h"

namespace duet::predict {

Predictor::Predictor(const config::Machine& machine, const memory::AddressSpace& address_space, Tell tell)
    : machine_(machine),
      tell_(std::move(tell)),
      recorder_(machine, address_space, [this](KernelRecording& recording) { return finish(recording); }),
      model_(machine, recorder_.memory()) {}

Picoseconds Predictor::finish(KernelRecording& recording) {
  const auto timed = gpu::make_timed_kernel(*recording.grid->kernel, machine_.gpu.sm);
  Prediction prediction;
  prediction.recording = &recording;
  prediction.times = model_.run(recording, *timed);
  prediction.load = &model_.load();
  prediction.time_ps = static_cast<Picoseconds>(prediction.times.cycles * 1e9 /
                                                static_cast<double>(machine_.gpu.core_clock_khz));
  tell_(prediction);
  return prediction.time_ps;
}

config::Gpu functional_gpu(config::Gpu gpu) {
  gpu.functional.block_start_cycles = 0;
  gpu.functional.milli_cycles_per_warp_instruction = 0;
  gpu.functional.quantum_warp_instructions = 512;
  return gpu;
}

}  // namespace duet::predict
