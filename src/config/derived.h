// What follows from a machine's keys: what a program is told of the GPU, and the peak bandwidth of its DRAM.
// None of it has a key of its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/machine.h"

namespace duet::config {

Bytes capacity_of_l2(const Gpu& gpu);  // of all slices
std::uint64_t bandwidth_mb_per_s(const Dram& dram);
std::uint64_t bus_bits(const Dram& dram);
std::uint64_t memory_clock_khz(const Dram& dram);  // as CUDA tells it: half the data rate
// How many times the rate of double precision that of single precision is, rounded; at least 1.
std::uint64_t single_to_double_ratio(const Sm& sm);

// Of a key that there was: which keys say now what it said, or why none does. Empty: there was no such key.
std::string why_dropped(std::string_view key);

}  // namespace duet::config
