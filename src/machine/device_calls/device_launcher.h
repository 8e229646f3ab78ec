// CUDA's device runtime for launches by kernels (CUDA C++ Programming Guide, CUDA dynamic parallelism; CDP2,
// as of CUDA 12): buffers for parameters, launches, streams, copies, errors of a thread.
//
//     kernel<<<grid, block, shared, stream>>>(a, b)      in device code is
//     p = cudaGetParameterBufferV2(kernel, grid, block, shared); *p = {a, b}; cudaLaunchDeviceV2(p, stream)
//
// A kernel is found by its name in all modules of the process. Parameter buffers come from the device heap. A
// copy is a kernel of its own, as a launch in its stream. A call's result is the thread's last error. Left
// out: events, cudaDeviceSynchronize (CUDA 12 has none), device graphs, cooperative launches.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "gpu/front_end/device_launches.h"
#include "gpu/functional/functional_sm.h"
#include "gpu/warp/device_services.h"

namespace duet::machine {

class Process;

class DeviceLauncher {
 public:
  explicit DeviceLauncher(Process& process) : process_(process) {}

  // A call of device code. It may end the kernel.
  gpu::SystemCallResult call(gpu::Grid& grid, const gpu::SystemCall& call);
  // Launches that have not started (CUDA: cudaLimitDevRuntimePendingLaunchCount).
  void set_most_pending(std::uint64_t number) { most_pending_ = number; }

 private:
  struct Buffer {
    const ptx::Kernel* kernel;
    gpu::Dim3 grid, block;
    Bytes shared_bytes;
  };
  // The grid's number, the block and the thread.
  using Thread = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>;
  static Thread thread_of(const gpu::Grid& grid, const gpu::SystemCall& call);

  gpu::SystemCallResult perform(gpu::Grid& grid, const gpu::SystemCall& call);
  VirtualAddress parameter_buffer(const gpu::SystemCall& call, std::uint32_t& error);
  gpu::SystemCallResult launch_buffer(gpu::Grid& grid, const gpu::SystemCall& call);
  gpu::SystemCallResult copy(gpu::Grid& grid, const gpu::SystemCall& call);
  gpu::SystemCallResult launch(gpu::Grid& parent, const gpu::SystemCall& call, const Buffer& what,
                               std::vector<std::byte> parameters, std::uint64_t stream);
  const ptx::Kernel& copy_kernel();

  Process& process_;
  std::map<std::uint64_t, Buffer> buffers_;  // by address: not launched yet
  std::map<Thread, std::uint32_t> errors_;   // of threads that had one
  std::uint64_t streams_ = 0;
  std::uint64_t most_pending_ = 2048;
  const ptx::Kernel* copy_kernel_ = nullptr;
};

}  // namespace duet::machine
