// Barriers, fences, bit and conversion intrinsics, directed roundings, cache operators, clocks, printf and assert.
#include <cassert>
#include <cstdio>

__global__ void bits(unsigned int* out, unsigned long long* wide, int a, unsigned int b, unsigned long long c) {
  unsigned int r = __popc(b) + __popcll(c) + __clz(a) + __clzll((long long)c) + __ffs(a) + __ffsll((long long)c);
  r ^= __brev(b) ^ __byte_perm(b, r, 0x1234) ^ __mulhi(a, 3) ^ __umulhi(b, 5) ^ __mul24(a, 7) ^ __umul24(b, 9);
  r += __sad(a, 3, b) + __usad(b, 3, 4) + __hadd(a, 3) + __uhadd(b, 3) + __rhadd(a, 3) + __urhadd(b, 3);
  wide[0] = __brevll(c) + __umul64hi(c, 3) + (unsigned long long)__mul64hi((long long)c, 5);
#if __CUDA_ARCH__ >= 320
  r += __funnelshift_l(b, r, 3) + __funnelshift_lc(b, r, 3) + __funnelshift_r(b, r, 3) + __funnelshift_rc(b, r, 3);
#endif
#if __CUDA_ARCH__ >= 610
  r += __dp4a(a, 3, 4) + __dp4a(b, 3u, 4u) + __dp2a_lo(a, 3, 4) + __dp2a_hi(b, 3u, 4u);
  r += __dp4a(make_char4(1, 2, 3, 4), make_char4(1, 2, 3, 4), 5);
#endif
  r += min(a, 3) + max(b, 3u) + (unsigned int)max(c, 3ull) + (unsigned int)min(1.5f, 2.f) + (unsigned int)max(2.0, 1.5f);
  out[threadIdx.x] = r + __vadd2(b, 3) + __vabsdiffu4(b, 5) + __isGlobal(out) + __isShared(out);
}

__global__ void conversions(float* f, double* d, int i, unsigned int u, long long l, unsigned long long v) {
  float x = f[0];
  double y = d[0];
  x += __int2float_rn(i) + __int2float_rz(i) + __uint2float_ru(u) + __ll2float_rd(l) + __ull2float_rn(v) + __double2float_rz(y);
  y += __int2double_rn(i) + __uint2double_rn(u) + __ll2double_rd(l) + __ull2double_ru(v) + __hiloint2double(i, i);
  i += __float2int_rn(x) + __float2int_rz(x) + __float2int_ru(x) + __float2int_rd(x) + __double2int_rn(y) + __double2hiint(y) + __double2loint(y);
  u += __float2uint_rn(x) + __double2uint_rz(y);
  l += __float2ll_rn(x) + __double2ll_rd(y);
  v += __float2ull_rz(x) + __double2ull_ru(y);
  x = __int_as_float(__float_as_int(x) ^ 1) + __uint_as_float(__float_as_uint(x));
  y = __longlong_as_double(__double_as_longlong(y) ^ 1);
  x = __fadd_rn(x, 1.f) + __fadd_rz(x, 2.f) + __fsub_ru(x, 1.f) + __fmul_rd(x, 3.f) + __fmaf_rn(x, x, x) + __fmaf_rz(x, x, x);
  x += __fdiv_rn(x, 3.f) + __frcp_rn(x) + __fsqrt_rn(x) + __frsqrt_rn(x) + __fdividef(x, 3.f) + __saturatef(x);
  x += __sinf(x) + __cosf(x) + __tanf(x) + __expf(x) + __exp10f(x) + __logf(x) + __log2f(x) + __log10f(x) + __powf(x, 2.f);
  y = __dadd_rn(y, 1.0) + __dsub_rz(y, 2.0) + __dmul_ru(y, 3.0) + __ddiv_rn(y, 3.0) + __drcp_rd(y) + __dsqrt_rn(y) + __fma_rn(y, y, y);
  float s, c;
  __sincosf(x, &s, &c);
  f[0] = x + s + c + i + u;
  d[0] = y + l + v;
}

__global__ void caches(const float* in, const float4* in4, float* out, float4* out4, const double2* pairs, const char* bytes) {
  float v = __ldg(in) + __ldca(in) + __ldcg(in) + __ldcs(in) + __ldlu(in) + __ldcv(in);
  const float4 q = __ldg(in4), w = __ldcg(in4);
  const double2 p = __ldg(pairs);
  __stwb(out, v);
  __stcg(out + 1, q.x + w.y);
  __stcs(out4, make_float4(v, v, v, (float)p.y));
  __stwt(out + 2, (float)__ldg(bytes));
  __shared__ int local_word;
  out[3] = (float)__cvta_generic_to_shared(&local_word);
}

__global__ void control(int* out, long long* times) {
  __shared__ int tile[64];
  tile[threadIdx.x & 63] = threadIdx.x;
  const long long begin = clock64();
  __syncthreads();
  out[0] = __syncthreads_count(tile[0]) + __syncthreads_and(tile[1]) + __syncthreads_or(tile[2]);
  __threadfence_block();
  __threadfence();
  __threadfence_system();
  times[0] = clock64() - begin + clock();
#if __CUDA_ARCH__ >= 700
  __nanosleep(100);
#endif
  assert(out[0] > 3);
  printf("thread %d of %u: %f %s\n", out[0], blockDim.x, 1.5, "text");
  if (out[1] == 12345) __trap();
  int* heap = (int*)malloc(4 * sizeof(int));
  heap[0] = 1;
  out[2] = heap[0];
  free(heap);
  int* object = new int[3];
  out[3] = object[1];
  delete[] object;
  memset(tile, 0, sizeof(tile));
  memcpy(out + 4, tile, 16);
}
