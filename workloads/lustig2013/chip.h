// HotSpot's chip as Rodinia 2.0.1 has it (cuda/hotspot/hotspot.cu), the temperatures and powers that it is
// given, and the simulation in double precision that results are checked against.
#pragma once

#include <stddef.h>

#include <vector>

#include "../common/random.h"

namespace lustig2013 {

// Of chip and time step, for a grid of n x n cells.
struct Chip {
  explicit Chip(int n) {
    const float kThickness = 0.0005f, kSide = 0.016f, kConductivity = 100, kSpecificHeat = 1.75e6f;
    const float kCapacityFactor = 0.5f, kHighestPower = 3.0e6f, kPrecision = 0.001f;
    const float cell = kSide / static_cast<float>(n);
    capacity = kCapacityFactor * kSpecificHeat * kThickness * cell * cell;
    resistance_x = resistance_y = 1 / (2 * kConductivity * kThickness);
    resistance_z = kThickness / (kConductivity * cell * cell);
    step = kPrecision * kCapacityFactor * kThickness * kSpecificHeat / kHighestPower;
  }
  float capacity, resistance_x, resistance_y, resistance_z, step;
};
const float kAmbient = 80;

// The powers are large enough for a wrong one to show.
template <typename Floats>
void draw_chip(unsigned long long seed, Floats& temperature, Floats& power, size_t cells) {
  workload::Random random(seed);
  for (size_t i = 0; i < cells; i++) {
    temperature[i] = random.uniform(320.0f, 340.0f);
    power[i] = random.uniform(0.0f, 10.0f);
  }
}

inline std::vector<double> simulate_chip(const float* temperature, const float* power, int n,
                                         unsigned steps) {
  const size_t count = static_cast<size_t>(n) * n;
  std::vector<double> now(temperature, temperature + count), next(count);
  const Chip chip(n);
  const auto at = [&](int y, int x) {
    y = y < 0 ? 0 : y >= n ? n - 1 : y;
    x = x < 0 ? 0 : x >= n ? n - 1 : x;
    return now[static_cast<size_t>(y) * n + x];
  };
  for (unsigned step = 0; step < steps; step++) {
    for (int y = 0; y < n; y++)
      for (int x = 0; x < n; x++) {
        const size_t i = static_cast<size_t>(y) * n + x;
        const double along_x = at(y, x - 1) + at(y, x + 1) - 2 * now[i];
        const double along_y = at(y - 1, x) + at(y + 1, x) - 2 * now[i];
        next[i] = now[i] + static_cast<double>(chip.step) / chip.capacity *
                               (power[i] + along_y / chip.resistance_y + along_x / chip.resistance_x +
                                (kAmbient - now[i]) / chip.resistance_z);
      }
    now.swap(next);
  }
  return now;
}

// How far a result in single precision may be off: a float's step at these temperatures is 3e-5.
inline double chip_tolerance(unsigned steps) { return 5e-5 * (1 + steps); }

}  // namespace lustig2013
