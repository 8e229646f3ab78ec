// A table of numbered entries that never move. One thread may add entries while others read entries whose
// numbers they were given afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/error.h"

namespace duet {

template <typename T>
class StableTable {
 public:
  T& operator[](std::size_t number) const { return chunks_[number / kChunk][number % kChunk]; }
  // Null when there never was such a number.
  T* find(std::size_t number) const {
    return number < kMost && chunks_[number / kChunk] != nullptr ? &(*this)[number] : nullptr;
  }
  // A free number. It stays the caller's until give_back(). Its entry is as it was left.
  std::size_t take() {
    if (free_.empty()) {
      if (taken_ == kMost) throw Error("more than " + std::to_string(kMost) + " entries in a table");
      if (taken_ % kChunk == 0) chunks_[taken_ / kChunk] = std::make_unique<T[]>(kChunk);
      free_.push_back(taken_++);
    }
    const std::size_t number = free_.back();
    free_.pop_back();
    return number;
  }
  void give_back(std::size_t number) { free_.push_back(number); }

 private:
  static constexpr std::size_t kChunk = 256, kChunks = 1024, kMost = kChunk * kChunks;
  std::array<std::unique_ptr<T[]>, kChunks> chunks_;
  std::size_t taken_ = 0;
  std::vector<std::size_t> free_;
};

}  // namespace duet
