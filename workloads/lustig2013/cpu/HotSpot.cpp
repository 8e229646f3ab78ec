// lustig2013 section 7.1: transient temperature of a chip on a square grid. As in Rodinia's OpenMP version
// (openmp/hotspot) each step goes over the whole grid, the cells of the border apart from those inside,
// divisions by the resistances are multiplications, and two grids take turns; that version's squares of 16 x
// 16 cells are left out, since three rows of these grids fit into the first cache.
#include "../chip.h"

#include <cmath>
#include <utility>
#include <vector>

#include "timed.h"

namespace {

using namespace lustig2013;

const Program kProgram = {"HotSpot", "ROWS", 64, 16, 4096, 16, {"--steps", 2, 1, 1000}};

struct Factors {
  explicit Factors(const Chip& chip)
      : step(chip.step / chip.capacity),
        x(1 / chip.resistance_x),
        y(1 / chip.resistance_y),
        z(1 / chip.resistance_z) {}
  float step, x, y, z;
};

[[gnu::noinline]] void heat(const Factors factors, const float* power, const float* now, float* next,
                            std::size_t n, std::size_t first_row, std::size_t last_row) {
  for (std::size_t row = first_row; row < last_row; row++) {
    const float *const here = now + row * n, *const powers = power + row * n;
    // Outside the chip it is as warm as at its border.
    const float *const north = row == 0 ? here : here - n, *const south = row == n - 1 ? here : here + n;
    float* const later = next + row * n;
    const auto cell = [&](std::size_t at, float west, float east) {
      later[at] = here[at] + factors.step * (powers[at] + (south[at] + north[at] - 2 * here[at]) * factors.y +
                                             (east + west - 2 * here[at]) * factors.x +
                                             (kAmbient - here[at]) * factors.z);
    };
    cell(0, here[0], here[1]);
    for (std::size_t at = 1; at < n - 1; at++) cell(at, here[at - 1], here[at + 1]);
    cell(n - 1, here[n - 2], here[n - 1]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = kProgram.parse(argc, argv);
  const std::size_t n = options.size;
  std::vector<float> temperature(n * n), power(n * n), spare(n * n), result(n * n);
  const Factors factors(Chip(static_cast<int>(n)));
  measure(
      options, [&](unsigned long long seed) { draw_chip(seed, temperature, power, n * n); },
      [&] {
        float *to = result.data(), *other = spare.data();
        if (options.extra % 2 == 0) std::swap(to, other);  // so that the last step writes the result
        const float* from = temperature.data();
        for (unsigned long step = 0; step < options.extra; step++) {
          in_parts(options, n, [&](std::size_t first, std::size_t last) {
            heat(factors, power.data(), from, to, n, first, last);
          });
          from = to;
          std::swap(to, other);
        }
      });
  const unsigned steps = static_cast<unsigned>(options.extra);
  const std::vector<double> expected =
      simulate_chip(temperature.data(), power.data(), static_cast<int>(n), steps);
  for (std::size_t i = 0; i < n * n; i++)
    if (!(std::fabs(result[i] - expected[i]) <= chip_tolerance(steps)))
      return kProgram.wrong("cell", i, result[i], expected[i]);
}
