// A loop whose number of iterations alone is wanted:
//   L: add.s32 %r1, %r1, 4;  setp.lt.s32 %p1, %r1, %r2;  @%p1 bra L;
// Its registers are set to their values after the last iteration, without executing one.
//   const std::uint64_t times = finish_loop(warp, loop, lanes, sum);  0: not known; execute it
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/lane_mask.h"
#include "ptx/semantics/warp.h"

namespace duet::gpu {

struct CountedLoop {
  // A register with a constant step in each iteration.
  struct Step {
    std::uint16_t slot = 0;
    bool wide = false;  // 64 bits
    ptx::Operand by;
  };
  std::vector<Step> steps;
  std::size_t counter = 0;      // of `steps`: the compared one
  bool stepped_before = false;  // in an iteration, it is before it is compared
  // It goes on while counter `comparison` bound.
  ptx::Comparison comparison = ptx::Comparison::Lt;
  ptx::Operand bound;
  bool is_signed = false;
  std::uint8_t predicate = 0;
  bool goes_on_if = true;          // the predicate's value to go on
  std::uint32_t instructions = 0;  // machine instructions of an iteration
};

// How often the loop is executed still, where the next comparison is of `value`; 0: not known.
inline std::uint64_t iterations_left(ptx::Comparison comparison, std::int64_t value, std::int64_t bound,
                                     std::int64_t step, std::int64_t least, std::int64_t most) {
  using ptx::Comparison;
  if (comparison == Comparison::Eq) return value != bound ? 1 : step != 0 ? 2 : 0;
  if (comparison == Comparison::Ne) {
    if (value == bound) return 1;
    const std::int64_t way = bound - value;
    if (step == 0 || way % step != 0 || way / step < 0) return 0;
    return 1 + static_cast<std::uint64_t>(way / step);
  }
  const bool up = comparison == Comparison::Lt || comparison == Comparison::Le;
  if (comparison == Comparison::Le) ++bound;
  if (comparison == Comparison::Ge) --bound;
  if (up ? value >= bound : value <= bound) return 1;
  if (up ? step <= 0 : step >= 0) return 0;
  const std::int64_t way = up ? bound - value : value - bound, pace = up ? step : -step;
  const std::int64_t times = (way + pace - 1) / pace;
  const std::int64_t last = value + times * step;
  if (last < least || last > most) return 0;  // it wraps
  return 1 + static_cast<std::uint64_t>(times);
}

// `lanes` are about to go on. Returns the iterations of the longest lane, and adds the iterations of all to
// `sum`.
template <unsigned W>
std::uint64_t finish_loop(ptx::Warp<W>& warp, const CountedLoop& loop, std::uint64_t lanes,
                          std::uint64_t& sum) {
  constexpr std::int64_t kFar = std::int64_t{1} << 61;  // sums of a few stay within 64 bits
  const bool wide = loop.steps[loop.counter].wide;
  const auto value_of = [&](const ptx::Operand& operand, unsigned lane, bool as_signed) {
    if (wide) return static_cast<std::int64_t>(warp.lanes64(operand)[lane]);
    const std::uint32_t value = warp.lanes32(operand)[lane];
    return as_signed ? std::int64_t{static_cast<std::int32_t>(value)} : std::int64_t{value};
  };
  std::int64_t least = -kFar, most = kFar;
  if (!wide) {
    least = loop.is_signed ? std::numeric_limits<std::int32_t>::min() : 0;
    most = loop.is_signed ? std::int64_t{std::numeric_limits<std::int32_t>::max()}
                          : std::int64_t{std::numeric_limits<std::uint32_t>::max()};
  } else if (!loop.is_signed) {
    least = 0;
  }
  std::array<std::uint64_t, W> times;
  std::uint64_t longest = 0;
  const CountedLoop::Step& counter = loop.steps[loop.counter];
  const ptx::Operand own{.bank = ptx::Bank::Register, .slot = counter.slot};
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::int64_t step = value_of(counter.by, lane, true);
    std::int64_t value = value_of(own, lane, loop.is_signed);
    const std::int64_t bound = value_of(loop.bound, lane, loop.is_signed);
    if (step <= -kFar || step >= kFar || value < least || value > most || bound < least || bound > most)
      return 0;
    if (loop.stepped_before) value += step;
    if (value < least || value > most) return 0;
    times[lane] = iterations_left(loop.comparison, value, bound, step, least, most);
    if (times[lane] == 0) return 0;
    longest = std::max(longest, times[lane]);
  }
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    sum += times[lane];
    for (const CountedLoop::Step& step : loop.steps) {
      if (step.wide)
        warp.destination64(step.slot)[lane] += times[lane] * warp.lanes64(step.by)[lane];
      else
        warp.destination32(step.slot)[lane] +=
            static_cast<std::uint32_t>(times[lane]) * warp.lanes32(step.by)[lane];
    }
  }
  std::uint64_t& predicate = warp.predicates[loop.predicate];
  predicate = loop.goes_on_if ? predicate & ~lanes : predicate | lanes;
  return longest;
}

}  // namespace duet::gpu
