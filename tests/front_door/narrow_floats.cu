// Arithmetic of half and bfloat16 on the device and on the host: reads triples of 16-bit words from a file
// and writes, for each operation, the results of both. narrow_floats_test.py works them out by itself.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <nvToolsExt.h>

#include <cstdio>
#include <cstring>
#include <vector>

constexpr int kOperations = 16;

template <typename T, typename T2>
struct Format;
template <>
struct Format<__half, __half2> {
  static __host__ __device__ __half of(unsigned short bits) { return __ushort_as_half(bits); }
  static __host__ __device__ unsigned short bits(__half value) { return __half_as_ushort(value); }
  static __host__ __device__ __half2 pair(__half a, __half b) { return __halves2half2(a, b); }
  static __host__ __device__ __half rounded(float a, int way) {
    return way == 0 ? __float2half_rz(a) : way == 1 ? __float2half_rd(a) : __float2half_ru(a);
  }
  static __host__ __device__ int integer(__half a) { return __half2int_rn(a); }
};
template <>
struct Format<__nv_bfloat16, __nv_bfloat162> {
  static __host__ __device__ __nv_bfloat16 of(unsigned short bits) { return __ushort_as_bfloat16(bits); }
  static __host__ __device__ unsigned short bits(__nv_bfloat16 value) { return __bfloat16_as_ushort(value); }
  static __host__ __device__ __nv_bfloat162 pair(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __halves2bfloat162(a, b);
  }
  static __host__ __device__ __nv_bfloat16 rounded(float a, int way) {
    return way == 0 ? __float2bfloat16_rz(a) : way == 1 ? __float2bfloat16_rd(a) : __float2bfloat16_ru(a);
  }
  static __host__ __device__ int integer(__nv_bfloat16 a) { return __bfloat162int_rn(a); }
};

template <typename T, typename T2>
__host__ __device__ void compute(const unsigned short* in, unsigned short* out) {
  using F = Format<T, T2>;
  const T a = F::of(in[0]), b = F::of(in[1]), c = F::of(in[2]);
  // A float whose upper and lower halves are those words.
  unsigned word = static_cast<unsigned>(in[0]) << 16 | in[1];
  float single;
  memcpy(&single, &word, 4);
  out[0] = F::bits(a + b);
  out[1] = F::bits(a - b);
  out[2] = F::bits(a * b);
  out[3] = F::bits(a / b);
  out[4] = F::bits(__hfma(a, b, c));
  out[5] = F::bits(T(single));
  for (int way = 0; way < 3; ++way) out[6 + way] = F::bits(F::rounded(single, way));
  out[9] = static_cast<unsigned short>((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 |
                                       (a > b) << 4 | (a >= b) << 5);
  out[10] = F::bits(__hmin(a, b));
  out[11] = F::bits(__hmax(a, b));
  const T2 pair = __hfma2(F::pair(a, b), F::pair(b, c), F::pair(c, a)) - F::pair(a, b) * F::pair(c, c);
  out[12] = F::bits(pair.x);
  out[13] = F::bits(pair.y);
  out[14] = F::bits(T(static_cast<int>(word)));
  out[15] = static_cast<unsigned short>(F::integer(a));
}

template <typename T, typename T2>
__global__ void kernel(const unsigned short* in, unsigned short* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) compute<T, T2>(in + i * 3, out + i * kOperations);
}

template <typename T, typename T2>
bool run(const std::vector<unsigned short>& in, std::FILE* to) {
  const int count = static_cast<int>(in.size() / 3);
  std::vector<unsigned short> results(count * kOperations);
  unsigned short *device_in, *device_out;
  cudaMalloc(&device_in, in.size() * 2);
  cudaMalloc(&device_out, results.size() * 2);
  cudaMemcpy(device_in, in.data(), in.size() * 2, cudaMemcpyHostToDevice);
  nvtxRangePush("kernel");
  kernel<T, T2><<<(count + 127) / 128, 128>>>(device_in, device_out, count);
  nvtxRangePop();
  if (cudaMemcpy(results.data(), device_out, results.size() * 2, cudaMemcpyDeviceToHost) != cudaSuccess)
    return false;
  std::fwrite(results.data(), 2, results.size(), to);
  for (int i = 0; i < count; ++i) compute<T, T2>(in.data() + i * 3, results.data() + i * kOperations);
  std::fwrite(results.data(), 2, results.size(), to);
  return true;
}

// Sums by atomics, of two neighbours and of one half alone.
__global__ void sums(__half* half, __half2* halves, __nv_bfloat16* bfloat) {
  atomicAdd(half + 1, __float2half(1.0f));
  atomicAdd(halves, __floats2half2_rn(0.5f, 2.0f));
  atomicAdd(bfloat + threadIdx.x % 2,
            __float2bfloat16(__shfl_xor_sync(~0u, __float2half(threadIdx.x % 2), 1)));
}

int main(int, char** arguments) {
  std::vector<unsigned short> in;
  std::FILE* from = std::fopen(arguments[1], "rb");
  for (unsigned short word; std::fread(&word, 2, 1, from) == 1;) in.push_back(word);
  std::FILE* to = std::fopen(arguments[2], "wb");
  if (!run<__half, __half2>(in, to) || !run<__nv_bfloat16, __nv_bfloat162>(in, to)) return 1;
  std::fclose(to);
  void* memory;
  cudaMalloc(&memory, 64);
  cudaMemset(memory, 0, 64);
  auto* bytes = static_cast<char*>(memory);
  sums<<<1, 64>>>(reinterpret_cast<__half*>(bytes), reinterpret_cast<__half2*>(bytes + 16),
                  reinterpret_cast<__nv_bfloat16*>(bytes + 32));
  char host[64];
  cudaMemcpy(host, memory, 64, cudaMemcpyDeviceToHost);
  __half half[2];
  __half2 halves;
  __nv_bfloat16 bfloat[2];
  std::memcpy(half, host, 4);
  std::memcpy(&halves, host + 16, 4);
  std::memcpy(bfloat, host + 32, 4);
  std::printf("%g %g %g %g %g %g\n", float(half[0]), float(half[1]), float(halves.x), float(halves.y),
              float(bfloat[0]), float(bfloat[1]));
}
