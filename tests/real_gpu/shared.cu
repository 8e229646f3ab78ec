// Shared memory: cycles that a warp's access takes, by how many lanes want one bank or word, of one warp and of all that an SM has.
//     nvcc -cudart shared -arch=sm_90 -O2 shared.cu -o shared && ./shared
// Each line: what, threads of the block, lanes of a bank or word: cycles of the SM for an access of a warp.
#include <cstdio>

constexpr int kWords = 32 * 32, kUnroll = 16;

enum Kind { Chain, Load, Store, Add, Exchange, CompareAndSwap, AddFloat, AddWithoutResult };
static const char* const names[] = {"dependent loads", "loads", "stores", "atomic add", "exchange", "compare and swap", "atomic add of floats", "atomic add without result"};

// Loads and stores go to `lanes` words of a bank, atomics to one word from `lanes` lanes. What comes back is 0, which the compiler does not know.
template <Kind kKind>
__global__ void accesses(unsigned* out, const unsigned* zeros, int lanes, int rounds) {
  __shared__ unsigned words[kWords];
  for (int i = threadIdx.x; i < kWords; i += blockDim.x) words[i] = 0;
  __shared__ long long least, most;
  least = 1ll << 62, most = 0;
  __syncthreads();
  const int lane = threadIdx.x % 32;
  const bool atomic = kKind >= Add;
  volatile unsigned* const at = words + (atomic ? lane / lanes : lane * lanes % kWords);
  unsigned value = zeros[threadIdx.x];
  const long long begin = clock64();
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kUnroll; ++i) {
      unsigned* const word = const_cast<unsigned*>(at);
      if (kKind == Chain) value = at[value];
      if (kKind == Load) value += *at;
      if (kKind == Store) *at = value + i;
      if (kKind == Add) value = atomicAdd(word, value);
      if (kKind == Exchange) value = atomicExch(word, value);
      if (kKind == CompareAndSwap) value = atomicCAS(word, value, value);
      if (kKind == AddFloat) value = __float_as_uint(atomicAdd(reinterpret_cast<float*>(word), __uint_as_float(value)));
      if (kKind == AddWithoutResult) atomicAdd(word, value + lane + i);
    }
  }
  __syncthreads();
  const long long end = clock64();
  atomicMin(&least, begin), atomicMax(&most, end);
  out[threadIdx.x + 1] = value;
  __syncthreads();
  if (threadIdx.x == 0) out[0] = static_cast<unsigned>(most - least);
}

template <Kind kKind>
static void measure(unsigned* out, const unsigned* zeros) {
  for (const int threads : {32, 1024})
    for (const int lanes : {1, 2, 4, 8, 16, 32}) {
      unsigned found[2] = {};
      accesses<kKind><<<1, threads>>>(out, zeros, lanes, 4);
      for (int i = 0; i < 2; ++i) {
        accesses<kKind><<<1, threads>>>(out, zeros, lanes, i == 0 ? 4 : 12);
        cudaMemcpy(&found[i], out, sizeof found[i], cudaMemcpyDeviceToHost);
      }
      const double accesses = 8.0 * kUnroll * (threads / 32);
      std::printf("%s, %d threads, %d: %.2f\n", names[kKind], threads, lanes, (static_cast<double>(found[1]) - found[0]) / accesses);
    }
}

int main() {
  unsigned *out = nullptr, *zeros = nullptr;
  cudaMalloc(&out, 2048 * sizeof(unsigned));
  cudaMalloc(&zeros, 1024 * sizeof(unsigned));
  cudaMemset(zeros, 0, 1024 * sizeof(unsigned));
  measure<Chain>(out, zeros);
  measure<Load>(out, zeros);
  measure<Store>(out, zeros);
  measure<Add>(out, zeros);
  measure<Exchange>(out, zeros);
  measure<CompareAndSwap>(out, zeros);
  measure<AddFloat>(out, zeros);
  measure<AddWithoutResult>(out, zeros);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
