// Arrays of a program on simulated cores as arguments of a call.
#pragma once

#include <algorithm>
#include <vector>

#include "guest/call_arguments.h"

namespace duet::guest {

// `count` values of the program. Null where it gave no array.
template <typename T>
class List {
 public:
  List(process::ProgramSide& program, std::uint64_t there, std::uint64_t count) : given_(there != 0) {
    if (!given_ || count == 0) return;
    const auto* const first = ArgumentWords::pointer<const T>(there);
    // Checked before room is made for absent elements.
    program.check(nullptr, first, std::min(count, kMost) * sizeof(T), false);
    values_.resize(count);
    program.read(first, values_.data(), values_.size() * sizeof(T));
  }
  T* get() { return given_ ? (values_.empty() ? &none_ : values_.data()) : nullptr; }
  void give_back(process::ProgramSide& program, std::uint64_t there) const {
    if (!values_.empty())
      program.write(ArgumentWords::pointer<T>(there), values_.data(), values_.size() * sizeof(T));
  }

 private:
  static constexpr std::uint64_t kMost = 1ull << 40;  // more than there are addresses
  bool given_;
  std::vector<T> values_;
  T none_{};
};

}  // namespace duet::guest
