#include "machine/rules/policies.h"

#include "base/error.h"
#include "config/setting.h"
#include "gpu/sm/warp_scheduler.h"

namespace duet::machine {

void check_policies(const config::Gpu& config) { gpu::WarpScheduler(0, config.sm.scheduler); }

void check_policies(const config::Gpu& config, const std::vector<config::ResolvedValue>& values) {
  try {
    check_policies(config);
  } catch (const Error& error) {
    throw Error(config::setting(values, "gpu.sm.scheduler").where + ": " + error.what());
  }
}

}  // namespace duet::machine
