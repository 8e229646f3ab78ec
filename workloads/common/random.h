// Random inputs of the workloads, on the host of a GPU and on the simulated one.
#pragma once

namespace workload {

// 64-bit linear congruential generator with an output mix: the same numbers on every machine.
class Random {
 public:
  explicit Random(unsigned long long seed) : state_(seed * 2862933555777941757ull + 3037000493ull) {}
  unsigned next() {
    state_ = state_ * 6364136223846793005ull + 1442695040888963407ull;
    unsigned long long mixed = (state_ ^ (state_ >> 29)) * 0xbf58476d1ce4e5b9ull;
    return static_cast<unsigned>(mixed >> 32);
  }
  unsigned below(unsigned bound) {
    return static_cast<unsigned>((static_cast<unsigned long long>(next()) * bound) >> 32);
  }
  // In [low, high), from 24 random bits.
  float uniform(float low, float high) {
    return low + (high - low) * (static_cast<float>(next() >> 8) * (1.0f / 16777216.0f));
  }

 private:
  unsigned long long state_;
};

}  // namespace workload
