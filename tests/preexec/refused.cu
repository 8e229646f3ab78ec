// Each kernel has one thing that no program executes on a core (blocks_test.py): `duet preexec --blocks`
// names it.
#include <cstdio>

__global__ void shuffle(int* out) { out[threadIdx.x] = __shfl_xor_sync(~0u, threadIdx.x, 1); }
__global__ void vote(int* out) { out[threadIdx.x] = __any_sync(~0u, threadIdx.x == 3); }
__global__ void warp_barrier(int* out) {
  out[threadIdx.x] = 1;
  __syncwarp();
}
__global__ void global_atomic(int* out) { atomicAdd(out, 1); }
__global__ void float_atomic(float* out) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 0.1f);
  __syncthreads();
  out[threadIdx.x] = sum;
}
__global__ void spin_lock(int* out) {
  __shared__ int lock;
  if (threadIdx.x == 0) lock = 0;
  __syncthreads();
  while (atomicCAS(&lock, static_cast<int>(threadIdx.x), static_cast<int>(threadIdx.x) + 1) != threadIdx.x) {
  }
  out[threadIdx.x] = 1;
}
__global__ void volatile_access(volatile int* out) { out[threadIdx.x] = 1; }
__global__ void time(long long* out) { out[threadIdx.x] = clock64(); }
__global__ void print(int* out) { std::printf("%d\n", *out); }
__global__ void trap(int* out) {
  if (*out == 7) __trap();
}
__global__ void counted(int* out) { out[threadIdx.x] = __syncthreads_count(threadIdx.x > 3); }
__global__ void saturated(int* out) { asm("add.sat.s32 %0, %0, 5;" : "+r"(out[threadIdx.x])); }
__global__ void half_float(float* out, unsigned short bits) {
  asm("cvt.f32.f16 %0, %1;" : "=f"(out[threadIdx.x]) : "h"(bits));
}
__global__ void rounded(float* out, unsigned bits) { asm("cvt.rz.f32.u32 %0, %1;" : "=f"(*out) : "r"(bits)); }
