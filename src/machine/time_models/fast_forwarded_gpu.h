// The timed GPU around kernels that functional SMs execute: before such a kernel and after it the caches are
// written back, and before the next one in time L2 is warmed (fast_forward.h says by what).
#pragma once

#include <map>
#include <set>
#include <vector>

#include "gpu/functional/line_log.h"
#include "gpu/grid.h"
#include "machine/system.h"

namespace duet::machine {

class FastForwardedGpu {
 public:
  // From here on functional SMs tell it of what they touch.
  explicit FastForwardedGpu(System& system);

  // gpu::BlockWatcher, in ticks.
  void fast_forwards(const gpu::Grid& grid);
  void resumes();
  // The functional SM executes a block of this grid: the timed one of that number would have its code.
  void executes(const gpu::Grid& grid, std::uint32_t sm) { executed_on_[sm].insert(grid.code_physical); }

 private:
  void warm();

  System& system_;
  gpu::LineLog lines_;  // of fast-forwarded kernels
  std::map<PhysicalAddress, Bytes> code_;
  std::vector<std::set<PhysicalAddress>> executed_on_;  // of each SM: code
};

}  // namespace duet::machine
