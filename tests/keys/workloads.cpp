#include "keys/workloads.h"

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <duet_full_empty.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"
#include "cuda/session/session.h"
#include "keys/kernels.h"
#include "machine/device_calls/user_queues.h"

namespace duet::keys {

namespace {

constexpr std::size_t kBytes = 512 << 10;

// The module, loaded when something of it is first used.
CUfunction function(const std::string& name) {
  static const CUmodule module = [] {
    CUmodule loaded = nullptr;
    if (cuModuleLoadData(&loaded, kernels_ptx().c_str()) != CUDA_SUCCESS) {
      std::fputs("the kernels are no PTX\n", stderr);
      std::_Exit(1);
    }
    return loaded;
  }();
  CUfunction found = nullptr;
  cuModuleGetFunction(&found, module, name.c_str());
  return found;
}

// What a call answers is told where it is not success.
void check(Told& told, const std::string& what, int answer) {
  if (answer != 0) told.say(what + ": " + std::to_string(answer));
}

void launch(Told& told, const std::string& name, unsigned blocks, unsigned threads, void* words,
            cudaStream_t stream = nullptr, unsigned shared_bytes = 0) {
  void* arguments[] = {&words};
  check(
      told, name,
      cuLaunchKernel(function(name), blocks, 1, 1, threads, 1, 1, shared_bytes, stream, arguments, nullptr));
}

char* device_memory(Told& told, std::size_t bytes = kBytes) {
  char* memory = nullptr;
  check(told, "cudaMalloc", cudaMalloc(reinterpret_cast<void**>(&memory), bytes));
  check(told, "cudaMemset", cudaMemset(memory, 0, bytes));
  return memory;
}

void finish(Told& told) { check(told, "cudaDeviceSynchronize", cudaDeviceSynchronize()); }

char* pinned(Told& told, std::size_t bytes, unsigned flags = cudaHostAllocDefault) {
  char* memory = nullptr;
  check(told, "cudaHostAlloc", cudaHostAlloc(reinterpret_cast<void**>(&memory), bytes, flags));
  if (memory != nullptr) std::memset(memory, 1, bytes);
  return memory;
}

cudaStream_t stream(Told& told) {
  cudaStream_t made = nullptr;
  check(told, "cudaStreamCreate", cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  return made;
}

}  // namespace

void arithmetic(Told& told) {
  char* const words = device_memory(told, 1 << 16);
  for (const char* name : {"integer", "multiply", "floating", "doubles", "special", "halves", "conversions",
                           "shifts", "bit_counts", "divisions", "control"}) {
    launch(told, name, 4, 384, words);  // units are busy
    launch(told, name, 2, 32, words);   // and warps wait for results
  }
  finish(told);
}

void exchanges(Told& told) {
  launch(told, "shuffles", 4, 384, device_memory(told, 1 << 16));
  finish(told);
}

void code(Told& told) {
  char* const words = device_memory(told, 1 << 16);
  launch(told, "code", 4, 128, words);
  launch(told, "integer", 4, 64, words);
  launch(told, "code", 2, 64, words);
  finish(told);
}

void memory(Told& told) {
  char* const words = device_memory(told);
  launch(told, "stream", 8, 256, words);
  launch(told, "gather", 4, 256, words);
  launch(told, "reuse", 4, 256, words);
  launch(told, "shared", 4, 256, words);
  launch(told, "atomics", 4, 256, words);
  launch(told, "constants", 4, 128, words);
  launch(told, "locals", 4, 128, words);
  finish(told);
}

void strides(Told& told) {
  char* const words = device_memory(told);
  launch(told, "strides", 4, 256, words);
  finish(told);
}

void occupancy(Told& told) {
  char* const words = device_memory(told, 1 << 17);
  launch(told, "many_registers", 48, 96, words);
  launch(told, "shared", 48, 64, words, nullptr, 2000);
  launch(told, "integer", 40, 64, words);
  launch(told, "integer", 6, 512, words);
  finish(told);
}

void calls(Told& told) {
  char* const device = device_memory(told);
  char* const host = pinned(told, kBytes);
  char* const mapped = pinned(told, 1 << 16, cudaHostAllocMapped);
  const cudaStream_t one = stream(told), other = stream(told);
  cudaEvent_t event = nullptr;
  cudaEventCreate(&event);
  for (int i = 0; i < 2; ++i) {
    cudaMemcpyAsync(device, host, kBytes / 2, cudaMemcpyHostToDevice, one);
    cudaMemcpyAsync(host + kBytes / 2, device + kBytes / 2, kBytes / 2, cudaMemcpyDeviceToHost, other);
    cudaEventRecord(event, one);
    cudaStreamWaitEvent(other, event, 0);
    launch(told, "integer", 2, 64, device, other);
    cudaLaunchHostFunc(
        other, [](void*) {}, nullptr);
    cudaStreamQuery(other);
    told.note_clock();
    cudaMemsetAsync(device, 0, 4096, other);
    cudaEventSynchronize(event);
    told.note_clock();
    cudaStreamSynchronize(other);
  }
  launch(told, "integer", 2, 64, mapped);
  launch(told, "holes", 2, 64, mapped);
  launch(told, "integer", 2, 64, pinned(told, 1 << 16, cudaHostAllocMapped | cudaHostAllocWriteCombined));
  finish(told);
  cudaMemcpy(device, host, 64, cudaMemcpyHostToDevice);
  cudaMemcpy(device + 65536, device, 65536, cudaMemcpyDeviceToDevice);
  cudaMemcpy(host, device, 4096, cudaMemcpyDeviceToHost);
  int answer = 0;
  cudaGetDevice(&answer);
  cudaEventDestroy(event);
  cudaFree(device);
}

void pageable(Told& told) {
  char* const device = device_memory(told);
  std::vector<char> host(kBytes);
  cudaMemcpy(device, host.data(), kBytes, cudaMemcpyHostToDevice);
  told.note_clock();
  cudaMemcpy(host.data(), device, kBytes, cudaMemcpyDeviceToHost);
  finish(told);
}

void streams(Told& told) {
  char* const device = device_memory(told);
  char* const host = pinned(told, kBytes);
  std::uintptr_t offset = 0;
  cudaStream_t many[20];
  for (cudaStream_t& one : many) one = stream(told);
  for (int i = 0; i < 2; ++i) {
    for (const cudaStream_t one : many) launch(told, "slow", 1, 32, device + 4096 * offset++, one);
    for (const cudaStream_t one : many) launch(told, "integer", 1, 32, device, one);
  }
  for (int i = 0; i < 24; ++i) cudaMemcpyAsync(device, host, 4096, cudaMemcpyHostToDevice, many[i % 3]);
  told.note_clock();
  finish(told);
}

void uneven(Told& told) {
  char* const words = device_memory(told, 1 << 19);
  launch(told, "uneven", 180, 512, words);
  finish(told);
}

void nested(Told& told) {
  char* const words = device_memory(told);
  launch(told, "nested", 1, 32, words);
  finish(told);
}

void user_queues(Told& told) {
  constexpr std::size_t kRing = 4096, kPackets = 16, kReadIndex = 1024, kArguments = 2048;
  char* const words = device_memory(told);
  char* const page = pinned(told, 3 * kRing);
  std::memset(page, 0, 3 * kRing);
  core::Runtime& runtime = cuda::Session::get().core();
  machine::UserQueues& queues = runtime.process().user_queues();
  const ptx::Kernel* const code =
      runtime.modules().kernel_of(*reinterpret_cast<core::Function*>(function("nested_child")));
  const auto put = [&](char* at, auto value) { std::memcpy(at, &value, sizeof value); };
  const auto signal = [&](unsigned number, std::int64_t value) {
    put(page + 64 * number + 8, value);
    return reinterpret_cast<std::uint64_t>(page + 64 * number);
  };
  const std::uint64_t ended = signal(0, 1), last = signal(1, 1);
  std::uint32_t own[2];
  for (unsigned i = 0; i < 2; ++i)
    own[i] = queues.open(
        {virtual_address(page + kRing * (i + 1)), kPackets, virtual_address(page + kReadIndex + 8 * i)});
  put(page + kArguments, words);
  char* const barrier = page + 2 * kRing;
  put(barrier + 8, ended);
  put(barrier + 56, last);
  put(barrier, std::uint16_t{3});  // barrier-and
  char* const dispatch = page + kRing;
  put(dispatch + 2, std::uint16_t{1});
  for (const std::size_t axis : {0, 1, 2}) {
    put(dispatch + 4 + 2 * axis, static_cast<std::uint16_t>(axis == 0 ? 32 : 1));
    put(dispatch + 12 + 4 * axis, std::uint32_t{axis == 0 ? 64u : 1u});
  }
  put(dispatch + 32, queues.add_kernel({code}));
  put(dispatch + 40, page + kArguments);
  put(dispatch + 56, ended);
  put(dispatch, std::uint16_t{2});  // kernel dispatch
  for (const std::uint32_t queue : own) queues.ring(queue, 1);
  runtime.process().engine().run_while_not([&] { return page[64 + 8] == 0; });
  finish(told);
}

void heap(Told& told) {
  char* const words = device_memory(told);
  launch(told, "heap", 4, 64, words);
  finish(told);
}

void hand_over(Told& told) {
  char* const words = device_memory(told);
  launch(told, "hand_over", 2, 32, words);
  finish(told);
}

void tracked(Told& told) {
  char *data = nullptr, *host = pinned(told, kBytes);
  check(told, "duetMallocTracked", duetMallocTracked(reinterpret_cast<void**>(&data), kBytes / 2));
  if (data == nullptr) return;
  char* const plain = device_memory(told);
  const cudaStream_t in = stream(told), run = stream(told), out = stream(told), bits = stream(told);
  const auto set = [&](std::size_t first, std::size_t bytes, duetFullEmptyState state) {
    check(told, "duetFullEmptySet", duetFullEmptySet(data + first, bytes, state, bits));
  };
  const auto copy = [&](cudaStream_t stream, bool to_device, std::size_t first, cudaMemcpyTrigger trigger,
                        cudaMemcpyAction action) {
    check(told, "duetMemcpyAsync",
          duetMemcpyAsync(to_device ? data + first : host, to_device ? host : data + first, 16384,
                          to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream, trigger,
                          action));
  };
  launch(told, "stream", 4, 256, plain);
  // A kernel and a copy that wait for what another copy fills.
  for (int i = 0; i < 2; ++i) {
    set(0, 16384, duetEmpty);
    finish(told);
    launch(told, "consume", 4, 256, data, run);
    copy(in, true, 0, cudaMemcpyTriggerNone, cudaMemcpyActionFill);
    copy(out, false, 0, cudaMemcpyTriggerFilled, cudaMemcpyActionNone);
    finish(told);
  }
  // Both copy engines wait, one copy behind the other in the controllers.
  set(0, 65536, duetEmpty);
  finish(told);
  copy(out, false, 0, cudaMemcpyTriggerFilled, cudaMemcpyActionNone);
  copy(in, true, 32768, cudaMemcpyTriggerEmptied, cudaMemcpyActionFill);
  set(0, 16384, duetFull);
  finish(told);
  // Lines of which a half is full, and loads beside one that waits.
  set(0, 65536, duetEmpty);
  for (std::size_t line = 0; line < 4096; line += 128) set(line, 64, duetFull);
  finish(told);
  launch(told, "half_lines", 8, 32, data, run);
  set(0, 16384, duetFull);
  finish(told);
  set(0, 16384, duetEmpty);
  finish(told);
  launch(told, "beside", 2, 32, data, run);
  cudaStreamSynchronize(in);
  set(0, 16384, duetFull);
  finish(told);
  // Stores of a part of a granule, atomics, and loads that empty.
  set(0, 65536, duetFull);
  finish(told);
  set(0, 2048, duetEmpty);
  finish(told);
  launch(told, "narrow", 2, 256, data, run);
  copy(out, false, 0, cudaMemcpyTriggerFilled, cudaMemcpyActionNone);
  finish(told);
  set(0, 65536, duetFull);
  finish(told);
  launch(told, "take", 16, 256, data, run);
  finish(told);
  copy(in, true, 0, cudaMemcpyTriggerEmptied, cudaMemcpyActionFill);
  finish(told);
}

void limits(Told& told) {
  void* memory = nullptr;
  const auto ask = [&](const std::string& what, int answer) {
    told.say(what + ": " + std::to_string(answer));
  };
  ask("48 MB", cudaMalloc(&memory, 48 << 20));
  ask("8 MB of the host", cudaHostAlloc(&memory, 8 << 20, cudaHostAllocDefault));
  ask("8 MB tracked", duetMallocTracked(&memory, 8 << 20));
  ask("64 bytes of it", duetFullEmptySet(memory, 64, duetEmpty, nullptr));
  void* arguments[] = {&memory};
  int greatest = 0;
  ask("priorities", cuCtxGetStreamPriorityRange(nullptr, &greatest));
  ask("the highest priority", greatest);
  const auto shape = [&](unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz) {
    ask("launch",
        cuLaunchKernel(function("integer"), gx, gy, gz, bx, by, bz, 0, nullptr, arguments, nullptr));
  };
  shape(1, 1, 1, 1024, 1, 1);
  int opened = 0;
  try {
    for (machine::UserQueues& queues = cuda::Session::get().core().process().user_queues(); opened < 9;
         ++opened)
      queues.open({virtual_address(memory), 16, virtual_address(memory)});
  } catch (const Error&) {
  }
  ask("user queues", opened);
  ask("2000 bytes of shared memory",
      cuFuncSetAttribute(function("integer"), CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 2000));
}

}  // namespace duet::keys
