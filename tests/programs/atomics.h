// Atomics of every type by 256 threads that contend, and what the cells must hold then; the results do not
// depend on the order. Where the cells are is the program's: its kernel `run` calls apply() and exchange().
#pragma once

#include "expect.h"

struct Cells {
  int i_add, i_sub, i_min, i_max, i_and, i_or, i_xor, i_cas, i_exch;
  unsigned u_add, u_min, u_max, u_and, u_or, u_xor, u_inc, u_dec, u_cas;
  unsigned long long l_add, l_min, l_max, l_and, l_or, l_xor, l_cas, l_exch;
  long long s_min, s_max;
  float f_add;
  double d_add;
};

__device__ void apply(Cells* cells, int i) {
  unsigned u = i * 2654435761u;
  unsigned long long l = u * 4294967311ull;
  atomicAdd(&cells->i_add, i - 100);
  atomicSub(&cells->i_sub, i);
  atomicMin(&cells->i_min, 50 - i);
  atomicMax(&cells->i_max, i - 300);
  atomicAnd(&cells->i_and, ~(1 << (i % 31)) | 0x10);
  atomicOr(&cells->i_or, 1 << (i % 16));
  atomicXor(&cells->i_xor, i * 77);
  atomicAdd(&cells->u_add, u);
  atomicMin(&cells->u_min, u | 0x40u);
  atomicMax(&cells->u_max, u & 0xfffffff0u);
  atomicAnd(&cells->u_and, u | 0xff0000ffu);
  atomicOr(&cells->u_or, u & 0x0f0f0f0fu);
  atomicXor(&cells->u_xor, u);
  atomicInc(&cells->u_inc, 99u);
  atomicDec(&cells->u_dec, 99u);
  atomicAdd(&cells->l_add, l);
  atomicMin(&cells->l_min, l | 0x4000u);
  atomicMax(&cells->l_max, l & ~0xfffull);
  atomicAnd(&cells->l_and, l | 0xff000000000000ffull);
  atomicOr(&cells->l_or, l & 0x0f0f0f0f0f0f0f0full);
  atomicXor(&cells->l_xor, l);
  atomicMin(&cells->s_min, 10000000000ll - i * 7000000000ll);
  atomicMax(&cells->s_max, i * 7000000000ll - 10000000000ll);
  atomicAdd(&cells->f_add, 0.5f * i);
  atomicAdd(&cells->d_add, 0.25 * i);
  // Compare-and-swap loops: a sum that no other atomic gives.
  int seen = cells->i_cas, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(&cells->i_cas, assumed, assumed + 3);
  } while (seen != assumed);
  unsigned u_seen = atomicAdd(&cells->u_cas, 0u), u_assumed;
  do {
    u_assumed = u_seen;
    u_seen = atomicCAS(&cells->u_cas, u_assumed, u_assumed * 3u);
  } while (u_seen != u_assumed);
  unsigned long long l_seen = atomicAdd(&cells->l_cas, 0ull), l_assumed;
  do {
    l_assumed = l_seen;
    l_seen = atomicCAS(&cells->l_cas, l_assumed, l_assumed + 5000000000ull);
  } while (l_seen != l_assumed);
}

// Exchanges hand every written value to exactly one reader, or leave it in the cell.
__device__ void exchange(Cells* cells, int i, int* i_got, unsigned long long* l_got) {
  i_got[i] = atomicExch(&cells->i_exch, i + 1);
  l_got[i] = atomicExch(&cells->l_exch, (i + 1) * 10000000000ull);
}

// The kernel's threads are `n`, in `grid` blocks.
inline void check_atomics(void (*run)(Cells*, int*, unsigned long long*), unsigned grid) {
  const int n = 256;
  Cells start;
  memset(&start, 0, sizeof(start));
  start.i_min = start.i_max = -5;
  start.i_and = -1;
  start.u_min = start.u_and = 0xffffffffu;
  start.l_min = start.l_and = ~0ull;
  start.u_dec = 10;
  start.u_cas = 1;
  expect::Array<Cells> cells(1, start);
  expect::Array<int> i_got(n);
  expect::Array<unsigned long long> l_got(n);
  run<<<grid, n / grid>>>(cells.device(), i_got.device(), l_got.device());
  CHECK_LAUNCH();
  cells.fetch();
  i_got.fetch();
  l_got.fetch();

  Cells e = start;
  for (int i = 0; i < n; i++) {
    unsigned u = i * 2654435761u;
    unsigned long long l = u * 4294967311ull;
    e.i_add += i - 100;
    e.i_sub -= i;
    e.i_min = 50 - i < e.i_min ? 50 - i : e.i_min;
    e.i_max = i - 300 > e.i_max ? i - 300 : e.i_max;
    e.i_and &= ~(1 << (i % 31)) | 0x10;
    e.i_or |= 1 << (i % 16);
    e.i_xor ^= i * 77;
    e.u_add += u;
    e.u_min = (u | 0x40u) < e.u_min ? u | 0x40u : e.u_min;
    e.u_max = (u & 0xfffffff0u) > e.u_max ? u & 0xfffffff0u : e.u_max;
    e.u_and &= u | 0xff0000ffu;
    e.u_or |= u & 0x0f0f0f0fu;
    e.u_xor ^= u;
    e.u_inc = e.u_inc >= 99 ? 0 : e.u_inc + 1;
    e.u_dec = e.u_dec == 0 || e.u_dec > 99 ? 99 : e.u_dec - 1;
    e.l_add += l;
    e.l_min = (l | 0x4000u) < e.l_min ? l | 0x4000u : e.l_min;
    e.l_max = (l & ~0xfffull) > e.l_max ? l & ~0xfffull : e.l_max;
    e.l_and &= l | 0xff000000000000ffull;
    e.l_or |= l & 0x0f0f0f0f0f0f0f0full;
    e.l_xor ^= l;
    long long down = 10000000000ll - i * 7000000000ll, up = -down;
    e.s_min = down < e.s_min ? down : e.s_min;
    e.s_max = up > e.s_max ? up : e.s_max;
    e.f_add += 0.5f * i;
    e.d_add += 0.25 * i;
    e.i_cas += 3;
    e.u_cas *= 3u;
    e.l_cas += 5000000000ull;
  }
  const Cells& c = cells.host[0];
#define COMPARE(field) expect::equal(#field, 0, c.field, e.field)
  COMPARE(i_add), COMPARE(i_sub), COMPARE(i_min), COMPARE(i_max), COMPARE(i_and), COMPARE(i_or),
      COMPARE(i_xor);
  COMPARE(i_cas), COMPARE(u_add), COMPARE(u_min), COMPARE(u_max), COMPARE(u_and), COMPARE(u_or),
      COMPARE(u_xor);
  COMPARE(u_inc), COMPARE(u_dec), COMPARE(u_cas), COMPARE(l_add), COMPARE(l_min), COMPARE(l_max),
      COMPARE(l_and);
  COMPARE(l_or), COMPARE(l_xor), COMPARE(l_cas), COMPARE(s_min), COMPARE(s_max), COMPARE(f_add),
      COMPARE(d_add);

  std::vector<int> i_seen(n + 1), l_seen(n + 1);
  i_seen[c.i_exch]++;
  l_seen[c.l_exch / 10000000000ull]++;
  for (int i = 0; i < n; i++) {
    i_seen[i_got.host[i]]++;
    l_seen[l_got.host[i] / 10000000000ull]++;
  }
  for (int i = 0; i <= n; i++) {
    expect::equal("times that a 32-bit value came back", i, i_seen[i], 1);
    expect::equal("times that a 64-bit value came back", i, l_seen[i], 1);
  }
}
