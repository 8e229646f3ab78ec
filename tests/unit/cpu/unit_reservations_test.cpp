// Execution units: starts a cycle, units that are busy, and what all of them share.
#include "cpu/unit_reservations.h"

#include <gtest/gtest.h>

namespace duet::cpu {
namespace {

TEST(UnitReservations, APipelinedUnitStartsOneACycle) {
  SlotsPerCycle issue(8);
  Units units(2, 1);
  EXPECT_EQ(units.place(10, issue), 10u);
  EXPECT_EQ(units.place(10, issue), 10u);
  EXPECT_EQ(units.place(10, issue), 11u);
  EXPECT_EQ(units.place(9, issue), 9u);  // an earlier cycle had room
}

TEST(UnitReservations, AUnitThatIsNotPipelinedIsBusy) {
  SlotsPerCycle issue(8);
  Units units(2, 20);
  EXPECT_EQ(units.place(10, issue), 10u);
  EXPECT_EQ(units.place(12, issue), 12u);
  EXPECT_EQ(units.place(13, issue), 30u);
  EXPECT_EQ(units.place(13, issue), 32u);
  EXPECT_EQ(units.place(60, issue), 60u);
}

TEST(UnitReservations, AllKindsShareTheIssueWidth) {
  SlotsPerCycle issue(3);
  Units integer(2, 1), multiply(1, 1), divide(1, 20);
  EXPECT_EQ(integer.place(5, issue), 5u);
  EXPECT_EQ(integer.place(5, issue), 5u);
  EXPECT_EQ(multiply.place(5, issue), 5u);
  EXPECT_EQ(divide.place(5, issue), 6u);
  EXPECT_EQ(divide.place(5, issue), 26u);  // busy from its start, not from when it was ready
}

TEST(UnitReservations, CyclesFarApartDoNotMeet) {
  SlotsPerCycle slots(1);
  slots.take(5);
  EXPECT_FALSE(slots.has_room(5));
  EXPECT_TRUE(slots.has_room(5 + 8192));
  slots.take(5 + 8192);
  EXPECT_FALSE(slots.has_room(5 + 8192));
}

}  // namespace
}  // namespace duet::cpu
