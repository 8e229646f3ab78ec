// Kernels whose blocks a core may execute too (blocks_test.py): barriers, shared, local and constant memory,
// atomics on shared memory, blocks that share lines, kernels that read what earlier ones have written, in
// whichever caches that is. Every result is compared with the host's. `blocks fault` writes to a null pointer
// in its last blocks, `blocks streams` has several kernels at a time, `blocks pinned` host memory that
// kernels reach.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

namespace {

constexpr int kSide = 96, kTile = 16;

__global__ void __launch_bounds__(kTile* kTile) tiles(const float* a, const float* b, float* c) {
  __shared__ float left[kTile][kTile], right[kTile][kTile];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int m = 0; m < kSide; m += kTile) {
    left[threadIdx.y][threadIdx.x] = a[y * kSide + m + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(m + threadIdx.y) * kSide + x];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[y * kSide + x] = sum;
}

// Threads leave early, and those of the upper half are never at the loop's barrier.
__global__ void reduce(const int* in, int n, long long* sums) {
  extern __shared__ int part[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (unsigned width = blockDim.x / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) part[threadIdx.x] += part[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

__global__ void sort_blocks(unsigned* values) {
  __shared__ unsigned own[128];
  const unsigned thread = threadIdx.x;
  own[thread] = values[blockIdx.x * 128 + thread];
  for (unsigned size = 2; size <= 128; size *= 2)
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      const unsigned other = thread ^ stride;
      if (other > thread) {
        const bool up = (thread & size) == 0;
        const unsigned a = own[thread], b = own[other];
        if ((a > b) == up) own[thread] = b, own[other] = a;
      }
    }
  __syncthreads();
  values[blockIdx.x * 128 + thread] = own[thread];
}

__global__ void histograms(const unsigned char* in, int each, unsigned* bins) {
  __shared__ unsigned own[64], most;
  if (threadIdx.x < 64) own[threadIdx.x] = 0;
  if (threadIdx.x == 0) most = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < each; i += blockDim.x) atomicAdd(&own[in[blockIdx.x * each + i] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64) atomicMax(&most, own[threadIdx.x]);
  __syncthreads();
  if (threadIdx.x < 64) bins[blockIdx.x * 65 + threadIdx.x] = own[threadIdx.x];
  if (threadIdx.x == 64) bins[blockIdx.x * 65 + 64] = most;
}

// Blocks of 37 threads, a byte each: every line is written by several blocks.
__global__ void bytes(unsigned char* values, int n, int times) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] = static_cast<unsigned char>(values[i] * times + i);
}

// Blocks have every 64th byte: every line has bytes of all 64, and there are more lines than L2 holds.
__global__ void interleaved(unsigned char* values, int n) {
  for (int i = threadIdx.x * gridDim.x + blockIdx.x; i < n; i += blockDim.x * gridDim.x)
    values[i] = static_cast<unsigned char>(values[i] * 5 + i / 128);
}

// Reads what the other half of the grid has written a kernel before.
__global__ void crossed(const int* from, int* to, int n, int odd) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (i & 1) == odd) to[i] += from[n - 1 - i] + 3 * from[(i + n / 2) % n];
}

__constant__ int kWeights[8];
__device__ int written[4096];

__global__ void locals(const int* order, int* out) {
  int kept[8];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) kept[order[k] & 7] = kWeights[k] * i + k;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k < 8; ++k) sum = sum * 5 + kept[order[7 - k] & 7];
  out[i] = sum;
  written[i & 4095] = i / 4096;
}

// Of all threads of a block in three dimensions its number, by shared memory that the launch sizes.
__global__ void numbers(unsigned* out) {
  extern __shared__ int ids[];
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  ids[threads - 1 - thread] = static_cast<int>(thread);
  __syncthreads();
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  out[block * threads + thread] = block * 1000 + ids[thread];
}

// The GPU alone has these.
__global__ void shuffled(int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __shfl_xor_sync(~0u, i, 1);
}
__global__ void added(int* sum) { atomicAdd(sum, 1); }

__global__ void faulty(int* out, unsigned last) {
  int* const to = blockIdx.x < last ? out : nullptr;
  to[threadIdx.x] = 1;
}

template <typename T>
struct Array {
  T* device = nullptr;
  std::vector<T> host;
  explicit Array(std::size_t n) : host(n) {
    cudaMalloc(&device, n * sizeof(T));
    cudaMemset(device, 0, n * sizeof(T));
  }
  template <typename F>
  Array(std::size_t n, F value) : Array(n) {
    for (std::size_t i = 0; i < n; ++i) host[i] = value(i);
    cudaMemcpy(device, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
  }
  std::vector<T> result() const {
    std::vector<T> values(host.size());
    cudaMemcpy(values.data(), device, values.size() * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }
};

bool all_right = true;
void tell(const char* name, bool right) {
  std::printf("%s %s\n", name, right ? "right" : "wrong");
  all_right &= right;
}

void run_tiles() {
  const Array<float> a(kSide * kSide, [](std::size_t i) { return float(i % 13) - 6; }),
      b(kSide * kSide, [](std::size_t i) { return float(i % 7) - 3; });
  const Array<float> c(kSide * kSide);
  tiles<<<dim3(kSide / kTile, kSide / kTile), dim3(kTile, kTile)>>>(a.device, b.device, c.device);
  bool right = true;
  const std::vector<float> result = c.result();
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      float sum = 0;
      for (int m = 0; m < kSide; ++m) sum += a.host[y * kSide + m] * b.host[m * kSide + x];
      right &= sum == result[y * kSide + x];
    }
  tell("tiles", right);
}

void run_reduce() {
  constexpr int n = 39000, threads = 128, blocks = (n + threads - 1) / threads;
  const Array<int> in(n, [](std::size_t i) { return int(i * 2654435761u) >> 8; });
  const Array<long long> sums(blocks);
  reduce<<<blocks, threads, threads * sizeof(int)>>>(in.device, n, sums.device);
  bool right = true;
  const std::vector<long long> result = sums.result();
  for (int block = 0; block < blocks; ++block) {
    int sum = 0;
    for (int i = block * threads; i < std::min(n, (block + 1) * threads); ++i) sum += in.host[i];
    right &= sum == result[block];
  }
  tell("reduce", right);
}

void run_sort() {
  Array<unsigned> values(150 * 128, [](std::size_t i) { return unsigned(i * 2654435761u); });
  sort_blocks<<<150, 128>>>(values.device);
  for (int block = 0; block < 150; ++block)
    std::sort(values.host.begin() + block * 128, values.host.begin() + (block + 1) * 128);
  tell("sort", values.host == values.result());
}

void run_histograms() {
  constexpr int blocks = 120, each = 500;
  const Array<unsigned char> in(blocks * each, [](std::size_t i) { return (unsigned char)(i * i >> 5); });
  const Array<unsigned> bins(blocks * 65);
  histograms<<<blocks, 96>>>(in.device, each, bins.device);
  std::vector<unsigned> expected(blocks * 65);
  for (int block = 0; block < blocks; ++block) {
    unsigned* const own = &expected[block * 65];
    for (int i = 0; i < each; ++i) ++own[in.host[block * each + i] % 64];
    own[64] = *std::max_element(own, own + 64);
  }
  tell("histograms", expected == bins.result());
}

void run_bytes() {
  constexpr int n = 20011;
  Array<unsigned char> values(n, [](std::size_t i) { return (unsigned char)(i * 7); });
  for (int times = 3; times < 9; ++times) {
    bytes<<<(n + 36) / 37, 37>>>(values.device, n, times);
    for (int i = 0; i < n; ++i) values.host[i] = (unsigned char)(values.host[i] * times + i);
    if (times == 5) {  // in between a copy of an uneven part, and a memset
      cudaMemcpy(values.device + 15001, values.host.data() + 9, 3333, cudaMemcpyHostToDevice);
      std::memmove(values.host.data() + 15001, values.host.data() + 9, 3333);
      cudaMemset(values.device + 19111, 17, 555);
      std::memset(values.host.data() + 19111, 17, 555);
    }
  }
  tell("bytes", values.host == values.result());
}

void run_interleaved() {
  constexpr int n = 1 << 18;
  Array<unsigned char> values(n, [](std::size_t i) { return (unsigned char)(i * 11); });
  interleaved<<<64, 64>>>(values.device, n);
  for (int i = 0; i < n; ++i) values.host[i] = (unsigned char)(values.host[i] * 5 + i / 128);
  tell("interleaved", values.host == values.result());
}

void run_crossed() {
  constexpr int n = 16384;
  Array<int> a(n, [](std::size_t i) { return int(i * 31 + 5); }),
      b(n, [](std::size_t i) { return int(i ^ 0x5a5); });
  for (int step = 0; step < 8; ++step) {
    const bool even = step % 2 == 0;
    const Array<int>&from = even ? a : b, &to = even ? b : a;
    crossed<<<n / 64, 64>>>(from.device, to.device, n, step / 2 % 2);
    const std::vector<int>& read = from.host;
    std::vector<int>& changed = even ? b.host : a.host;
    for (int i = step / 2 % 2; i < n; i += 2)
      changed[i] =
          int(unsigned(changed[i]) + unsigned(read[n - 1 - i]) + 3u * unsigned(read[(i + n / 2) % n]));
  }
  tell("crossed", a.host == a.result() && b.host == b.result());
}

void run_locals() {
  const int weights[8] = {3, 1, 4, 1, 5, 9, 2, 6};
  cudaMemcpyToSymbol(kWeights, weights, sizeof weights);
  const Array<int> order(8, [](std::size_t i) { return int(i * 3 % 8); });
  const Array<int> out(200 * 64);
  locals<<<200, 64>>>(order.device, out.device);
  std::vector<int> expected(200 * 64);
  for (int i = 0; i < 200 * 64; ++i) {
    int kept[8];
    for (int k = 0; k < 8; ++k) kept[order.host[k] & 7] = weights[k] * i + k;
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k) sum = sum * 5 + unsigned(kept[order.host[7 - k] & 7]);
    expected[i] = int(sum);
  }
  tell("locals", expected == out.result());
}

void run_numbers() {
  const dim3 grid(7, 5, 6), block(5, 3, 4);
  const Array<unsigned> out(7 * 5 * 6 * 60);
  numbers<<<grid, block, 60 * sizeof(int)>>>(out.device);
  std::vector<unsigned> expected(out.host.size());
  for (unsigned i = 0; i < expected.size(); ++i) expected[i] = i / 60 * 1000 + 59 - i % 60;
  tell("numbers", expected == out.result());
}

void run_alone() {
  const Array<int> out(100 * 64);
  shuffled<<<100, 64>>>(out.device);
  std::vector<int> expected(100 * 64);
  for (int i = 0; i < 100 * 64; ++i) expected[i] = i ^ 1;
  tell("shuffled", expected == out.result());
  const Array<int> sum(1);
  added<<<100, 64>>>(sum.device);
  tell("added", sum.result()[0] == 6400);
}

// Four kernels at a time, each a stream's, and of each stream one after the other.
void run_streams() {
  constexpr int n = 8192, streams = 4;
  std::vector<Array<unsigned char>> values;
  cudaStream_t stream[streams];
  for (int s = 0; s < streams; ++s) {
    values.emplace_back(n, [&](std::size_t i) { return (unsigned char)(i * (s + 3)); });
    cudaStreamCreate(&stream[s]);
  }
  for (int times = 3; times < 7; ++times)
    for (int s = 0; s < streams; ++s) {
      bytes<<<(n + 36) / 37, 37, 0, stream[s]>>>(values[s].device, n, times);
      for (int i = 0; i < n; ++i) values[s].host[i] = (unsigned char)(values[s].host[i] * times + i);
    }
  cudaDeviceSynchronize();
  bool right = true;
  for (const Array<unsigned char>& one : values) right &= one.host == one.result();
  tell("streams", right);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "fault") == 0) {
    const Array<int> out(64);
    faulty<<<400, 64>>>(out.device, 395);
    std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "streams") == 0) {
    run_streams();
    return all_right ? 0 : 1;
  }
  if (argc > 1 && std::strcmp(argv[1], "pinned") == 0) {
    void* pinned = nullptr;
    cudaMallocHost(&pinned, 100);
    run_bytes();
    cudaFreeHost(pinned);
    run_bytes();
    return all_right ? 0 : 1;
  }
  run_tiles();
  run_reduce();
  run_sort();
  run_histograms();
  run_bytes();
  run_interleaved();
  run_crossed();
  run_locals();
  run_numbers();
  run_alone();
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess)
    std::printf("%s\n", cudaGetErrorString(error));
  return all_right ? 0 : 1;
}
