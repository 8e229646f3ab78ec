#include "predict/repeats.h"

#include <algorithm>
#include <cmath>

namespace duet::predict {

namespace {

// Of launches of which only what decides their time is executed, more at once.
constexpr unsigned kAlike = 3, kFewest = 4, kMost = 64, kMostPartial = 1024;
constexpr double kSameWork = 0.05, kSamePace = 0.02;

bool near(double one, double other, double share) { return std::abs(one - other) <= share * other; }

Picoseconds scaled(Picoseconds time, double factor) {
  return static_cast<Picoseconds>(static_cast<double>(time) * factor);
}

}  // namespace

bool Repeats::starts(const gpu::Grid& grid) {
  const auto found = kernels_.find(identity(grid));
  if (found == kernels_.end() || found->second.left == 0) return false;
  --found->second.left;
  return true;
}

void Repeats::computed(const KernelRecording& recording, const Prediction& prediction,
                       const MemoryModel& memory, const MemoryModel::Moments& before) {
  Kernel& kernel = kernels_[identity(*recording.grid)];
  const double instructions = recording.instructions();
  const auto pace = [](const Prediction& of, double count) {
    return static_cast<double>(of.time_ps) / std::max(count, 1.0);
  };
  // How often warps look while they wait is not work.
  const bool waits = recording.polls || recording.without_rounds != 1;
  const bool again = kernel.alike != 0 && !recording.overlapped && !waits &&
                     near(instructions, kernel.instructions, kSameWork) &&
                     near(pace(prediction, instructions), pace(kernel.last, kernel.instructions), kSamePace);
  if (!again) kernel.alike = kernel.at_once = 0;
  ++kernel.alike;
  kernel.last = prediction;
  kernel.last.recording = nullptr;
  kernel.last.load = nullptr;
  kernel.instructions = instructions;
  kernel.standing = static_cast<double>(recording.standing);
  if (kernel.alike < kAlike) return;
  kernel.left = kernel.at_once =
      std::clamp(2 * kernel.at_once, kFewest, recording.partial ? kMostPartial : kMost);
  kernel.left_in_caches = memory.left_since(before);
}

// Each leaves the same every time: the last time counts.
void Repeats::leave_in(MemoryModel& memory) {
  for (const Kernel* kernel : to_leave_) memory.leave(kernel->left_in_caches);
  to_leave_.clear();
}

Prediction Repeats::repeated(const KernelRecording& recording) {
  Kernel& kernel = kernels_.at(identity(*recording.grid));
  const double instructions =
      recording.skipped == 0
          ? recording.instructions()
          : kernel.instructions * static_cast<double>(recording.standing) / std::max(kernel.standing, 1.0);
  if (!near(instructions, kernel.instructions, kSameWork)) kernel.left = kernel.alike = kernel.at_once = 0;
  std::erase(to_leave_, &kernel);
  to_leave_.push_back(&kernel);
  const double factor = instructions / std::max(kernel.instructions, 1.0);
  Prediction result = kernel.last;
  result.recording = &recording;
  result.repeated = true;
  result.time_ps = scaled(result.time_ps, factor);
  result.roofline_ps = scaled(result.roofline_ps, factor);
  result.hong_kim_ps = scaled(result.hong_kim_ps, factor);
  result.without_ps = {};
  if (recording.overlapped) result.doubts |= 1u << static_cast<unsigned>(Doubt::Overlapped);
  if (recording.host_read) result.doubts |= 1u << static_cast<unsigned>(Doubt::HostRead);
  if (recording.wrong_data) result.doubts |= 1u << static_cast<unsigned>(Doubt::WrongData);
  return result;
}

std::string identity(const gpu::Grid& grid) {
  std::string text = grid.kernel->name;
  for (const gpu::Dim3& size : {grid.grid, grid.block})
    for (const std::uint32_t n : {size.x, size.y, size.z}) text += ' ' + std::to_string(n);
  return text + ' ' + std::to_string(grid.dynamic_shared_bytes) + ' ' +
         std::to_string(grid.code_physical.value());
}

}  // namespace duet::predict
