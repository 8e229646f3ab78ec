// gpu.sm.memory_requests in the model: so many requests of an SM's loads are on their way.
//
//   at = limit.room(at);                // when the next one that could leave at `at` does
//   limit.sent(answered);               // it has left, and is answered then
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "base/units.h"

namespace duet::predict {

class RequestLimit {
 public:
  // 0: there is none, and the other functions are not called.
  explicit RequestLimit(std::uint64_t most) : most_(most) {}
  bool exists() const { return most_ != 0; }

  Cycle room(Cycle at) {
    while (!answers_.empty() && (answers_.front() < at || answers_.size() >= most_)) {
      at = std::max(at, answers_.front() + 1);
      std::pop_heap(answers_.begin(), answers_.end(), std::greater<>());
      answers_.pop_back();
    }
    return at;
  }
  void sent(Cycle answered) {
    answers_.push_back(answered);
    std::push_heap(answers_.begin(), answers_.end(), std::greater<>());
  }

 private:
  const std::uint64_t most_;
  std::vector<Cycle> answers_;  // a heap, the first on top
};

}  // namespace duet::predict
