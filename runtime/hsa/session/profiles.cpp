#include "hsa/session/profiles.h"

#include <algorithm>

namespace duet::hsa {

void Profiles::launched(std::uint64_t signal, const std::vector<driver::CommandId>& commands) {
  times_[signal] = {.running = commands.size()};
  for (const driver::CommandId command : commands) running_[command] = signal;
}

const Times* Profiles::times(std::uint64_t signal) const {
  const auto found = times_.find(signal);
  return found != times_.end() ? &found->second : nullptr;
}

void Profiles::forget() {
  times_.clear();
  running_.clear();
}

void Profiles::completed(const driver::CommandRecord& record) {
  const auto found = running_.find(record.id);
  if (found == running_.end()) return;
  Times& times = times_[found->second];
  running_.erase(found);
  times.start_ps = std::min(times.start_ps, record.start_ps);
  times.end_ps = std::max(times.end_ps, record.end_ps);
  if (times.running != 0) --times.running;
}

}  // namespace duet::hsa
