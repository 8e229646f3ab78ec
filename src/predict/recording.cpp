#include "predict/recording.h"

namespace duet::predict {

namespace {

constexpr std::size_t kLongestRound = 4;  // loads

}  // namespace

// Numbers from the last one back.
bool Block::same(std::uint32_t warp, std::size_t one, std::size_t other) const {
  const std::vector<Poll>& polls = polled_[warp];
  if (polls[polls.size() - 1 - one].op != polls[polls.size() - 1 - other].op) return false;
  const std::vector<Access>& own = accesses[warp];
  const Access &a = own[own.size() - 1 - one], &b = own[own.size() - 1 - other];
  if (a.count != b.count) return false;
  for (std::uint32_t i = 0; i < a.count; ++i) {
    const Request &first = requests[a.first + i], &second = requests[b.first + i];
    if (first.path != Path::L1 || first.path != second.path || first.address != second.address ||
        first.sectors != second.sectors)
      return false;
  }
  return a.count != 0;
}

bool Block::polls(std::uint32_t warp, const ptx::MicroOp& op) {
  if (polled_.empty()) polled_.resize(accesses.size());
  std::vector<Poll>& polls = polled_[warp];
  if (polls.size() == 2 * kLongestRound) polls.erase(polls.begin());
  polls.push_back({&op, warps[warp].size()});
  for (std::size_t length = 1; 2 * length <= polls.size(); ++length) {
    bool again = true;
    for (std::size_t i = 0; i < length && again; ++i) again = same(warp, i, i + length);
    if (!again) continue;
    polls.resize(polls.size() - length);
    accesses[warp].resize(accesses[warp].size() - length);
    if (!keeps_steps) return true;
    const std::size_t steps = warps[warp].size() - polls.back().steps;
    warps[warp].resize(polls.back().steps);
    if (warp < holds.size())
      while (!holds[warp].empty() && holds[warp].back().step >= warps[warp].size()) holds[warp].pop_back();
    kept -= steps;
    room[warp] += static_cast<std::uint32_t>(steps);
    dropped_ += steps;
    return true;
  }
  return false;
}

}  // namespace duet::predict
