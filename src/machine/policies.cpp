#include "machine/policies.h"

#include "gpu/sm/warp_scheduler.h"

namespace duet::machine {

void check_policies(const config::Gpu& config) { gpu::WarpScheduler(0, config.sm.scheduler); }

}  // namespace duet::machine
