// What full/empty bits make safe, and that it is they who do (CLAIMS L-safe): a kernel launched before its
// input arrives, results copied back as the kernel writes them, and two copies that hand a buffer back and
// forth.
#include "expect.h"

#include <duet.h>
#include <duet_full_empty.h>

constexpr int n = 16384, threads = 256;
constexpr size_t bytes = n * sizeof(int);

__global__ void triple(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 3 * in[i] + 1;
}

// Writes the blocks' results one block after the other, so that the first are there long before the last.
__global__ void slowly(int* out, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned noise = i;
  for (int k = 0; k < 200 * (static_cast<int>(blockIdx.x) % 8); k++) noise = noise * 1664525u + 1013904223u;
  out[i] = factor * i + (noise == 1 && factor == 0 ? 1 : 0);
}

static int *in, *out;  // of the host, pinned
static cudaStream_t compute, to_device, to_host;

// The kernel goes first; its input follows in another stream. Returns how many results are wrong.
static int early_launch(bool tracked) {
  int *d_in = nullptr, *d_out = nullptr;
  if (tracked) {
    CHECK(duetMallocTracked(&d_in, bytes));
  } else {
    CHECK(cudaMalloc(&d_in, bytes));
  }
  CHECK(cudaMalloc(&d_out, bytes));
  CHECK(cudaMemset(d_in, 0, bytes));
  if (tracked) CHECK(duetFullEmptySet(d_in, bytes, duetEmpty, 0));
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) in[i] = i + 5;
  triple<<<n / threads, threads, 0, compute>>>(d_in, d_out);
  CHECK_LAUNCH();
  if (tracked) {
    CHECK(cudaMemcpyAsync(d_in, in, bytes, cudaMemcpyHostToDevice, to_device, cudaMemcpyTriggerNone,
                          cudaMemcpyActionFill));
  } else {
    CHECK(cudaMemcpyAsync(d_in, in, bytes, cudaMemcpyHostToDevice, to_device));
  }
  CHECK(cudaMemcpyAsync(out, d_out, bytes, cudaMemcpyDeviceToHost, compute));
  CHECK(cudaDeviceSynchronize());
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += out[i] != 3 * (i + 5) + 1;
  CHECK(cudaFree(d_in));
  CHECK(cudaFree(d_out));
  return wrong;
}

// The copy back goes first; the kernel that writes follows in another stream.
static int early_copy_back(bool tracked) {
  int* data = nullptr;
  if (tracked) {
    CHECK(duetMallocTracked(&data, bytes));
  } else {
    CHECK(cudaMalloc(&data, bytes));
  }
  CHECK(cudaMemset(data, 0, bytes));
  if (tracked) CHECK(duetFullEmptySet(data, bytes, duetEmpty, 0));
  CHECK(cudaDeviceSynchronize());
  if (tracked) {
    CHECK(cudaMemcpyAsync(out, data, bytes, cudaMemcpyDeviceToHost, to_host, cudaMemcpyTriggerFilled));
  } else {
    CHECK(cudaMemcpyAsync(out, data, bytes, cudaMemcpyDeviceToHost, to_host));
  }
  slowly<<<n / threads, threads, 0, compute>>>(data, 7);
  CHECK_LAUNCH();
  CHECK(cudaStreamSynchronize(to_host));
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += out[i] != 7 * i;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(data));
  return wrong;
}

// A second copy into the same buffer waits until the first one's data have been taken. The consumer has no
// trigger: what waits for another trigger in the controllers' queue of triggered copies could not pass
// (lustig2013 4.3).
static void second_copy_waits() {
  int *data = nullptr, *sent = nullptr;
  CHECK(duetMallocTracked(&data, bytes));
  CHECK(cudaMallocHost(&sent, 3 * bytes));
  for (int i = 0; i < 3 * n; i++) sent[i] = 1000003 * (i + 1);
  CHECK(duetFullEmptySet(data, bytes, duetEmpty, 0));
  CHECK(cudaDeviceSynchronize());
  const auto send = [&](int r) {
    CHECK(cudaMemcpyAsync(data, sent + r * n, bytes, cudaMemcpyHostToDevice, to_device,
                          cudaMemcpyTriggerEmptied, cudaMemcpyActionFill));
  };
  send(0);
  for (int r = 0; r < 3; r++) {
    if (r < 2) send(r + 1);
    duetHostWork(200000);  // more than a copy takes: what could go has gone
    REQUIRE_STATUS(cudaStreamQuery(to_device), r < 2 ? cudaErrorNotReady : cudaSuccess);
    memset(out, 0, bytes);
    CHECK(cudaMemcpyAsync(out, data, bytes, cudaMemcpyDeviceToHost, to_host, cudaMemcpyTriggerNone,
                          cudaMemcpyActionEmpty));
    CHECK(cudaStreamSynchronize(to_host));
    for (int i = 0; i < n; i++) expect::equal("taken", r * n + i, out[i], sent[r * n + i]);
  }
  CHECK(cudaFree(data));
  CHECK(cudaFreeHost(sent));
}

// Freed memory leaves no bits behind: the next owner finds everything full.
static void next_owner() {
  for (int round = 0; round < 2; round++) {
    int* data = nullptr;
    CHECK(duetMallocTracked(&data, bytes));
    CHECK(cudaMemcpyAsync(out, data, bytes, cudaMemcpyDeviceToHost, to_host, cudaMemcpyTriggerFilled,
                          cudaMemcpyActionEmpty));
    CHECK(cudaStreamSynchronize(to_host));
    CHECK(cudaFree(data));
  }
}

int main() {
  CHECK(cudaMallocHost(&in, bytes));
  CHECK(cudaMallocHost(&out, bytes));
  for (cudaStream_t* stream : {&compute, &to_device, &to_host})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  REQUIRE(early_launch(true) == 0);
  REQUIRE(early_launch(false) != 0);
  REQUIRE(early_copy_back(true) == 0);
  REQUIRE(early_copy_back(false) != 0);
  second_copy_waits();
  next_owner();
  for (cudaStream_t stream : {compute, to_device, to_host}) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFreeHost(in));
  CHECK(cudaFreeHost(out));
  return expect::pass("full_empty_order");
}
