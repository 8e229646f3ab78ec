// Floating-point operations of PTX, by its text: what a lane does when it executes an instruction.
//   flops_of("@%p1 fma.rn.f32 %f1, %f2, %f3, %f4;").single == 2
// An addition, a product, a quotient, a root and each elementary function is one, a fused product and sum are
// two; a pair of halves is twice that. Left out: comparisons, conversions, minima, signs, and what memory
// does (atomics).
#pragma once

#include <cstdint>
#include <string_view>

namespace duet::report {

struct Flops {
  std::uint64_t half = 0, single = 0, wide = 0;  // f16 and bf16, f32, f64
  Flops& operator+=(const Flops& other) {
    half += other.half;
    single += other.single;
    wide += other.wide;
    return *this;
  }
  Flops operator*(std::uint64_t lanes) const { return {half * lanes, single * lanes, wide * lanes}; }
  std::uint64_t sum() const { return half + single + wide; }
};

// Of a line with any number of instructions.
Flops flops_of(std::string_view line);

}  // namespace duet::report
