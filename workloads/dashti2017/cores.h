// The CPU's part of dashti2017 Figure 7: a loop that all cores share, as OpenMP's `parallel for` does. Threads sleep between two loops.
//
//   Cores cores(4);
//   cores.loop(first, last, [&](int i) { a[i] = 0; });    // of neighbours, each thread has those of whole lines
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace dashti2017 {

class Cores {
 public:
  explicit Cores(unsigned count) : count_(count) {
    for (unsigned i = 1; i < count_; i++) others_.emplace_back([this, i] { serve(i); });
  }
  ~Cores() {
    announce(nullptr);
    for (std::thread& other : others_) other.join();
  }
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  template <typename Body>
  void loop(int first, int last, Body body) {
    const int part = ((last - first) / static_cast<int>(count_) + 15) / 16 * 16;
    const std::function<void(unsigned)> work = [&](unsigned own) {
      const int from = first + part * static_cast<int>(own), to = own + 1 == count_ || from + part > last ? last : from + part;
      for (int i = from; i < to; i++) body(i);
    };
    announce(&work);
    work(0);
    std::unique_lock<std::mutex> lock(mutex_);
    done_.wait(lock, [this] { return working_ == 0; });
  }

 private:
  void announce(const std::function<void(unsigned)>* work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    work_ = work;
    working_ = count_ - 1;
    loops_++;
    begin_.notify_all();
  }
  void serve(unsigned own) {
    for (unsigned seen = 0;;) {
      const std::function<void(unsigned)>* work = nullptr;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        begin_.wait(lock, [&] { return loops_ != seen; });
        seen = loops_;
        work = work_;
      }
      if (work == nullptr) return;
      (*work)(own);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (--working_ == 0) done_.notify_one();
    }
  }

  unsigned count_, working_ = 0, loops_ = 0;
  const std::function<void(unsigned)>* work_ = nullptr;
  std::mutex mutex_;
  std::condition_variable begin_, done_;
  std::vector<std::thread> others_;
};

}  // namespace dashti2017
