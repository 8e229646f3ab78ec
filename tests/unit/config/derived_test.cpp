// What follows from a machine's keys is what the products' data sheets say.
#include "config/derived.h"

#include <gtest/gtest.h>

#include "config/loader.h"

namespace duet::config {
namespace {

Gpu gpu_of(const std::string& name, const std::vector<std::string>& sets = {}) {
  return load_machine(name, DUET_SOURCE_DIRECTORY "/machines", sets).machine.gpu;
}

struct DataSheet {
  const char* machine;
  Bytes l2_bytes;
  std::uint64_t mb_per_s, bits, khz;
};

TEST(Derived, IsWhatTheDataSheetsSay) {
  for (const DataSheet& sheet : {DataSheet{"gtx580", 768_KiB, 192384, 384, 2004000},
                                 {"gtx480", 768_KiB, 177408, 384, 1848000},
                                 {"llano", 128_KiB, 29866, 128, 933333},
                                 {"h100", 50_MiB, 3352320, 5120, 2619000}}) {
    const Gpu gpu = gpu_of(sheet.machine);
    EXPECT_EQ(capacity_of_l2(gpu), sheet.l2_bytes) << sheet.machine;
    EXPECT_EQ(bandwidth_mb_per_s(gpu.dram), sheet.mb_per_s) << sheet.machine;
    EXPECT_EQ(bus_bits(gpu.dram), sheet.bits) << sheet.machine;
    EXPECT_EQ(memory_clock_khz(gpu.dram), sheet.khz) << sheet.machine;
  }
}

TEST(Derived, FollowsTheKeysOfTime) {
  EXPECT_EQ(capacity_of_l2(gpu_of("gtx580", {"gpu.l2.ways=16", "gpu.l2_slices=6"})), 768_KiB);
  EXPECT_EQ(bus_bits(gpu_of("gtx580", {"gpu.dram.channels=3"}).dram), 192u);
  EXPECT_EQ(bandwidth_mb_per_s(gpu_of("gtx580", {"gpu.dram.burst_cycles=4"}).dram), 96192u);
  // No bandwidth at all would be no limit.
  EXPECT_EQ(bandwidth_mb_per_s(gpu_of("gtx580", {"gpu.dram.command_clock_khz=1"}).dram), 1u);
}

TEST(Derived, DoublePrecisionIsSlowerByItsUnitsAndIntervals) {
  EXPECT_EQ(single_to_double_ratio(gpu_of("h100").sm), 2u);
  EXPECT_EQ(single_to_double_ratio(gpu_of("gtx580").sm), 8u);  // two units against one, 1 cycle against 4
  EXPECT_EQ(single_to_double_ratio(gpu_of("gtx580", {"gpu.sm.dp_units=2"}).sm), 4u);
  EXPECT_EQ(single_to_double_ratio(gpu_of("h100", {"gpu.sm.dp_units=16"}).sm), 1u);
}

}  // namespace
}  // namespace duet::config
