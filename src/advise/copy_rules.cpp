// Rules of the run's copies.
#include <fmt/format.h>

#include <algorithm>

#include "advise/rules.h"
#include "memory/allocation_methods.h"
#include "report/terminal/table_text.h"

namespace duet::advise {

namespace {

using report::PathPart;

constexpr Bytes kSmallCopy = 64_KiB;  // on average
constexpr double kReadOnce = 2;       // times the copied bytes: more reads need all of them

double bytes_time(Bytes bytes, std::uint64_t mb_per_s) {
  return mb_per_s == 0 ? 0 : static_cast<double>(bytes) * 1e6 / static_cast<double>(mb_per_s);
}

struct Direction {
  const CopyFacts& copies;
  PathPart part;
  std::uint64_t mb_per_s;
  const char* name;
};
using Directions = std::array<Direction, 2>;

const char* both_or(const Direction* one) { return one != nullptr ? one->name : "both ways"; }

void pageable_copies(const Facts& facts, const Directions& directions, Advices& out) {
  if (facts.machine().driver.staging.mb_per_s == 0) return;
  double saves = 0;
  std::uint64_t pageable = 0, all = 0;
  Bytes bytes = 0;
  const Direction* only = nullptr;
  for (const Direction& d : directions) {
    if (d.copies.pageable == 0) continue;
    only = pageable == 0 ? &d : nullptr;
    pageable += d.copies.pageable;
    all += d.copies.copies;
    bytes += d.copies.pageable_bytes;
    // On the critical path the processor's staging is a call's.
    saves += std::clamp(
        static_cast<double>(d.copies.pageable_ps) - bytes_time(d.copies.pageable_bytes, d.mb_per_s), 0.0,
        static_cast<double>(facts.path(d.part) + facts.path(PathPart::Calls)));
  }
  // Pinned memory takes longer to allocate and to release.
  std::size_t buffers = 0;
  for (const Direction& d : directions) buffers += d.copies.pageable_sizes.size();
  const Picoseconds costs = 2 * buffers * facts.machine().driver.allocate.call_ns * kPicosecondsPerNanosecond;
  saves -= static_cast<double>(costs);
  if (saves <= 0) return;
  out.push_back(
      {"pageable_copies",
       "",
       fmt::format("copies {} of pageable memory", both_or(only)),
       fmt::format("{} of {} copies ({} bytes) go through a staging buffer at {} MB/s, the link does {}",
                   pageable, all, bytes, facts.machine().driver.staging.mb_per_s,
                   (only != nullptr ? *only : directions[0]).mb_per_s),
       facts.in_words("allocate their host side with cudaMallocHost, or register it",
                      "use as their host side what a buffer with CL_MEM_ALLOC_HOST_PTR is mapped to"),
       static_cast<Picoseconds>(saves),
       {"driver.staging.mb_per_s=0"}});
  out.back().costs_ps = costs;
}

bool many_small(const CopyFacts& copies) {
  return copies.next_to_another >= kFew && copies.bytes / copies.copies <= kSmallCopy;
}

// With its bytes' way go its call and its preparation. A copy with a kernel before it may need its result,
// and the host what it brings.
void small_copies(const Facts& facts, const Directions& directions, Advices& out) {
  const config::CallLatency& call = facts.machine().driver.memcpy_sync;
  const auto around = static_cast<double>((call.call_ns + call.finish_ns) * kPicosecondsPerNanosecond);
  double all = 0, least = 0, saves = 0;
  std::uint64_t copies = 0;
  Bytes bytes = 0;
  const Direction* only = nullptr;
  for (const Direction& d : directions) {
    if (!many_small(d.copies)) continue;
    only = copies == 0 ? &d : nullptr;
    const auto number = static_cast<double>(d.copies.copies);
    const double time = static_cast<double>(d.copies.time_ps + d.copies.driver_ps) + number * around;
    const double its_least = bytes_time(d.copies.bytes, d.mb_per_s);
    copies += d.copies.copies;
    bytes += d.copies.bytes;
    all += time;
    least += its_least;
    saves += std::max(0.0, (time - its_least) * static_cast<double>(d.copies.next_to_another) / number);
  }
  Picoseconds path = facts.path(PathPart::Driver) + facts.path(PathPart::Calls);
  for (const Direction& d : directions) path += facts.path(d.part);
  if (saves <= 0) return;
  out.push_back({"small_copies",
                 "",
                 fmt::format("many small copies {}", both_or(only)),
                 fmt::format("{} copies of {} bytes on average take {}, their bytes alone {}", copies,
                             bytes / copies, report::duration(static_cast<Picoseconds>(all)),
                             report::duration(static_cast<Picoseconds>(least))),
                 "gather them into one",
                 static_cast<Picoseconds>(std::min(saves, static_cast<double>(path))),
                 {}});
}

// Whether kernels seem to read what was copied piece by piece. Each block of a kernel that reads it again and
// again may need all of it before it begins.
bool pieces_are_apart(const Facts& facts) {
  double reads = 0;
  for (const KernelFacts& kernel : facts.kernels)
    for (const char* name : {"l2.read_hits", "l2.read_misses", "l2.read_merges"})
      reads += static_cast<double>(facts.counter(kernel, name));
  const config::Cache& l1 = facts.machine().gpu.l1;
  const double bytes = reads * static_cast<double>(std::max<Bytes>(l1.sector_bytes, 32));
  return bytes <= kReadOnce * static_cast<double>(facts.to_device.bytes + facts.to_host.bytes);
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
  if (kernels == 0 || possible == 0 || both * 10 > possible || !pieces_are_apart(facts)) return;
  constexpr Picoseconds kPieces = 4;  // the first copy and the last kernel overlap with nothing
  const config::Driver& driver = facts.machine().driver;
  const std::uint64_t more_ns =
      (kPieces - 1) * (driver.launch.driver_ns + ((in != 0) + (back != 0)) * driver.memcpy_async.driver_ns);
  const Picoseconds gain = (possible - both) * (kPieces - 1) / kPieces;
  out.push_back(
      {"overlap",
       "",
       "copies and kernels that take turns",
       fmt::format("copies to the device go on for {}, to the host for {}, kernels for {}, and two "
                   "of these at once for {}; kernels read no byte much more than once",
                   report::duration(facts.to_device.time_ps), report::duration(facts.to_host.time_ps),
                   report::duration(kernels), report::duration(both)),
       fmt::format("cut the data into {} pieces, each with pinned memory, {}", kPieces,
                   facts.in_words("cudaMemcpyAsync and a stream of its own",
                                  "transfers that do not block and a queue of its own")),
       gain - std::min(gain, more_ns * kPicosecondsPerNanosecond),
       {}});
}

}  // namespace

void advise_copies(const Facts& facts, Advices& out) {
  const config::Method* const pinned = memory::method_of(facts.machine(), memory::AllocatingCall::Pinned);
  const bool costs_the_host = pinned != nullptr && pinned->cpu == "uncached";
  const config::Link& link = facts.machine().link;
  const Directions directions{
      {{facts.to_device, PathPart::HostToDevice, link.payload_mb_per_s_to_gpu, "to the device"},
       {facts.to_host, PathPart::DeviceToHost, link.payload_mb_per_s_to_host, "to the host"}}};
  // Both need pinned memory.
  if (!costs_the_host) pageable_copies(facts, directions, out);
  small_copies(facts, directions, out);
  if (!costs_the_host) overlap(facts, out);
}

}  // namespace duet::advise
