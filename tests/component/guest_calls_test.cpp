// Calls of a program on simulated cores, served in turns with a machine.
#include "host/guest_calls.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace duet::host {
namespace {

using Ended = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // thread, result

struct GuestCallsTest : testing::Test {
  sim::Engine engine{0, false};
  Ended ended;
  void go_on(GuestCalls& calls) {
    while (calls.ready())
      calls.go_on([&](std::uint64_t thread, std::uint64_t result) { ended.emplace_back(thread, result); });
  }
};

TEST_F(GuestCallsTest, OneThatWaitsForWorkIsNotWhatTheMachineStandsStillFor) {
  bool work = false, done = false;
  GuestCalls* own = nullptr;
  GuestCalls calls(engine, [&](const GuestCall& call) -> std::uint64_t {
    if (call.thread == 1) {
      own->wait_for_work([&] { return work; });
      return 7;
    }
    return own->wait_for([&] { return done; }) ? 1 : 0;
  });
  own = &calls;
  calls.begin({1, {}, 0});
  go_on(calls);
  EXPECT_TRUE(calls.any());
  EXPECT_FALSE(calls.nothing_will_happen());  // nobody else is in a call
  calls.begin({2, {}, 0});
  go_on(calls);
  EXPECT_TRUE(calls.nothing_will_happen());
  go_on(calls);
  EXPECT_EQ(ended, (Ended{{2, 0}}));  // its waiting was for nothing
  EXPECT_FALSE(calls.nothing_will_happen());
  work = true;
  go_on(calls);
  EXPECT_EQ(ended, (Ended{{2, 0}, {1, 7}}));
}

// What a function of the program, which a call needs in its middle, calls is served before the call goes on.
TEST_F(GuestCallsTest, ACallGoesOnWithTheThreadsNextOnes) {
  GuestCalls* own = nullptr;
  GuestCalls calls(engine, [&](const GuestCall& call) -> std::uint64_t {
    if (call.arguments[0] != 1) return 100 + call.arguments[0];
    std::uint64_t sum = 0;
    own->answer(50);
    while (own->current().arguments[0] != 9) {
      sum += own->current().arguments[0];
      own->answer(60 + own->current().arguments[0]);
    }
    return sum;
  });
  own = &calls;
  for (const std::uint64_t argument : {1, 2, 3, 9, 4}) {
    calls.begin({1, {argument, 0}, 0});
    go_on(calls);
  }
  EXPECT_EQ(ended, (Ended{{1, 50}, {1, 62}, {1, 63}, {1, 5}, {1, 104}}));
  calls.begin({1, {1, 0}, 0});
  go_on(calls);
  calls.forget(1);  // in the middle: nothing of it is run on
  EXPECT_FALSE(calls.any());
}

TEST_F(GuestCallsTest, TheNextCallOfAThreadThatWaitedForWorkCounts) {
  GuestCalls* own = nullptr;
  unsigned calls_made = 0;
  GuestCalls calls(engine, [&](const GuestCall&) -> std::uint64_t {
    if (++calls_made == 1) {
      own->wait_for_work([] { return true; });
      return 0;
    }
    return own->wait_for([] { return false; }) ? 1 : 2;
  });
  own = &calls;
  calls.begin({1, {}, 0});
  go_on(calls);
  calls.begin({1, {}, 0});
  go_on(calls);
  EXPECT_TRUE(calls.nothing_will_happen());
  go_on(calls);
  EXPECT_EQ(ended, (Ended{{1, 0}, {1, 2}}));
}

}  // namespace
}  // namespace duet::host
