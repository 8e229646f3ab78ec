// The cursor answers exactly as the clock domain, for every frequency and every order of questions.
#include "sim/clock_cursor.h"

#include <gtest/gtest.h>

namespace duet::test {
namespace {

TEST(ClockCursor, AgreesWithTheClockDomain) {
  std::uint64_t state = 99;
  const auto random = [&](std::uint64_t n) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 20) % n;
  };
  for (const std::uint64_t hertz :
       {772'000'000ull, 1'000'000'000ull, 999'999'937ull, 333'333'333ull, 9'999'999'967ull, 1'000ull}) {
    const sim::ClockDomain domain(hertz);
    const sim::ClockCursor cursor(hertz);
    sim::ClockCursor moving(hertz);
    Picoseconds time = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t kind = random(10);
      if (kind == 0)
        time = random(4'000'000'000'000'000);
      else if (kind == 1)
        time -= std::min(time, random(100'000));
      else if (kind == 2)
        time = domain.edge(domain.cycle_at(time) + random(3));  // exactly an edge
      else
        time += random(kind < 6 ? 3'000 : 2'000'000);
      const Cycle cycles = 1 + random(kind == 3 ? 3'000'000 : 9);
      ASSERT_EQ(cursor.first_edge_after(time), domain.first_edge_after(time)) << hertz << " " << time;
      ASSERT_EQ(cursor.edge_after(time, cycles), domain.edge(domain.cycle_at(time) + cycles))
          << hertz << " " << time << " " << cycles;
      ASSERT_EQ(moving.advance_to(time), domain.cycle_at(time)) << hertz << " " << time;
      ASSERT_EQ(moving.first_edge_after(time), domain.first_edge_after(time)) << hertz << " " << time;
    }
  }
}

}  // namespace
}  // namespace duet::test
