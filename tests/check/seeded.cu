// `seeded faults` runs one kernel after the other, each with one fault; `seeded clean` runs kernels that look
// like faults and are right by CUDA's rules. A line with "// !KIND" belongs to a finding of that kind in the
// kernel above it (tests/check/seeded_test.py). Compiled for sm_70.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int kThreads = 128;
constexpr unsigned kAll = 0xffffffff;

__device__ int load_relaxed(int* from) {
  int value;
  asm volatile("ld.relaxed.gpu.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ int load_acquire(int* from) {
  int value;
  asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
__device__ void store_relaxed(int* to, int value) {
  asm volatile("st.relaxed.gpu.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
__device__ void store_release(int* to, int value) {
  asm volatile("st.release.gpu.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

// ---- Faults: shared memory ----

__global__ void volatile_unordered(int* out) {
  __shared__ volatile int value;
  if (threadIdx.x == 0) value = 0;
  __syncthreads();
  if (threadIdx.x == 64) value = 7;  // !shared_race
  out[threadIdx.x] = value;          // !shared_race
}
__global__ void volatile_reduction(int* out) {
  __shared__ int sums[kThreads];
  sums[threadIdx.x] = threadIdx.x;
  __syncthreads();
  volatile int* const s = sums;
  const int t = threadIdx.x;
  if (t < 32) {
    s[t] += s[t + 32];  // !shared_race
    s[t] += s[t + 16];  // !shared_race
  }
  __syncthreads();
  if (t == 0) *out = sums[0];
}
__global__ void relaxed_flag(int* out) {
  __shared__ int data[32], flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = threadIdx.x;  // !shared_race
    __syncwarp();
    if (threadIdx.x == 0) store_relaxed(&flag, 1);
  } else if (threadIdx.x < 64) {
    while (load_relaxed(&flag) == 0) continue;
    out[threadIdx.x - 32] = data[threadIdx.x - 32];  // !shared_race
  }
}
__global__ void reader_without_acquire(int* out) {
  __shared__ int data[32], flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = threadIdx.x;  // !shared_race
    __syncwarp();
    if (threadIdx.x == 0) store_release(&flag, 1);
  } else if (threadIdx.x < 64) {
    while (load_relaxed(&flag) == 0) continue;
    out[threadIdx.x - 32] = data[threadIdx.x - 32];  // !shared_race
  }
}
__global__ void volatile_flag_without_fence(int* out) {
  __shared__ volatile int flag;
  __shared__ int data;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 5;  // !shared_race
    flag = 1;
  }
  if (threadIdx.x == 96) {
    while (flag == 0) continue;
    *out = data;  // !shared_race
  }
}
__global__ void tile_of_next_round(const int* in, int* out) {
  __shared__ int tile[kThreads];
  int sum = 0;
  for (int round = 0; round < 4; ++round) {
    tile[threadIdx.x] = in[round * kThreads + threadIdx.x];  // !shared_race
    __syncthreads();
    for (int i = 0; i < kThreads; ++i) sum += tile[i];  // !shared_race
  }
  out[threadIdx.x] = sum;
}
__global__ void tree_without_barrier(int* out) {
  __shared__ int sums[kThreads];
  sums[threadIdx.x] = 1;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2)
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];  // !shared_race
  __syncthreads();
  if (threadIdx.x == 0) *out = sums[0];
}
__global__ void lock_without_fence(int* out) {
  __shared__ int lock, total;
  if (threadIdx.x == 0) lock = total = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) continue;
    total += 1;  // !shared_race
    atomicExch(&lock, 0);
  }
  __syncthreads();
  *out = total;
}
__global__ void warp_without_syncwarp(int* out) {
  __shared__ int tile[32];
  tile[threadIdx.x] = threadIdx.x;            // !shared_race
  out[threadIdx.x] = tile[31 - threadIdx.x];  // !shared_race
}
__global__ void syncwarp_too_early(int* out) {
  __shared__ int tile[32];
  __syncwarp();
  if (threadIdx.x < 16) tile[threadIdx.x] = 3;                       // !shared_race
  if (threadIdx.x >= 16) out[threadIdx.x] = tile[threadIdx.x - 16];  // !shared_race
}
__global__ void reset_beside_atomics(int* out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;  // !shared_race
  atomicAdd(&count, 1);             // !shared_race
  __syncthreads();
  *out = count;
}
__global__ void wrong_buffer(int* out) {
  __shared__ int buffers[2][kThreads];
  buffers[0][threadIdx.x] = 1;
  buffers[1][threadIdx.x] = 1;
  __syncthreads();
  for (int round = 0; round < 3; ++round) {
    const int from = buffers[0][(threadIdx.x + 33) % kThreads];  // !shared_race
    buffers[0][threadIdx.x] = from + round;                      // !shared_race
    __syncthreads();
  }
  out[threadIdx.x] = buffers[0][threadIdx.x];
}
__global__ void barrier_of_two_halves(int* out) {
  __shared__ int tile[kThreads];
  tile[threadIdx.x] = threadIdx.x;  // !shared_race
  if (threadIdx.x < 64)
    asm volatile("bar.sync 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 2, 64;" ::: "memory");
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];  // !shared_race
}

// ---- Faults: global memory within a kernel ----

__global__ void stencil_in_place(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int next = data[(i + kThreads) % (gridDim.x * blockDim.x)];  // !global_race
  data[i] = next + 1;                                                // !global_race
}
__global__ void in_block_without_barrier(int* data, int* out) {
  data[threadIdx.x] = threadIdx.x;                      // !global_race
  out[threadIdx.x] = data[kThreads - 1 - threadIdx.x];  // !global_race
}
__device__ unsigned tickets[8];
__device__ int partial_sums[8][64];
__global__ void last_block_without_fence(int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial_sums[0][blockIdx.x] = blockIdx.x;  // !global_race
    last = atomicInc(&tickets[0], gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = partial_sums[0][threadIdx.x];  // !global_race
}
__global__ void overlapping_blocks(int* data) {
  data[blockIdx.x * 100 + threadIdx.x] = blockIdx.x;  // !global_race
}
__device__ volatile int flags[8];
__device__ int messages[8];
__global__ void flag_between_blocks_without_fence(int* out) {
  if (blockIdx.x == 0) {
    messages[0] = 7;  // !global_race
    flags[0] = 1;
  } else {
    while (flags[0] == 0) continue;
    *out = messages[0];  // !global_race
  }
}
__global__ void count_without_atomic(int* count) {
  if (threadIdx.x == 0) *count += 1;  // !global_race
}
__global__ void two_phases_without_grid_sync(int* data, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  data[i] = i + 1;             // !global_race
  out[i] = data[all - 1 - i];  // !global_race
}
__global__ void fence_of_the_block_only(int* out) {
  if (blockIdx.x == 0) {
    messages[1] = 7;  // !global_race
    __threadfence_block();
    flags[1] = 1;
  } else {
    while (flags[1] == 0) continue;
    __threadfence_block();
    *out = messages[1];  // !global_race
  }
}
__global__ void others_of_the_block_not_waited_for(int* out) {
  __shared__ bool last;
  partial_sums[1][blockIdx.x] = 0;
  if (threadIdx.x < 64)
    partial_sums[2][threadIdx.x / 32 * 32 + blockIdx.x] = threadIdx.x / 32 + blockIdx.x;  // !global_race
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicInc(&tickets[1], gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < 64) out[threadIdx.x] = partial_sums[2][threadIdx.x];  // !global_race
}
__global__ void reset_by_another_block(int* count) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *count = 0;  // !global_race
  if (blockIdx.x != 0) atomicAdd(count, 1);             // !global_race
}
__global__ void neighbour_not_waited_for(int* data, int* out) {
  if (threadIdx.x == 0) data[blockIdx.x] = 5;                     // !global_race
  out[blockIdx.x * blockDim.x + threadIdx.x] = data[blockIdx.x];  // !global_race
}

// ---- Faults: barriers and masks ----

__global__ void barrier_in_one_arm(int* out) {
  if (threadIdx.x % 32 < 16) __syncthreads();  // !divergent_barrier
  out[threadIdx.x] = 1;
}
__global__ void barriers_in_both_arms(int* out) {
  if (threadIdx.x % 2 == 0) {
    out[threadIdx.x] = 1;
    __syncthreads();  // !divergent_barrier
  } else {
    out[threadIdx.x] = 2;
    __syncthreads();  // !divergent_barrier
  }
}
__global__ void barrier_in_a_loop_of_lanes(int* out) {
  for (int i = 0; i < threadIdx.x % 4 + 1; ++i) {
    out[threadIdx.x] += i;
    __syncthreads();  // !divergent_barrier
  }
}
__global__ void shuffle_of_a_part(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 8) value = __shfl_down_sync(kAll, value, 4);  // !lane_mask
  out[threadIdx.x] = value;
  __syncthreads();
  out[threadIdx.x] += value;
}
__global__ void two_shuffles_at_once(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x < 8)
    value = __shfl_down_sync(kAll, value, 4);  // !lane_mask
  else
    value = __shfl_xor_sync(kAll, value, 1);  // !lane_mask
  out[threadIdx.x] = value;
}
__global__ void vote_of_a_part(int* out) {
  if (threadIdx.x < 20) out[threadIdx.x] = __any_sync(kAll, threadIdx.x == 3);  // !lane_mask
}
__global__ void syncwarp_of_a_part(int* out) {
  if (threadIdx.x >= 20) {
    out[threadIdx.x] = 1;
    __syncwarp();  // !lane_mask
  }
  __syncthreads();
}
__global__ void shuffle_after_return(int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int sum = i;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAll, sum, step);  // !lane_mask
  if (i % 32 == 0) out[i / 32] = sum;
}
__global__ void not_in_its_own_mask(int* out) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(0xfff0u, threadIdx.x, 5);  // !lane_mask
}

// ---- Faults: addresses ----

__global__ void one_too_many(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) data[i] = i;  // !out_of_bounds
}
__global__ void halo_outside(const int* in, int* out) {
  const int i = threadIdx.x;
  out[i] = in[i - 1] + in[i];  // !out_of_bounds
}
__global__ void not_aligned(char* data) {
  *reinterpret_cast<int*>(data + threadIdx.x * 4 + 2) = 1;  // !misaligned
}
__global__ void shared_outside(int* out, int n) {
  extern __shared__ int words[];
  if (threadIdx.x <= n) words[threadIdx.x] = 1;  // !out_of_bounds
  __syncthreads();
  out[threadIdx.x] = words[threadIdx.x % n];
}

// ---- Right by CUDA's rules ----

__global__ void spin_then_barrier(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 40) flag = 1;
  if (threadIdx.x == 3)
    while (flag == 0) __nanosleep(20);
  __syncthreads();
  out[threadIdx.x] = flag;
}
__global__ void trip_counts(int* out, int* count) {
  for (int i = 0; i < static_cast<int>(threadIdx.x % 7) * 20; ++i) atomicAdd(count, 1);
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
__global__ void break_then_syncwarp(int* out, int* count) {
  if (threadIdx.x & 1)
    for (int i = 0; i < 100; ++i)
      if (atomicAdd(count, 1) > 40) break;
  __syncwarp();
  out[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = 2;
}
__device__ int locks[8];
__device__ int totals[8];
__global__ void lock_by_one_thread() {
  if (threadIdx.x == 0) {
    while (atomicCAS(&locks[0], 0, 1) != 0) __nanosleep(20);
    __threadfence();
    totals[0] += 1;
    __threadfence();
    atomicExch(&locks[0], 0);
  }
  __syncthreads();
}
__global__ void lock_by_every_lane() {
  bool done = false;
  while (!done) {
    if (atomicCAS(&locks[1], 0, 1) == 0) {
      __threadfence();
      totals[1] += 1;
      __threadfence();
      atomicExch(&locks[1], 0);
      done = true;
    }
  }
  __syncthreads();
}
__device__ unsigned next_ticket, now_serving;
__global__ void ticket_lock() {
  if (threadIdx.x == 0) {
    const unsigned mine = atomicAdd(&next_ticket, 1);
    while (*const_cast<volatile unsigned*>(&now_serving) != mine) continue;
    __threadfence();
    totals[2] += 1;
    __threadfence();
    atomicAdd(&now_serving, 1);
  }
  __syncthreads();
}
// A thread waits for the one before it, and in the same loop raises its own flag.
__device__ volatile int raised[128];
__global__ void waits_and_raises(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int on = i == 0 ? 0 : i - 1; on <= i;) {
    if (on < i && raised[on] == 1) {
      __threadfence();
      sum += data[on];
      on++;
    }
    if (on == i) {
      data[i] = sum + 1;
      __threadfence();
      raised[i] = 1;
      on++;
    }
  }
}
__global__ void grid_sync(int* data, int* out) {
  const auto grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  data[i] = i;
  grid.sync();
  out[i] = data[all - 1 - i];
  grid.sync();
  data[i] = out[(i + 77) % all];
}
__global__ void last_block(int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial_sums[4][blockIdx.x] = blockIdx.x;
    __threadfence();
    last = atomicInc(&tickets[4], gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x)
    out[threadIdx.x] = static_cast<volatile int*>(partial_sums[4])[threadIdx.x];
}
__global__ void fence_before_the_barrier(int* out) {
  __shared__ bool last;
  if (threadIdx.x == 96) partial_sums[5][blockIdx.x] = blockIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(&tickets[5], 1) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) out[threadIdx.x] = partial_sums[5][threadIdx.x];
}
__device__ int prefixes[64];
__device__ volatile int states[64];
__global__ void look_back(int* out) {
  __shared__ int before;
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x != 0) {
      while (states[blockIdx.x - 1] == 0) continue;
      __threadfence();
      before = prefixes[blockIdx.x - 1];
    }
    prefixes[blockIdx.x] = before + blockDim.x;
    __threadfence();
    states[blockIdx.x] = 1;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = before + threadIdx.x;
}
__global__ void release_and_acquire(int* out) {
  __shared__ int data[32], flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[threadIdx.x] = threadIdx.x;
    __syncwarp();
    if (threadIdx.x == 0) store_release(&flag, 1);
  } else if (threadIdx.x < 64) {
    while (load_acquire(&flag) == 0) continue;
    out[threadIdx.x - 32] = data[threadIdx.x - 32];
  }
}
__global__ void fences_and_a_flag(int* out) {
  if (blockIdx.x == 0) {
    messages[4] = 7;
    __threadfence();
    flags[4] = 1;
  } else {
    while (flags[4] == 0) continue;
    __threadfence();
    *out = messages[4];
  }
}
__global__ void ping_pong(int* out) {
  __shared__ volatile int turn;
  __shared__ int ball;
  if (threadIdx.x == 0) turn = ball = 0;
  __syncthreads();
  if (threadIdx.x % 64 == 0) {
    const int me = threadIdx.x / 64;
    for (int round = 0; round < 6; ++round) {
      while (turn != me) continue;
      __threadfence_block();
      ball += 1;
      __threadfence_block();
      turn = 1 - me;
    }
  }
  __syncthreads();
  *out = ball;
}
__global__ void reduction_with_syncwarp(int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t] = t;
  __syncthreads();
  if (t < 32)
    for (int step = 32; step > 0; step /= 2) {
      const int sum = s[t] + s[t + step < 64 ? t + step : t];
      __syncwarp();
      s[t] = sum;
      __syncwarp();
    }
  if (t == 0) *out = s[0];
}
__global__ void shuffles_in_both_arms(int* out) {
  int value = threadIdx.x;
  if (threadIdx.x % 32 < 16)
    value += __shfl_xor_sync(0x0000ffff, value, 3);
  else
    value += __shfl_xor_sync(0xffff0000, value, 5);
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(kAll, value, step);
  out[threadIdx.x] = value;
}
__global__ void active_lanes(int* out, int* count) {
  if (threadIdx.x % 3 == 0) {
    const auto group = cooperative_groups::coalesced_threads();
    int first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(count, static_cast<int>(group.size()));
    out[threadIdx.x] = group.shfl(first, 0) + group.thread_rank();
  }
  __syncthreads();
}
__global__ void tiles_of_eight(int* out) {
  __shared__ int tile[kThreads];
  const auto group = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  tile[threadIdx.x] = threadIdx.x;
  group.sync();
  out[threadIdx.x] = tile[threadIdx.x ^ 7];
}
__global__ void makers_and_users(int* out) {
  __shared__ int tile[64];
  if (threadIdx.x >= 128) return;
  for (int round = 0; round < 3; ++round)
    if (threadIdx.x < 64) {
      if (round != 0) asm volatile("bar.sync 2, 128;" ::: "memory");
      tile[threadIdx.x] = round;
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      out[threadIdx.x - 64] = tile[127 - threadIdx.x];
      if (round != 2) asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
}
__global__ void whole_warps_leave(int* out) {
  __shared__ int tile[64];
  if (threadIdx.x >= 64) return;
  tile[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}
__global__ void maximum_by_compare_and_swap(int* most) {
  int seen = *most;
  while (seen < static_cast<int>(threadIdx.x)) {
    const int before = atomicCAS(most, seen, threadIdx.x);
    if (before == seen) break;
    seen = before;
  }
}
__global__ void two_buffers(int* out) {
  __shared__ int buffers[2][kThreads];
  buffers[0][threadIdx.x] = threadIdx.x;
  __syncthreads();
  for (int round = 0; round < 4; ++round) {
    buffers[1 - round % 2][threadIdx.x] = buffers[round % 2][(threadIdx.x + 33) % kThreads];
    __syncthreads();
  }
  out[threadIdx.x] = buffers[0][threadIdx.x];
}
__global__ void all_write_one_value(int* found) {
  __shared__ bool any;
  any = false;
  __syncthreads();
  if (threadIdx.x % 3 == 0) any = true;
  __syncthreads();
  if (any) *found = 1;
}
__global__ void histogram(int* out) {
  __shared__ int counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[threadIdx.x * 7 % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(out + threadIdx.x, counts[threadIdx.x]);
}
__global__ void neighbouring_bytes(char* out) {
  __shared__ char bytes[kThreads];
  bytes[threadIdx.x] = 1;
  out[blockIdx.x * kThreads + threadIdx.x] = bytes[threadIdx.x];
}
__global__ void exchange_in_the_block(int* data, int* out) {
  data[blockIdx.x * kThreads + threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[blockIdx.x * kThreads + threadIdx.x] = data[blockIdx.x * kThreads + kThreads - 1 - threadIdx.x];
}
__global__ void transpose(const int* in, int* out) {
  __shared__ int tile[8][9];
  const int x = threadIdx.x % 8, y = threadIdx.x / 8 % 8;
  if (threadIdx.x < 64) tile[y][x] = in[y * 8 + x];
  __syncthreads();
  if (threadIdx.x < 64) out[y * 8 + x] = tile[x][y];
}
__global__ void counted_barriers(int* out) {
  const int odd = __syncthreads_count(threadIdx.x & 1);
  const int any = __syncthreads_or(threadIdx.x == 5);
  out[threadIdx.x] = odd + any;
}
__global__ void memory_of_the_heap(int* out) {
  int* const mine = static_cast<int*>(malloc(16));
  if (mine != nullptr) {
    mine[0] = threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = mine[0];
    free(mine);
  }
}
__device__ unsigned long long packed;
__global__ void value_and_flag_in_one_word(int* out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicExch(&packed, 1ull << 32 | 9);
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    unsigned long long now;
    while (((now = atomicAdd(&packed, 0ull)) >> 32) == 0) continue;
    *out = static_cast<int>(now);
  }
}
__global__ void lock_in_shared_memory(int* out) {
  __shared__ int lock, total;
  if (threadIdx.x == 0) lock = total = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) continue;
    __threadfence_block();
    total += 1;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  *out = total;
}
__device__ int next_item;
__global__ void queue_of_work(int* out, int items) {
  __shared__ int item;
  while (true) {
    __syncthreads();
    if (threadIdx.x == 0) item = atomicAdd(&next_item, 1);
    __syncthreads();
    const int mine = item;
    if (mine >= items) break;
    if (threadIdx.x < 4) out[mine * 4 + threadIdx.x] = mine;
  }
}
__global__ void first_lane_broadcasts(int* out) {
  int value = 0;
  if (threadIdx.x % 32 == 0) value = out[threadIdx.x / 32];
  value = __shfl_sync(kAll, value, 0);
  out[32 + threadIdx.x] = value;
}
__global__ void searches_of_lanes(const int* in, int* out) {
  int at = 0;
  while (at < 64 && in[at] < static_cast<int>(threadIdx.x * 3)) ++at;
  const unsigned same = __match_any_sync(kAll, at);
  __syncthreads();
  out[threadIdx.x] = __popc(same) + at;
}
__global__ void progress_is_watched(volatile int* done, int* out) {
  if (threadIdx.x == 0) *done = 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

// ---- The host's side ----

#define CHECK(call)                                               \
  do {                                                            \
    const cudaError_t error_ = (call);                            \
    if (error_ != cudaSuccess) {                                  \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error_)); \
      std::exit(3);                                               \
    }                                                             \
  } while (0)

constexpr int kWords = 8192;
static int *a, *b;

static void settle() {
  CHECK(cudaGetLastError());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaMemset(a, 0, kWords * 4));
  CHECK(cudaMemset(b, 0, kWords * 4));
}
#define RUN(...) \
  do {           \
    __VA_ARGS__; \
    settle();    \
  } while (0)

[[gnu::noinline]] static void faults() {
  RUN(volatile_unordered<<<1, kThreads>>>(a));
  RUN(volatile_reduction<<<1, kThreads>>>(a));
  RUN(relaxed_flag<<<1, 64>>>(a));
  RUN(reader_without_acquire<<<1, 64>>>(a));
  RUN(volatile_flag_without_fence<<<1, kThreads>>>(a));
  RUN(tile_of_next_round<<<1, kThreads>>>(a, b));
  RUN(tree_without_barrier<<<1, kThreads>>>(a));
  RUN(lock_without_fence<<<1, kThreads>>>(a));
  RUN(warp_without_syncwarp<<<1, 32>>>(a));
  RUN(syncwarp_too_early<<<1, 32>>>(a));
  RUN(reset_beside_atomics<<<1, kThreads>>>(a));
  RUN(wrong_buffer<<<1, kThreads>>>(a));
  RUN(barrier_of_two_halves<<<1, kThreads>>>(a));

  RUN(stencil_in_place<<<4, kThreads>>>(a));
  RUN(in_block_without_barrier<<<1, kThreads>>>(a, b));
  RUN(last_block_without_fence<<<4, kThreads>>>(a));
  RUN(overlapping_blocks<<<4, kThreads>>>(a));
  RUN(flag_between_blocks_without_fence<<<2, 1>>>(a));
  RUN(count_without_atomic<<<4, 32>>>(a));
  RUN(two_phases_without_grid_sync<<<4, kThreads>>>(a, b));
  RUN(fence_of_the_block_only<<<2, 1>>>(a));
  RUN(others_of_the_block_not_waited_for<<<4, kThreads>>>(a));
  RUN(reset_by_another_block<<<4, kThreads>>>(a));
  RUN(neighbour_not_waited_for<<<4, kThreads>>>(a, b));

  RUN(barrier_in_one_arm<<<1, kThreads>>>(a));
  RUN(barriers_in_both_arms<<<1, kThreads>>>(a));
  RUN(barrier_in_a_loop_of_lanes<<<1, kThreads>>>(a));
  RUN(shuffle_of_a_part<<<1, 32>>>(a));
  RUN(two_shuffles_at_once<<<1, 32>>>(a));
  RUN(vote_of_a_part<<<1, 32>>>(a));
  RUN(syncwarp_of_a_part<<<1, 32>>>(a));
  RUN(shuffle_after_return<<<1, 64>>>(a, 50));
  RUN(not_in_its_own_mask<<<1, 32>>>(a));

  RUN(one_too_many<<<kWords / kThreads + 1, kThreads>>>(b, kWords));
  RUN(halo_outside<<<1, kThreads>>>(a, b));
  RUN(not_aligned<<<1, 32>>>(reinterpret_cast<char*>(a)));
  RUN(shared_outside<<<1, kThreads, 4 * 100>>>(a, 100));
}

[[gnu::noinline]] static void clean() {
  RUN(spin_then_barrier<<<1, 64>>>(a));
  RUN(trip_counts<<<2, 64>>>(a, b));
  RUN(break_then_syncwarp<<<1, 64>>>(a, b));
  RUN(lock_by_one_thread<<<16, 64>>>());
  RUN(lock_by_every_lane<<<2, 64>>>());
  RUN(ticket_lock<<<8, 64>>>());
  RUN(waits_and_raises<<<2, 64>>>(a));
  void* arguments[] = {&a, &b};
  RUN(CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(grid_sync), dim3(4), dim3(kThreads),
                                        arguments, 0, nullptr)));
  RUN(last_block<<<4, kThreads>>>(a));
  RUN(fence_before_the_barrier<<<4, kThreads>>>(a));
  RUN(look_back<<<8, kThreads>>>(a));
  RUN(release_and_acquire<<<1, 64>>>(a));
  RUN(fences_and_a_flag<<<2, 1>>>(a));
  RUN(ping_pong<<<1, kThreads>>>(a));
  RUN(reduction_with_syncwarp<<<1, 64>>>(a));
  RUN(shuffles_in_both_arms<<<1, 64>>>(a));
  RUN(active_lanes<<<1, 64>>>(a, b));
  RUN(tiles_of_eight<<<1, kThreads>>>(a));
  RUN(makers_and_users<<<1, kThreads + 32>>>(a));
  RUN(whole_warps_leave<<<1, kThreads>>>(a));
  RUN(maximum_by_compare_and_swap<<<2, 64>>>(a));
  RUN(two_buffers<<<1, kThreads>>>(a));
  RUN(all_write_one_value<<<2, kThreads>>>(a));
  RUN(histogram<<<4, kThreads>>>(a));
  RUN(neighbouring_bytes<<<2, kThreads>>>(reinterpret_cast<char*>(a)));
  RUN(exchange_in_the_block<<<4, kThreads>>>(a, b));
  RUN(transpose<<<1, kThreads>>>(a, b));
  RUN(counted_barriers<<<1, kThreads>>>(a));
  RUN(memory_of_the_heap<<<4, 64>>>(a));
  RUN(value_and_flag_in_one_word<<<2, 32>>>(a));
  RUN(lock_in_shared_memory<<<1, kThreads>>>(a));
  RUN(queue_of_work<<<4, 64>>>(a, 20));
  RUN(first_lane_broadcasts<<<1, 64>>>(a));
  RUN(searches_of_lanes<<<1, 64>>>(a, b));
  RUN(progress_is_watched<<<4, 64>>>(b, a));
}

int main(int, char** words) {
  CHECK(cudaMalloc(&a, kWords * 4));
  CHECK(cudaMalloc(&b, kWords * 4));
  settle();
  std::strcmp(words[1], "faults") == 0 ? faults() : clean();
  CHECK(cudaFree(a));
  CHECK(cudaFree(b));
}
