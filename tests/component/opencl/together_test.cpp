// What work-items do together: atomics, groups, copies, and text.
#include <numeric>

#include "opencl_rig.h"

namespace duet::test {
namespace {

TEST(OpenClAtomics, OfTwoPointZeroInEveryTypeOrderAndScope) {
  const std::string text = R"(
#define ALL(T, name, space) \
kernel void name(space volatile atomic_##T* a, global T* out, int n) { \
  const int i = get_global_id(0); \
  if (i == 0) for (int k = 0; k < 12; ++k) atomic_init(a + k, k == 5 ? (T)~0 : k == 6 ? (T)100 : (T)0); \
  work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE); \
  atomic_fetch_add(a, (T)2); \
  atomic_fetch_sub_explicit(a + 1, (T)1, memory_order_relaxed); \
  atomic_fetch_add_explicit(a + 2, (T)1, memory_order_acq_rel, memory_scope_all_svm_devices); \
  atomic_fetch_sub_explicit(a + 3, (T)3, memory_order_seq_cst, memory_scope_all_svm_devices); \
  atomic_fetch_or_explicit(a + 4, (T)1 << (i % 16), memory_order_release, memory_scope_work_group); \
  atomic_fetch_and(a + 5, ~((T)1 << (i % 16))); \
  atomic_fetch_min_explicit(a + 6, (T)(i + 3), memory_order_acquire, memory_scope_device); \
  atomic_fetch_max(a + 7, (T)i); \
  atomic_fetch_xor(a + 8, (T)i); \
  for (T expected = atomic_load_explicit(a + 9, memory_order_relaxed);;) \
    if (atomic_compare_exchange_weak(a + 9, &expected, expected + 3)) break; \
  for (T expected = 0; !atomic_compare_exchange_strong_explicit(a + 10, &expected, expected + 1, memory_order_acq_rel, \
                                                                memory_order_relaxed, memory_scope_all_svm_devices);) {} \
  if (i == 0) atomic_store_explicit(a + 11, (T)41, memory_order_release, memory_scope_all_svm_devices); \
  work_group_barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_device); \
  if (i == 0) { \
    atomic_exchange(a + 11, (T)(atomic_exchange_explicit(a + 11, (T)1, memory_order_acq_rel, memory_scope_all_svm_devices) + 1)); \
    for (int k = 0; k < 12; ++k) out[k] = atomic_load(a + k); \
  } \
}
ALL(int, in_global_int, global) ALL(uint, in_global_uint, global) ALL(long, in_global_long, global) ALL(ulong, in_global_ulong, global)
ALL(int, in_local_int, local) ALL(uint, in_local_uint, local) ALL(long, in_local_long, local) ALL(ulong, in_local_ulong, local)
)";
  for (const char* standard : {"-cl-std=CL2.0", "-cl-std=CL3.0"}) {
    Program program(text, standard);
    const auto check = [&](auto zero, const std::string& type) {
      using T = decltype(zero);
      constexpr int kItems = 96;
      for (const std::string where : {"global", "local"}) {
        std::vector<T> a(12), out(12);
        program.run("in_" + where + "_" + type, {kItems}, {kItems},
                    {where == "global" ? buffer(a) : local(12 * sizeof(T)), buffer(out), value(kItems)});
        T folded = 0;
        for (int i = 0; i < kItems; ++i) folded ^= static_cast<T>(i);
        const std::vector<T> wanted{T(2 * kItems), T(-kItems),    T(kItems), T(-3 * kItems),
                                    T(0xffff),     T(~0xffff),    T(3),      T(kItems - 1),
                                    folded,        T(3 * kItems), T(kItems), T(42)};
        for (int k = 0; k < 12; ++k) {
          // ~0xffff of 64 bits has all higher bits.
          const T expected = k == 5 ? static_cast<T>(~static_cast<T>(0xffff)) : wanted[k];
          EXPECT_EQ(out[k], expected) << standard << ' ' << where << ' ' << type << ' ' << k;
        }
      }
    };
    check(std::int32_t{}, "int");
    check(std::uint32_t{}, "uint");
    check(std::int64_t{}, "long");
    check(std::uint64_t{}, "ulong");
  }
}

TEST(OpenClAtomics, OfFloatsAndFlags) {
  Program program(R"(
kernel void k(global atomic_float* f, global atomic_double* d, global atomic_flag* flag, global int* taken) {
  for (float old = atomic_load(f); !atomic_compare_exchange_weak(f, &old, old + 0.5f);) {}
  for (double old = atomic_load(d); !atomic_compare_exchange_weak(d, &old, old + 0.25);) {}
  if (!atomic_flag_test_and_set(flag)) atomic_fetch_add((global atomic_int*)taken, 1);
  barrier(CLK_GLOBAL_MEM_FENCE);
  if (get_local_id(0) == 0) {
    taken[1] = atomic_exchange(f + 1, 3.5f) == 2.5f && atomic_exchange_explicit(d + 1, 4.5, memory_order_relaxed, memory_scope_all_svm_devices) == 1.5;
    atomic_flag_clear_explicit(flag, memory_order_release, memory_scope_device);
    taken[2] = atomic_flag_test_and_set_explicit(flag, memory_order_acquire);
  }
}
)",
                  "-cl-std=CL2.0");
  std::vector<float> f{0, 2.5f};
  std::vector<double> d{0, 1.5};
  std::vector<std::int32_t> flag{0}, taken(3);
  program.run("k", {64}, {64}, {buffer(f), buffer(d), buffer(flag), buffer(taken)});
  EXPECT_EQ(f, (std::vector<float>{32, 3.5f}));
  EXPECT_EQ(d, (std::vector<double>{16, 4.5}));
  EXPECT_EQ(taken, (std::vector<std::int32_t>{1, 1, 0}));
}

TEST(OpenClAtomics, OfOnePointX) {
  Program program(R"(
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void k(global int* a, local uint* l, global ulong* b) {
  const int i = get_local_id(0);
  if (i == 0) l[0] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(a, i); atomic_sub(a + 1, 1); atomic_inc(a + 2); atomic_max(a + 3, i); atomic_min(a + 4, -i);
  atomic_or(l, 1u << (i % 32));
  atom_add(b, 1ul << 40); atom_max(b + 1, (ulong)i << 33); atom_dec(b + 2);
  for (ulong old = b[3];;) { const ulong now = atom_cmpxchg(b + 3, old, old + 2); if (now == old) break; old = now; }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  if (i == 0) a[5] = l[0], b[4] = atom_xchg(b + 4, 9ul) + atom_and(b + 4, 8ul) + atom_xor(b + 4, 3ul);
}
)");
  std::vector<std::int32_t> a(6);
  std::vector<std::uint64_t> b(5);
  program.run("k", {64}, {64}, {buffer(a), local(4), buffer(b)});
  EXPECT_EQ(a, (std::vector<std::int32_t>{63 * 32, -64, 64, 63, -63, -1}));
  EXPECT_EQ(b, (std::vector<std::uint64_t>{64ull << 40, 63ull << 33, ~0ull - 63, 128, 0 + 9 + 8}));
}

// A line of what a group finds together, for groups of any size and shape.
TEST(OpenClGroups, ReduceScanVoteAndBroadcast) {
  Program program(R"(
#define ALL(T) \
kernel void with_##T(global const T* x, global T* a) { \
  const size_t i = get_local_linear_id(), n = get_local_size(0) * get_local_size(1) * get_local_size(2); \
  a[i] = work_group_reduce_add(x[i]); \
  a[n + i] = work_group_reduce_min(x[i]); \
  a[2 * n + i] = work_group_reduce_max(x[i]); \
  a[3 * n + i] = work_group_scan_inclusive_add(x[i]); \
  a[4 * n + i] = work_group_scan_exclusive_add(x[i]); \
  a[5 * n + i] = work_group_scan_inclusive_max(x[i]); \
  a[6 * n + i] = work_group_scan_exclusive_min(i == 0 ? x[0] : x[i]); \
  a[7 * n + i] = work_group_broadcast(x[i], get_local_size(0) - 1, get_local_size(1) - 1); \
  a[8 * n + i] = work_group_any(x[i] == x[n / 2]) + 2 * work_group_all(i < n) + 4 * work_group_all(i != n - 1) + 8 * work_group_any(i > n); \
}
ALL(int) ALL(uint) ALL(long) ALL(ulong) ALL(float) ALL(double)
)",
                  "-cl-std=CL2.0");
  const auto check = [&](auto zero, const std::string& type) {
    using T = decltype(zero);
    for (const gpu::Dim3 group : {gpu::Dim3{1, 1, 1}, gpu::Dim3{7, 1, 1}, gpu::Dim3{32, 1, 1},
                                  gpu::Dim3{33, 3, 1}, gpu::Dim3{256, 1, 1}, gpu::Dim3{25, 40, 1}}) {
      const std::size_t n = group.count();
      std::vector<T> x(n), a(9 * n);
      for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<T>(static_cast<std::int64_t>(i * 37 % 101) - (std::is_unsigned_v<T> ? 0 : 50));
      program.run("with_" + type, group, group, {buffer(x), buffer(a)});
      const T sum = std::accumulate(x.begin(), x.end(), T{});
      const T least = *std::min_element(x.begin(), x.end()), most = *std::max_element(x.begin(), x.end());
      T before{}, most_so_far = x[0], least_before{};
      for (std::size_t i = 0; i < n; ++i) {
        most_so_far = std::max(most_so_far, x[i]);
        const T wanted[] = {sum,     least,       most,         static_cast<T>(before + x[i]),
                            before,  most_so_far, least_before, x[n - 1],
                            T(1 + 2)};
        for (unsigned k = 0; k < 9; ++k) {
          if (k == 6 && i == 0) continue;  // the type's largest
          ASSERT_EQ(a[k * n + i], wanted[k]) << type << ' ' << n << ' ' << i << ' ' << k;
        }
        least_before = i == 0 ? x[0] : std::min(least_before, x[i]);
        before = static_cast<T>(before + x[i]);
      }
    }
  };
  check(std::int32_t{}, "int");
  check(std::uint32_t{}, "uint");
  check(std::int64_t{}, "long");
  check(std::uint64_t{}, "ulong");
  check(float{}, "float");
  check(double{}, "double");
}

TEST(OpenClGroups, CopyBetweenGlobalAndLocalMemory) {
  Program program(R"(
kernel void k(global const float4* x, global float4* a, local float4* l, int n) {
  event_t e = async_work_group_copy(l, x + get_group_id(0) * n, n, 0);
  wait_group_events(1, &e);
  l[get_local_id(0)] *= 2.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  e = async_work_group_strided_copy(a + get_group_id(0), l, n, get_num_groups(0), 0);
  wait_group_events(1, &e);
}
)");
  std::vector<float> x(4 * 96), a(4 * 96);
  std::iota(x.begin(), x.end(), 1.0f);
  program.run("k", {96}, {32}, {buffer(x), buffer(a), local(32 * 16), value(32)});
  for (int group = 0; group < 3; ++group)
    for (int i = 0; i < 32; ++i)
      for (int c = 0; c < 4; ++c) ASSERT_EQ(a[4 * (3 * i + group) + c], 2 * x[4 * (32 * group + i) + c]);
}

TEST(OpenClPrintf, HasVectorsAndStringsOfConstants) {
  Program program(R"(
constant char name[] = "constant";
kernel void k(int i, char4 c, short3 s, float f, double2 d, long8 l, uchar u, float3 g, global int* result) {
  result[0] = printf("%d %v4hhd|%v3hd|%.2f|%5.1v2lf|%v8ld %u|%v3hlg %s %s%%\n", i, c, s, f, d, l, u, g, name, "literal");
  printf("%v4hhx %#v2x|%c|%5d|%-5d|%ld|%lx\n", c, (uint2)(16, 255), 'x', 7, 7, -1L, 1UL << 40);
  printf("plain\n");
}
)");
  using Char = std::int8_t;
  using Short = std::int16_t;
  std::vector<std::int32_t> result{-1};
  struct alignas(16) Float3 {
    float x[4];
  };
  EXPECT_EQ(program.run("k", {1}, {1},
                        {value(-3), value(std::array<Char, 4>{1, -2, 3, -4}),
                         value(std::array<Short, 4>{5, -6, 7, 0}), value(1.5f),
                         value(std::array<double, 2>{2.5, -3.25}),
                         value(std::array<std::int64_t, 8>{1, 2, 3, 4, 5, 6, 7, -8}),
                         value(std::uint8_t{200}), value(Float3{{0.5f, 1, 1e10f, 0}}), buffer(result)}),
            "-3 1,-2,3,-4|5,-6,7|1.50|  2.5, -3.2|1,2,3,4,5,6,7,-8 200|0.5,1,1e+10 constant literal%\n"
            "1,fe,3,fc 0x10,0xff|x|    7|7    |-1|10000000000\n"
            "plain\n");
  EXPECT_EQ(result[0], 0);
}

}  // namespace
}  // namespace duet::test
