#include "process/host_threads.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

namespace duet::process {

namespace {

constexpr std::chrono::milliseconds kMoment(20);
constexpr std::chrono::microseconds kInstant(20);
constexpr std::chrono::seconds kLongWait(5);

pid_t own_number() { return static_cast<pid_t>(syscall(SYS_gettid)); }

// How often the thread has been switched, when it sleeps in a futex without a timeout; nothing otherwise.
std::optional<std::uint64_t> blocked_after(const std::filesystem::path& folder) {
  std::ifstream call(folder / "syscall");
  long number = -1;
  std::string address, operation, value, timeout;
  if (!(call >> number >> address >> operation >> value >> timeout) || number != SYS_futex ||
      timeout != "0x0")
    return std::nullopt;
  std::ifstream status(folder / "status");
  std::uint64_t switches = 0;
  unsigned found = 0;
  for (std::string line; std::getline(status, line);) {
    if (line.find("ctxt_switches:") == std::string::npos) continue;
    switches += std::stoull(line.substr(line.find(':') + 1));
    ++found;
  }
  return found == 2 ? std::optional(switches) : std::nullopt;
}

}  // namespace

std::unique_lock<std::recursive_mutex> HostThreads::lock() {
  wanting_.fetch_add(1);
  std::unique_lock own(mutex_);
  wanting_.fetch_sub(1);
  taken_.fetch_add(1);
  return own;
}

bool HostThreads::want_turn() const {
  return wanting_.load() != 0 ||
         std::any_of(resting_.begin(), resting_.end(), [](const auto* done) { return (*done)(); });
}

// Who gets the lock is Linux's choice; one that has nothing to do gives its turn too.
void HostThreads::give_turn(const std::function<bool()>& done) {
  resting_.push_back(&done);
  const bool others_rest = resting_.size() > 1;
  const std::uint64_t before = taken_.load();
  mutex_.unlock();
  while (taken_.load() == before && (others_rest || wanting_.load() != 0))
    std::this_thread::sleep_for(kInstant);
  mutex_.lock();
  taken_.fetch_add(1);
  std::erase(resting_, &done);
}

void HostThreads::leave() {
  inside_.fetch_sub(1);
  ++calls_;
  changed_.notify_all();
}

bool HostThreads::all_blocked() {
  if (inside_.load() != waiting_.size()) return false;
  std::map<pid_t, std::uint64_t> switches;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
    const auto thread = static_cast<pid_t>(std::stol(entry.path().filename().string()));
    if (waiting_.contains(thread)) continue;
    const auto blocked = blocked_after(entry.path());
    if (!blocked) {
      switches_.clear();
      return false;
    }
    switches[thread] = *blocked;
  }
  if (error) return true;
  const bool nobody = switches.empty();
  const bool unchanged = calls_then_ == calls_ && switches_ == switches;
  if (!unchanged) {
    calls_then_ = calls_;
    looks_then_ = looks_;
    switches_ = std::move(switches);
  }
  const pid_t own = own_number();
  const bool all_have_looked = std::all_of(waiting_.begin(), waiting_.end(), [&](const auto& one) {
    return one.first == own || one.second > looks_then_;
  });
  return all_have_looked && (nobody || unchanged);
}

bool HostThreads::wait_for_another() {
  const pid_t own = own_number();
  waiting_[own] = ++looks_;
  const bool nobody = all_blocked();
  if (!nobody) {
    const auto now = std::chrono::steady_clock::now();
    if (still_calls_ != calls_) {
      still_calls_ = calls_;
      still_since_ = now;
    } else if (!told_ && now - still_since_ > kLongWait) {
      told_ = true;
      if (on_long_wait) on_long_wait();
    }
    changed_.wait_for(mutex_, kMoment);
  }
  waiting_.erase(own);
  return !nobody;
}

}  // namespace duet::process
