// How long the blocks between the windows take: they go on at the pace of those in the windows, so many
// cycles an instruction.
//   BlockPace pace(recording, mine);
//   pace.started(number, now, instructions);      each block of the SM that is computed, as it starts
//   pace.between(ends, instructions, dram_cycles) cycles of those that were not
#pragma once

#include <cstdint>
#include <vector>

#include "predict/recorder.h"

namespace duet::predict {

class BlockPace {
 public:
  // `mine`: the blocks of the SM that is computed.
  BlockPace(const KernelRecording& recording, const std::vector<Block*>& mine, std::uint64_t sms)
      : recording_(recording), mine_(mine), sms_(sms) {}

  // The block of this number, from 0. `instructions`: those that have issued.
  void started(std::size_t number, Cycle now, std::uint64_t instructions);
  // `ends`: of blocks, the first one first. `dram_cycles`: of the core clock, for what all SMs' blocks in the
  // windows ask of DRAM.
  double between(const std::vector<Cycle>& ends, std::uint64_t instructions, double dram_cycles) const;

 private:
  struct Moment {
    Cycle cycle = 0;
    std::uint64_t instructions = 0;
  };

  const KernelRecording& recording_;
  const std::vector<Block*>& mine_;
  const std::uint64_t sms_;
  // When the first block started in a place that another one had left, and when one did as many places later
  // as there are, once or more: blocks that wait start and end together.
  Moment full_since_, last_start_;
};

}  // namespace duet::predict
