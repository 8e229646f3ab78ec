// duetFullEmptyRelease (lustig2013 4.5): what waits for its trigger is let go and reads what is there, its
// action happens, the bits of what is only read stay, and what does not wait in the range waits on.
#include "expect.h"

#include <duet_full_empty.h>

constexpr int n = 256, line = 32;  // words
constexpr size_t bytes = n * sizeof(int);

__global__ void increment(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}

__global__ void nothing() {}

static cudaStream_t compute, copies, side;
static int *data, *out, *host, *back;

// Time for what has been submitted to get to where it waits. No copies: those that wait keep the engines.
static void pause() {
  for (int i = 0; i < 20; i++) {
    nothing<<<1, 1, 0, side>>>();
    CHECK(cudaStreamSynchronize(side));
  }
}

static void prepare(duetFullEmptyState state) {
  for (int i = 0; i < n; i++) host[i] = 3 * i;
  CHECK(cudaMemcpy(data, host, bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(out, 0xff, bytes));
  CHECK(duetFullEmptySet(data, bytes, state, side));
  CHECK(cudaDeviceSynchronize());
}

static void waits(cudaStream_t stream) {
  pause();
  REQUIRE_STATUS(cudaStreamQuery(stream), cudaErrorNotReady);
}

int main() {
  for (cudaStream_t* stream : {&compute, &copies, &side})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  CHECK(duetMallocTracked(&data, bytes));
  CHECK(cudaMalloc(&out, bytes));
  CHECK(cudaMallocHost(&host, bytes));
  CHECK(cudaMallocHost(&back, bytes));

  // A kernel that waits for what nobody fills. The other half of its words arrives.
  prepare(duetEmpty);
  increment<<<n / 64, 64, 0, compute>>>(data, out);
  CHECK_LAUNCH();
  CHECK(cudaMemcpyAsync(data, host, bytes / 2, cudaMemcpyHostToDevice, copies, cudaMemcpyTriggerNone,
                        cudaMemcpyActionFill));
  waits(compute);
  // A release elsewhere, or of nothing, helps nobody.
  CHECK(duetFullEmptyRelease(data, bytes / 2, side));
  CHECK(duetFullEmptyRelease(data + n / 2, 0, side));
  waits(compute);
  CHECK(duetFullEmptyRelease(data + n / 2, bytes / 4, side));
  waits(compute);
  CHECK(duetFullEmptyRelease(data + n / 2, bytes / 2, side));
  CHECK(cudaStreamSynchronize(compute));
  CHECK(cudaMemcpy(back, out, bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) expect::equal("released kernel", i, back[i], 3 * i + 1);

  // The first half is full still, the second is empty still: neither copy waits.
  CHECK(cudaMemcpyAsync(back, data, bytes / 2, cudaMemcpyDeviceToHost, copies, cudaMemcpyTriggerFilled));
  CHECK(cudaMemcpyAsync(data + n / 2, host, bytes / 2, cudaMemcpyHostToDevice, copies,
                        cudaMemcpyTriggerEmptied, cudaMemcpyActionFill));
  CHECK(cudaStreamSynchronize(copies));

  // What comes after a release waits as ever.
  prepare(duetEmpty);
  CHECK(duetFullEmptyRelease(data, bytes, side));
  CHECK(cudaStreamSynchronize(side));
  increment<<<n / 64, 64, 0, compute>>>(data, out);
  waits(compute);
  CHECK(duetFullEmptySet(data, bytes, duetFull, side));
  CHECK(cudaStreamSynchronize(compute));

  // A copy that waits for empty writes, and fills what had been full before: its action happens.
  prepare(duetFull);
  for (int i = 0; i < line; i++) host[i] = 1000 + i;
  CHECK(cudaMemcpyAsync(data, host, line * sizeof(int), cudaMemcpyHostToDevice, copies,
                        cudaMemcpyTriggerEmptied, cudaMemcpyActionEmpty));
  waits(copies);
  CHECK(duetFullEmptyRelease(data, line * sizeof(int), side));
  CHECK(cudaStreamSynchronize(copies));
  CHECK(cudaMemcpy(back, data, line * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0; i < line; i++) expect::equal("released copy in", i, back[i], 1000 + i);
  // Its action has emptied: a copy that waits for full waits, is released, and fills.
  CHECK(cudaMemcpyAsync(back, data, line * sizeof(int), cudaMemcpyDeviceToHost, copies,
                        cudaMemcpyTriggerFilled, cudaMemcpyActionFill));
  memset(back, 0, line * sizeof(int));
  waits(copies);
  CHECK(duetFullEmptyRelease(data, line * sizeof(int), side));
  CHECK(cudaStreamSynchronize(copies));
  for (int i = 0; i < line; i++) expect::equal("released copy out", i, back[i], 1000 + i);
  increment<<<1, line, 0, compute>>>(data, out);
  CHECK(cudaStreamSynchronize(compute));

  for (cudaStream_t stream : {compute, copies, side}) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(data));
  CHECK(cudaFree(out));
  CHECK(cudaFreeHost(host));
  CHECK(cudaFreeHost(back));
  return expect::pass("full_empty_release");
}
