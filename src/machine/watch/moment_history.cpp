#include "machine/watch/moment_history.h"

namespace duet::machine {

// Whether what is open ends where a stretch of this moment begins.
bool MomentHistory::full(std::size_t moment, Picoseconds length) const {
  const Picoseconds open = end_ps_ - start_ps_;
  if (open == 0 || open_[moment] == open) return false;
  return kept_ < kExact || open >= least_ || length >= least_;
}

void MomentHistory::close() {
  for (std::size_t moment = 0; moment < open_.size(); ++moment)
    if (open_[moment] != 0)
      complete_.push_back({static_cast<std::uint32_t>(moment), 0, start_ps_, end_ps_, open_[moment]});
  start_ps_ = end_ps_;
  open_ = {};
  if (++kept_ < kExact) return;
  if (kept_ == kExact)
    least_ = 2 * end_ps_ / kExact;
  else if ((kept_ - kExact) % (kExact / 2) == 0)
    least_ *= 2;
}

void MomentHistory::add(std::size_t moment, Picoseconds from, Picoseconds to) {
  if (from >= to) return;
  if (full(moment, to - from)) close();
  if (end_ps_ == start_ps_) start_ps_ = from;
  open_[moment] += to - from;
  end_ps_ = to;
}

}  // namespace duet::machine
