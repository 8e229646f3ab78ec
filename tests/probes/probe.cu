// The probes that need a host program: bandwidths of device memory, L2 and shared memory, and the link (copies of pinned memory,
// loads of mapped host memory). `probe NAME ...` runs one; times come from the statistics of the run. Results are checked.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  std::exit(1);
}

void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

unsigned* zeroed(size_t words) {
  unsigned* memory = nullptr;
  check(cudaMalloc(&memory, words * 4));
  check(cudaMemset(memory, 0, words * 4));
  return memory;
}

}  // namespace

// Every thread reads a word in turn, `passes` times over the whole array, through L1 or past it.
template <int kUnroll, bool kL1>
__global__ void read_words(const unsigned* from, unsigned* out, unsigned words, unsigned passes) {
  unsigned sum = 0;
  const unsigned threads = gridDim.x * blockDim.x;
  for (unsigned pass = 0; pass < passes; ++pass)
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i + (kUnroll - 1) * threads < words; i += kUnroll * threads) {
      unsigned value[kUnroll];
#pragma unroll
      for (int k = 0; k < kUnroll; ++k)
        if (kL1)
          asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value[k]) : "l"(from + i + k * threads));
        else
          asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value[k]) : "l"(from + i + k * threads));
#pragma unroll
      for (int k = 0; k < kUnroll; ++k) sum += value[k];
    }
  if (sum != 0) *out = sum;
}

template <int kUnroll>
__global__ void copy_words(const unsigned* from, unsigned* to, unsigned words) {
  const unsigned threads = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i + (kUnroll - 1) * threads < words; i += kUnroll * threads) {
    unsigned value[kUnroll];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) value[k] = from[i + k * threads];
#pragma unroll
    for (int k = 0; k < kUnroll; ++k) to[i + k * threads] = value[k];
  }
}

__global__ void read_shared(unsigned* out, unsigned passes) {
  __shared__ unsigned words[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = 0;
  __syncthreads();
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words)) + 16 * (threadIdx.x % 256);
  unsigned sum = 0;
  for (unsigned pass = 0; pass < passes; ++pass) {
    uint4 value[4];
#pragma unroll
    for (uint4& v : value)
      asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at));
#pragma unroll
    for (const uint4& v : value) sum += v.x;
  }
  if (sum != 0) *out = sum;
}

// One word of every `stride` words.
__global__ void read_strided(const unsigned* from, unsigned* out, unsigned stride, unsigned reads) {
  const unsigned threads = gridDim.x * blockDim.x;
  unsigned sum = 0;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < reads; i += threads) sum += from[static_cast<size_t>(i) * stride];
  if (sum != 0) *out = sum;
}

// Every word again and again.
__global__ void store_words(unsigned* to, unsigned words, unsigned passes) {
  for (unsigned pass = 0; pass < passes; ++pass)
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) to[i] = pass + i;
}

// A chain through host memory, every load with the clock before and after it: as tests/probes/kernels.py does it.
__global__ void mapped_chain(const unsigned long long* from, unsigned* stamps, unsigned links) {
  __shared__ unsigned local[256];
  unsigned long long address = reinterpret_cast<unsigned long long>(from), sum = 0;
  for (unsigned i = 0; i < links; ++i) {
    unsigned before, after;
    asm volatile("mov.u32 %0, %%clock;\n\tld.global.u64 %2, [%2];\n\tadd.u64 %3, %3, %2;\n\tmov.u32 %1, %%clock;"
                 : "=r"(before), "=r"(after), "+l"(address), "+l"(sum)
                 :
                 : "memory");
    local[2 * i] = before;
    local[2 * i + 1] = after;
  }
  for (unsigned i = 0; i < 2 * links; ++i) stamps[i] = local[i];
  if (sum == 0) stamps[0] = 0;
}

int main(int argc, char** argv) {
  const char* name = argc > 1 ? argv[1] : "";
  const auto number = [&](int i) { return argc > i ? static_cast<unsigned>(std::atoi(argv[i])) : 0u; };
  if (!std::strncmp(name, "read", 4)) {  // read or read_cg; words, blocks, threads, passes
    const unsigned words = number(2);
    unsigned *from = nullptr, *out = zeroed(1);
    check(cudaMalloc(&from, words * 4));
    (std::strcmp(name, "read") ? read_words<4, false> : read_words<4, true>)<<<number(3), number(4)>>>(from, out, words, number(5));
    check(cudaDeviceSynchronize());
  } else if (!std::strcmp(name, "copy")) {  // words, blocks, threads
    const unsigned words = number(2);
    unsigned *from = nullptr, *to = nullptr;
    check(cudaMalloc(&from, words * 4));
    check(cudaMalloc(&to, words * 4));
    check(cudaMemset(from, 7, words * 4));
    copy_words<4><<<number(3), number(4)>>>(from, to, words);
    unsigned* host = static_cast<unsigned*>(std::malloc(words * 4));
    check(cudaMemcpy(host, to, words * 4, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < words; ++i) expect(host[i] == 0x07070707u, "copy");
  } else if (!std::strcmp(name, "strided")) {  // stride in words, reads, blocks, threads
    unsigned *from = nullptr, *out = zeroed(1);
    check(cudaMalloc(&from, static_cast<size_t>(number(2)) * number(3) * 4));
    read_strided<<<number(4), number(5)>>>(from, out, number(2), number(3));
    check(cudaDeviceSynchronize());
  } else if (!std::strcmp(name, "store")) {  // words, blocks, threads, passes
    unsigned* to = nullptr;
    check(cudaMalloc(&to, number(2) * 4));
    store_words<<<number(3), number(4)>>>(to, number(2), number(5));
    check(cudaDeviceSynchronize());
  } else if (!std::strcmp(name, "launches")) {  // launches, words: a stream of kernels, each needing the last one's result
    unsigned* to = zeroed(number(3));
    cudaStream_t stream;
    check(cudaStreamCreate(&stream));
    for (unsigned i = 0; i < number(2); ++i) store_words<<<4, 256, 0, stream>>>(to, number(3), 1);
    check(cudaStreamSynchronize(stream));
  } else if (!std::strcmp(name, "shared")) {  // blocks, threads, passes
    unsigned* out = zeroed(1);
    read_shared<<<number(2), number(3)>>>(out, number(4));
    check(cudaDeviceSynchronize());
  } else if (!std::strcmp(name, "link")) {  // bytes
    const unsigned bytes = number(2);
    char *host, *back, *device;
    check(cudaMallocHost(&host, bytes));
    check(cudaMallocHost(&back, bytes));
    check(cudaMalloc(&device, bytes));
    for (unsigned i = 0; i < bytes; ++i) host[i] = static_cast<char>(i * 7);
    check(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    check(cudaMemcpy(back, device, bytes, cudaMemcpyDeviceToHost));
    expect(!std::memcmp(host, back, bytes), "copies over the link");
  } else if (!std::strcmp(name, "mapped")) {  // links
    const unsigned links = number(2);
    unsigned long long *host, *device;
    check(cudaHostAlloc(&host, links * 128, cudaHostAllocMapped));
    check(cudaHostGetDevicePointer(&device, host, 0));
    for (unsigned i = 0; i < links; ++i) host[i * 16] = reinterpret_cast<unsigned long long>(device + (i + 1) % links * 16);
    unsigned* stamps = zeroed(2 * links);
    mapped_chain<<<1, 1>>>(device, stamps, links);
    unsigned now[256];
    check(cudaMemcpy(now, stamps, 8 * links, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < links; ++i) std::printf("%u %u\n", now[2 * i], now[2 * i + 1]);
  } else {
    std::printf("probe read|read_cg|copy|strided|store|launches|shared|link|mapped ...\n");
    return 2;
  }
}
