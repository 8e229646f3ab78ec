#include "gpu/sm/warp_scheduler.h"

#include <algorithm>

#include "base/error.h"

namespace duet::gpu {

WarpScheduler::WarpScheduler(std::uint64_t warps, const std::string& policy) : warps_(warps) {
  const std::vector<std::string> legal_names = names();
  policy_ = static_cast<std::size_t>(std::find(legal_names.begin(), legal_names.end(), policy) -
                                     legal_names.begin());
  if (policy_ != legal_names.size()) return;
  std::string legal;
  for (const std::string& name : legal_names) legal += (legal.empty() ? "" : "|") + name;
  throw Error("gpu.sm.scheduler is \"" + policy + "\": must be one of " + legal);
}

std::vector<std::string> WarpScheduler::names() {
  return std::apply(
      [](const auto&... policy) {
        return std::vector<std::string>{std::decay_t<decltype(policy)>::kName...};
      },
      Policies());
}

}  // namespace duet::gpu
