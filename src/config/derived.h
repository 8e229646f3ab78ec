// Values that follow from a machine's keys: the GPU's properties for programs, and the peak bandwidth of its
// DRAM. They have no keys of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/machine.h"

namespace duet::config {

// A key that stands for others: --set gpu.l2.bytes=N changes gpu.l2.sets, or gpu.l2.ways.
inline constexpr const char* kSizeOfL2 = "gpu.l2.bytes";
Bytes capacity_of_l2(const Gpu& gpu);  // of all slices
std::uint64_t bandwidth_mb_per_s(const Dram& dram);
std::uint64_t bus_bits(const Dram& dram);
std::uint64_t memory_clock_khz(const Dram& dram);  // as CUDA tells it: half the data rate
// The rate of single precision divided by the rate of double precision, rounded; at least 1.
std::uint64_t single_to_double_ratio(const Sm& sm);

// For a former key: the keys that replace it, or why there is none. Empty: there was no such key.
std::string why_dropped(std::string_view key);

}  // namespace duet::config
