#include "predict/sm_model.h"

#include <algorithm>

namespace duet::predict {

SmModel::SmModel(const config::Machine& machine, MemoryModel& memory)
    : machine_(machine),
      memory_(memory),
      instructions_(machine.gpu.sm.count,
                    std::make_shared<TagArray>(machine.gpu.instruction_cache, nullptr)) {}

SmModel::~SmModel() = default;

std::shared_ptr<TagArray>& SmModel::instructions_of(const KernelRecording& recording, std::uint64_t place) {
  return instructions_[(recording.first_sm + place) % instructions_.size()];
}

// Whose time is that of the kernel. Blocks that are there at once: of SMs that have not executed this
// kernel's code, if there are any, the one with most to do.
std::uint64_t SmModel::slowest(const KernelRecording& recording) {
  if (recording.blocks > recording.wave) return 0;
  const std::uint64_t sms = machine_.gpu.sm.count;
  std::vector<std::uint64_t> work(sms);
  for (const auto& block : recording.kept)
    if (block->keeps_steps) work[block->block % sms] += block->executed;
  const std::uint64_t most = *std::max_element(work.begin(), work.end());
  const std::uint64_t code = recording.grid->code_physical.value();
  const auto key = [&](std::uint64_t place) {
    const bool cold = 2 * work[place] >= most && !instructions_of(recording, place)->holds(code);
    return std::pair(cold, work[place]);
  };
  std::uint64_t best = 0;
  for (std::uint64_t place = 1; place < sms; ++place)
    if (key(place) > key(best)) best = place;
  return best;
}

SmTimes SmModel::run(KernelRecording& recording, const gpu::TimedKernel& timed) {
  order_ = {};
  order_.sm = slowest(recording);
  const std::uint64_t sms = machine_.gpu.sm.count;
  for (const auto& block : recording.kept)
    if (block->block % sms == order_.sm && block->keeps_steps) order_.blocks.push_back(block.get());
  if (order_.blocks.empty()) return {};
  instructions_before_ = instructions_of(recording, order_.sm);
  TagArray first = *instructions_before_;
  const auto after = std::make_shared<TagArray>(first);
  run_sm(machine_, recording, timed, order_.blocks, nullptr, {}, memory_, first, &order_);
  load_ = play(recording, order_, machine_, memory_);
  for (std::uint64_t place = 0; place < std::min(sms, recording.blocks); ++place)
    instructions_of(recording, place) = after;
  return run_sm(machine_, recording, timed, order_.blocks, &load_, {}, memory_, *after, nullptr);
}

SmTimes SmModel::again(const KernelRecording& recording, const gpu::TimedKernel& timed,
                       const Changes& changes) {
  if (order_.blocks.empty()) return {};
  TagArray code = *instructions_before_;
  return run_sm(machine_, recording, timed, order_.blocks, &load_, changes, memory_, code, nullptr);
}

}  // namespace duet::predict
