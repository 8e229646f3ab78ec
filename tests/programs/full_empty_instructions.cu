// What each trigger and action that an instruction names does to data and bits, in program order; that a load
// that ignores the bits reads what is there (CLAIMS L-safe: it is the wait that makes an early launch right); and
// where they are refused. Arguments: untracked, shared, functional.
#include "expect.h"

#include <duet_full_empty.h>

constexpr int n = 16384, threads = 256;
constexpr size_t bytes = n * sizeof(int);

// Starts with 7 in empty memory. A step that finds other bits than it should waits for ever.
template <class T>
__global__ void in_turn(T* data, T* seen) {
  const int i = threadIdx.x;
  T *p = data + i, *out = seen + i * 16;
  out[0] = duetLoadNow(p);    // 7, empty
  duetStoreNow(p, T(8));      // stays empty
  out[1] = duetLoadEmpty(p);  // 8
  duetStoreEmpty(p, T(9));
  out[2] = duetLoadEmptyEmpty(p);  // 9
  duetStoreEmptyFill(p, T(10));
  out[3] = duetLoadFull(p);  // 10, full
  duetStoreFull(p, T(11));
  duetStoreFullFill(p, T(12));
  out[4] = *p;                    // 12
  out[5] = duetLoadFullEmpty(p);  // 12, empty
  out[6] = duetLoadFill(p);       // 12, full
  out[7] = duetLoadFullFill(p);
  duetStoreFullEmpty(p, T(13));
  out[8] = duetLoadEmptyFill(p);  // 13, full
  out[9] = duetLoadNowEmpty(p);
  duetStoreEmptyEmpty(p, T(14));
  duetStoreFill(p, T(15));  // full
  out[10] = duetLoadFullEmpty(p);
  *p = T(16);  // a plain store fills
  duetStoreNowEmpty(p, T(17));
  out[11] = duetLoadEmpty(p);  // 17
  duetLoadFill(p);             // whose value nobody wants: it fills all the same
  out[12] = duetLoadFull(p);   // 17
  // Each take waits for the fill before it, each fill for the take.
  duetLoadFullEmpty(p);
  T sum = 0;
  for (int k = 0; k < 40; k++) {
    duetStoreEmptyFill(p, T(k));
    sum += duetLoadFullEmpty(p);
  }
  out[13] = sum;
  duetStoreFill(p, T(0));
}

template <class T>
static void each_in_turn(int lanes) {
  T *data = nullptr, first[64];
  for (T& value : first) value = 7;
  CHECK(duetMallocTracked(&data, sizeof(first)));
  CHECK(cudaMemcpy(data, first, sizeof(first), cudaMemcpyHostToDevice));
  CHECK(duetFullEmptySet(data, sizeof(first), duetEmpty, 0));
  expect::Array<T> seen(16 * lanes);
  in_turn<<<1, lanes>>>(data, seen.device());
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  const T expected[] = {7, 8, 9, 10, 12, 12, 12, 12, 13, 13, 15, 17, 17, 780};
  seen.fetch();
  for (int i = 0; i < lanes; i++)
    for (int k = 0; k < 14; k++) expect::equal("step", i * 16 + k, seen.host[i * 16 + k], expected[k]);
  CHECK(cudaFree(data));
}

template <bool wait>
__global__ void triple(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 3 * (wait ? duetLoadFull(in + i) : duetLoadNow(in + i)) + 1;
}

// The kernel goes first; its input follows in another stream. Returns how many results are of the old data.
template <bool wait>
static int early_launch() {
  int *data = nullptr, *in = nullptr;
  cudaStream_t compute, to_device;
  CHECK(cudaStreamCreateWithFlags(&compute, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&to_device, cudaStreamNonBlocking));
  CHECK(cudaMallocHost(&in, bytes));
  CHECK(duetMallocTracked(&data, bytes));
  CHECK(cudaMemset(data, 0, bytes));
  CHECK(duetFullEmptySet(data, bytes, duetEmpty, 0));
  expect::Array<int> out(n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) in[i] = i + 5;
  triple<wait><<<n / threads, threads, 0, compute>>>(data, out.device());
  CHECK_LAUNCH();
  CHECK(duetMemcpyAsync(data, in, bytes, cudaMemcpyHostToDevice, to_device, cudaMemcpyTriggerNone,
                        cudaMemcpyActionFill));
  CHECK(cudaDeviceSynchronize());
  out.fetch();
  int old = 0;
  for (int i = 0; i < n; i++) {
    old += out.host[i] == 1;
    REQUIRE(out.host[i] == 1 || out.host[i] == 3 * (i + 5) + 1);
  }
  CHECK(cudaFree(data));
  CHECK(cudaFreeHost(in));
  CHECK(cudaStreamDestroy(compute));
  CHECK(cudaStreamDestroy(to_device));
  return old;
}

__global__ void now(int* data, int* out) {
  duetStoreNow(data, duetLoadNow(data) + 1);
  *out = duetLoadNow(data);
}
__global__ void take(int* data, int* out) { *out = duetLoadFullEmpty(data); }
__global__ void take_shared(int* out) {
  __shared__ int words[32];
  words[threadIdx.x] = 1;
  out[threadIdx.x] = duetLoadFull(&words[threadIdx.x]);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  if (*what != 0) {
    const bool functional = strcmp(what, "functional") == 0;
    int *data = nullptr, got = 0;
    CHECK(cudaMalloc(&data, 64 * sizeof(int)));
    CHECK(cudaMemset(data, 0, 64 * sizeof(int)));
    if (!functional) {
      now<<<1, 1>>>(data, data + 1);  // names no bit that would have to be there
      CHECK(cudaMemcpy(&got, data + 1, sizeof(int), cudaMemcpyDeviceToHost));
      REQUIRE(got == 1);
    }
    if (strcmp(what, "shared") == 0)
      take_shared<<<1, 32>>>(data);
    else
      take<<<1, 1>>>(data, data + 1);
    REQUIRE_STATUS(cudaDeviceSynchronize(),
                   functional ? cudaErrorIllegalInstruction : cudaErrorIllegalAddress);
    return expect::pass("full_empty_instructions");
  }
  each_in_turn<int>(1);
  each_in_turn<int>(32);
  each_in_turn<double>(20);
  REQUIRE(early_launch<true>() == 0);
  REQUIRE(early_launch<false>() != 0);
  return expect::pass("full_empty_instructions");
}
