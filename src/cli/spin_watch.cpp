#include "cli/spin_watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace duet::cli {

namespace {

// User and system time of a process in all its threads; 0 when it is gone.
double cpu_seconds_of(int pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');  // the name may hold anything
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) fields >> skipped;
  std::uint64_t user = 0, system = 0;
  fields >> user >> system;
  return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

SpinWatch::SpinWatch(std::string journal_directory, double cpu_seconds)
    : directory_(std::move(journal_directory)), limit_seconds_(cpu_seconds) {
  if (limit_seconds_ > 0) thread_ = std::thread([this] { watch(); });
}

SpinWatch::~SpinWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void SpinWatch::watch() {
  const std::chrono::duration<double> period(std::clamp(limit_seconds_ / 4, 0.05, 1.0));
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, period, [this] { return end_; })) {
    for (const std::string& path : report::journals_in(directory_)) {
      auto at = watched_.find(path);
      if (at == watched_.end()) {
        try {
          at = watched_.emplace(path, Watched{report::JournalReader(path)}).first;
        } catch (const Error&) {
          continue;  // the process is just creating it
        }
      }
      look_at(at->second);
    }
  }
}

void SpinWatch::look_at(Watched& watched) const {
  const report::JournalHeader& header = watched.journal.header();
  if (watched.told) return;
  const double cpu_seconds = cpu_seconds_of(header.pid);
  const std::uint64_t left = header.left_calls;
  if (left != watched.left_calls || header.entered_calls != left || header.outstanding == 0) {
    watched.left_calls = left;
    watched.cpu_seconds = cpu_seconds;
    return;
  }
  if (cpu_seconds - watched.cpu_seconds < limit_seconds_) return;
  watched.told = true;
  std::fprintf(
      stderr,
      "duet: process %d has computed for %.3g s without a CUDA call while GPU work is outstanding: if "
      "it waits for the GPU in a loop on mapped or managed memory it waits for ever, because simulated "
      "time advances only inside CUDA calls; call cudaStreamQuery or cudaDeviceSynchronize in the loop "
      "(a simulated host, --host simulated, would run such loops; it is not available yet)\n",
      header.pid, cpu_seconds - watched.cpu_seconds);
}

}  // namespace duet::cli
