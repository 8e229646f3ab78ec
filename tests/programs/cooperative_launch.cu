// Cooperative launches: the barrier of the whole grid as cooperative groups make it (a workspace whose
// address stands in %envreg1 and %envreg2), two such grids at a time, launch attributes that allow overlap or
// ask for clusters, and the shared memory that is reserved for the system.
#include "expect.h"

namespace {

constexpr int kBlocks = 6, kThreads = 64, kRounds = 5;

__device__ unsigned* workspace() {
  unsigned high, low;
  asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
  return reinterpret_cast<unsigned*>(static_cast<unsigned long long>(high) << 32 | low);
}

// Every block takes a number and waits until as many have come as make its round full.
__device__ void grid_barrier() {
  __syncthreads();
  if (threadIdx.x == 0) {
    volatile unsigned* count = workspace() + 1;
    __threadfence();
    const unsigned number = atomicAdd(const_cast<unsigned*>(count), 1);
    while (*count < number / gridDim.x * gridDim.x + gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

// Each round reads what the next block wrote in the last one.
__global__ void rounds(volatile int* values) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (int i = 0; i < kRounds; ++i) {
    const int next = values[(own + kThreads) % all];
    grid_barrier();
    values[own] = next + 1;
    grid_barrier();
  }
}

__global__ void where(unsigned long long* address) {
  *address = reinterpret_cast<unsigned long long>(workspace());
}

__global__ void add_one(int* value) {
#ifdef __CUDA_ARCH__
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
  *value += 1;
  asm volatile("griddepcontrol.launch_dependents;");
}

__global__ void reserved(unsigned* out) {
  __shared__ unsigned own[4];
  extern __shared__ unsigned dynamic[];
  unsigned begin, end, cap, first, second;
  asm volatile("mov.u32 %0, %%reserved_smem_offset_begin;" : "=r"(begin));
  asm volatile("mov.u32 %0, %%reserved_smem_offset_end;" : "=r"(end));
  asm volatile("mov.u32 %0, %%reserved_smem_offset_cap;" : "=r"(cap));
  asm volatile("mov.u32 %0, %%reserved_smem_offset_0;" : "=r"(first));
  asm volatile("mov.u32 %0, %%reserved_smem_offset_1;" : "=r"(second));
  own[threadIdx.x] = 100 + threadIdx.x;
  dynamic[threadIdx.x] = 200 + threadIdx.x;
  if (threadIdx.x == 0) {
    for (unsigned at = begin; at < end; at += 4)
      asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(0xffffffffu) : "memory");
    out[8] = end - begin == cap && first >= begin && second >= first + 288 && second + 288 <= end;
  }
  __syncthreads();
  out[threadIdx.x] = own[threadIdx.x];
  out[4 + threadIdx.x] = dynamic[threadIdx.x];
}

cudaError_t launch_with(const cudaLaunchAttribute& attribute, void* kernel, int blocks, int threads,
                        void* argument) {
  cudaLaunchAttribute attributes[] = {attribute};
  cudaLaunchConfig_t config;
  memset(&config, 0, sizeof config);
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(threads);
  config.attrs = attributes;
  config.numAttrs = 1;
  void* arguments[] = {argument};
  return cudaLaunchKernelExC(&config, kernel, arguments);
}

void check_rounds(const std::vector<int>& got) {
  for (int i = 0; i < kBlocks * kThreads; ++i)
    REQUIRE(got[i] == (i + kRounds * kThreads) % (kBlocks * kThreads) + kRounds);
}

void barriers() {
  std::vector<int> start(kBlocks * kThreads), got(start.size());
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<int>(i);
  int* values[2];
  cudaStream_t streams[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaStreamCreate(&streams[i]));
    CHECK(cudaMalloc(&values[i], start.size() * sizeof(int)));
    CHECK(cudaMemcpy(values[i], start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice));
  }
  for (int i = 0; i < 2; ++i) {
    void* arguments[] = {&values[i]};
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rounds), dim3(kBlocks), dim3(kThreads),
                                      arguments, 0, streams[i]));
  }
  for (int i = 0; i < 2; ++i) {
    CHECK(cudaStreamSynchronize(streams[i]));
    CHECK(cudaMemcpy(got.data(), values[i], got.size() * sizeof(int), cudaMemcpyDeviceToHost));
    check_rounds(got);
  }
  // Once more with a barrier that has been used, by an attribute.
  CHECK(cudaMemcpy(values[0], start.data(), start.size() * sizeof(int), cudaMemcpyHostToDevice));
  cudaLaunchAttribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  CHECK(launch_with(attribute, reinterpret_cast<void*>(rounds), kBlocks, kThreads, &values[0]));
  CHECK(cudaMemcpy(got.data(), values[0], got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  check_rounds(got);
}

}  // namespace

int main() {
  barriers();

  unsigned long long *address, seen = 1;
  CHECK(cudaMalloc(&address, sizeof *address));
  where<<<1, 1>>>(address);
  CHECK(cudaMemcpy(&seen, address, sizeof seen, cudaMemcpyDeviceToHost));
  REQUIRE(seen == 0);  // not a cooperative grid

  int *value, sum = 0;
  CHECK(cudaMalloc(&value, sizeof *value));
  CHECK(cudaMemset(value, 0, sizeof *value));
  cudaLaunchAttribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  for (int i = 0; i < 3; ++i) CHECK(launch_with(attribute, reinterpret_cast<void*>(add_one), 1, 1, &value));
  CHECK(cudaMemcpy(&sum, value, sizeof sum, cudaMemcpyDeviceToHost));
  REQUIRE(sum == 3);
  memset(&attribute, 0, sizeof attribute);
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {1, 1, 1};
  CHECK(launch_with(attribute, reinterpret_cast<void*>(add_one), 1, 1, &value));
  attribute.val.clusterDim = {2, 1, 1};
  REQUIRE_STATUS(launch_with(attribute, reinterpret_cast<void*>(add_one), 2, 1, &value),
                 cudaErrorNotSupported);
  cudaGetLastError();
  CHECK(cudaMemcpy(&sum, value, sizeof sum, cudaMemcpyDeviceToHost));
  REQUIRE(sum == 4);

  unsigned *out, words[9];
  CHECK(cudaMalloc(&out, sizeof words));
  reserved<<<1, 4, 16>>>(out);
  CHECK(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
  for (unsigned i = 0; i < 4; ++i) {
    REQUIRE(words[i] == 100 + i);
    REQUIRE(words[4 + i] == 200 + i);
  }
  REQUIRE(words[8] == 1);
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(reserved)));
  REQUIRE(attributes.sharedSizeBytes == 16);
  return expect::pass("cooperative_launch");
}
