// Level 0 of the model: the time of a kernel is the time of its slowest SM (sm_run.h). It is computed twice:
// first for the order of its requests, then, with the contents of the shared caches known, for the time.
//   SmModel model(machine, memory_model);
//   SmTimes times = model.run(recording, *timed_kernel);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "config/machine.h"
#include "gpu/sm/timed_kernel.h"
#include "predict/recorder.h"
#include "predict/shared_caches.h"
#include "predict/sm_run.h"

namespace duet::predict {

class SmModel {
 public:
  SmModel(const config::Machine& machine, MemoryModel& memory);
  ~SmModel();
  SmTimes run(KernelRecording& recording, const gpu::TimedKernel& timed);
  // Of the last kernel: the load of the caches below L1 and of DRAM, and its time with other assumptions.
  const MemoryLoad& load() const { return load_; }
  const std::vector<Block*>& blocks() const { return order_.blocks; }  // of the computed SM
  // The contents of its SMs' instruction caches now; the second function gives an uncomputed launch the same
  // contents.
  using Code = std::shared_ptr<TagArray>;
  const Code& code() const { return code_; }
  void has_code(const KernelRecording& recording, const Code& code);
  // In cycles: its time with other assumptions. Of a long kernel the beginning is computed with and without
  // them.
  double again(const KernelRecording& recording, const gpu::TimedKernel& timed, const Changes& changes);

 private:
  Code& instructions_of(const KernelRecording& recording, std::uint64_t place);
  std::uint64_t slowest(const KernelRecording& recording);
  bool matters(const Changes& changes) const;

  const config::Machine machine_;
  MemoryModel& memory_;
  std::vector<Code> instructions_;  // of each SM; SMs with the same code share one
  Code instructions_before_, code_;
  AccessOrder order_;
  MemoryLoad load_;
  SmTimes times_;
  std::size_t part_ = 0;    // steps of each warp for again(); 0: not known
  double part_cycles_ = 0;  // their time without a change
  // The kinds of instructions in the computed blocks; absent kinds limit nothing.
  struct {
    bool accesses, conflicts, atomics, calls, clock_waits;
  } has_{};
};

}  // namespace duet::predict
