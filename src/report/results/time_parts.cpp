// The account of a run (machine/watch/time_account.h) as it is shown.
#include "report/run_report.h"

namespace duet::report {

namespace {
bool has(std::size_t moment, Activity activity) {
  return (moment >> static_cast<std::size_t>(activity) & 1) != 0;
}
}  // namespace

std::vector<TimePart> moments(const TimeAccount& account) {
  enum { kKernels, kBoth, kCopies, kDriver, kCalls, kNothing };
  std::vector<TimePart> parts = {{"kernels", "kernels", 0},
                                 {"kernels_and_copies", "kernels and copies at once", 0},
                                 {"copies", "copies", 0},
                                 {"driver", "driver, GPU idle", 0},
                                 {"calls", "API calls, driver and GPU idle", 0},
                                 {"between_calls", "program between calls, all idle", 0}};
  for (std::size_t moment = 0; moment < kMomentKinds; ++moment) {
    const bool kernel = has(moment, Activity::Kernel), copy = has(moment, Activity::Copy);
    const std::size_t part = kernel && copy                  ? kBoth
                             : kernel                        ? kKernels
                             : copy                          ? kCopies
                             : has(moment, Activity::Driver) ? kDriver
                             : has(moment, Activity::Call)   ? kCalls
                                                             : kNothing;
    parts[part].time_ps += account.moments_ps[moment];
  }
  return parts;
}

std::vector<TimePart> critical_path(const TimeAccount& account) {
  static constexpr std::array<std::pair<const char*, const char*>, kPathParts> kNames = {
      {{"between_calls", "program between calls"},
       {"calls", "API calls"},
       {"driver", "driver"},
       {"host_to_device", "copies host to device"},
       {"device_to_host", "copies device to host"},
       {"other_copies", "other copies and fills"},
       {"kernels", "kernels"}}};
  std::vector<TimePart> parts;
  for (std::size_t i = 0; i < kPathParts; ++i)
    parts.push_back({kNames[i].first, kNames[i].second, account.path_ps[i]});
  return parts;
}

Picoseconds busy_ps(const TimeAccount& account, Activity activity) {
  Picoseconds sum = 0;
  for (std::size_t moment = 0; moment < kMomentKinds; ++moment)
    if (has(moment, activity)) sum += account.moments_ps[moment];
  return sum;
}

}  // namespace duet::report
