// The part of the CUDA runtime inside a program on simulated cores: functions without a need for the GPU, and
// functions that give the program memory of its own. All others leave it (duet_guest.S).
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "driver_handlers.h"
#include "driver_types.h"
#include "texture_types.h"

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  void* stream;
};
constexpr unsigned kMostConfigurations = 16;  // launches inside the arguments of launches
thread_local Configuration configurations[kMostConfigurations];
thread_local unsigned configuration_count = 0;

// A function of the program that is due, as guest_program.cpp writes it; or work of the driver, by number.
struct HostFunction {
  void* (*address)(void*, void*, void*, void*);
  void* arguments[4];
};

}  // namespace

extern "C" {

// Of duet_guest_driver.cpp.
__attribute__((visibility("hidden"))) void* duet_guest_driver(void* handler, void* first, void* second,
                                                              void*);
// Takes as much of device code's output as there is room for; returns the number of bytes.
size_t duetGuestTakeText(void* text, size_t room);
// The function has returned this. True: the next one is due; false: the call is over, with arguments[0].
bool duetGuestReturned(void* result, HostFunction* next);
// Waits for the next host function; the one before has ended.
void duetGuestNextFunction(HostFunction* function);
// Calls of the functions below, under names of their own.
cudaError_t duetGuestLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
cudaError_t duetGuestLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data);
cudaError_t duetGuestStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                       unsigned flags);
cudaError_t duetGuestStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                            unsigned flags);
cudaError_t duetGuestGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                      size_t count, const cudaHostNodeParams* parameters);
cudaError_t duetGuestGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  const cudaGraphEdgeData* edges, size_t count,
                                  cudaGraphNodeParams* parameters);
// The text of cudaGraphDebugDotPrint, as much as there is room for; `all`: its length.
cudaError_t duetGuestGraphText(cudaGraph_t graph, unsigned flags, void* text, size_t room, size_t* all);

// Host functions run here, one after the other. The thread is made by the first call with a possible need for
// it, and takes no signals: these are for the program's own threads.
static void* run_host_functions(void*) {
  for (;;) {
    HostFunction next;
    duetGuestNextFunction(&next);
    next.address(next.arguments[0], next.arguments[1], next.arguments[2], next.arguments[3]);
  }
}

static void start_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run_host_functions, nullptr) != 0) {
    fputs("duet: the program may have no more threads: functions that the GPU's side calls need one\n",
          stderr);
    abort();
  }
  pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

static void need_thread() {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start_thread);
}

// What a call has left to do (call_arguments.h): 1: device code has printed something; 2: the call named a
// function that is to be called later; 4: `function` is due in its middle. Returns the call's result.
__attribute__((visibility("hidden"))) void* duet_guest_after_call(unsigned long due, void* result,
                                                                  const HostFunction* function) {
  char text[256];
  if ((due & 1) != 0)
    while (const size_t bytes = duetGuestTakeText(text, sizeof text)) fwrite(text, 1, bytes, stdout);
  if ((due & 2) != 0) need_thread();
  if ((due & 4) == 0) return result;
  HostFunction next = *function;
  do {
    const bool is_driver = reinterpret_cast<uint64_t>(next.address) < duet::core::kHandlers;
    result = (is_driver ? duet_guest_driver : next.address)(next.arguments[0], next.arguments[1],
                                                            next.arguments[2], next.arguments[3]);
  } while (duetGuestReturned(result, &next));
  return next.arguments[0];
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  need_thread();
  return duetGuestLaunchHostFunc(stream, function, data);
}
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data) {
  need_thread();
  return duetGuestLaunchHostFunc_ptsz(stream, function, data);
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  need_thread();
  return duetGuestStreamAddCallback(stream, callback, data, flags);
}
cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                       unsigned flags) {
  need_thread();
  return duetGuestStreamAddCallback_ptsz(stream, callback, data, flags);
}
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                                 size_t count, const cudaHostNodeParams* parameters) {
  need_thread();
  return duetGuestGraphAddHostNode(node, graph, after, count, parameters);
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* parameters) {
  if (parameters != nullptr && parameters->type == cudaGraphNodeTypeHost) need_thread();
  return duetGuestGraphAddNode(node, graph, after, edges, count, parameters);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned flags) {
  size_t bytes = 0;
  cudaError_t error = duetGuestGraphText(path != nullptr ? graph : nullptr, flags, nullptr, 0, &bytes);
  if (error != cudaSuccess) return error;
  char* const text = static_cast<char*>(malloc(bytes));
  if (text != nullptr) error = duetGuestGraphText(graph, flags, text, bytes, &bytes);
  FILE* const file = text != nullptr && error == cudaSuccess ? fopen(path, "w") : nullptr;
  const bool written = file != nullptr && fwrite(text, 1, bytes, file) == bytes;
  if (file != nullptr && fclose(file) != 0) error = cudaErrorOperatingSystem;
  free(text);
  return error != cudaSuccess ? error : written ? cudaSuccess : cudaErrorOperatingSystem;
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}

// duet.h: the cores' clock counts nanoseconds since the run began.
unsigned long long duetTimeNs() {
  unsigned long long time;
  asm volatile("rdtime %0" : "=r"(time));
  return time;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, void* stream) {
  if (configuration_count == kMostConfigurations) return 1;
  configurations[configuration_count++] = {grid, block, shared_bytes, stream};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  if (configuration_count == 0) return cudaErrorMissingConfiguration;
  const Configuration& last = configurations[--configuration_count];
  *grid = last.grid;
  *block = last.block;
  *shared_bytes = last.shared_bytes;
  *static_cast<void**>(stream) = last.stream;
  return cudaSuccess;
}
}
