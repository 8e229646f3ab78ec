#include "cli/run_monitor.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.h"

namespace duet::cli {

namespace {
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kGrace(1);         // for ending by itself, and between signals
constexpr std::chrono::seconds kGraceInCall(10);  // a call looks at the clock, when it gets a processor

// All that was started with this journal: the command, and what a script has started.
std::vector<pid_t> processes_of(const std::string& directory) {
  std::vector<pid_t> processes;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const pid_t pid = std::atoi(entry.path().filename().c_str());
    if (pid <= 0 || pid == getpid()) continue;
    std::ifstream file(entry.path() / "environ", std::ios::binary);
    std::string variable;
    while (std::getline(file, variable, '\0'))
      if (variable == "DUET_JOURNAL=" + directory) processes.push_back(pid);
  }
  return processes;
}
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

RunMonitor::RunMonitor(std::string journal_directory, const RunOptions& options, pid_t command,
                       std::optional<machine::RunLimits::WallTime> wall_time)
    : directory_(std::move(journal_directory)),
      command_name_(options.command[0]),
      draws_(!options.quiet && isatty(STDERR_FILENO) != 0),
      spin_limit_seconds_(options.spin_diagnosis_seconds),
      command_(command),
      wall_time_(wall_time) {
  start();
}

void RunMonitor::start() {
  if (draws_ || spin_limit_seconds_ > 0 || wall_time_) thread_ = std::thread([this] { watch(); });
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
    // Only while a process is inside a call: what it prints between calls shall not meet the line.
    if (command_ == 0 || header.entered_calls != header.left_calls) inside = &watched.journal;
    if (spin_limit_seconds_ <= 0) continue;
    const std::string line = watched.spin.look(header, spin_limit_seconds_);
    if (!line.empty()) say(line);
  }
  if (draws_ && inside != nullptr)
    line_.draw(inside->progress());
  else
    line_.wipe();
  if (wall_time_ && command_ > 0) end_command(inside != nullptr);
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
  for (const pid_t process : processes_of(directory_)) kill(process, signal);
  kill(command_, signal);
}

void RunMonitor::say(const std::string& line) {
  line_.wipe();
  std::fprintf(stderr, "duet: %s\n", line.c_str());
}

}  // namespace duet::cli
