#include "host/guest_calls.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace duet::host {
namespace {

// Something happens in the machine at these times.
class Events final : public sim::Component {
 public:
  Events(sim::Engine& engine, std::vector<Picoseconds> times)
      : Component(engine, "events", nullptr, 0, sim::Role::None), times_(std::move(times)) {
    engine.wake(*this, times_.front());
  }
  Picoseconds tick(Picoseconds now) override {
    ++happened;
    for (const Picoseconds time : times_)
      if (time > now) return time;
    return kNever;
  }
  unsigned happened = 0;

 private:
  const std::vector<Picoseconds> times_;
};

struct Ended {
  std::uint64_t thread, result;
  Picoseconds at;
  friend bool operator==(const Ended&, const Ended&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Ended& e) {
    return out << e.thread << " gives " << e.result << " at " << e.at;
  }
};

class Calls : public testing::Test {
 protected:
  // As an operating system's part does.
  std::vector<Ended> run() {
    std::vector<Ended> ended;
    while (true) {
      if (calls.ready()) {
        calls.go_on([&](std::uint64_t thread, std::uint64_t result) {
          ended.push_back({thread, result, engine.now()});
        });
        continue;
      }
      const Picoseconds next = std::min(calls.next_time(), engine.next_time());
      if (next != kNever)
        engine.run_until(next);
      else if (!calls.nothing_will_happen())
        return ended;
    }
  }

  sim::Engine engine;
  Events events{engine, {100, 200, 300}};
  std::function<std::uint64_t(const GuestCall&)> serve;
  GuestCalls calls{engine, [this](const GuestCall& call) { return serve(call); }};
};

TEST_F(Calls, ACallGivesItsResultAtOnce) {
  serve = [](const GuestCall& call) { return call.arguments[0] + call.arguments[1]; };
  calls.begin({7, {3, 4}, 0});
  EXPECT_TRUE(calls.any());
  EXPECT_EQ(run(), (std::vector<Ended>{{7, 7, 0}}));
  EXPECT_FALSE(calls.any());
}

TEST_F(Calls, OneThatWaitsLetsTheMachineAndOthersGoOn) {
  std::string order;
  serve = [&](const GuestCall& call) -> std::uint64_t {
    order += fmt::format("{} begins. ", call.thread);
    if (call.thread == 1)
      calls.wait_until(250);
    else
      EXPECT_TRUE(calls.wait_for([&] { return events.happened == 2; }));
    order += fmt::format("{} ends. ", call.thread);
    return events.happened;
  };
  calls.begin({1, {}, 0});
  calls.begin({2, {}, 0});
  EXPECT_EQ(run(), (std::vector<Ended>{
                       {2, 2, 200},
                       {1, 2, 250},
                   }));
  EXPECT_EQ(order, "1 begins. 2 begins. 2 ends. 1 ends. ");
}

TEST_F(Calls, WhatHoldsAlreadyIsNotWaitedFor) {
  serve = [&](const GuestCall&) -> std::uint64_t {
    calls.wait_until(0);
    return calls.wait_for([] { return true; });
  };
  calls.begin({1, {}, 0});
  EXPECT_EQ(run(), (std::vector<Ended>{{1, 1, 0}}));
}

TEST_F(Calls, WhereNothingWillHappenOneAfterTheOtherIsTold) {
  bool first_gave_up = false;
  serve = [&](const GuestCall& call) -> std::uint64_t {
    const bool came = calls.wait_for([&] { return call.thread == 2 && first_gave_up; });
    first_gave_up |= !came;
    return came;
  };
  calls.begin({1, {}, 0});
  calls.begin({2, {}, 0});
  EXPECT_EQ(run(), (std::vector<Ended>{{1, 0, 300}, {2, 1, 300}}));
}

TEST_F(Calls, AThreadMakesOneCallAfterTheOther) {
  serve = [&](const GuestCall& call) -> std::uint64_t {
    calls.wait_until(engine.now() + 10);
    return call.arguments[0];
  };
  std::vector<Ended> all;
  for (const std::uint64_t i : {5, 6, 7}) {
    calls.begin({1, {i, 0}, engine.now()});
    for (const Ended& one : run()) all.push_back(one);
  }
  // The machine had come to 300 with the first.
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0], (Ended{1, 5, 10}));
  EXPECT_EQ(all[2].result, 7u);
}

TEST_F(Calls, EachThreadKeepsItsOwnThreadLocals) {
  static thread_local unsigned calls_made = 0;
  serve = [](const GuestCall&) -> std::uint64_t { return ++calls_made; };
  std::vector<std::uint64_t> results;
  for (const std::uint64_t thread : {1, 2, 1, 1, 2}) {
    calls.begin({thread, {}, engine.now()});
    for (const Ended& one : run()) results.push_back(one.result);
  }
  EXPECT_EQ(results, (std::vector<std::uint64_t>{1, 1, 2, 3, 2}));
  calls.forget(1);
  calls.begin({1, {}, engine.now()});
  EXPECT_EQ(run()[0].result, 1u);  // another thread of that number
}

TEST_F(Calls, WhatACallThrowsComesOutWhereTheMachineIsLetRun) {
  serve = [](const GuestCall&) -> std::uint64_t { throw Error("broken"); };
  calls.begin({1, {}, 0});
  EXPECT_THROW(run(), Error);
}

}  // namespace
}  // namespace duet::host
