// Shuffles of every type, votes, matches and warp reductions, where the target has them.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
template <class T>
__device__ T shuffles(T v) {
  v += __shfl_sync(0xffffffffu, v, 3);
  v += __shfl_up_sync(0xffffffffu, v, 1);
  v += __shfl_down_sync(0xffffffffu, v, 2, 16);
  v += __shfl_xor_sync(0xffffffffu, v, 4);
  return v;
}
__global__ void all_types(int* i, unsigned int* u, long* l, unsigned long* m, long long* w, unsigned long long* x, float* f, double* d) {
  i[0] = shuffles(i[0]);
  u[0] = shuffles(u[0]);
  l[0] = shuffles(l[0]);
  m[0] = shuffles(m[0]);
  w[0] = shuffles(w[0]);
  x[0] = shuffles(x[0]);
  f[0] = shuffles(f[0]);
  d[0] = shuffles(d[0]);
}
__global__ void votes(unsigned int* out) {
  const int p = threadIdx.x & 1;
  out[0] = __all_sync(~0u, p) + __any_sync(~0u, p) + __ballot_sync(~0u, p) + __activemask();
  __syncwarp();
  __syncwarp(0xffu);
#if __CUDA_ARCH__ >= 700
  int all;
  out[1] = __match_any_sync(~0u, p) + __match_all_sync(~0u, 1.5f, &all) + __match_any_sync(~0u, 7ull) + __match_any_sync(~0u, 2.5) + all;
#endif
#if __CUDA_ARCH__ >= 800
  out[2] = __reduce_add_sync(~0u, out[1]) + __reduce_max_sync(~0u, p) + __reduce_xor_sync(~0u, 3u);
#endif
}
#endif
__global__ void nothing_else(int* out) { out[0] = warpSize; }
