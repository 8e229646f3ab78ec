// The whole path from submission to completion: copy in, launch, copy out.
#include <gtest/gtest.h>

#include "rig.h"

namespace duet::test {
namespace {

TEST(Offload, CopyInLaunchCopyOut) {
  Rig rig;
  const auto input = pattern_bytes(10'000);
  std::vector<std::byte> output(input.size());
  const VirtualAddress buffer = rig.device(input.size());
  const auto in = rig.submit(rig.copy_in(buffer, input.data(), input.size()));
  // The kernel's last block inverts the buffer, so a copy out of order would show.
  for (auto& sm : rig.sms)
    sm->at_end = [&](gpu::Grid&, std::uint64_t block) {
      if (block == 99)
        for (std::size_t i = 0; i < input.size(); ++i) rig.bytes_of(buffer)[i] = ~rig.bytes_of(buffer)[i];
      return false;
    };
  const auto kernel = rig.submit(rig.launch(100));
  const auto out = rig.submit(rig.copy_out(output.data(), buffer, input.size()));
  rig.finish();
  ASSERT_EQ(rig.records.size(), 3u);
  for (std::size_t i = 0; i < input.size(); ++i) ASSERT_EQ(output[i], ~input[i]) << i;
  EXPECT_LE(rig.records[in].end_ps, rig.records[kernel].driver_start_ps);
  EXPECT_LE(rig.records[kernel].end_ps, rig.records[out].driver_start_ps);
  EXPECT_EQ(rig.board.requests().in_use(), 0u);
  std::size_t blocks = 0;
  for (auto& sm : rig.sms) blocks += sm->log.size();
  EXPECT_EQ(blocks, 100u);
}

// Driver, link, front end, copy engines and host memory on two threads; half duplex as well.
TEST(Offload, TwoThreadsLeaveTheTimesOfOne) {
  for (const bool full_duplex : {true, false}) {
    auto machine = gtx580();
    machine.link.full_duplex = full_duplex;
    const auto times = [&](std::uint64_t seed, bool two_threads) {
      Rig rig(machine, seed, two_threads);
      const auto input = pattern_bytes(10'000);
      std::vector<std::byte> output(input.size());
      const auto buffer = rig.device(input.size());
      for (int i = 0; i < 3; ++i) {
        rig.submit(rig.copy_in(buffer, input.data(), input.size()));
        rig.submit(rig.launch(100));
        rig.submit(rig.copy_out(output.data(), buffer, input.size()));
      }
      rig.finish();
      EXPECT_EQ(output, input);
      EXPECT_EQ(rig.board.requests().in_use(), 0u);
      std::vector<Picoseconds> ends;
      for (const auto& [id, record] : rig.records) ends.push_back(record.end_ps);
      return ends;
    };
    const auto one = times(0, false);
    EXPECT_EQ(one.size(), 9u);
    for (const std::uint64_t seed : {1, 2}) EXPECT_EQ(times(seed, true), one);
  }
}

}  // namespace
}  // namespace duet::test
