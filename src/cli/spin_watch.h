// Finds host programs that wait for the GPU in a loop of their own. With a native host, simulated time
// advances only inside CUDA calls: a loop on mapped or managed memory that makes none never sees the GPU's
// writes. The program is told, not ended.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "report/journal.h"

namespace duet::cli {

// Watches the processes that leave journals in a folder until it is destroyed.
class SpinWatch {
 public:
  // After `cpu_seconds` without a call, while commands are outstanding; 0: watches nothing.
  SpinWatch(std::string journal_directory, double cpu_seconds);
  ~SpinWatch();
  SpinWatch(const SpinWatch&) = delete;
  SpinWatch& operator=(const SpinWatch&) = delete;

 private:
  struct Watched {
    report::JournalReader journal;
    std::uint64_t left_calls = 0;
    double cpu_seconds = 0;  // when the process left its last call
    bool told = false;
  };
  void watch();
  void look_at(Watched& watched) const;

  const std::string directory_;
  const double limit_seconds_;
  std::map<std::string, Watched> watched_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace duet::cli
