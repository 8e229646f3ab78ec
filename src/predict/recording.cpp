#include "predict/recording.h"

#include <algorithm>

namespace duet::predict {

namespace {

constexpr std::size_t kLongestRound = 4;          // loads
constexpr std::uint32_t kLongestClockRound = 64;  // steps

}  // namespace

void Block::start(std::size_t count, std::uint32_t steps, std::uint32_t room_for_requests) {
  for (auto& warp : warps) warp.clear();
  for (auto& warp : accesses) warp.clear();
  begin(count, steps);
  kept = 0;
  holds.clear();
  for (auto& warp : few) warp.clear();
  accesses.resize(count);
  few.resize(count);
  cache_requests.clear();
  request_room.assign(count, room_for_requests);
  requests.clear();
  executed = dropped_ = 0;
  stopped = false;
  polled_.clear();
  clocks_.clear();
}

// Numbers from the last one back.
bool Block::same(std::uint32_t warp, std::size_t one, std::size_t other) const {
  const std::vector<Poll>& polls = polled_[warp];
  if (polls[polls.size() - 1 - one].op != polls[polls.size() - 1 - other].op) return false;
  if (!keeps_steps) {
    const std::vector<Few>& own = few[warp];
    const Few &a = own[own.size() - 1 - one], &b = own[own.size() - 1 - other];
    const auto* const first = cache_requests.data() + a.first;
    return a.count == b.count && a.count != 0 && !first->constant() &&
           std::equal(first, first + a.count, cache_requests.data() + b.first);
  }
  const std::vector<Access>& own = accesses[warp];
  const Access &a = own[own.size() - 1 - one], &b = own[own.size() - 1 - other];
  if (a.count != b.count) return false;
  for (std::uint32_t i = 0; i < a.count; ++i) {
    const Request &first = requests[a.first + i], &second = requests[b.first + i];
    if (first.path != Path::L1 || first.path != second.path || first.address != second.address ||
        first.sectors != second.sectors || first.first_byte != second.first_byte)
      return false;
  }
  return a.count != 0;
}

void Block::drop_accesses(std::uint32_t warp, std::size_t count) {
  if (keeps_steps)
    accesses[warp].resize(accesses[warp].size() - count);
  else
    few[warp].resize(few[warp].size() - count);
}

// All steps of a warp but the first ones.
void Block::drop(std::uint32_t warp, std::size_t left) {
  std::vector<std::uint32_t>& steps = warps[warp];
  for (std::size_t i = left; i < steps.size(); ++i)
    dropped_ += (*code)[steps[i] & ~kAccess].machine_instructions;
  kept -= steps.size() - left;
  room[warp] += static_cast<std::uint32_t>(steps.size() - left);
  steps.resize(left);
  if (warp < holds.size())
    while (!holds[warp].empty() && holds[warp].back().step >= left) holds[warp].pop_back();
}

bool Block::polls(std::uint32_t warp, const ptx::MicroOp& op) {
  if (polled_.empty()) polled_.resize(room.size());
  std::vector<Poll>& polls = polled_[warp];
  if (polls.size() == 2 * kLongestRound) polls.erase(polls.begin());
  polls.push_back({&op, warps[warp].size()});
  for (std::size_t length = 1; 2 * length <= polls.size(); ++length) {
    bool again = true;
    for (std::size_t i = 0; i < length && again; ++i) again = same(warp, i, i + length);
    if (!again) continue;
    polls.resize(polls.size() - length);
    drop_accesses(warp, length);
    if (keeps_steps) drop(warp, polls.back().steps);
    return true;
  }
  return false;
}

// The last steps of a warp.
bool Block::only_computes(std::uint32_t warp, std::uint32_t steps) const {
  const std::vector<std::uint32_t>& own = warps[warp];
  return std::all_of(own.end() - std::min<std::ptrdiff_t>(steps, std::ssize(own)), own.end(),
                     [&](std::uint32_t step) {
                       const ptx::Kind kind = (*code)[step & ~kAccess].kind;
                       return kind != ptx::Kind::Barrier && kind != ptx::Kind::SystemCall;
                     });
}

void Block::reads_clock(std::uint32_t warp, std::uint32_t pc, Cycle cycle) {
  if (room[warp] == 0) return;
  if (clocks_.empty()) clocks_.resize(room.size());
  Clock& last = clocks_[warp];
  const std::uint32_t steps = last.room - room[warp];
  if (last.pc != pc || last.accesses != access_count(warp) || steps > kLongestClockRound ||
      !only_computes(warp, steps)) {
    last = {pc, room[warp], access_count(warp), cycle};
    return;
  }
  const Cycle waited = cycle - last.cycle;
  last.cycle = cycle;
  if (!keeps_steps) {
    kept -= steps;
    room[warp] += steps;
    return;
  }
  drop(warp, warps[warp].size() - steps);
  if (holds.size() <= warp) holds.resize(warps.size());
  const auto step = static_cast<std::uint32_t>(warps[warp].size() - 1);
  if (holds[warp].empty() || holds[warp].back().step != step) holds[warp].push_back({step, 0, 0, true});
  holds[warp].back().cycles += waited;
}

}  // namespace duet::predict
