#include "machine/run_options.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace duet::machine {
namespace {

TEST(RunOptions, EveryFieldComesBack) {
  RunOptions options;
  options.functional = options.check_races = options.trace_push_buffer = options.events = true;
  options.host_time_real = options.two_threads = true;
  options.assembler_peepholes = false;
  options.registers_per_thread = 40;
  options.shuffle_seed = ~0ull;
  options.limits.max_cycles = 1ull << 63;
  options.limits.wall_time = {std::chrono::steady_clock::time_point(std::chrono::nanoseconds(123456789)),
                              2.5};
  const RunOptions back = run_options_of(to_text(options));
  EXPECT_TRUE(back.functional && back.check_races && back.trace_push_buffer && back.events);
  EXPECT_TRUE(back.host_time_real && back.two_threads);
  EXPECT_FALSE(back.assembler_peepholes);
  EXPECT_EQ(back.registers_per_thread, 40u);
  EXPECT_EQ(back.shuffle_seed, ~0ull);
  EXPECT_EQ(back.limits.max_cycles, 1ull << 63);
  ASSERT_TRUE(back.limits.wall_time);
  EXPECT_EQ(back.limits.wall_time->end, options.limits.wall_time->end);
  EXPECT_EQ(back.limits.wall_time->seconds, 2.5);
}

TEST(RunOptions, ThereNeedBeNoWallTime) { EXPECT_FALSE(run_options_of(to_text({})).limits.wall_time); }

TEST(RunOptions, TextThatIsNoneIsAnError) {
  EXPECT_THROW(run_options_of("{"), Error);
  EXPECT_THROW(run_options_of("{}"), Error);
  EXPECT_THROW(run_options_of(R"({"functional": "yes"})"), Error);
}

}  // namespace
}  // namespace duet::machine
