#include "predict/interval.h"

#include <gtest/gtest.h>

namespace duet::predict {
namespace {

TEST(Interval, HoldsThePredictedTime) {
  for (const char* bound : {"DRAM rate", "memory latency", "issue slots", "what nobody says"})
    for (const bool doubtful : {false, true}) {
      const Interval interval = interval_of(bound, doubtful);
      EXPECT_LT(interval.low, 1) << bound;
      EXPECT_GT(interval.high, 1) << bound;
      EXPECT_GE(interval.calibrated_on, 30u) << bound;
    }
}

TEST(Interval, OfAClassThatIsNotThereThatOfAll) {
  const Interval all = interval_of("what nobody says", false), known = interval_of("memory latency", false);
  EXPECT_GT(all.calibrated_on, known.calibrated_on);
  EXPECT_NE(all.high, known.high);
}

TEST(Interval, DoubtMakesItWider) {
  for (const char* bound : {"DRAM rate", "memory latency", "what nobody says"}) {
    const Interval sure = interval_of(bound, false), doubtful = interval_of(bound, true);
    EXPECT_LT(doubtful.low, sure.low);
    EXPECT_GT(doubtful.high, sure.high);
  }
}

}  // namespace
}  // namespace duet::predict
