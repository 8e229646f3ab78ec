// The part of the CUDA runtime that is in a program on simulated cores: what needs nothing of the GPU, and
// what gives the program memory of its own. All else leaves it (duet_guest.S).
#include <stddef.h>
#include <stdlib.h>

#include "driver_types.h"

namespace {

struct Configuration {
  dim3 grid, block;
  size_t shared_bytes;
  void* stream;
};
constexpr unsigned kMostConfigurations = 16;  // launches inside the arguments of launches
thread_local Configuration configurations[kMostConfigurations];
thread_local unsigned configuration_count = 0;

constexpr size_t kTextBytes = 256;

}  // namespace

extern "C" {

// Writes the text of an error, its name or its description, into `text`.
void duetGuestErrorText(cudaError_t error, int name, void* text, size_t bytes);

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

const char* cudaGetErrorName(cudaError_t error) {
  static thread_local char text[kTextBytes];
  duetGuestErrorText(error, 1, text, sizeof text);
  return text;
}

const char* cudaGetErrorString(cudaError_t error) {
  static thread_local char text[kTextBytes];
  duetGuestErrorText(error, 0, text, sizeof text);
  return text;
}
}
