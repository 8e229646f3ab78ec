#include "gpu/sm/warp_states.h"

#include <gtest/gtest.h>

namespace duet::gpu {
namespace {

TEST(WarpStates, AWarpIsInOneStateAtATime) {
  WarpStates states;
  states.change(3, IssueSlot::NoWarp, IssueSlot::Issued);
  EXPECT_EQ(states.ready(), 1u << 3);
  states.change(3, IssueSlot::Issued, IssueSlot::Memory);
  EXPECT_EQ(states.ready(), 0u);
  EXPECT_EQ(states.waiting_for(IssueSlot::Memory), 1u << 3);
  states.change(3, IssueSlot::Memory, IssueSlot::NoWarp);
  EXPECT_EQ(states.waiting_for(IssueSlot::Memory), 0u);
  EXPECT_EQ(states.waiting_for(IssueSlot::NoWarp), 0u);  // empty slots are not listed
}

TEST(WarpStates, AnEmptyIssueSlotHasTheFirstReasonOfItsOwnWarps) {
  WarpStates states;
  states.change(0, IssueSlot::NoWarp, IssueSlot::Barrier);
  states.change(1, IssueSlot::NoWarp, IssueSlot::Memory);
  states.change(2, IssueSlot::NoWarp, IssueSlot::Memory);
  const WarpStates::Wait even = states.first_wait(0b101), all = states.first_wait(0b111);
  EXPECT_EQ(even.reason, static_cast<unsigned>(IssueSlot::Memory));
  EXPECT_EQ(even.warps, 0b100u);
  EXPECT_EQ(all.warps, 0b110u);
  EXPECT_EQ(states.first_wait(0b001).reason, static_cast<unsigned>(IssueSlot::Barrier));
  EXPECT_EQ(states.first_wait(0b1000).reason, static_cast<unsigned>(IssueSlot::NoWarp));
  states.change(1, IssueSlot::Memory, IssueSlot::Issued);
  states.change(2, IssueSlot::Memory, IssueSlot::Issued);
  EXPECT_EQ(states.first_wait(0b111).reason, static_cast<unsigned>(IssueSlot::Barrier));
}

}  // namespace
}  // namespace duet::gpu
