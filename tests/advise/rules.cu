// Programs with one flaw each, and beside each the same without it: rules.cu FLAW trigger|not.
//
//   rules bank_conflicts trigger
//
// Sizes are such that the flaw is what a run's time goes into, on the machine of test_advise.py.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define CHECK(call)                                                       \
  do {                                                                    \
    const cudaError_t error = (call);                                     \
    if (error != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      std::exit(1);                                                       \
    }                                                                     \
  } while (0)

__global__ void add(const float* a, float* b, int n, int stride) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = stride == 1 ? i : (i % (n / stride)) * stride + i / (n / stride);
  if (i < n) b[at] = a[at] + 1;
}

__global__ void shared_steps(float* out, int stride, int rounds) {
  __shared__ float cells[32 * 33];
  for (int i = threadIdx.x; i < 32 * 33; i += blockDim.x) cells[i] = i;
  __syncthreads();
  float sum = 0;
  for (int r = 0; r < rounds; ++r) sum += cells[(threadIdx.x % 32) * stride + (threadIdx.x / 32 + r) % 32];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void count(unsigned* counters, int counters_mask) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&counters[i * 33 & counters_mask], 1);
}

__global__ void count_in_shared(unsigned* out, int mask, int rounds) {
  __shared__ unsigned cells[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) cells[i] = 0;
  __syncthreads();
  for (int r = 0; r < rounds; ++r) atomicAdd(&cells[(threadIdx.x + r) & mask], 1);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = cells[threadIdx.x];
}

__global__ void branches(float* out, int ways, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i;
  const int way = threadIdx.x % ways;
  for (int r = 0; r < rounds; ++r)
    for (int w = 0; w < ways; ++w)
      if (w == way)
        for (int k = 0; k < 8; ++k) x = x * 1.0001f + w;
  out[i] = x;
}

__global__ void work(float* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i;
  for (int r = 0; r < rounds; ++r) x = x * 1.0001f + 0.5f;
  out[i] = x;
}

// Each load waits for the one before; `dynamic` shared memory says how many blocks an SM holds.
__global__ void chase(const int* next, int* out, int rounds) {
  extern __shared__ int unused[];
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; ++r) at = next[at];
  out[blockIdx.x * blockDim.x + threadIdx.x] = at;
  if (at < 0) out[0] = unused[0];
}

__global__ void again(const float* a, float* out, int n, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  float sum = 0;
  for (int r = 0; r < rounds; ++r)
    for (int at = i; at < n; at += threads) sum += a[at];
  out[i] = sum;
}

__global__ void steps_with_barriers(float* out, int rounds, int barrier_every) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i;
  for (int r = 0; r < rounds; ++r) {
    const int steps = threadIdx.x < 32 || barrier_every > 1 ? 64 : 0;
#pragma unroll 1
    for (int k = 0; k < steps; ++k) x = x * 1.0001f + 0.5f;
    if (r % barrier_every == 0) __syncthreads();
  }
  out[i] = x;
}

// Places from one counter: warps' places lie between each other's.
__global__ void compact(const int* in, int* out, int* places, bool counted) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = in[i];
  out[counted ? atomicAdd(places, 1) : i] = value;
}

// A private array with an index that nobody knows before, or one in registers.
template <bool kUnrolled>
__global__ void private_array(const int* values, int* out, int rounds) {
  int own[16];
  for (int k = 0; k < 16; ++k) own[k] = k;
  int sum = 0;
  for (int r = 0; r < rounds; r += 16) {
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      const int value = values[(threadIdx.x + r + k) & 1023];
      sum += kUnrolled ? own[k] += value : own[(value + k) & 15] += value;
    }
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Fetches of a texture at turned places, and a store to neighbouring ones.
__global__ void turn(float* out, int width, cudaTextureObject_t texture) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * width + x] = tex2D<float>(texture, 0.8f * x - 0.6f * y + width, 0.6f * x + 0.8f * y);
}

void turn_a_texture(float* out, int width) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  CHECK(cudaMallocArray(&resource.res.array.array, &format, width, width));
  cudaTextureDesc description = {};
  description.addressMode[0] = description.addressMode[1] = cudaAddressModeWrap;
  cudaTextureObject_t texture = 0;
  CHECK(cudaCreateTextureObject(&texture, &resource, &description, nullptr));
  turn<<<dim3(width / 32, width / 8), dim3(32, 8)>>>(out, width, texture);
}

__constant__ float table[1024];
__global__ void look_up(float* out, int rounds, int spread) {
  float sum = 0;
  for (int r = 0; r < rounds; ++r) sum += table[(threadIdx.x * spread + r) & 1023];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The block's first thread, or all of them, add up its part of an array while the others wait.
__global__ void sums(const float* a, float* out, int each, bool alone) {
  __shared__ float part[256];
  float sum = 0;
  if (!alone || threadIdx.x == 0)
    for (int i = threadIdx.x; i < each; i += alone ? 1 : blockDim.x) sum += a[blockIdx.x * each + i];
  part[threadIdx.x] = sum;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = part[threadIdx.x ^ 1];
}

__global__ void long_first_block(float* out, int rounds, int times) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = i;
  for (int r = 0, last = blockIdx.x == 0 ? rounds * times : rounds; r < last; ++r) x = x * 1.0001f + 0.5f;
  out[i] = x;
}

// Each block counts in a word of shared memory, and adds that up in global memory.
__global__ void count_by_block(unsigned* bins, int rounds, bool one_word) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (int r = 0; r < rounds; ++r) atomicAdd(&own[one_word ? 0 : threadIdx.x], 1u);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(bins, own[0]);
}

__global__ void go_on(int* level, volatile char* again) {
  if (threadIdx.x == 0) *again = ++*level < 24;
}

// Literals of double precision, for values of single precision and for the program's own doubles.
template <typename T>
__global__ void scale(T* a, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  T x = a[i];
  for (int r = 0; r < rounds; ++r) x = x * 0.999 + 0.5;
  a[i] = x;
}

template <typename T>
T* device(std::size_t count) {
  T* pointer = nullptr;
  CHECK(cudaMalloc(&pointer, count * sizeof(T)));
  CHECK(cudaMemset(pointer, 0, count * sizeof(T)));
  return pointer;
}

bool memory_flaw(const std::string& flaw, bool bad) {
  if (flaw == "textures") {
    turn_a_texture(device<float>(512 * 512), 512);
  } else if (flaw == "local_memory") {
    int *values = device<int>(1024), *out = device<int>(128 * 256);
    if (bad)
      private_array<false><<<128, 256>>>(values, out, 128);
    else
      private_array<true><<<128, 256>>>(values, out, 1024);
  } else if (flaw == "constant_reads") {
    look_up<<<128, 256>>>(device<float>(128 * 256), 128, bad ? 29 : 0);
  } else if (flaw == "host_memory") {
    const int n = 1 << 18;
    float* a = nullptr;
    CHECK(cudaMallocHost(reinterpret_cast<void**>(&a), n * sizeof(float)));
    again<<<64, 256>>>(a, device<float>(64 * 256), n, bad ? 4 : 1);
  } else if (flaw == "host_memory_of_each_launch") {  // of arrays of its own
    const int n = 1 << 18;
    float* out = device<float>(64 * 256);
    for (int i = 0; i < 3; ++i) {
      float* a = nullptr;
      CHECK(cudaMallocHost(reinterpret_cast<void**>(&a), n * sizeof(float)));
      again<<<64, 256>>>(a, out, n, bad ? 4 : 1);
    }
  } else if (flaw == "host_memory_read_once") {  // arrays of each launch, each byte once
    const int n = 1 << 16;
    float* out = device<float>(64 * 256);
    for (int i = 0; i < 6; ++i) {
      float* a = nullptr;
      CHECK(cudaMallocHost(reinterpret_cast<void**>(&a), n * sizeof(float)));
      again<<<64, 256>>>(a, out, n, 1);
    }
  } else if (flaw == "host_memory_in_each_launch") {  // one array, each byte once a launch
    const int n = 1 << 16;
    float *a = nullptr, *out = device<float>(64 * 256);
    CHECK(cudaMallocHost(reinterpret_cast<void**>(&a), n * sizeof(float)));
    for (int i = 0; i < (bad ? 6 : 1); ++i) again<<<64, 256>>>(a, out, n, 1);
  } else if (flaw == "beside_global_atomics") {
    count_by_block<<<128, 256>>>(device<unsigned>(1), 64, bad);
  } else if (flaw == "double_precision") {
    if (bad)
      scale<<<128, 256>>>(device<float>(128 * 256), 64);
    else
      scale<<<128, 256>>>(device<double>(128 * 256), 64);
  } else {
    return false;
  }
  return true;
}

bool launch_flaw(const std::string& flaw, bool bad) {
  cudaStream_t streams[4];
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
  float* a = device<float>(1 << 16);
  CHECK(cudaDeviceSynchronize());
  if (flaw == "allocations") {
    for (int i = 0; i < 16; ++i) {
      work<<<16, 256>>>(a, 256);
      if (bad) CHECK(cudaFree(device<float>(1024)));
    }
  } else if (flaw == "issue_order") {
    for (int i = 0; i < 16; ++i) {
      const int stream = bad ? i / 4 : i % 4;
      work<<<1, 64, 0, streams[stream]>>>(a + stream * 64, 4096);
    }
  } else if (flaw == "serial_kernels") {  // of other arrays, or of one
    for (int i = 0; i < 8; ++i) work<<<2, 256, 0, streams[0]>>>(a + (bad ? i * 512 : 0), 4096);
  } else if (flaw == "flag_loop") {  // the host reads every flag before it launches the next kernel
    int* level = device<int>(1);
    char again = 1, *flag = device<char>(1);
    while (again != 0) {
      again = 0;
      CHECK(cudaMemcpy(flag, &again, 1, cudaMemcpyHostToDevice));
      go_on<<<1, 32>>>(level, flag);
      CHECK(cudaMemcpy(&again, flag, 1, cudaMemcpyDeviceToHost));
    }
  } else if (flaw == "all_of_the_copy") {  // what was copied is read again and again
    const int n = 1 << 17;
    float *pinned = nullptr, *there = device<float>(n);
    CHECK(cudaMallocHost(reinterpret_cast<void**>(&pinned), n * sizeof(float)));
    CHECK(cudaMemcpyAsync(there, pinned, n * sizeof(float), cudaMemcpyHostToDevice));
    again<<<32, 256>>>(there, a, n, 8);
  } else {
    return false;
  }
  return true;
}

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "rules FLAW trigger|not\n"), 2;
  const char* flaw = argv[1];
  const bool bad = std::strcmp(argv[2], "trigger") == 0;
  const auto is = [&](const char* name) { return std::strcmp(flaw, name) == 0; };
  constexpr int kThreads = 1 << 18;
  if (is("uncoalesced")) {
    float *a = device<float>(kThreads), *b = device<float>(kThreads);
    add<<<kThreads / 256, 256>>>(a, b, kThreads, bad ? 64 : 1);
  } else if (is("bank_conflicts")) {
    shared_steps<<<256, 256>>>(device<float>(256 * 256), bad ? 32 : 33, 128);
  } else if (is("atomics")) {
    count<<<kThreads / 256, 256>>>(device<unsigned>(1 << 20), bad ? 0 : (1 << 20) - 1);
  } else if (is("atomics_before_stores")) {
    compact<<<kThreads / 256, 256>>>(device<int>(kThreads), device<int>(kThreads), device<int>(1), bad);
  } else if (is("shared_atomics")) {
    count_in_shared<<<128, 256>>>(device<unsigned>(128 * 256), bad ? 0 : 1023, 64);
  } else if (is("divergence")) {
    branches<<<256, 256>>>(device<float>(256 * 256), bad ? 8 : 1, bad ? 8 : 64);
  } else if (is("partial_warps")) {
    work<<<2048, bad ? 8 : 32>>>(device<float>(2048 * 32), 512);
  } else if (is("occupancy") || is("occupancy_by_blocks")) {
    std::vector<int> next(1 << 16);
    for (int i = 0; i < 1 << 16; ++i) next[i] = (i + 32 * 97) & 0xffff;
    int *there = device<int>(1 << 16), *out = device<int>(1 << 16);
    CHECK(cudaMemcpy(there, next.data(), next.size() * 4, cudaMemcpyHostToDevice));
    if (is("occupancy"))
      chase<<<512, 128, bad ? 24000 : 0>>>(there, out, 32);
    else
      chase<<<bad ? 2048 : 512, bad ? 32 : 128>>>(there, out, 32);
  } else if (is("small_grid")) {
    work<<<bad ? 4 : 256, bad ? 256 : 256>>>(device<float>(256 * 256), bad ? 16384 : 1024);
  } else if (is("issue_bound")) {
    work<<<bad ? 16 * 24 : 16, 256>>>(device<float>(16 * 24 * 256), 2048);
  } else if (is("tail")) {
    work<<<bad ? 97 : 192, 256>>>(device<float>(256 * 256), 4096);
  } else if (is("long_block")) {
    long_first_block<<<128, 256>>>(device<float>(128 * 256), 512, bad ? 16 : 1);
  } else if (is("one_block_an_sm")) {
    std::vector<int> next(1 << 16);
    for (int i = 0; i < 1 << 16; ++i) next[i] = (i + 32 * 97) & 0xffff;
    int *there = device<int>(1 << 16), *out = device<int>(1 << 16);
    CHECK(cudaMemcpy(there, next.data(), next.size() * 4, cudaMemcpyHostToDevice));
    chase<<<bad ? 16 : 512, 64>>>(there, out, bad ? 512 : 16);
  } else if (is("equal_blocks")) {  // each SM has three, of which two fill it
    work<<<48, 512, 20000>>>(device<float>(48 * 512), 1024);
  } else if (is("one_thread_works")) {
    sums<<<128, 256>>>(device<float>(128 * 1024), device<float>(128 * 256), 1024, bad);
  } else if (is("dram_bandwidth")) {
    const int n = bad ? 1 << 22 : 1 << 14;
    float *a = device<float>(n), *b = device<float>(n);
    if (bad)
      add<<<n / 256, 256>>>(a, b, n, 1);
    else
      for (int i = 0; i < 4; ++i) work<<<n / 256, 256>>>(b, 2048);
    static_cast<void>(a);
  } else if (is("l2_thrash")) {
    const int n = bad ? 1 << 19 : 1 << 16;  // 2 MB, 256 KB
    again<<<64, 256>>>(device<float>(n), device<float>(64 * 256), n, bad ? 4 : 32);
  } else if (is("barriers")) {
    steps_with_barriers<<<48, 512>>>(device<float>(48 * 512), 128, bad ? 1 : 32);
  } else if (is("launch_bound") || is("synchronization")) {
    float* out = device<float>(1 << 18);
    const bool waits = is("synchronization");
    for (int i = 0; i < (waits ? 8 : 32); ++i) {
      work<<<waits ? 256 : 16, waits ? 256 : 64>>>(out, waits ? 384 : bad ? 1 : 4096);
      if (waits && bad) CHECK(cudaDeviceSynchronize());
    }
  } else if (is("pageable_copies") || is("small_copies") || is("overlap") || is("overlap_both_ways")) {
    const bool alone = is("overlap");  // long kernels, of a quarter of the data
    const std::size_t bytes = alone ? 2 << 20 : 8 << 20;
    char *pinned = nullptr, *pageable = static_cast<char*>(std::calloc(bytes, 1));
    CHECK(cudaMallocHost(reinterpret_cast<void**>(&pinned), bytes));
    char* there = device<char>(bytes);
    const bool both_ways = is("overlap_both_ways");
    char* back = nullptr;
    if (both_ways) CHECK(cudaMallocHost(reinterpret_cast<void**>(&back), bytes));
    if (is("pageable_copies")) {
      CHECK(cudaMemcpy(there, bad ? pageable : pinned, bytes, cudaMemcpyHostToDevice));
    } else if (is("small_copies")) {
      for (int i = 0; i < (bad ? 64 : 1); ++i)
        CHECK(
            cudaMemcpy(there + i * 4096, pinned + i * 4096, bad ? 4096 : 64 * 4096, cudaMemcpyHostToDevice));
    } else {
      constexpr int kPieces = 4;
      cudaStream_t streams[kPieces];
      for (cudaStream_t& stream : streams) CHECK(cudaStreamCreate(&stream));
      for (int i = 0; i < kPieces; ++i) {
        cudaStream_t stream = streams[bad ? 0 : i];
        CHECK(cudaMemcpyAsync(there + i * (bytes / kPieces), pinned, bytes / kPieces, cudaMemcpyHostToDevice,
                              stream));
        float* const piece = reinterpret_cast<float*>(there + i * (bytes / kPieces));
        if (both_ways || !bad)
          work<<<(alone ? 256 : 1024) / kPieces, 256, 0, stream>>>(piece, both_ways ? 512 : 2048);
        if (both_ways)
          CHECK(cudaMemcpyAsync(back + i * (bytes / kPieces), piece, bytes / kPieces, cudaMemcpyDeviceToHost,
                                stream));
      }
      if (bad && !both_ways) work<<<256, 256>>>(reinterpret_cast<float*>(there), 2048);
    }
    std::free(pageable);
  } else if (!memory_flaw(flaw, bad) && !launch_flaw(flaw, bad)) {
    return std::fprintf(stderr, "rules: unknown flaw %s\n", flaw), 2;
  }
  CHECK(cudaDeviceSynchronize());
  return 0;
}
