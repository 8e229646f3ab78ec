#include "sample/student.h"

#include <algorithm>

namespace duet::sample {

double student(double freedom) {
  constexpr double kSmall[] = {12.706, 4.303, 3.182, 2.776};
  if (freedom <= 4) return kSmall[std::max(static_cast<int>(freedom), 1) - 1];
  constexpr double z = 1.959964;  // Cornish and Fisher's expansion
  const double cube = z * z * z, fifth = cube * z * z;
  return z + (cube + z) / (4 * freedom) + (5 * fifth + 16 * cube + 3 * z) / (96 * freedom * freedom);
}

}  // namespace duet::sample
