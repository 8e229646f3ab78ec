// The five kernels of kernels.cu in OpenCL C, statement by statement, with the same launch shapes. Sizes are taken
// in 32 bits, as gridDim.x * blockDim.x are: with 64, and with a signed sum, compilers make other loops. Kernels name
// no required size: neither do those of CUDA.
__kernel void vecadd(__global const float* a, __global const float* b, __global float* c, int n) {
  int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}

#define MATMUL_TILE 16

__kernel void matmul(__global const float* a, __global const float* b, __global float* c, int n) {
  __local float tile_a[MATMUL_TILE][MATMUL_TILE];
  __local float tile_b[MATMUL_TILE][MATMUL_TILE];
  int tx = get_local_id(0), ty = get_local_id(1);
  int row = get_group_id(1) * MATMUL_TILE + ty, col = get_group_id(0) * MATMUL_TILE + tx;
  float sum = 0.f;
  for (int tile = 0; tile < n / MATMUL_TILE; tile++) {
    tile_a[ty][tx] = a[row * n + tile * MATMUL_TILE + tx];
    tile_b[ty][tx] = b[(tile * MATMUL_TILE + ty) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int k = 0; k < MATMUL_TILE; k++) sum += tile_a[ty][k] * tile_b[k][tx];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}

__kernel void hist(__global const uint* data, __global uint* bins, int n) {
  __local uint block_bins[256];
  block_bins[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += (uint)get_global_size(0)) atomic_add(&block_bins[data[i] & 255u], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[get_local_id(0)], block_bins[get_local_id(0)]);
}

__kernel void copyk(__global const float* from, __global float* to, int n) {
  for (int i = get_global_id(0); i < n; i += (uint)get_global_size(0)) to[i] = from[i];
}

__kernel void reduce(__global const float* data, __global float* block_sums, int n) {
  __local float partial[256];
  float sum = 0.f;
  for (int i = get_global_id(0); i < n; i += (uint)get_global_size(0)) sum += data[i];
  partial[get_local_id(0)] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int half_size = 128; half_size > 0; half_size >>= 1) {
    if ((int)get_local_id(0) < half_size) partial[get_local_id(0)] += partial[get_local_id(0) + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (get_local_id(0) == 0) block_sums[get_group_id(0)] = partial[0];
}
