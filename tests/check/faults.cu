// Faults, one a case: `faults NAME` has exactly the one that tests/check/check_test.py lists for it. `faults fixed
// NAME` is the same program without it, where there is such a version.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

static bool fixed = false;
constexpr int kThreads = 128;

#define CHECK(call)                                                                  \
  do {                                                                               \
    const cudaError_t error_ = (call);                                               \
    if (error_ != cudaSuccess) {                                                     \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_));                    \
      std::exit(3);                                                                  \
    }                                                                                \
  } while (0)

struct Buffer {  // of device memory, written
  int* data = nullptr;
  explicit Buffer(int count, bool written = true) {
    CHECK(cudaMalloc(&data, count * sizeof(int)));
    if (written) CHECK(cudaMemset(data, 0, count * sizeof(int)));
  }
  ~Buffer() { CHECK(cudaFree(data)); }
  operator int*() const { return data; }
};

static void finish() { CHECK(cudaDeviceSynchronize()); }

// ---- Races in shared memory ----

__global__ void missing_barrier(int* out, bool fix) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = threadIdx.x;
  if (fix) __syncthreads();
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}
__global__ void write_after_read(int* out, bool fix) {
  __shared__ int value;
  if (threadIdx.x == 0) value = 7;
  __syncthreads();
  out[threadIdx.x] = value;
  if (fix) __syncthreads();
  if (threadIdx.x == kThreads - 1) value = 8;
}
__global__ void two_writers(int* out, bool fix) {
  __shared__ int value;
  if (threadIdx.x % 64 == 0 && (!fix || threadIdx.x == 0)) value = threadIdx.x + 1;
  __syncthreads();
  out[threadIdx.x] = value;
}
__global__ void one_store_meets(int* out, bool fix) {
  __shared__ int value[2];
  if (threadIdx.x < 2) value[fix ? threadIdx.x : 0] = threadIdx.x + 5;
  __syncthreads();
  out[threadIdx.x] = value[0];
}
__global__ void loop_without_second_barrier(int* out, bool fix) {
  __shared__ int tile[kThreads];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    tile[threadIdx.x] = round + threadIdx.x;
    __syncthreads();
    sum += tile[(threadIdx.x + 40) % kThreads];
    if (fix) __syncthreads();
  }
  out[threadIdx.x] = sum;
}
__global__ void wrong_named_barrier(int* out, bool fix) {
  __shared__ int tile[kThreads];
  const int half = threadIdx.x / 64;
  tile[threadIdx.x] = threadIdx.x;
  if (fix)
    __syncthreads();
  else if (half == 0)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  out[threadIdx.x] = tile[(threadIdx.x + 64) % kThreads];
}
__global__ void arrive_after(int* out, bool fix) {
  __shared__ int tile[64];
  if (threadIdx.x < 64) {  // makes what the others use
    if (fix) tile[threadIdx.x] = threadIdx.x;
    asm volatile("bar.arrive 1, 128;" ::: "memory");
    if (!fix) tile[threadIdx.x] = threadIdx.x;
  } else {
    asm volatile("bar.sync 1, 128;" ::: "memory");
    out[threadIdx.x] = tile[threadIdx.x - 64];
  }
}
__global__ void bytes_too(char* out, bool fix) {
  __shared__ char tile[kThreads + 1];
  tile[threadIdx.x] = 1;
  tile[kThreads] = 0;
  if (fix) __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x + 1];
}
__global__ void plain_and_atomic(int* out, bool fix) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  if (fix) __syncthreads();
  atomicAdd(&count, 1);
  __syncthreads();
  out[threadIdx.x] = count;
}
__global__ void dynamic_array(int* out, bool fix) {
  extern __shared__ int tile_of_launch[];
  tile_of_launch[threadIdx.x] = threadIdx.x;
  if (fix) __syncthreads();
  out[threadIdx.x] = tile_of_launch[threadIdx.x ^ 32];
}
__global__ void warps_of_sm_70(int* out, bool fix) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;
#if __CUDA_ARCH__ >= 700
  if (fix) __syncwarp();
#endif
  out[threadIdx.x] = tile[31 - threadIdx.x];
}

// ---- Memory ----

__global__ void store_at(int* data, int index) { data[index] = 1; }
__global__ void store_all(int* data) { data[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void load_at(const int* data, long index, int* out) { *out = data[index]; }
__global__ void misaligned(char* data, int offset) { *reinterpret_cast<int*>(data + offset) = 1; }
__global__ void shared_beyond(int* out, int index) {
  extern __shared__ int tile[];
  tile[index] = 1;
  __syncthreads();
  out[0] = tile[index];
}
__global__ void local_beyond(int* out, int index) {
  int values[8];
  for (int i = 0; i < 8; ++i) values[i] = i;
  values[index] = 9;
  *out = values[index / 2 % 8];
}
__global__ void two_places(int* data, int a, int b) {
  data[a] = 1;
  data[b] = 2;
}
__global__ void add_at(int* data, int index) { atomicAdd(data + index, 1); }

// ---- What nobody has written ----

__global__ void copy_to(const int* from, int* to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  to[i] = from[i];
}
__global__ void store_texels(cudaSurfaceObject_t surface) {
  surf1Dwrite(static_cast<int>(threadIdx.x), surface, threadIdx.x * sizeof(int));
}
__global__ void shared_unwritten(int* out, bool fix) {
  __shared__ int tile[kThreads];
  if (threadIdx.x < 64 || fix) tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void local_unwritten(int* out, int index, bool fix) {
  volatile int values[8];
  for (int i = 0; i < (fix ? 8 : 4); ++i) values[i] = i;
  out[threadIdx.x] = values[index];
}
__global__ void add_to(int* data) { atomicAdd(data + threadIdx.x, 1); }

// ---- Barriers ----

__global__ void divergent_barrier(int* out, bool fix) {
  if (fix || threadIdx.x % 32 < 16) __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void early_exit(int* out, int n) {
  asm volatile("{ .reg .pred p; setp.ge.s32 p, %0, %1; @p exit; }" ::"r"(static_cast<int>(threadIdx.x)), "r"(n));
  __syncthreads();
  out[threadIdx.x] = 1;
}
__global__ void wrong_mask(int* out, unsigned mask) {
  if (threadIdx.x < 16) {
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
    out[threadIdx.x] = 1;
  }
}
__global__ void mask_of_ended(int* out, unsigned mask) {
  asm volatile("{ .reg .pred p; setp.ge.s32 p, %0, 16; @p exit; }" ::"r"(static_cast<int>(threadIdx.x)));
  asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
  out[threadIdx.x] = 1;
}

// ---- Commands ----

__global__ void slow_write(int* data, int value) { data[blockIdx.x * blockDim.x + threadIdx.x] = value; }

struct Streams {
  cudaStream_t a, b;
  cudaEvent_t event;
  Streams() {
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
  }
  ~Streams() {
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaEventDestroy(event));
  }
  void order() {
    CHECK(cudaEventRecord(event, a));
    CHECK(cudaStreamWaitEvent(b, event, 0));
  }
};

static void in_shared(void (*kernel)(int*, bool), int threads = kThreads, int shared = 0) {
  Buffer out(kThreads);
  kernel<<<1, threads, shared>>>(out, fixed);
  finish();
}
static void kernel_kernel() {
  Buffer data(1024);
  Streams streams;
  CHECK(cudaDeviceSynchronize());
  slow_write<<<8, 128, 0, streams.a>>>(data, 1);
  if (fixed) streams.order();
  slow_write<<<8, 128, 0, streams.b>>>(data, 2);
  finish();
}
static void kernel_kernel_read() {
  Buffer data(1024), to(1024);
  Streams streams;
  CHECK(cudaDeviceSynchronize());
  copy_to<<<8, 128, 0, streams.a>>>(data, to);
  if (fixed) streams.order();
  slow_write<<<8, 128, 0, streams.b>>>(data, 2);
  finish();
}
static void copy_kernel(bool out) {
  Buffer data(1024);
  Streams streams;
  int* host;
  CHECK(cudaMallocHost(&host, 4096));
  std::memset(host, 0, 4096);
  CHECK(cudaDeviceSynchronize());
  if (out) {
    slow_write<<<8, 128, 0, streams.a>>>(data, 1);
    if (fixed) streams.order();
    CHECK(cudaMemcpyAsync(host, data, 4096, cudaMemcpyDeviceToHost, streams.b));
  } else {
    CHECK(cudaMemcpyAsync(data, host, 4096, cudaMemcpyHostToDevice, streams.a));
    if (fixed) streams.order();
    slow_write<<<8, 128, 0, streams.b>>>(data, 1);
  }
  finish();
  CHECK(cudaFreeHost(host));
}
static void fill_kernel() {
  Buffer data(1024);
  Streams streams;
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemsetAsync(data, 0, 4096, streams.a));
  if (fixed) streams.order();
  slow_write<<<8, 128, 0, streams.b>>>(data, 1);
  finish();
}
static void host_changed() {
  Buffer data(1024);
  Streams streams;
  int* host;
  CHECK(cudaMallocHost(&host, 4096));
  std::memset(host, 0, 4096);
  finish();
  CHECK(cudaMemcpyAsync(data, host, 4096, cudaMemcpyHostToDevice, streams.a));
  if (fixed) CHECK(cudaStreamSynchronize(streams.a));
  host[5] = 1;
  finish();
  CHECK(cudaFreeHost(host));
}

static void leak(int what) {
  void* memory = nullptr;
  cudaStream_t stream;
  cudaEvent_t event;
  if (what == 0) CHECK(cudaMalloc(&memory, 1000));
  if (what == 1) CHECK(cudaStreamCreate(&stream));
  if (what == 2) CHECK(cudaEventCreate(&event));
  if (what == 3) CHECK(cudaMallocHost(&memory, 1000));
  if (!fixed) return;
  if (what == 0) CHECK(cudaFree(memory));
  if (what == 1) CHECK(cudaStreamDestroy(stream));
  if (what == 2) CHECK(cudaEventDestroy(event));
  if (what == 3) CHECK(cudaFreeHost(memory));
}

static void with_case(const std::string& name) {
  if (name == "missing_barrier") return in_shared(missing_barrier);
  if (name == "write_after_read") return in_shared(write_after_read);
  if (name == "two_writers") return in_shared(two_writers);
  if (name == "one_store_meets") return in_shared(one_store_meets);
  if (name == "loop_without_second_barrier") return in_shared(loop_without_second_barrier);
  if (name == "wrong_named_barrier") return in_shared(wrong_named_barrier);
  if (name == "arrive_after") return in_shared(arrive_after);
  if (name == "plain_and_atomic") return in_shared(plain_and_atomic);
  if (name == "dynamic_array") return in_shared(dynamic_array, kThreads, kThreads * 4);
  if (name == "warps_of_sm_70") return in_shared(warps_of_sm_70, 32);
  if (name == "shared_unwritten") return in_shared(shared_unwritten);
  if (name == "divergent_barrier") return in_shared(divergent_barrier);
  if (name == "bytes_too") {
    Buffer out(kThreads);
    bytes_too<<<1, kThreads>>>(reinterpret_cast<char*>(out.data), fixed);
    return finish();
  }
  if (name == "past_the_end") {
    Buffer data(100);
    store_at<<<1, 1>>>(data, fixed ? 99 : 100);
    return finish();
  }
  if (name == "before_the_begin") {
    Buffer data(100);
    store_at<<<1, 1>>>(data, fixed ? 0 : -1);
    return finish();
  }
  if (name == "grid_too_large") {
    Buffer data(1000);
    store_all<<<fixed ? 7 : 8, 128>>>(data);
    return finish();
  }
  if (name == "far_away") {
    Buffer data(100);
    Buffer out(1);
    load_at<<<1, 1>>>(data, fixed ? 5 : 1L << 34, out);
    return finish();
  }
  if (name == "null_pointer") {
    Buffer data(100);
    store_at<<<1, 1>>>(fixed ? data.data : nullptr, 0);
    return finish();
  }
  if (name == "host_pointer") {
    Buffer data(100);
    static int on_host[4];
    store_at<<<1, 1>>>(fixed ? data.data : on_host, 0);
    return finish();
  }
  if (name == "misaligned") {
    Buffer data(100);
    misaligned<<<1, 1>>>(reinterpret_cast<char*>(data.data), fixed ? 4 : 2);
    return finish();
  }
  if (name == "used_after_free") {
    int* data;
    CHECK(cudaMalloc(&data, 400));
    if (!fixed) CHECK(cudaFree(data));
    store_at<<<1, 1>>>(data, 3);
    finish();
    if (fixed) CHECK(cudaFree(data));
    return;
  }
  if (name == "shared_beyond") {
    Buffer out(1);
    shared_beyond<<<1, 1, 64>>>(out, fixed ? 15 : 16);
    return finish();
  }
  if (name == "local_beyond") {
    Buffer out(1);
    local_beyond<<<1, 1>>>(out, fixed ? 7 : 800);
    return finish();
  }
  if (name == "two_faults") {
    Buffer data(100);
    two_places<<<1, 1>>>(data, fixed ? 1 : 100, fixed ? 2 : 200);
    return finish();
  }
  if (name == "atomic_beyond") {
    Buffer data(100);
    add_at<<<1, 1>>>(data, fixed ? 1 : 101);
    return finish();
  }
  if (name == "global_unwritten" || name == "global_partly_written" || name == "copied_unwritten") {
    const bool partly = name == "global_partly_written", copied = name == "copied_unwritten";
    Buffer from(256, fixed), to(256, false), between(256, false);
    if (partly) CHECK(cudaMemset(from, 0, 4 * 200));
    if (copied) CHECK(cudaMemcpy(between, from, 1024, cudaMemcpyDeviceToDevice));
    copy_to<<<2, 128>>>(copied ? between : from, to);
    return finish();
  }
  if (name == "atomic_unwritten") {
    Buffer data(kThreads, fixed);
    add_to<<<1, kThreads>>>(data);
    return finish();
  }
  if (name == "local_unwritten") {
    Buffer out(32);
    local_unwritten<<<1, 32>>>(out, 6, fixed);
    return finish();
  }
  if (name == "copy_out_unwritten") {
    Buffer data(100, fixed);
    int host[100];
    CHECK(cudaMemcpy(host, data, sizeof host, cudaMemcpyDeviceToHost));
    return;
  }
  if (name == "surface_half_written") {
    cudaArray_t array;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    CHECK(cudaMallocArray(&array, &format, kThreads, 1, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    CHECK(cudaCreateSurfaceObject(&surface, &resource));
    store_texels<<<1, fixed ? kThreads : kThreads / 2>>>(surface);
    int host[kThreads];
    CHECK(cudaMemcpy2DFromArray(host, sizeof host, array, 0, 0, sizeof host, 1, cudaMemcpyDeviceToHost));
    CHECK(cudaDestroySurfaceObject(surface));
    CHECK(cudaFreeArray(array));
    return;
  }
  if (name == "early_exit") {
    Buffer out(kThreads);
    early_exit<<<1, kThreads>>>(out, fixed ? kThreads : 100);
    return finish();
  }
  if (name == "wrong_mask" || name == "mask_of_ended") {
    Buffer out(32);
    if (name == "wrong_mask")
      wrong_mask<<<1, 32>>>(out, fixed ? 0xffff : 0xfff0);
    else
      mask_of_ended<<<1, 32>>>(out, fixed ? 0xffff : 0xffffffff);
    return finish();
  }
  if (name == "kernel_kernel") return kernel_kernel();
  if (name == "kernel_kernel_read") return kernel_kernel_read();
  if (name == "copy_in_kernel") return copy_kernel(false);
  if (name == "copy_out_kernel") return copy_kernel(true);
  if (name == "fill_kernel") return fill_kernel();
  if (name == "host_changed") return host_changed();
  if (name == "leaked_memory") return leak(0);
  if (name == "leaked_at_reset") {  // a reset gives back what the program has not
    leak(0);
    CHECK(cudaDeviceReset());
    return;
  }
  if (name == "leaked_stream") return leak(1);
  if (name == "leaked_event") return leak(2);
  if (name == "leaked_host_memory") return leak(3);
  if (name == "ignored_call") {
    cudaSetDevice(fixed ? 0 : 7);
    return;
  }
  if (name == "ignored_launch") {
    Buffer data(4096);
    store_all<<<1, fixed ? 128 : 4096>>>(data);
    CHECK(cudaFree(nullptr));
    return;
  }
  std::printf("no case %s\n", name.c_str());
  std::exit(2);
}

int main(int count, char** words) {
  fixed = count > 2 && std::string(words[1]) == "fixed";
  with_case(words[count - 1]);
  return 0;
}
