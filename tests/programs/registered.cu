// Registered host memory: ranges that start and end anywhere, also within one page and next to each other,
// are read, written and updated atomically by kernels; what lies beside them is neither.
#include "expect.h"

__global__ void change(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[n - 1 - i] = in[i] * 5 - 2;
}

__global__ void bytes_up(unsigned char* bytes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bytes[i] = static_cast<unsigned char>(bytes[i] + 1);
}

__global__ void count(unsigned* sum, int* largest, unsigned long long* packed, float* total, int* claimed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sum, static_cast<unsigned>(i));
  atomicMax(largest, i);
  atomicAdd(packed, (1ull << 40) + 1);
  atomicAdd(total, 0.5f);
  if (atomicCAS(claimed, 0, 1) == 0) atomicAdd(claimed, 100);
}

// Registers `bytes` bytes from `begin` of a buffer of known contents, runs over them, and checks all of the
// buffer.
static void check_bytes(size_t begin, size_t bytes) {
  static unsigned char buffer[3 * 4096];
  for (size_t i = 0; i < sizeof buffer; i++) buffer[i] = static_cast<unsigned char>(i * 7);
  unsigned char* device = nullptr;
  CHECK(cudaHostRegister(buffer + begin, bytes, cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), buffer + begin, 0));
  bytes_up<<<(static_cast<int>(bytes) + 95) / 96, 96>>>(device, static_cast<int>(bytes));
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaHostUnregister(buffer + begin));
  for (size_t i = 0; i < sizeof buffer; i++)
    expect::equal(
        "byte", static_cast<int>(i), static_cast<int>(buffer[i]),
        static_cast<int>(static_cast<unsigned char>(i * 7 + (i >= begin && i < begin + bytes ? 1 : 0))));
}

int main() {
  check_bytes(0, 4096);
  check_bytes(5, 1);
  check_bytes(100, 300);    // within one page and not at its start
  check_bytes(4000, 200);   // over a page's end
  check_bytes(4095, 4098);  // the last byte, a page, the first byte
  check_bytes(127, 2);

  // Two neighbours in one page, both registered at once.
  alignas(8) static int memory[1000];
  const int n = 150;
  int *in = memory + 3, *out = in + n, *d_in = nullptr, *d_out = nullptr;
  for (int i = 0; i < 1000; i++) memory[i] = -9;
  for (int i = 0; i < n; i++) in[i] = i;
  CHECK(cudaHostRegister(in, n * sizeof(int), cudaHostRegisterMapped));
  CHECK(cudaHostRegister(out, n * sizeof(int), cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&d_in), in, 0));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&d_out), out, 0));
  change<<<(n + 63) / 64, 64>>>(d_in, d_out, n);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) expect::equal("out", i, out[n - 1 - i], i * 5 - 2);
  expect::equal("before", 0, memory[2], -9);
  expect::equal("behind", 0, out[n], -9);
  CHECK(cudaHostUnregister(in));
  CHECK(cudaHostUnregister(out));

  // Atomics on host memory.
  struct Counters {
    unsigned long long packed;
    unsigned sum;
    int largest;
    float total;
    int claimed;
  };
  alignas(8) static char room[sizeof(Counters) + 40];
  Counters* counters = reinterpret_cast<Counters*>(room + 24);
  Counters* device = nullptr;
  *counters = {0, 0, -1, 0.f, 0};
  CHECK(cudaHostRegister(counters, sizeof *counters, cudaHostRegisterMapped));
  CHECK(cudaHostGetDevicePointer(reinterpret_cast<void**>(&device), counters, 0));
  count<<<3, 64>>>(&device->sum, &device->largest, &device->packed, &device->total, &device->claimed);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  expect::equal("sum", 0, static_cast<int>(counters->sum), 192 * 191 / 2);
  expect::equal("largest", 0, counters->largest, 191);
  expect::equal("count", 0, static_cast<int>(counters->packed >> 40), 192);
  expect::equal("count", 1, static_cast<int>(counters->packed & 0xffffff), 192);
  expect::equal("total", 0, static_cast<int>(counters->total), 96);
  expect::equal("claimed", 0, counters->claimed, 101);
  return expect::pass("registered");
}
