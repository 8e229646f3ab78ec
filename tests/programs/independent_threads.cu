// Lanes of one warp that wait for each other: kernels compiled for sm_70 or later may rely on it that
// diverged lanes make progress, that instructions which name lanes wait for them wherever they are, and that
// a barrier waits for every thread.
#include "expect.h"

namespace {

constexpr int kThreads = 64;
constexpr unsigned kAll = 0xffffffffu;

__device__ int lock_word = 0, first_lock = 0, second_lock = 0;

__global__ void spin_lock(int* counter) {
  while (atomicCAS(&lock_word, 0, 1) != 0) {
  }
  __threadfence();
  *static_cast<volatile int*>(counter) = *static_cast<volatile int*>(counter) + 1;
  __threadfence();
  atomicExch(&lock_word, 0);
}

// Two locks, taken in one order, with a branch around the inner one.
__global__ void nested_locks(int* counters) {
  volatile int* shared = counters;
  while (atomicExch(&first_lock, 1) != 0) {
  }
  shared[0] = shared[0] + 1;
  if (threadIdx.x % 3 == 0) {
    while (atomicExch(&second_lock, 1) != 0) {
    }
    shared[1] = shared[1] + static_cast<int>(threadIdx.x);
    __threadfence();
    atomicExch(&second_lock, 0);
  }
  __threadfence();
  atomicExch(&first_lock, 0);
}

// Each lane waits for its neighbour, the last one first where `downwards`.
__global__ void chain(int* out, bool downwards) {
  __shared__ volatile int flag[kThreads];
  const int t = threadIdx.x, before = downwards ? t + 1 : t - 1;
  flag[t] = 0;
  __syncthreads();
  const bool first = downwards ? t == kThreads - 1 : t == 0;
  if (!first)
    while (flag[before] == 0) {
    }
  out[t] = first ? 1 : static_cast<volatile int*>(out)[before] + 1;
  __threadfence();
  flag[t] = 1;
}

// A producer lane and a consumer lane hand a word over, again and again.
__global__ void ping_pong(int* out, int rounds) {
  __shared__ volatile int turn;
  __shared__ volatile int value;
  if (threadIdx.x == 0) turn = value = 0;
  __syncwarp();
  if (threadIdx.x >= 2) return;
  for (int i = 0; i < rounds; ++i) {
    while (turn != static_cast<int>(threadIdx.x)) {
    }
    value = value * 3 + static_cast<int>(threadIdx.x) + 1;
    __threadfence_block();
    turn = 1 - static_cast<int>(threadIdx.x);
  }
  if (threadIdx.x == 1) *out = value;
}

// The lanes meet in one exchange from two sides of a branch.
__global__ void exchange_apart(int* out) {
  const int t = threadIdx.x;
  int shuffled, largest;
  unsigned votes, same;
  if (t & 1) {
    shuffled = __shfl_xor_sync(kAll, t * 3, 1) + 1000;
  } else {
    shuffled = __shfl_xor_sync(kAll, t * 5, 1) + 2000;
  }
  if (t < 20)
    votes = __ballot_sync(kAll, t % 3 == 0);
  else
    votes = ~__ballot_sync(kAll, t % 2 == 0);
  if (t % 4 == 3)
    same = __match_any_sync(kAll, t / 8);
  else
    same = __match_any_sync(kAll, t / 16) + 1;
  if (t < 9) {
    largest = __any_sync(kAll, t == 3);
  } else {
    largest = __any_sync(kAll, false) + 10;
  }
  int* own = out + 4 * t;
  own[0] = shuffled;
  own[1] = static_cast<int>(votes);
  own[2] = static_cast<int>(same);
  own[3] = largest;
}

// Sub-groups of a warp loop a different number of times over exchanges of their own.
__global__ void groups_apart(int* out) {
  const int t = threadIdx.x, group = t / 8;
  const unsigned mask = 0xffu << (group * 8);
  int value = t;
  for (int i = 0; i <= group; ++i) {
    if (t & 1)
      value += __shfl_sync(mask, value, (t + 1) % 8, 8);
    else
      value += __shfl_sync(mask, value, (t + 1) % 8, 8);
    __syncwarp(mask);
  }
  out[t] = value;
}

// Lanes that have ended are not waited for.
__global__ void ended_lanes(int* out) {
  const int t = threadIdx.x;
  if (t >= 20) return;
  int value = 0;
  if (t < 10) {
    __syncwarp(0xfffffu);
    value = 1;
  } else {
    __syncwarp(0xfffffu);
    value = 2;
  }
  __syncthreads();
  out[t] = value;
}

__global__ void barriers_apart(int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  tile[t] = t;
  if (t % 2) {
    __syncthreads();
    out[t] = tile[(t + 1) % kThreads];
  } else {
    __syncthreads();
    out[t] = tile[(t + kThreads - 1) % kThreads] * 10;
  }
}

// The barrier's reduction takes the predicates of both sides.
__global__ void reduction_apart(int* out) {
  const int t = threadIdx.x;
  int count;
  if (t < 21)
    count = __syncthreads_count(t % 2);
  else
    count = __syncthreads_count(t % 5 == 0) + 100;
  out[t] = count;
}

// Half of each of two warps at a barrier of 32 threads, the other halves at another.
__global__ void counted_barriers(int* out) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x, half = t / 16 % 2;
  tile[t] = t * 7;
  if (half == 0) {
    asm volatile("barrier.sync 1, 32;" ::: "memory");
    out[t] = tile[(t + 32) % kThreads];
  } else {
    asm volatile("barrier.sync 2, 32;" ::: "memory");
    out[t] = tile[(t + 32) % kThreads] + 1;
  }
}

}  // namespace

int main() {
  for (int blocks = 1; blocks <= 3; ++blocks) {
    expect::Array<int> counter(1);
    spin_lock<<<blocks, kThreads>>>(counter.device());
    CHECK_LAUNCH();
    expect::equal("spin_lock", 0, counter.fetch()[0], blocks * kThreads);
  }
  expect::Array<int> counters(2);
  nested_locks<<<2, kThreads>>>(counters.device());
  CHECK_LAUNCH();
  counters.fetch();
  expect::equal("nested_locks", 0, counters.host[0], 2 * kThreads);
  expect::equal("nested_locks", 1, counters.host[1], 2 * (0 + 63) * 22 / 2);

  expect::Array<int> out(4 * kThreads);
  for (int downwards = 0; downwards < 2; ++downwards) {
    chain<<<1, kThreads>>>(out.device(), downwards != 0);
    CHECK_LAUNCH();
    out.fetch();
    for (int t = 0; t < kThreads; ++t)
      expect::equal("chain", t, out.host[t], downwards ? kThreads - t : t + 1);
  }

  ping_pong<<<1, 32>>>(out.device(), 9);
  CHECK_LAUNCH();
  int value = 0;
  for (int i = 0; i < 9; ++i) value = (value * 3 + 1) * 3 + 2;
  expect::equal("ping_pong", 0, out.fetch()[0], value);

  exchange_apart<<<1, 32>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  unsigned votes = 0;
  for (int t = 0; t < 32; ++t) votes |= static_cast<unsigned>(t < 20 ? t % 3 == 0 : t % 2 == 0) << t;
  const auto key = [](int t) { return t % 4 == 3 ? t / 8 : t / 16; };
  for (int t = 0; t < 32; ++t) {
    unsigned same = 0;
    for (int other = 0; other < 32; ++other) same |= static_cast<unsigned>(key(other) == key(t)) << other;
    expect::equal("shuffled", t, out.host[4 * t], t & 1 ? (t ^ 1) * 5 + 1000 : (t ^ 1) * 3 + 2000);
    expect::equal("votes", t, out.host[4 * t + 1], static_cast<int>(t < 20 ? votes : ~votes));
    expect::equal("same", t, out.host[4 * t + 2], static_cast<int>(t % 4 == 3 ? same : same + 1));
    expect::equal("any", t, out.host[4 * t + 3], t < 9 ? 1 : 11);
  }

  groups_apart<<<1, 32>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  int values[32];
  for (int t = 0; t < 32; ++t) values[t] = t;
  for (int i = 0; i < 4; ++i) {
    int before[32];
    memcpy(before, values, sizeof before);
    for (int t = 0; t < 32; ++t)
      if (i <= t / 8) values[t] = before[t] + before[t / 8 * 8 + (t + 1) % 8];
  }
  for (int t = 0; t < 32; ++t) expect::equal("groups_apart", t, out.host[t], values[t]);

  ended_lanes<<<1, 32>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int t = 0; t < 20; ++t) expect::equal("ended_lanes", t, out.host[t], t < 10 ? 1 : 2);

  barriers_apart<<<1, kThreads>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int t = 0; t < kThreads; ++t)
    expect::equal("barriers_apart", t, out.host[t],
                  t % 2 ? (t + 1) % kThreads : (t + kThreads - 1) % kThreads * 10);

  reduction_apart<<<1, kThreads>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  int count = 0;
  for (int t = 0; t < kThreads; ++t) count += t < 21 ? t % 2 : t % 5 == 0;
  for (int t = 0; t < kThreads; ++t)
    expect::equal("reduction_apart", t, out.host[t], t < 21 ? count : count + 100);

  counted_barriers<<<1, kThreads>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int t = 0; t < kThreads; ++t)
    expect::equal("counted_barriers", t, out.host[t], (t + 32) % kThreads * 7 + t / 16 % 2);
  return expect::pass("independent_threads");
}
