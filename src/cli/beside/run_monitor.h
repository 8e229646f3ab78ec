// A thread beside a run. It reads the journals of the processes, draws the progress line, names spinning host
// programs, and ends processes beyond their time.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/beside/command.h"
#include "cli/beside/progress_line.h"
#include "cli/beside/spin_watch.h"
#include "cli/commands.h"
#include "machine/run_limits.h"
#include "report/journal/journal.h"

namespace duet::cli {

// --timeout, counted from now; nothing when the user set none.
std::optional<machine::RunLimits::WallTime> wall_time_limit(const RunOptions& options);

class RunMonitor {
 public:
  // The simulation in this process: only the progress line.
  RunMonitor(std::string journal_directory, const RunOptions& options);
  // A command in processes of its own. A process inside a CUDA call when `wall_time` is over ends itself;
  // others are ended a second later.
  RunMonitor(std::string journal_directory, const RunOptions& options, const Command& command,
             std::optional<machine::RunLimits::WallTime> wall_time);
  ~RunMonitor() { end(); }
  RunMonitor(const RunMonitor&) = delete;
  RunMonitor& operator=(const RunMonitor&) = delete;

  // Stops watching and leaves the terminal clean. Said more than once, it does nothing.
  void end();
  bool timed_out() const { return signals_sent_ != 0; }

 private:
  struct Watched {
    report::JournalReader journal;
    SpinWatch spin;
  };
  void start();
  void watch();
  void look();
  void end_command(bool inside_call);
  void say(const std::string& line);

  const std::string directory_;
  const std::string command_name_;
  const bool draws_;
  const double spin_limit_seconds_;  // 0: never
  const Command* const command_ = nullptr;
  const std::optional<machine::RunLimits::WallTime> wall_time_;
  unsigned signals_sent_ = 0;
  std::chrono::steady_clock::time_point last_signal_;
  std::map<std::string, Watched> watched_;
  ProgressLine line_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace duet::cli
