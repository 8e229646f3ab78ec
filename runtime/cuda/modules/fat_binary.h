// Finds the PTX text in a compiler's registered data: plain PTX (clang with PTX as its GPU binary), or
// NVIDIA's fat binary container with plain, LZ4- or zstd-compressed entries. Layout as observed: wrapper {u32
// 0x466243B1, u32 version, pointer, pointer}; container {u32 0xBA55ED50, u16 1, u16 header bytes, u64 bytes};
// entries with kind (1 PTX, 2 machine code) and sizes. Version 2 is relocatable device code: the second
// pointer leads to the containers of the object files, whose PTX texts are linked (core/ptx_link.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace duet::cuda {

inline constexpr std::uint32_t kWrapperMagic = 0x466243B1, kContainerMagic = 0xBA55ED50;

// `wrapper` is the argument of __cudaRegisterFatBinary. Among several PTX texts takes the one for the highest
// architecture of the device (10 * major + minor), or else the lowest. Throws duet::Error when there is none
// (core::MachineCodeOnly where machine code is), and when sizes in it contradict each other or its memory.
std::string ptx_of_fat_binary(const void* wrapper, unsigned compute_capability, const std::string& name);

// The same of a container at the beginning of `bytes`.
std::string ptx_of_container(std::span<const std::byte> bytes, unsigned compute_capability,
                             const std::string& name);

}  // namespace duet::cuda
