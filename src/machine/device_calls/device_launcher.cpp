#include "machine/device_calls/device_launcher.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "base/error.h"
#include "machine/build/board.h"
#include "machine/process.h"
#include "sim/clock_domain.h"

namespace duet::machine {

using gpu::DeviceLaunch;
using gpu::SystemCall;
using gpu::SystemCallResult;
using ptx::SystemFunction;

namespace {

// cudaError_t.
constexpr std::uint32_t kSuccess = 0, kInvalidValue = 1, kMemoryAllocation = 2, kInvalidConfiguration = 9,
                        kPendingCountExceeded = 69, kInvalidDeviceFunction = 98;
// cuda_device_runtime_api.h: cudaStreamTailLaunch and cudaStreamFireAndForget. 0, 1 and 2 are the default
// streams of a block; those that device code makes lie far above.
constexpr std::uint64_t kDefaultStreams = 2, kTailLaunch = 3, kFireAndForget = 4,
                        kFirstStream = 0x4500'0000'0000'0000;
constexpr unsigned kCopyThreads = 256;
constexpr Bytes kCopyBytesOfThread = 32;

// to, from, bytes. Words of eight bytes where all three are multiples of eight.
constexpr const char* kCopyPtx = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry cudaMemcpyAsync(.param .u64 to, .param .u64 from, .param .u64 bytes)
{
  .reg .b64 %d<12>; .reg .b32 %r<6>; .reg .b16 %h<2>; .reg .pred %p<2>;
  ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from]; ld.param.u64 %d3, [bytes];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mov.u32 %r4, %nctaid.x;
  mad.lo.u32 %r5, %r1, %r2, %r3; cvt.u64.u32 %d4, %r5;
  mul.wide.u32 %d5, %r2, %r4;
  or.b64 %d6, %d1, %d2; or.b64 %d6, %d6, %d3; and.b64 %d6, %d6, 7;
  setp.ne.u64 %p1, %d6, 0; @%p1 bra BYTES;
  shl.b64 %d4, %d4, 3; shl.b64 %d5, %d5, 3;
WORDS:
  setp.ge.u64 %p1, %d4, %d3; @%p1 bra DONE;
  add.u64 %d7, %d2, %d4; ld.u64 %d8, [%d7];
  add.u64 %d7, %d1, %d4; st.u64 [%d7], %d8;
  add.u64 %d4, %d4, %d5; bra WORDS;
BYTES:
  setp.ge.u64 %p1, %d4, %d3; @%p1 bra DONE;
  add.u64 %d7, %d2, %d4; ld.u8 %h1, [%d7];
  add.u64 %d7, %d1, %d4; st.u8 [%d7], %h1;
  add.u64 %d4, %d4, %d5; bra BYTES;
DONE:
  ret;
})";

gpu::Dim3 dimensions(std::uint64_t x_and_y, std::uint64_t z) {
  return {static_cast<std::uint32_t>(x_and_y), static_cast<std::uint32_t>(x_and_y >> 32),
          static_cast<std::uint32_t>(z)};
}

}  // namespace

DeviceLauncher::Thread DeviceLauncher::thread_of(const gpu::Grid& grid, const SystemCall& call) {
  const auto linear = [](const gpu::Dim3& at, const gpu::Dim3& of) {
    return (std::uint64_t{at.z} * of.y + at.y) * of.x + at.x;
  };
  return {grid.launch_id, linear(call.thread.block, grid.grid), linear(call.thread.thread, grid.block)};
}

// A kernel that Duet does not support, or no room for what it needs, ends the one that launches it.
SystemCallResult DeviceLauncher::call(gpu::Grid& grid, const SystemCall& call) {
  try {
    return perform(grid, call);
  } catch (const Error& refused) {
    return {0, gpu::FaultKind::IllegalInstruction,
            "a launch that is refused (" + std::string(refused.what()) + ")"};
  }
}

SystemCallResult DeviceLauncher::perform(gpu::Grid& grid, const SystemCall& call) {
  SystemCallResult result;
  std::uint32_t error = kSuccess;
  switch (call.function) {
    case SystemFunction::ParameterBuffer:
      result.value = parameter_buffer(call, error).value();
      break;
    case SystemFunction::LaunchDevice:
      result = launch_buffer(grid, call);
      error = static_cast<std::uint32_t>(result.value);
      break;
    case SystemFunction::MemcpyAsync:
      result = copy(grid, call);
      error = static_cast<std::uint32_t>(result.value);
      break;
    case SystemFunction::StreamCreate:
      result.value = kFirstStream + ++streams_;
      break;
    case SystemFunction::GetLastError:
    case SystemFunction::PeekAtLastError: {
      const auto found = errors_.find(thread_of(grid, call));
      if (found == errors_.end()) break;
      result.value = found->second;
      if (call.function == SystemFunction::GetLastError) errors_.erase(found);
      break;
    }
    default:  // a stream that is destroyed still does what was launched into it
      break;
  }
  if (error != kSuccess) errors_[thread_of(grid, call)] = error;
  return result;
}

VirtualAddress DeviceLauncher::parameter_buffer(const SystemCall& call, std::uint32_t& error) {
  const auto& words = call.arguments;
  const ptx::Kernel* const kernel = process_.find_kernel(words[0]);
  if (kernel == nullptr) {
    error = kInvalidDeviceFunction;
    return {};
  }
  constexpr Bytes kLeast = 8;
  const VirtualAddress address =
      process_.heap_allocate(call.sm, std::max<Bytes>(kernel->parameter_bytes, kLeast));
  if (!address) {
    error = kMemoryAllocation;
    return {};
  }
  buffers_[address.value()] = {kernel, dimensions(words[1], words[2]),
                               dimensions(words[3], words[4] & 0xffff'ffff), words[4] >> 32};
  return address;
}

SystemCallResult DeviceLauncher::launch_buffer(gpu::Grid& grid, const SystemCall& call) {
  const auto found = buffers_.find(call.arguments[0]);
  if (found == buffers_.end()) return {kInvalidValue, gpu::FaultKind::None, {}};
  const Buffer what = found->second;
  buffers_.erase(found);
  std::vector<std::byte> parameters(what.kernel->parameter_bytes);
  if (!call.read(call.arguments[0], parameters.data(), parameters.size()))
    return {0, gpu::FaultKind::IllegalAddress, "a launch whose parameters cannot be read,"};
  process_.heap_release(call.sm, VirtualAddress(call.arguments[0]));
  return launch(grid, call, what, std::move(parameters), call.arguments[1]);
}

SystemCallResult DeviceLauncher::copy(gpu::Grid& grid, const SystemCall& call) {
  const Bytes bytes = call.arguments[2];
  if (bytes == 0) return {};
  const ptx::Kernel& kernel = copy_kernel();
  std::vector<std::byte> parameters(kernel.parameter_bytes);
  std::memcpy(parameters.data(), call.arguments.data(), 3 * sizeof(std::uint64_t));
  const Bytes of_block = kCopyThreads * kCopyBytesOfThread;
  Buffer what{&kernel, {}, {kCopyThreads, 1, 1}, 0};
  what.grid.x = static_cast<std::uint32_t>(
      std::min<Bytes>((bytes + of_block - 1) / of_block, process_.config().gpu.sm.count));
  return launch(grid, call, what, std::move(parameters), call.arguments[4]);
}

SystemCallResult DeviceLauncher::launch(gpu::Grid& parent, const SystemCall& call, const Buffer& what,
                                        std::vector<std::byte> parameters, std::uint64_t stream) {
  if (what.grid.count() == 0 || what.block.count() == 0)
    return {kInvalidConfiguration, gpu::FaultKind::None, {}};
  gpu::WorkDistributor& distributor = process_.system().board().work_distributor();
  DeviceLaunch launch;
  launch.grid = process_.make_grid(*what.kernel, what.grid, what.block, what.shared_bytes,
                                   std::move(parameters), false, &parent);
  launch.grid->command = parent.command;
  launch.grid->stream = parent.stream;
  launch.grid->launched_number = kLaunchedByKernel | launch.grid->launch_id;
  if (!distributor.refusal(*launch.grid).empty()) return {kInvalidConfiguration, gpu::FaultKind::None, {}};
  launch.block = std::get<1>(thread_of(parent, call));
  if (stream == kTailLaunch) launch.order = DeviceLaunch::Order::Tail;
  if (stream == kFireAndForget) launch.order = DeviceLaunch::Order::FireAndForget;
  launch.stream = stream <= kDefaultStreams ? 0 : stream;
  if (distributor.pending_device_launches() >= most_pending_)
    return {kPendingCountExceeded, gpu::FaultKind::None, {}};
  const config::Gpu& gpu = process_.config().gpu;
  const sim::ClockDomain core(gpu.core_clock_khz * 1000);
  const Picoseconds now = process_.engine().now();
  launch.grid->launched_ps = now;
  launch.ready_ps = core.edge(core.cycle_at(now) + gpu.front_end.device_launch_cycles);
  distributor.launch_from_device(std::move(launch));
  return {kSuccess, gpu::FaultKind::None, {}, {.cycles = gpu.front_end.device_launch_call_cycles}};
}

const ptx::Kernel& DeviceLauncher::copy_kernel() {
  if (copy_kernel_ == nullptr)
    copy_kernel_ = &process_.load_module(kCopyPtx, "cudaMemcpyAsync.ptx").module.kernels.front();
  return *copy_kernel_;
}

}  // namespace duet::machine
