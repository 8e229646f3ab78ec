// Student's t: with 95 % of its distribution between it and its negative.
#pragma once

namespace duet::sample {

double student(double degrees_of_freedom);

}  // namespace duet::sample
