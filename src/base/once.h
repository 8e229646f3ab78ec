// Something that is to be done once, by whichever thread comes first. Unlike std::call_once it asks nothing
// of the kernel when only one thread comes.
#pragma once

#include <atomic>
#include <mutex>

namespace duet {

class Once {
 public:
  // What throws has not been done.
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
