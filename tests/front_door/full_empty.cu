// Programs in which the machine stands still, or seems to: full_empty.cu CASE.
#include <cuda_runtime.h>
#include <duet_full_empty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <chrono>
#include <string>
#include <thread>

#include "check.h"

constexpr int n = 1024;
constexpr size_t bytes = n * sizeof(int);
static int *a, *b, *host;
static cudaStream_t one, two, three;

__global__ void increment(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] + 1;
}

__global__ void print(const char* text) { printf("%s\n", text); }
// Writes a word's worth of characters without filling it, and prints what stands there.
__global__ void write_and_print(unsigned* words) {
  duetStoreNow(words, 0x00676e6fu);
  printf("%s\n", reinterpret_cast<const char*>(words));
}

static void make_empty(int* data, size_t count = bytes) {
  CHECK(duetFullEmptySet(data, count, duetEmpty, 0));
  CHECK(cudaDeviceSynchronize());
}
static void copy_back_when_full(void* to, const int* from, cudaStream_t stream) {
  CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream, cudaMemcpyTriggerFilled));
}
static void fill_from_host(int* to, cudaStream_t stream) {
  CHECK(cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, stream, cudaMemcpyTriggerNone,
                        cudaMemcpyActionFill));
}
static void sleep_for(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

int main(int argc, char** argv) {
  const std::string which = argc > 1 ? argv[1] : "";
  const double seconds = argc > 2 ? atof(argv[2]) : 0;
  CHECK(duetMallocTracked(&a, bytes));
  CHECK(duetMallocTracked(&b, bytes));
  CHECK(cudaMallocHost(&host, 2 * bytes));
  for (cudaStream_t* stream : {&one, &two, &three})
    CHECK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  for (int i = 0; i < n; i++) host[i] = i;
  int* back = host + n;
  bool result = false;

  if (which == "copy_back") {  // the second half is what nobody writes
    make_empty(a + n / 2, bytes / 2);
    fprintf(stderr, "waits at %p\n", static_cast<void*>(a + n / 2));
    copy_back_when_full(back, a, two);
    CHECK(cudaStreamSynchronize(two));
  } else if (which == "kernel") {
    make_empty(a);
    increment<<<n / 128, 128, 0, one>>>(a, b);
    CHECK(cudaStreamSynchronize(one));
  } else if (which == "printed") {  // looking at empty words does not fill them
    strcpy(reinterpret_cast<char*>(host), "looked at");
    CHECK(cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice));
    make_empty(a);
    print<<<1, 1, 0, one>>>(reinterpret_cast<const char*>(a));
    write_and_print<<<1, 1, 0, one>>>(reinterpret_cast<unsigned*>(a));
    CHECK(cudaStreamSynchronize(one));
    increment<<<n / 128, 128, 0, one>>>(a, b);
    CHECK(cudaStreamSynchronize(one));
  } else if (which == "crossed") {  // each does what the other waits for only when it is complete itself
    make_empty(b);
    copy_back_when_full(back, b, one);
    CHECK(duetFullEmptySet(a, bytes, duetEmpty, one));
    CHECK(cudaMemcpyAsync(a, host, bytes, cudaMemcpyHostToDevice, two, cudaMemcpyTriggerEmptied));
    CHECK(duetFullEmptySet(b, bytes, duetFull, two));
    CHECK(cudaDeviceSynchronize());
  } else if (which == "pageable") {
    static int pageable[n];
    make_empty(a);
    copy_back_when_full(pageable, a, two);
    fill_from_host(a, one);
  } else if (which == "one_engine") {
    make_empty(a);
    copy_back_when_full(back, a, two);
    fill_from_host(a, one);
    CHECK(cudaDeviceSynchronize());
    result = memcmp(back, host, bytes) == 0;
  } else if (which == "change_beside_copies") {  // copies wait in both directions for changes without data
    make_empty(a);
    copy_back_when_full(back, a, one);
    CHECK(cudaMemcpyAsync(b, host, bytes, cudaMemcpyHostToDevice, two, cudaMemcpyTriggerEmptied));
    CHECK(duetFullEmptySet(a, bytes, duetFull, three));
    CHECK(duetFullEmptySet(b, bytes, duetEmpty, three));
    CHECK(cudaDeviceSynchronize());
    result = true;
  } else if (which == "two_changes") {  // at once, of 2048 lines each
    int* large[2];
    for (int*& data : large) CHECK(duetMallocTracked(&data, 64 * bytes));
    CHECK(duetFullEmptySet(large[0], 64 * bytes, duetEmpty, one));
    CHECK(duetFullEmptySet(large[1], 64 * bytes, duetEmpty, two));
    CHECK(cudaDeviceSynchronize());
    result = true;
  } else if (which == "free") {  // cudaFree waits for the device
    make_empty(a);
    copy_back_when_full(back, a, two);
    CHECK(cudaFree(b));
  } else if (which == "slow_thread") {
    make_empty(a);
    increment<<<n / 128, 128, 0, one>>>(a, b);
    std::thread other([&] {
      sleep_for(seconds);
      fill_from_host(a, two);
    });
    CHECK(cudaStreamSynchronize(one));
    other.join();
    CHECK(cudaMemcpy(back, b, bytes, cudaMemcpyDeviceToHost));
    result = true;
    for (int i = 0; i < n; i++) result = result && back[i] == i + 1;
  } else if (which ==
             "slow_main") {  // the same with the roles exchanged: main sleeps, the other thread waits
    make_empty(a);
    std::thread other([&] {
      copy_back_when_full(back, a, two);
      CHECK(cudaStreamSynchronize(two));
    });
    sleep_for(seconds);
    fill_from_host(a, one);
    other.join();
    result = memcmp(back, host, bytes) == 0;
  } else if (which == "join") {  // main cannot act before the other thread ends
    make_empty(a);
    std::thread other([&] {
      copy_back_when_full(back, a, two);
      CHECK(cudaStreamSynchronize(two));
    });
    other.join();
  } else if (which == "both_wait") {
    make_empty(a);
    make_empty(b);
    std::thread other([&] {
      copy_back_when_full(back, a, two);
      CHECK(cudaStreamSynchronize(two));
    });
    increment<<<n / 128, 128, 0, one>>>(b, b);
    CHECK(cudaStreamSynchronize(one));
    other.join();
  } else if (which == "thread_gives_up") {  // the last thread that could act ends without doing so
    make_empty(a);
    copy_back_when_full(back, a, two);
    std::thread other([&] { sleep_for(seconds); });
    CHECK(cudaStreamSynchronize(two));
    other.join();
  } else {
    fprintf(stderr, "unknown case '%s'\n", which.c_str());
    return 2;
  }
  printf(result ? "right\n" : "wrong\n");
  return result ? 0 : 1;
}
