// Calls of the device heap wait for each other; nobody sees the order in which those of one time came.
#include "gpu/front_end/heap_turns.h"

#include <gtest/gtest.h>

#include <map>

namespace duet::gpu {
namespace {

// Asks in its ticks, in the order of the list.
class Caller : public sim::Component {
 public:
  explicit Caller(sim::Engine& engine)
      : Component(engine, "caller", nullptr, 0, sim::Role::None), turns(engine) {}
  Picoseconds tick(Picoseconds now) override {
    for (const auto& [sm, interval] : calls[now])
      turns.ask(sm, now / 1000, interval, [this, sm](Cycle wait) { waits.emplace_back(sm, wait); });
    const auto next = calls.upper_bound(now);
    return next == calls.end() ? kNever : next->first;
  }
  HeapTurns turns;
  std::map<Picoseconds, std::vector<std::pair<std::uint32_t, Cycle>>> calls;
  std::vector<std::pair<std::uint32_t, Cycle>> waits;
};

TEST(HeapTurns, ThoseOfOneTimeAreServedByTheNumberOfTheirSm) {
  using Waits = std::vector<std::pair<std::uint32_t, Cycle>>;
  for (const bool backwards : {false, true}) {
    sim::Engine engine;
    Caller caller(engine);
    caller.calls[5000] = {{0, 10}, {1, 20}, {2, 40}};
    if (backwards) caller.calls[5000] = {{2, 40}, {1, 20}, {0, 10}};
    engine.wake(caller, 5000);
    engine.run_until(6000);
    EXPECT_EQ(caller.waits, (Waits{{0, 0}, {1, 10}, {2, 30}})) << backwards;
  }
}

TEST(HeapTurns, ALaterCallWaitsForWhatIsLeft) {
  using Waits = std::vector<std::pair<std::uint32_t, Cycle>>;
  sim::Engine engine;
  Caller caller(engine);
  caller.calls = {{1000, {{3, 100}}}, {31000, {{0, 100}, {0, 5}}}, {900000, {{1, 100}}}};
  engine.wake(caller, 1000);
  engine.run_until(1000000);
  EXPECT_EQ(caller.waits, (Waits{{3, 0}, {0, 70}, {0, 170}, {1, 0}}));
}

}  // namespace
}  // namespace duet::gpu
