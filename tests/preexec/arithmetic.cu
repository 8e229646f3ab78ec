// Every block computes the same: PTX's arithmetic on the same edge cases. So blocks of an SM and blocks of a
// core have to leave the same bits. Results of a group of operations are mixed into one word a thread; where
// two blocks differ the group and the operands are told.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr unsigned kValues = 16, kThreads = kValues * kValues, kGroups = 16;

__device__ u64 mixed(u64 sum, u64 value) { return (sum ^ value) * 0x100000001b3ull; }

// Operations of two or three operands of a type, and their results.
#define U2(op)                                         \
  {                                                    \
    u32 d;                                             \
    asm(op " %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); \
    sum = mixed(sum, d);                               \
  }
#define U3(op)                                                     \
  {                                                                \
    u32 d;                                                         \
    asm(op " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
    sum = mixed(sum, d);                                           \
  }
#define U1(op)                             \
  {                                        \
    u32 d;                                 \
    asm(op " %0, %1;" : "=r"(d) : "r"(a)); \
    sum = mixed(sum, d);                   \
  }
#define L2(op)                                           \
  {                                                      \
    u64 d;                                               \
    asm(op " %0, %1, %2;" : "=l"(d) : "l"(la), "l"(lb)); \
    sum = mixed(sum, d);                                 \
  }
#define LS(op)                                          \
  {                                                     \
    u64 d;                                              \
    asm(op " %0, %1, %2;" : "=l"(d) : "l"(la), "r"(b)); \
    sum = mixed(sum, d);                                \
  }
#define LU(op)                                         \
  {                                                    \
    u64 d;                                             \
    asm(op " %0, %1, %2;" : "=l"(d) : "r"(a), "r"(b)); \
    sum = mixed(sum, d);                               \
  }
#define UL1(op)                             \
  {                                         \
    u32 d;                                  \
    asm(op " %0, %1;" : "=r"(d) : "l"(la)); \
    sum = mixed(sum, d);                    \
  }
#define LL1(op)                             \
  {                                         \
    u64 d;                                  \
    asm(op " %0, %1;" : "=l"(d) : "l"(la)); \
    sum = mixed(sum, d);                    \
  }
#define F1(op)                              \
  {                                         \
    float d;                                \
    asm(op " %0, %1;" : "=f"(d) : "f"(fa)); \
    sum = mixed(sum, __float_as_uint(d));   \
  }
#define F2(op)                                           \
  {                                                      \
    float d;                                             \
    asm(op " %0, %1, %2;" : "=f"(d) : "f"(fa), "f"(fb)); \
    sum = mixed(sum, __float_as_uint(d));                \
  }
#define F3(op)                                                        \
  {                                                                   \
    float d;                                                          \
    asm(op " %0, %1, %2, %3;" : "=f"(d) : "f"(fa), "f"(fb), "f"(fc)); \
    sum = mixed(sum, __float_as_uint(d));                             \
  }
#define D1(op)                                 \
  {                                            \
    double d;                                  \
    asm(op " %0, %1;" : "=d"(d) : "d"(da));    \
    sum = mixed(sum, __double_as_longlong(d)); \
  }
#define D2(op)                                           \
  {                                                      \
    double d;                                            \
    asm(op " %0, %1, %2;" : "=d"(d) : "d"(da), "d"(db)); \
    sum = mixed(sum, __double_as_longlong(d));           \
  }
#define D3(op)                                                        \
  {                                                                   \
    double d;                                                         \
    asm(op " %0, %1, %2, %3;" : "=d"(d) : "d"(da), "d"(db), "d"(dc)); \
    sum = mixed(sum, __double_as_longlong(d));                        \
  }
// Conversions.
#define FU(op)                              \
  {                                         \
    u32 d;                                  \
    asm(op " %0, %1;" : "=r"(d) : "f"(fa)); \
    sum = mixed(sum, d);                    \
  }
#define FL(op)                              \
  {                                         \
    u64 d;                                  \
    asm(op " %0, %1;" : "=l"(d) : "f"(fa)); \
    sum = mixed(sum, d);                    \
  }
#define DU(op)                              \
  {                                         \
    u32 d;                                  \
    asm(op " %0, %1;" : "=r"(d) : "d"(da)); \
    sum = mixed(sum, d);                    \
  }
#define DL(op)                              \
  {                                         \
    u64 d;                                  \
    asm(op " %0, %1;" : "=l"(d) : "d"(da)); \
    sum = mixed(sum, d);                    \
  }
#define UF(op)                             \
  {                                        \
    float d;                               \
    asm(op " %0, %1;" : "=f"(d) : "r"(a)); \
    sum = mixed(sum, __float_as_uint(d));  \
  }
#define LF(op)                              \
  {                                         \
    float d;                                \
    asm(op " %0, %1;" : "=f"(d) : "l"(la)); \
    sum = mixed(sum, __float_as_uint(d));   \
  }
#define UD(op)                                 \
  {                                            \
    double d;                                  \
    asm(op " %0, %1;" : "=d"(d) : "r"(a));     \
    sum = mixed(sum, __double_as_longlong(d)); \
  }
#define LD(op)                                 \
  {                                            \
    double d;                                  \
    asm(op " %0, %1;" : "=d"(d) : "l"(la));    \
    sum = mixed(sum, __double_as_longlong(d)); \
  }
#define DF(op)                              \
  {                                         \
    float d;                                \
    asm(op " %0, %1;" : "=f"(d) : "d"(da)); \
    sum = mixed(sum, __float_as_uint(d));   \
  }
#define FD(op)                                 \
  {                                            \
    double d;                                  \
    asm(op " %0, %1;" : "=d"(d) : "f"(fa));    \
    sum = mixed(sum, __double_as_longlong(d)); \
  }
// Comparisons.
#define PU(op)                                                                                   \
  {                                                                                              \
    u32 d;                                                                                       \
    asm("{ .reg .pred p; " op " p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(d) : "r"(a), "r"(b)); \
    sum = mixed(sum, d);                                                                         \
  }
#define PF(op)                                                                                     \
  {                                                                                                \
    u32 d;                                                                                         \
    asm("{ .reg .pred p; " op " p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(d) : "f"(fa), "f"(fb)); \
    sum = mixed(sum, d);                                                                           \
  }
#define PD(op)                                                                                     \
  {                                                                                                \
    u32 d;                                                                                         \
    asm("{ .reg .pred p; " op " p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(d) : "d"(da), "d"(db)); \
    sum = mixed(sum, d);                                                                           \
  }

#define KEEP(group) out[(blockIdx.x * kGroups + (group)) * kThreads + threadIdx.x] = sum, sum = 0;

__global__ void arithmetic(const u32* words, const u64* longs, u64* out) {
  const unsigned i = threadIdx.x % kValues, j = threadIdx.x / kValues, l = (i * 5 + j * 3 + 1) % kValues;
  const u32 a = words[i], b = words[j], c = words[l];
  const u64 la = longs[i], lb = longs[j], lc = longs[l];
  const float fa = __uint_as_float(a), fb = __uint_as_float(b), fc = __uint_as_float(c);
  const double da = __longlong_as_double(la), db = __longlong_as_double(lb), dc = __longlong_as_double(lc);
  u64 sum = 0;
  // clang-format off
  U2("add.u32") U2("sub.s32") U2("mul.lo.u32") U2("mul.hi.u32") U2("mul.hi.s32") U2("mul24.lo.u32")
  LU("mul.wide.u32") LU("mul.wide.s32") U3("mad.lo.s32") U3("sad.s32") U3("sad.u32") KEEP(0)
  U2("div.u32") U2("div.s32") U2("rem.u32") U2("rem.s32") L2("div.u64") L2("div.s64") L2("rem.u64")
  L2("rem.s64") L2("mul.lo.u64") L2("mul.hi.u64") L2("mul.hi.s64") KEEP(1)
  U2("shl.b32") U2("shr.u32") U2("shr.s32") LS("shl.b64") LS("shr.u64") LS("shr.s64") U3("shf.l.wrap.b32")
  U3("shf.l.clamp.b32") U3("shf.r.wrap.b32") U3("shf.r.clamp.b32") U3("bfe.u32") U3("bfe.s32")
  U3("prmt.b32") KEEP(2)
  U1("popc.b32") U1("clz.b32") U1("brev.b32") U1("bfind.u32") U1("bfind.s32") UL1("popc.b64")
  UL1("clz.b64") LL1("brev.b64") U2("min.s32") U2("min.u32") U2("max.s32") U2("max.u32") U1("abs.s32")
  U1("neg.s32") U1("cnot.b32") KEEP(3)
  PU("setp.lt.s32") PU("setp.lt.u32") PU("setp.ge.s32") PU("setp.hi.u32") PF("setp.lt.f32")
  PF("setp.ltu.f32") PF("setp.eq.f32") PF("setp.neu.f32") PF("setp.num.f32") PF("setp.nan.f32")
  PF("setp.gt.ftz.f32") PF("setp.equ.ftz.f32") PD("setp.le.f64") PD("setp.leu.f64") PD("setp.ne.f64")
  KEEP(4)
  F2("add.rn.f32") F2("add.rz.f32") F2("add.rm.f32") F2("add.rp.f32") F2("add.ftz.f32") F2("add.sat.f32")
  F2("sub.rn.f32") F2("sub.rz.f32") F2("sub.rm.f32") F2("sub.rp.f32") F2("sub.ftz.sat.f32") KEEP(5)
  F2("mul.rn.f32") F2("mul.rz.f32") F2("mul.rm.f32") F2("mul.rp.f32") F2("mul.ftz.f32") F2("mul.sat.f32")
  F3("fma.rn.f32") F3("fma.rz.f32") F3("fma.rm.f32") F3("fma.rp.f32") F3("fma.rn.ftz.f32")
  F3("fma.rn.sat.f32") KEEP(6)
  F2("div.rn.f32") F2("div.rz.f32") F2("div.rm.f32") F2("div.rp.f32") F2("div.rn.ftz.f32")
  F2("div.full.f32") F2("div.approx.f32") F1("rcp.rn.f32") F1("rcp.rz.f32") F1("rcp.approx.ftz.f32")
  F1("sqrt.rn.f32") F1("sqrt.rz.f32") F1("sqrt.approx.f32") KEEP(7)
  F2("min.f32") F2("max.f32") F2("min.ftz.f32") F2("max.ftz.f32") F1("abs.f32") F1("neg.f32")
  F1("abs.ftz.f32") KEEP(8)
  F1("rsqrt.approx.f32") F1("sin.approx.f32") F1("cos.approx.f32") F1("lg2.approx.f32")
  F1("ex2.approx.f32") F1("ex2.approx.ftz.f32") F1("lg2.approx.ftz.f32") KEEP(9)
  D2("add.rn.f64") D2("add.rz.f64") D2("add.rm.f64") D2("add.rp.f64") D2("sub.rn.f64") D2("mul.rn.f64")
  D2("mul.rz.f64") D2("mul.rm.f64") D2("mul.rp.f64") D3("fma.rn.f64") D3("fma.rz.f64") D3("fma.rm.f64")
  D3("fma.rp.f64") KEEP(10)
  D2("div.rn.f64") D2("div.rz.f64") D2("div.rm.f64") D2("div.rp.f64") D1("rcp.rn.f64") D1("sqrt.rn.f64")
  D1("sqrt.rp.f64") D2("min.f64") D2("max.f64") D1("abs.f64") D1("neg.f64") KEEP(11)
  FU("cvt.rni.s32.f32") FU("cvt.rzi.s32.f32") FU("cvt.rmi.u32.f32") FU("cvt.rpi.u32.f32")
  FL("cvt.rzi.s64.f32") FL("cvt.rni.u64.f32") FU("cvt.rni.ftz.s32.f32") F1("cvt.rni.f32.f32")
  F1("cvt.rmi.f32.f32") F1("cvt.rpi.f32.f32") F1("cvt.rzi.f32.f32") F1("cvt.sat.f32.f32")
  F1("cvt.ftz.f32.f32") KEEP(12)
  DU("cvt.rni.s32.f64") DU("cvt.rzi.u32.f64") DL("cvt.rmi.s64.f64") DL("cvt.rpi.u64.f64")
  D1("cvt.rni.f64.f64") D1("cvt.rzi.f64.f64") DF("cvt.rn.f32.f64") DF("cvt.rz.f32.f64")
  DF("cvt.rm.f32.f64") DF("cvt.rp.f32.f64") DF("cvt.rn.ftz.f32.f64") DF("cvt.rn.sat.f32.f64")
  FD("cvt.f64.f32") FD("cvt.ftz.f64.f32") KEEP(13)
  UF("cvt.rn.f32.s32") LF("cvt.rn.f32.s64") UD("cvt.rn.f64.s32") UD("cvt.rn.f64.u32") LD("cvt.rn.f64.s64")
  UF("cvt.rn.sat.f32.s32") KEEP(14)
  { signed char d = static_cast<signed char>(a); sum = mixed(sum, static_cast<u64>(static_cast<long long>(d))); }
  { unsigned short d = static_cast<unsigned short>(a >> 3); sum = mixed(sum, d); }
  U1("cvt.sat.s8.s32") U1("cvt.sat.u8.s32") U1("cvt.sat.s16.s32") U1("cvt.sat.u16.u32")
  U1("cvt.sat.u32.s32")
  { u32 d; asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum = mixed(sum, d); }
  { u32 d; asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum = mixed(sum, d); }
  { u32 d; asm("bfi.b32 %0, %1, %2, %3, 7;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); sum = mixed(sum, d); }
  KEEP(15)
  // clang-format on
}

int main(int argc, char** argv) {
  const unsigned blocks = argc > 1 ? std::atoi(argv[1]) : 100;
  const u32 words[kValues] = {0,          1,          31,         0x80000000, 0xffffffff, 0x7fffffff,
                              0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc12345, 0x00000fff,
                              0x40490fdb, 0x4f000000, 0xcb3c614e, 0xbe99999a};
  u64 longs[kValues] = {0,
                        1,
                        0x8000000000000000,
                        ~0ull,
                        0x7fffffffffffffff,
                        0x3ff0000000000000,
                        0xbff8000000000000,
                        0x7ff0000000000000,
                        0xfff0000000000000,
                        0x7ff8000000abcdef,
                        0x0000000000ffffff,
                        0x400921fb54442d18,
                        0x43e0000000000000,
                        0xc1dffffffff00000,
                        0xbfd3333333333333,
                        0x36a0000000000001};
  u32* device_words;
  u64 *device_longs, *out;
  const std::size_t results = std::size_t{blocks} * kGroups * kThreads;
  cudaMalloc(&device_words, sizeof words);
  cudaMalloc(&device_longs, sizeof longs);
  cudaMalloc(&out, results * sizeof(u64));
  cudaMemcpy(device_words, words, sizeof words, cudaMemcpyHostToDevice);
  cudaMemcpy(device_longs, longs, sizeof longs, cudaMemcpyHostToDevice);
  arithmetic<<<blocks, kThreads>>>(device_words, device_longs, out);
  if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    return 1;
  }
  std::vector<u64> host(results);
  cudaMemcpy(host.data(), out, results * sizeof(u64), cudaMemcpyDeviceToHost);
  unsigned told = 0, wrong = 0;
  for (unsigned block = 1; block < blocks; ++block)
    for (unsigned group = 0; group < kGroups; ++group)
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        if (host[(block * kGroups + group) * kThreads + thread] == host[group * kThreads + thread]) continue;
        ++wrong;
        if (block == blocks - 1 && told++ < 40)
          std::printf("group %u, operands %#x and %#x, or %#llx and %#llx\n", group, words[thread % kValues],
                      words[thread / kValues], static_cast<unsigned long long>(longs[thread % kValues]),
                      static_cast<unsigned long long>(longs[thread / kValues]));
      }
  std::printf("%s\n", wrong == 0 ? "right" : "wrong");
  return wrong != 0;
}
