// Calls from device code to CUDA's device runtime: printf, assert, malloc and free, and launches of kernels.
// Source: CUDA C++ Programming Guide.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "gpu/functional/functional_sm.h"
#include "gpu/warp/fault_text.h"

namespace duet::gpu {

struct SystemCall {
  ptx::SystemFunction function = ptx::SystemFunction::Vprintf;
  ThreadName thread;
  std::uint32_t sm = 0;
  std::array<std::uint64_t, 5> arguments{};
  std::function<bool(Address address, std::byte* to, Bytes bytes)> read;  // generic addresses of this thread
};
struct SystemCallResult {
  std::uint64_t value = 0;
  FaultKind fault = FaultKind::None;
  std::string text;
  CallCost cost{};
};

SystemCallResult perform_system_call(Grid& grid, const ptx::MicroOp& op, const SystemCall& call,
                                     const DeviceServices& services);

}  // namespace duet::gpu
