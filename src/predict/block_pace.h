// The time of the blocks between the windows: they go on at the pace of the windows' blocks, in cycles an
// instruction.
//   BlockPace pace(recording, mine);
//   pace.started(number, now, instructions);      each block of the computed SM, as it starts
//   pace.between(ends, instructions, dram_cycles) cycles of the other blocks
#pragma once

#include <cstdint>
#include <vector>

#include "predict/recorder.h"

namespace duet::predict {

class BlockPace {
 public:
  // `mine`: the blocks of the computed SM.
  BlockPace(const KernelRecording& recording, const std::vector<Block*>& mine, std::uint64_t sms)
      : recording_(recording), mine_(mine), sms_(sms) {}

  // The block of this number, from 0. `instructions`: issued so far.
  void started(std::size_t number, Cycle now, std::uint64_t instructions);
  // `ends`: of blocks, the first one first. `dram_cycles`: DRAM's work for all SMs' blocks in the windows, in
  // cycles of the core clock.
  double between(const std::vector<Cycle>& ends, std::uint64_t instructions, double dram_cycles) const;

 private:
  struct Moment {
    Cycle cycle = 0;
    std::uint64_t instructions = 0;
  };

  const KernelRecording& recording_;
  const std::vector<Block*>& mine_;
  const std::uint64_t sms_;
  // The first start of a block in a used place, and the last start a multiple of the number of places later:
  // blocks that wait start and end together.
  Moment full_since_, last_start_;
};

}  // namespace duet::predict
