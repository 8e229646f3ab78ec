#include "predict/block_pace.h"

#include <algorithm>

namespace duet::predict {

void BlockPace::started(std::size_t number, Cycle now, std::uint64_t instructions) {
  if (number % recording_.blocks_per_sm == 0) last_start_ = {now, instructions};
  if (number == recording_.blocks_per_sm) full_since_ = last_start_;
}

double BlockPace::between(const std::vector<Cycle>& ends, std::uint64_t instructions,
                          double dram_cycles) const {
  const std::uint64_t total = (recording_.blocks - mine_.front()->block % sms_ + sms_ - 1) / sms_;
  const std::size_t places = recording_.blocks_per_sm;
  if (total <= ends.size() || ends.size() <= places || instructions == 0) return 0;
  const auto computed = static_cast<double>(instructions);
  double pace = static_cast<double>(ends.back() - ends[places - 1]) / computed *
                static_cast<double>(ends.size()) / static_cast<double>(ends.size() - places);
  // The pace while all places were taken, if for long enough: blocks that end later began earlier.
  const double issued = static_cast<double>(last_start_.instructions - full_since_.instructions);
  if (ends.size() >= 3 * places && issued > 0)
    pace = static_cast<double>(last_start_.cycle - full_since_.cycle) / issued;
  // DRAM may be slower than the pace; its queues hide that for a while.
  const auto kept = static_cast<double>(recording_.kept_instructions());
  pace = std::max(pace, dram_cycles * static_cast<double>(std::min(sms_, recording_.blocks)) / kept);
  double here = 0;
  for (const Block* block : mine_) here += static_cast<double>(block->executed);
  const double all =
      recording_.instructions() * static_cast<double>(total) / static_cast<double>(recording_.blocks);
  return pace * std::max(all - here, 0.0);
}

}  // namespace duet::predict
