// A block hands data to another one that has the old data's line in its L1: by a flag and fences, by a
// release and an acquire, by an atomic that is both, and across a barrier of the grid. Devices from compute
// capability 7.0 on (PTX ISA, memory consistency model).
#include <cooperative_groups.h>

#include "expect.h"

namespace cg = cooperative_groups;

enum Way { kFences, kReleaseAcquire, kAtomic, kGridBarrier, kWays };

__device__ void raise(int* flag, Way way) {
  if (way == kFences) {
    __threadfence();
    *(volatile int*)flag = 1;
  } else if (way == kReleaseAcquire) {
    asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    int old;
    asm volatile("atom.acq_rel.gpu.global.exch.b32 %0, [%1], 1;" : "=r"(old) : "l"(flag) : "memory");
  }
}

__device__ void wait_for(int* flag, Way way) {
  int seen = 0;
  while (seen == 0) {
    if (way == kFences)
      seen = *(volatile int*)flag;
    else if (way == kReleaseAcquire)
      asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    else
      asm volatile("atom.acq_rel.gpu.global.or.b32 %0, [%1], 0;" : "=r"(seen) : "l"(flag) : "memory");
  }
  if (way == kFences) __threadfence();
}

// Lines of `data` lie in slices of their own, so that they are written at different times.
constexpr int kWords = 64, kApart = 32;

__global__ void pass(int* data, int* flags, int* out, Way way) {
  const cg::grid_group grid = cg::this_grid();
  const int at = threadIdx.x * kApart;
  if (blockIdx.x == 0) {
    if (way == kGridBarrier)
      grid.sync();
    else if (threadIdx.x == 0)
      wait_for(flags, way);
    __syncthreads();
    data[at] = 1;
    __syncthreads();
    if (way == kGridBarrier)
      grid.sync();
    else if (threadIdx.x == 0)
      raise(flags + kApart, way);
  } else {
    out[threadIdx.x] = data[at];  // in L1 from now on
    __syncthreads();
    if (way == kGridBarrier) {
      grid.sync();
      grid.sync();
    } else if (threadIdx.x == 0) {
      raise(flags, way);
      wait_for(flags + kApart, way);
    }
    __syncthreads();
    out[kWords + threadIdx.x] = data[at];
  }
}

int main() {
  for (int way = 0; way < kWays; ++way) {
    expect::Array<int> data(kWords * kApart), flags(2 * kApart), out(2 * kWords);
    int *data_at = data.device(), *flags_at = flags.device(), *out_at = out.device();
    Way by = Way(way);
    void* arguments[] = {&data_at, &flags_at, &out_at, &by};
    CHECK(cudaLaunchCooperativeKernel((void*)pass, dim3(2), dim3(kWords), arguments, 0, nullptr));
    CHECK(cudaDeviceSynchronize());
    out.fetch();
    for (int i = 0; i < kWords; ++i) {
      expect::equal("before", i, out.host[i], 0);
      expect::equal("behind", i, out.host[kWords + i], 1);
    }
  }
  return expect::pass("message_passing");
}
