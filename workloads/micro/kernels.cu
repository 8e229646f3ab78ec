// Five kernels with well-known memory behaviour, small enough to be read beside a simulator's counters:
// streaming (vecadd, copyk), tiled reuse in shared memory (matmul), shared and global atomics (hist), tree
// reduction (reduce). Compiled alone to PTX, or included by micro.cu. Launch shapes: vecadd ceil(n/256) x
// 256, matmul (n/16)^2 x (16,16) with n a multiple of 16, the other three any grid x 256.
#ifndef __CUDACC__
#error "kernels.cu is CUDA source"
#endif

extern "C" __global__ void vecadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

#define MATMUL_TILE 16

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[MATMUL_TILE][MATMUL_TILE];
  __shared__ float tile_b[MATMUL_TILE][MATMUL_TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * MATMUL_TILE + ty, col = blockIdx.x * MATMUL_TILE + tx;
  float sum = 0.f;
  for (int tile = 0; tile < n / MATMUL_TILE; tile++) {
    tile_a[ty][tx] = a[row * n + tile * MATMUL_TILE + tx];
    tile_b[ty][tx] = b[(tile * MATMUL_TILE + ty) * n + col];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < MATMUL_TILE; k++) sum += tile_a[ty][k] * tile_b[k][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

extern "C" __global__ void hist(const unsigned* data, unsigned* bins, int n) {
  __shared__ unsigned block_bins[256];
  block_bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&block_bins[data[i] & 255u], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], block_bins[threadIdx.x]);
}

extern "C" __global__ void copyk(const float* from, float* to, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = from[i];
}

extern "C" __global__ void reduce(const float* data, float* block_sums, int n) {
  __shared__ float partial[256];
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += data[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if ((int)threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) block_sums[blockIdx.x] = partial[0];
}
