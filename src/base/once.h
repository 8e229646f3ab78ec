// An action to be done once, by the first thread to come. Unlike std::call_once it needs no system call when
// only one thread comes.
#pragma once

#include <atomic>
#include <mutex>

namespace duet {

class Once {
 public:
  // An action that throws has not been done.
  template <typename F>
  void call(F&& f) {
    if (done_.load(std::memory_order_acquire)) return;
    const std::lock_guard lock(mutex_);
    if (done_.load(std::memory_order_relaxed)) return;
    f();
    done_.store(true, std::memory_order_release);
  }

 private:
  std::atomic<bool> done_{false};
  std::mutex mutex_;
};

}  // namespace duet
