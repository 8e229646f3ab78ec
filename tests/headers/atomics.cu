// Every atomic function for every type that CUDA gives it, in the three scopes where the target has them.
template <class T>
__device__ void arithmetic(T* p, T v) {
  atomicAdd(p, v);
  atomicExch(p, v);
}
template <class T>
__device__ void ordered(T* p, T v) {
  atomicMin(p, v);
  atomicMax(p, v);
  atomicAnd(p, v);
  atomicOr(p, v);
  atomicXor(p, v);
}

__global__ void device_scope(int* i, unsigned int* u, long long* l, unsigned long long* v, float* f, double* d) {
  arithmetic(i, 1);
  arithmetic(u, 1u);
  arithmetic(v, 1ull);
  arithmetic(f, 1.f);
  atomicSub(i, 2);
  atomicSub(u, 2u);
  atomicInc(u, 7u);
  atomicDec(u, 7u);
  ordered(i, 3);
  ordered(u, 3u);
#if __CUDA_ARCH__ >= 320
  ordered(l, 3ll);
  ordered(v, 3ull);
#endif
  i[1] = atomicCAS(i, 1, 2);
  u[1] = atomicCAS(u, 1u, 2u);
  v[1] = atomicCAS(v, 1ull, 2ull);
#if __CUDA_ARCH__ >= 600
  d[1] = atomicAdd(d, 1.0);
#else
  d[1] = __longlong_as_double((long long)atomicCAS((unsigned long long*)d, 1ull, 2ull));
#endif
}

#if __CUDA_ARCH__ < 600 && defined(__CUDA_ARCH__)
// What programs bring along for old targets must not meet a declaration of ours.
__device__ double atomicAdd(double* address, double value) {
  unsigned long long* word = (unsigned long long*)address;
  unsigned long long old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, (unsigned long long)__double_as_longlong(value + __longlong_as_double((long long)assumed)));
  } while (assumed != old);
  return __longlong_as_double((long long)old);
}
#endif
__global__ void double_add(double* d) { atomicAdd(d, 2.0); }

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
__global__ void other_scopes(int* i, unsigned int* u, unsigned long long* v, float* f, double* d) {
  atomicAdd_block(i, 1);
  atomicAdd_system(f, 1.f);
  atomicAdd_block(d, 1.0);
  atomicMin_block(u, 1u);
  atomicMax_system(v, 1ull);
  atomicExch_block(f, 2.f);
  atomicCAS_system(i, 1, 2);
  atomicCAS_block(v, 1ull, 2ull);
  atomicSub_system(u, 1u);
  atomicInc_block(u, 5u);
  atomicXor_system(v, 3ull);
}
#endif
