// Packets of user queues in the Architected Queuing Language: 64 bytes in the program's memory, which the
// GPU reads itself. Source: HSA Platform System Architecture Specification 1.2, section 2.9.
//
//   const AqlPacket packet = decode_aql_packet(bytes);
//   if (packet.type == AqlType::KernelDispatch) ... packet.dispatch.kernel_object
//
// A packet is the processor's as soon as its type is not Invalid any more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.h"
#include "gpu/grid.h"

namespace duet::gpu {

inline constexpr Bytes kAqlPacketBytes = 64;

enum class AqlType : std::uint8_t {
  VendorSpecific = 0,
  Invalid = 1,
  KernelDispatch = 2,
  BarrierAnd = 3,
  AgentDispatch = 4,
  BarrierOr = 5
};
// Of the memory that an acquire or a release is about.
enum class FenceScope : std::uint8_t { None = 0, Agent = 1, System = 2 };

struct AqlDispatch {
  unsigned dimensions = 1;
  Dim3 group, size;                 // work-items
  std::uint32_t private_bytes = 0;  // of a work-item
  std::uint32_t group_bytes = 0;    // of a work-group: all of its group segment
  std::uint64_t kernel_object = 0;  // a handle of the kernel's code
  Address kernarg = 0;              // where its arguments lie
};

struct AqlPacket {
  AqlType type = AqlType::Invalid;
  bool barrier = false;  // all packets before it have completed
  FenceScope acquire = FenceScope::None, release = FenceScope::None;
  AqlDispatch dispatch;                    // of a KernelDispatch
  std::array<std::uint64_t, 5> depends{};  // of a barrier: signals; 0: none
  std::uint64_t completion_signal = 0;     // 0: none
};

// Of kAqlPacketBytes.
AqlPacket decode_aql_packet(std::span<const std::byte> bytes);

// A signal is named by its address, and its value of 64 bits lies there (amd_hsa_signal.h).
inline constexpr Bytes kSignalValueOffset = 8;

}  // namespace duet::gpu
