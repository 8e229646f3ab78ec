// Rules of the run's launches, waits, streams and allocations.
#include <fmt/format.h>

#include <algorithm>

#include "advise/rules.h"
#include "report/terminal/table_text.h"

namespace duet::advise {

namespace {

using report::PathPart;

constexpr double kLaunchShare = 0.2;    // of the run, in calls and driver
constexpr std::uint64_t kFewWaits = 4;  // and allocations
constexpr double kOrderShare = 0.1;     // of the run

Picoseconds of_nanoseconds(std::uint64_t ns) { return ns * kPicosecondsPerNanosecond; }

bool is_worth(const Facts& facts, Picoseconds saves) {
  return static_cast<double>(saves) >= kOrderShare * static_cast<double>(facts.run_ps);
}

void launches(const Facts& facts, Advices& out) {
  if (facts.launches < kFew || facts.driver_launches == 0) return;
  const config::CallLatency& launch = facts.machine().driver.launch;
  const Picoseconds one = of_nanoseconds(launch.call_ns + launch.driver_ns);
  const Picoseconds path = facts.path(PathPart::Calls) + facts.path(PathPart::Driver);
  if (facts.kernels_ps / facts.launches > one ||
      static_cast<double>(path) < kLaunchShare * static_cast<double>(facts.run_ps))
    return;
  // With its call and its preparation goes a launch's way to the GPU and back: the path has all of it.
  const Picoseconds each = std::max(one, facts.launch_driver_ps / facts.launches);
  out.push_back({"launch_bound",
                 "",
                 "kernel launches",
                 fmt::format("{} launches run for {} on average, and to launch one takes {}", facts.launches,
                             report::duration(facts.kernels_ps / facts.launches), report::duration(each)),
                 "do more in one kernel: fuse them, or loop inside",
                 std::min(path, each * (facts.launches - 1)),
                 {}});
}

void waits(const Facts& facts, Advices& out) {
  const std::uint64_t waits = facts.calls(
      {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaThreadSynchronize",
       "cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize", "clFinish", "clWaitForEvents"});
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

bool is_allocation(std::string_view name) {
  if (name.find("Async") != std::string_view::npos) return false;
  for (const char* start : {"cudaMalloc", "cudaFree", "cudaHostAlloc", "cuMemAlloc", "cuMemFree",
                            "cuMemHostAlloc", "clCreateBuffer", "clReleaseMemObject", "clSVM"})
    if (name.starts_with(start)) return true;
  return false;
}

void allocations(const Facts& facts, Advices& out) {
  const std::uint64_t calls = facts.calls_between_launches(is_allocation);
  if (calls <= kFewWaits) return;
  const Picoseconds each = of_nanoseconds(facts.machine().driver.allocate.call_ns);
  out.push_back({"allocations",
                 "",
                 "memory that it allocates and frees between launches",
                 fmt::format("{} such calls lie between launches, each takes {}{}", calls,
                             report::duration(each), facts.in_words(", and cudaFree waits for the GPU", "")),
                 facts.in_words(
                     "allocate once, before the loop, and use it again; or cudaMallocAsync and cudaFreeAsync",
                     "create buffers once, before the loop, and use them again"),
                 std::min(calls * each, facts.path(PathPart::Calls)),
                 {"driver.allocate.call_ns=0"}});
  out.back().costs_ps = (facts.calls(is_allocation) - calls) * each;
}

// Streams with one hardware queue: their commands wait for each other in the order of issue. The best of two
// other orders.
bool issue_order(const Facts& facts, Advices& out) {
  if (facts.commands().streams() < 2 || !facts.commands().share_queues()) return false;
  const bool read_ahead = facts.machine().driver.read_ahead;
  const Picoseconds breadth =
      facts.commands().saved({.issue = Issue::BreadthFirst, .read_ahead = read_ahead});
  const Picoseconds pipeline = facts.commands().saved({.issue = Issue::Pipeline, .read_ahead = read_ahead});
  const Picoseconds saves = std::max(breadth, pipeline);
  if (!is_worth(facts, saves)) return false;
  const std::uint64_t queues = facts.machine().gpu.front_end.hardware_channels;
  out.push_back(
      {"issue_order",
       "",
       "the order in which streams are issued",
       fmt::format("{} streams with kernels share {} hardware queue{}: a command behind one that waits "
                   "for its stream waits too",
                   facts.commands().streams(), queues, queues == 1 ? "" : "s"),
       breadth >= pipeline
           ? "issue breadth first: the first command of every stream, then the second of every stream"
           : "issue in a pipeline: the first command of the next stream, the second of this one, "
             "the third of the one before, and so on",
       saves,
       {}});
  return true;
}

// Kernels of a stream that leave SMs empty, though they touch different memory.
bool serial_kernels(const Facts& facts, Advices& out) {
  if (facts.launches < 2) return false;
  const Picoseconds saves = facts.commands().saved({.own_streams = true});
  if (!is_worth(facts, saves)) return false;
  out.push_back(
      {"serial_kernels",
       "",
       "kernels that take turns though they fill a part of the GPU",
       fmt::format("{} launches are in {} stream{}, and neighbours have no pointer in common", facts.launches,
                   facts.commands().streams(), facts.commands().streams() == 1 ? "" : "s"),
       "launch the ones that do not need each other's results into streams of their own; or cut them into "
       "more blocks",
       saves,
       {}});
  return true;
}

void read_ahead(const Facts& facts, Advices& out) {
  if (facts.machine().driver.read_ahead) return;
  const Picoseconds saves = facts.commands().saved({.read_ahead = true});
  if (saves == 0) return;
  out.push_back({"read_ahead",
                 "",
                 "a driver that prepares a command when its predecessor is complete",
                 fmt::format("{} of the critical path are the driver's",
                             report::duration(facts.path(PathPart::Driver))),
                 "let it prepare ahead: driver.read_ahead",
                 saves,
                 {"driver.read_ahead=true"},
                 true});
}

// What a framework does once in a process.
void start_up(const Facts& facts, Advices& out) {
  const config::Driver::StartUp& own = facts.machine().driver.start_up;
  const bool hsa = facts.calls({"hsa_init"}) != 0;
  if (!hsa && facts.calls({"clGetPlatformIDs", "clCreateContext", "clCreateContextFromType"}) == 0) return;
  const auto of_us = [](std::uint64_t us) { return us * 1000 * kPicosecondsPerNanosecond; };
  const Picoseconds time = of_us(hsa ? own.hsa_us : own.opencl_us);
  if (time == 0) return;
  std::string change = "let one process do more work";
  if (!hsa && facts.machine().gpu.front_end.user_queues != 0 && own.hsa_us < own.opencl_us)
    change += "; or use HSA, which starts " +
              (own.hsa_us == 0 ? "at once" : "in " + report::duration(of_us(own.hsa_us)));
  out.push_back({"start_up",
                 "",
                 hsa ? "the start of HSA" : "the start of OpenCL",
                 fmt::format("{} of {} pass with its first call, once in a process", report::duration(time),
                             report::duration(facts.run_ps)),
                 change,
                 std::min(time, facts.path(PathPart::Calls)),
                 {hsa ? "driver.start_up.hsa_us=0" : "driver.start_up.opencl_us=0"},
                 false,
                 true});
}

// Kernels that could run at once, and are shorter than their launches, want one launch. Behind each of many
// waits a launch saves only what the wait leaves.
void weigh_launches(Advices& out) {
  const auto of = [&](const char* rule) {
    return std::find_if(out.begin(), out.end(), [&](const report::Advice& one) { return one.rule == rule; });
  };
  const auto launches = of("launch_bound");
  if (launches == out.end()) return;
  if (const auto waits = of("synchronization"); waits != out.end())
    launches->saves_ps -= std::min(launches->saves_ps, waits->saves_ps);
  if (const auto serial = of("serial_kernels"); serial != out.end()) {
    launches->saves_ps += serial->saves_ps;
    out.erase(serial);
  }
}

}  // namespace

bool advise_launches(const Facts& facts, Advices& out) {
  waits(facts, out);
  launches(facts, out);
  allocations(facts, out);
  start_up(facts, out);
  read_ahead(facts, out);
  const bool takes_turns = issue_order(facts, out) || serial_kernels(facts, out);
  weigh_launches(out);
  return takes_turns;
}

}  // namespace duet::advise
