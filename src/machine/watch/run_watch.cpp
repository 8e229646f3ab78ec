#include "machine/watch/run_watch.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/error.h"
#include "base/readable_name.h"
#include "machine/process.h"
#include "machine/watch/standstill.h"

namespace duet::machine {

namespace {
using Clock = std::chrono::steady_clock;
constexpr Picoseconds kStride = 1'000'000;  // simulated time between looks; milliseconds of this process
constexpr std::chrono::milliseconds kPublicationPeriod(50);

// A machine whose results nobody will write would be simulated for nothing, and for long.
void end_when_nobody_waits(const std::string& pipe) {
  if (pipe.empty()) return;
  const int file = open(pipe.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (file >= 0)
    close(file);
  else if (errno == ENXIO)  // nobody has it open
    kill(getpid(), SIGKILL);
}

Picoseconds later(Picoseconds time, Picoseconds by) { return time > kNever - by ? kNever : time + by; }
}  // namespace

RunWatch::RunWatch(Process& process, const RunLimits& limits, std::uint64_t core_clock_khz)
    : process_(process), limits_(limits), next_publication_(Clock::now() + kPublicationPeriod) {
  if (limits_.max_cycles == 0) return;
  const auto picoseconds =
      (static_cast<unsigned __int128>(limits_.max_cycles) * 1'000'000'000 + core_clock_khz - 1) /
      core_clock_khz;
  max_busy_ps_ = picoseconds >= kNever ? kNever : static_cast<Picoseconds>(picoseconds);
}

Picoseconds RunWatch::running_since() const {
  Picoseconds first = kNever;
  process_.driver().for_each_running_kernel(
      [&](const driver::CommandRecord& command) { first = std::min(first, command.start_ps); });
  return first;
}

Picoseconds RunWatch::busy(Picoseconds now) const {
  const Picoseconds since = running_since();
  if (since == kNever) return intervals_ps_;
  // Of what is counted already, without what lies inside the time since then.
  Picoseconds before = intervals_ps_;
  for (auto at = intervals_.rbegin(); at != intervals_.rend() && at->second > since; ++at)
    before -= at->second - std::max(at->first, since);
  return before + (now - since);
}

void RunWatch::kernel_ended(Picoseconds start, Picoseconds end) {
  if (max_busy_ps_ == kNever) return;
  while (!intervals_.empty() && intervals_.back().second >= start) {
    start = std::min(start, intervals_.back().first);
    intervals_ps_ -= intervals_.back().second - intervals_.back().first;
    intervals_.pop_back();
  }
  intervals_.emplace_back(start, end);
  intervals_ps_ += end - start;
}

Picoseconds RunWatch::horizon(Picoseconds now, Picoseconds next_event) {
  if (max_busy_ps_ == kNever) return later(std::max(now, next_event), kStride);
  const Picoseconds left = std::max<Picoseconds>(max_busy_ps_ - std::min(max_busy_ps_, busy(now)), 1);
  // A kernel that does not run yet starts with the next event at the earliest.
  const Picoseconds from = running_since() == kNever ? std::max(now, next_event) : now;
  return later(from, std::min(kStride, left));
}

void RunWatch::look(Picoseconds now) {
  if (limits_.signal != nullptr && *limits_.signal != 0)
    stop(128 + *limits_.signal, "interrupted by signal " + std::to_string(*limits_.signal));
  if (max_busy_ps_ != kNever && busy(now) >= max_busy_ps_)
    stop(124, "stopped after " + std::to_string(limits_.max_cycles) + " cycles with kernels (--max-cycles)");
  const Clock::time_point time = Clock::now();
  if (limits_.wall_time && time >= limits_.wall_time->end) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%g", limits_.wall_time->seconds);
    stop(124, std::string("stopped after ") + seconds + " s (--timeout)");
  }
  if (time < next_publication_) return;
  end_when_nobody_waits(limits_.alive);
  process_.publish();
  process_.publish_processor();
  next_publication_ = Clock::now() + kPublicationPeriod;
}

void RunWatch::goes_on(std::uint64_t thread, std::uint64_t because_of) {
  process_.thread_goes_on(thread, because_of);
}

std::string RunWatch::standstill() {
  const Standstill found = process_.system().standstill();
  return found.cause + found.lines();
}

void RunWatch::stop(int status, const std::string& why) {
  process_.publish_end();
  const Standstill found = process_.system().standstill();
  std::string text = why;
  bool any = false;
  process_.driver().for_each_running_kernel([&](const driver::CommandRecord& command) {
    text += (any ? " and " : " in ") + ("kernel '" + readable_name(command.grid->kernel->name) + "'");
    any = true;
  });
  if (!any) text += ": no kernel was running";
  if (!found.cause.empty() && process_.driver().outstanding())
    text += "; the machine stands still: " + found.cause;
  else if (status == 124)
    text += "; raise the limit if it only needs longer" +
            (limits_.otherwise.empty() ? "" : ", or take less: " + limits_.otherwise);
  throw Stopped(status, text + found.lines());
}

}  // namespace duet::machine
