// What one full/empty bit tracks (lustig2013 section 4.2), asked of the machine and not of its file: the
// least range of bytes that can be emptied on its own, so that a kernel's read of it waits and a read of the
// bytes behind it does not. Prints one JSON object a line and a range. Needs Duet's full/empty bits.
#include <duet_full_empty.h>

#include "../common/check.h"

namespace {

const size_t kMostBytes = 8192;
const unsigned long long kPatienceNs = 100000;

__global__ void read_word(const unsigned* words, size_t at, unsigned* result) { *result = words[at]; }

class Probe {
 public:
  Probe() {
    CHECK_CUDA(cudaStreamCreate(&kernels_));
    CHECK_CUDA(cudaStreamCreate(&commands_));
    CHECK_CUDA(duetMallocTracked(&words_, 2 * kMostBytes));
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&result_), sizeof(unsigned)));
  }

  // Whether a read of the word at `offset` waits when the first `bytes` have been emptied, where they can be.
  bool waits(size_t bytes, size_t offset) {
    const cudaError_t emptied = duetFullEmptySet(words_, bytes, duetEmpty, commands_);
    if (emptied == cudaErrorInvalidValue) {  // a part of a granule
      cudaGetLastError();
      return false;
    }
    CHECK_CUDA(emptied);
    CHECK_CUDA(cudaStreamSynchronize(commands_));
    read_word<<<1, 1, 0, kernels_>>>(words_, offset / sizeof(unsigned), result_);
    CHECK_LAUNCH("read_word");
    duetHostWork(kPatienceNs);
    const cudaError_t status = cudaStreamQuery(kernels_);
    if (status != cudaErrorNotReady) CHECK_CUDA(status);
    CHECK_CUDA(duetFullEmptySet(words_, 2 * kMostBytes, duetFull, commands_));
    CHECK_CUDA(cudaDeviceSynchronize());
    return status == cudaErrorNotReady;
  }

 private:
  cudaStream_t kernels_ = nullptr, commands_ = nullptr;
  unsigned *words_ = nullptr, *result_ = nullptr;
};

}  // namespace

int main(int argc, char**) {
  if (argc > 1) {
    printf("usage: granule\n");
    return 0;
  }
  Probe probe;
  for (size_t bytes = sizeof(unsigned); bytes <= kMostBytes; bytes *= 2) {
    const bool first = probe.waits(bytes, 0), behind = probe.waits(bytes, bytes);
    printf("{\"probe\": \"granule\", \"bytes\": %zu, \"waits\": %s, \"behind_waits\": %s", bytes,
           first ? "true" : "false", behind ? "true" : "false");
    if (first && !behind) {
      printf(", \"granule_bytes\": %zu}\n", bytes);
      return 0;
    }
    printf("}\n");
  }
  fprintf(stderr, "granule: no range up to %zu bytes can be emptied on its own\n", kMostBytes);
  return 1;
}
