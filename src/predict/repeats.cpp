#include "predict/repeats.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace duet::predict {

namespace {

// Partially executed launches are skipped in larger numbers.
constexpr unsigned kAlike = 3, kFewest = 4, kMost = 64, kMostPartial = 1024;
constexpr double kSameWork = 0.05, kSamePace = 0.1, kKnownPace = 0.02, kSurePace = 0.005;
constexpr std::size_t kPaces = 4;

bool near(double one, double other, double share) { return std::abs(one - other) <= share * other; }

Picoseconds scaled(Picoseconds time, double factor) {
  return static_cast<Picoseconds>(static_cast<double>(time) * factor);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// Standard error of their mean, as a share of it.
double uncertainty(const std::vector<double>& values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  const auto count = static_cast<double>(values.size());
  return std::sqrt(squares / (count - 1) / count) / middle;
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
  const double pace = static_cast<double>(prediction.time_ps) / std::max(instructions, 1.0);
  // How often warps look while they wait is not work.
  const bool waits = recording.polls || recording.without_rounds != 1;
  const bool again = kernel.alike != 0 && !recording.overlapped && !waits &&
                     near(instructions, kernel.instructions, kSameWork) &&
                     near(pace, mean(kernel.paces), kSamePace);
  if (!again) {
    kernel.alike = kernel.at_once = 0;
    kernel.paces.clear();
  }
  ++kernel.alike;
  if (kernel.paces.size() == kPaces) kernel.paces.erase(kernel.paces.begin());
  kernel.paces.push_back(pace);
  kernel.last = prediction;
  kernel.last.recording = nullptr;
  kernel.last.load = nullptr;
  kernel.instructions = instructions;
  kernel.standing = static_cast<double>(recording.standing);
  kernel.computed_at = uses_of_memory_;
  const double unsure = kernel.alike < kAlike ? 1 : uncertainty(kernel.paces);
  if (unsure > kKnownPace) {
    kernel.at_once = 0;
    return;
  }
  kernel.left = kernel.at_once = std::clamp((unsure <= kSurePace ? 4 : 2) * kernel.at_once, kFewest,
                                            recording.partial ? kMostPartial : kMost);
  kernel.left_in_caches = memory.left_since(before);
}

// Each leaves the same every time: the last time counts.
void Repeats::leave_in(MemoryModel& memory) {
  // Where they were computed one after the other and nothing came since, all is there.
  bool there = true;
  for (std::size_t i = 0; i < to_leave_.size(); ++i)
    there &= to_leave_[i]->computed_at + to_leave_.size() == uses_of_memory_ + 1 + i;
  for (Kernel* const kernel : to_leave_)
    if (!there) memory.leave(kernel->left_in_caches);
  to_leave_.clear();
  ++uses_of_memory_;
}

Prediction Repeats::repeated(const KernelRecording& recording) {
  Kernel& kernel = kernels_.at(identity(*recording.grid));
  const double instructions =
      recording.skipped == 0
          ? recording.instructions()
          : kernel.instructions * static_cast<double>(recording.standing) / std::max(kernel.standing, 1.0);
  const double pace = mean(kernel.paces);
  if (!near(instructions, kernel.instructions, kSameWork)) {
    kernel.left = kernel.alike = kernel.at_once = 0;
    kernel.paces.clear();
  }
  std::erase(to_leave_, &kernel);
  to_leave_.push_back(&kernel);
  const double factor = instructions / std::max(kernel.instructions, 1.0);
  Prediction result = kernel.last;
  result.recording = &recording;
  result.repeated = true;
  result.time_ps = static_cast<Picoseconds>(pace * instructions);
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
