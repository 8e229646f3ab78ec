// Rules of the run: the costs of its copies, launches and waits.
#include <fmt/format.h>

#include <algorithm>

#include "advise/rules.h"
#include "report/terminal/table_text.h"

namespace duet::advise {

namespace {

using report::PathPart;

constexpr std::uint64_t kFew = 8;     // copies or launches: fewer are no pattern
constexpr Bytes kSmallCopy = 64_KiB;  // on average
constexpr double kLaunchShare = 0.2;  // of the run, in calls and driver
constexpr std::uint64_t kFewWaits = 4;

Picoseconds of_nanoseconds(std::uint64_t ns) { return ns * kPicosecondsPerNanosecond; }

double bytes_time(Bytes bytes, std::uint64_t mb_per_s) {
  return mb_per_s == 0 ? 0 : static_cast<double>(bytes) * 1e6 / static_cast<double>(mb_per_s);
}

struct Direction {
  const CopyFacts& copies;
  PathPart part;
  std::uint64_t mb_per_s;
  const char* name;
};

double least_time(const Direction& d) { return bytes_time(d.copies.bytes, d.mb_per_s); }

void pageable_copies(const Facts& facts, const Direction& d, Advices& out) {
  const CopyFacts& copies = d.copies;
  if (copies.pageable == 0 || facts.machine().driver.staging.mb_per_s == 0) return;
  const double pinned = bytes_time(copies.pageable_bytes, d.mb_per_s);
  // On the critical path the processor's staging is a call's.
  const double saves = std::min(static_cast<double>(copies.pageable_ps) - pinned,
                                static_cast<double>(facts.path(d.part) + facts.path(PathPart::Calls)));
  if (saves <= 0) return;
  out.push_back(
      {"pageable_copies",
       "",
       fmt::format("copies {} of pageable memory", d.name),
       fmt::format("{} of {} copies ({} bytes) go through a staging buffer at {} MB/s, the link does {}",
                   copies.pageable, copies.copies, copies.pageable_bytes,
                   facts.machine().driver.staging.mb_per_s, d.mb_per_s),
       "allocate their host side with cudaMallocHost, or register it",
       static_cast<Picoseconds>(saves),
       {"driver.staging.mb_per_s=0"}});
}

void small_copies(const Facts& facts, const Direction& d, Advices& out) {
  const CopyFacts& copies = d.copies;
  if (copies.copies < kFew || copies.bytes / copies.copies > kSmallCopy) return;
  const auto each = static_cast<double>(copies.copies - 1) / static_cast<double>(copies.copies);
  const double all = static_cast<double>(copies.time_ps + copies.driver_ps);
  const double of_path = static_cast<double>(facts.path(d.part) + facts.path(PathPart::Driver));
  const double saves = std::min((all - least_time(d)) * each, of_path);
  if (saves <= 0) return;
  out.push_back(
      {"small_copies",
       "",
       fmt::format("many small copies {}", d.name),
       fmt::format("{} copies of {} bytes on average take {}, their bytes alone {}", copies.copies,
                   copies.bytes / copies.copies, report::duration(static_cast<Picoseconds>(all)),
                   report::duration(static_cast<Picoseconds>(least_time(d)))),
       "gather them into one",
       static_cast<Picoseconds>(saves),
       {"driver.memcpy_sync.call_ns=0", "driver.memcpy_sync.driver_ns=0", "driver.memcpy_sync.finish_ns=0",
        "driver.memcpy_async.call_ns=0", "driver.memcpy_async.driver_ns=0"}});
}

void launches(const Facts& facts, Advices& out) {
  if (facts.launches < kFew) return;
  const config::CallLatency& launch = facts.machine().driver.launch;
  const Picoseconds one = of_nanoseconds(launch.call_ns + launch.driver_ns);
  const Picoseconds path = facts.path(PathPart::Calls) + facts.path(PathPart::Driver);
  if (facts.kernels_ps / facts.launches > one ||
      static_cast<double>(path) < kLaunchShare * static_cast<double>(facts.run_ps))
    return;
  out.push_back({"launch_bound",
                 "",
                 "kernel launches",
                 fmt::format("{} launches run for {} on average, and to launch one takes {}", facts.launches,
                             report::duration(facts.kernels_ps / facts.launches), report::duration(one)),
                 "do more in one kernel: fuse them, or loop inside",
                 std::min(path, one * (facts.launches - 1)),
                 {"driver.launch.call_ns=0", "driver.launch.driver_ns=0"}});
}

void waits(const Facts& facts, Advices& out) {
  const std::uint64_t waits =
      facts.calls({"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
                   "cudaThreadSynchronize", "cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize"});
  if (waits <= kFewWaits || facts.launches <= kFewWaits) return;
  const config::Driver& driver = facts.machine().driver;
  const Picoseconds call = of_nanoseconds(driver.launch.call_ns);
  const Picoseconds prepare = of_nanoseconds(driver.launch.driver_ns);
  const Picoseconds kernel = facts.kernels_ps / facts.launches;
  // The time of a launch with a wait behind it, less its time in a queue.
  const Picoseconds queued = std::max(call, driver.read_ahead ? std::max(prepare, kernel) : prepare + kernel);
  const Picoseconds one =
      of_nanoseconds(driver.device_synchronize.finish_ns) + call + prepare + kernel - queued;
  Picoseconds idle = 0;
  for (const report::TimePart& part : report::moments(facts.report().account))
    if (std::string_view(part.name) == "driver" || std::string_view(part.name) == "calls")
      idle += part.time_ps;
  out.push_back({"synchronization",
                 "",
                 "waits of the host",
                 fmt::format("it waits {} times for {} launches, and the GPU is idle for {} while calls and "
                             "driver work",
                             waits, facts.launches, report::duration(idle)),
                 "queue work that does not need the host in between, and wait once",
                 std::min(idle, one * std::min(waits - 1, facts.launches - 1)),
                 {}});
}

// Copies and kernels take turns, though a stream each would let them run at once.
void overlap(const Facts& facts, Advices& out) {
  const report::TimeAccount& account = facts.report().account;
  const Picoseconds in = std::min(facts.to_device.time_ps, facts.path(PathPart::HostToDevice));
  const Picoseconds back = std::min(facts.to_host.time_ps, facts.path(PathPart::DeviceToHost));
  const Picoseconds kernels = report::busy_ps(account, report::Activity::Kernel);
  const bool both_ways = facts.machine().link.full_duplex && facts.machine().gpu.copy_engines.count > 1;
  const Picoseconds longest = both_ways ? std::max({in, back, kernels}) : std::max(in + back, kernels);
  const Picoseconds possible = in + back + kernels - longest;
  Picoseconds both = 0;
  for (const report::TimePart& part : report::moments(account))
    if (std::string_view(part.name) == "kernels_and_copies") both = part.time_ps;
  // Copies of both directions at once; fills and copies on the device take the GPU's memory, as kernels do.
  const Picoseconds copies = facts.to_device.time_ps + facts.to_host.time_ps;
  if (both_ways) both += copies - std::min(copies, report::busy_ps(account, report::Activity::Copy));
  if (kernels == 0 || possible == 0 || both * 10 > possible) return;
  constexpr Picoseconds kPieces = 4;  // pieces; the first copy and the last kernel overlap with nothing
  out.push_back(
      {"overlap",
       "",
       "copies and kernels that take turns",
       fmt::format("copies to the device go on for {}, to the host for {}, kernels for {}, and two "
                   "of these at once for {}",
                   report::duration(facts.to_device.time_ps), report::duration(facts.to_host.time_ps),
                   report::duration(kernels), report::duration(both)),
       fmt::format("cut the data into {} pieces, each with pinned memory, cudaMemcpyAsync and a "
                   "stream of its own",
                   kPieces),
       (possible - both) * (kPieces - 1) / kPieces,
       {}});
}

void read_ahead(const Facts& facts, Advices& out) {
  if (facts.machine().driver.read_ahead) return;
  const Picoseconds path = facts.path(PathPart::Driver);
  out.push_back({"read_ahead",
                 "",
                 "a driver that prepares a command when its predecessor is complete",
                 fmt::format("{} of the critical path are the driver's", report::duration(path)),
                 "(hardware) let it prepare ahead: driver.read_ahead",
                 path / 2,
                 {"driver.read_ahead=true"}});
}

}  // namespace

void advise_run(const Facts& facts, Advices& out) {
  const config::Link& link = facts.machine().link;
  const Direction directions[] = {
      {facts.to_device, PathPart::HostToDevice, link.payload_mb_per_s_to_gpu, "to the device"},
      {facts.to_host, PathPart::DeviceToHost, link.payload_mb_per_s_to_host, "to the host"}};
  for (const Direction& direction : directions) {
    pageable_copies(facts, direction, out);
    small_copies(facts, direction, out);
  }
  launches(facts, out);
  waits(facts, out);
  overlap(facts, out);
  read_ahead(facts, out);
}

}  // namespace duet::advise
