#include "cli/beside/run_monitor.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/error.h"

namespace duet::cli {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kGrace(1);         // for ending by itself, and between signals
constexpr std::chrono::seconds kGraceInCall(10);  // a call looks at the clock, when it gets a processor
}  // namespace

std::optional<machine::RunLimits::WallTime> wall_time_limit(const RunOptions& options) {
  if (options.timeout_seconds == 0) return std::nullopt;
  const std::chrono::duration<double> seconds(std::min(options.timeout_seconds, 1e9));
  return machine::RunLimits::WallTime{Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds),
                                      options.timeout_seconds};
}

RunMonitor::RunMonitor(std::string journal_directory, const RunOptions& options)
    : directory_(std::move(journal_directory)),
      draws_(!options.quiet && isatty(STDERR_FILENO) != 0),
      spin_limit_seconds_(0) {
  start();
}

RunMonitor::RunMonitor(std::string journal_directory, const RunOptions& options, const Command& command,
                       std::optional<machine::RunLimits::WallTime> wall_time)
    : directory_(std::move(journal_directory)),
      command_name_(options.command[0]),
      draws_(!options.quiet && isatty(STDERR_FILENO) != 0),
      spin_limit_seconds_(options.spin_diagnosis_seconds),
      command_(&command),
      wall_time_(wall_time) {
  start();
}

void RunMonitor::start() {
  if (!draws_ && spin_limit_seconds_ <= 0 && !wall_time_) return;
  try {
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error& error) {  // the run goes on
    say(fmt::format(
        "nobody watches this run, and what makes no CUDA call is not ended at --timeout: cannot start a "
        "thread: {} ({})",
        error.code().message(), kAddressSpaceHint));
  }
}

void RunMonitor::end() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void RunMonitor::watch() {
  double period = draws_ || wall_time_ ? 0.2 : 1.0;
  if (spin_limit_seconds_ > 0) period = std::min(period, std::max(spin_limit_seconds_ / 4, 0.05));
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, std::chrono::duration<double>(period), [this] { return end_; })) look();
  line_.wipe();
}

void RunMonitor::look() {
  for (const std::string& path : report::journals_in(directory_))
    if (!watched_.contains(path)) try {
        watched_.emplace(path, Watched{report::JournalReader(path), {}});
      } catch (const Error&) {
        // The process is just creating it.
      }
  const report::JournalReader* inside = nullptr;
  for (auto& [path, watched] : watched_) {
    const report::JournalHeader& header = watched.journal.header();
    // Only while a process is inside a call: its output between calls shall not meet the line.
    if (command_ == nullptr || header.entered_calls != header.left_calls) inside = &watched.journal;
    if (spin_limit_seconds_ <= 0) continue;
    const std::string line = watched.spin.look(header, spin_limit_seconds_);
    if (!line.empty()) say(line);
  }
  if (draws_ && inside != nullptr)
    line_.draw(inside->progress());
  else
    line_.wipe();
  if (wall_time_ && command_ != nullptr) end_command(inside != nullptr);
}

void RunMonitor::end_command(bool inside_call) {
  const Clock::time_point now = Clock::now();
  if (now <
      (signals_sent_ != 0 ? last_signal_ + kGrace : wall_time_->end + (inside_call ? kGraceInCall : kGrace)))
    return;
  last_signal_ = now;
  if (signals_sent_ == 0)
    say(fmt::format("stopped after {:g} s (--timeout): '{}' {}; raise the limit if it only needs longer",
                    wall_time_->seconds, command_name_,
                    inside_call ? "did not come out of a CUDA call" : "was not inside a CUDA call"));
  const int signal = signals_sent_ == 0 ? SIGTERM : SIGKILL;
  ++signals_sent_;
  command_->signal(signal);
}

void RunMonitor::say(const std::string& line) {
  line_.wipe();
  std::fprintf(stderr, "duet: %s\n", line.c_str());
}

}  // namespace duet::cli
