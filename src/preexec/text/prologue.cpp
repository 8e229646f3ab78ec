#include "preexec/text/prologue.h"

#include <fmt/format.h>

namespace duet::preexec {

std::string types() {
  return R"(typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;
)";
}

std::string prologue() {
  return types() + R"(
// What the program is told, and what it tells (duet: src/preexec/context.h).
struct duet_preexec {
  u64 parameters;  // address of the kernel parameters' bytes
  u64 symbols;     // address of the addresses of module variables
  u32 grid[3], block[3];
  u32 concurrent_blocks;
  u32 skip_factor;  // the initial one
  u32 batch_size;
  u32 threshold;
  u32 lowering;  // of skip_factor: 0 not below the initial one, 1 as Fig. 5 prints it
  u32 thread_ids;  // that are fetched for: 0 whole batches, as Fig. 3 prints it, 1 of the concurrent blocks
  volatile u32 stop __attribute__((aligned(64)));
  volatile u32 current_skip_factor __attribute__((aligned(64)));
  volatile u32 finished;
  volatile u64 polls;
  volatile u64 sum;
  // of blocks, in the order of their dispatch
  volatile u32 begun_blocks __attribute__((aligned(64)));
  volatile u32 known_blocks;
  u64 ring;    // address of the known ones' ids
  u64 active;  // address of room for those that are fetched for
  u32 ring_mask;
  u32 skip_factor_most;
  u32 first_block, waves_ahead;
} __attribute__((aligned(64)));

#ifndef FETCH
#define FETCH(type, address) (*(const type *)(address))  // of what the kernel accesses
#endif
#ifndef READ
#define READ(type, address) (*(const type *)(address))  // of what only this program needs: parameters, constants
#endif
#ifndef L3_HITS
// hpmcounter13: lines that this core waited for and that L3 had.
static inline u64 l3_hits(void) {
  u64 hits;
  __asm__ volatile("csrr %0, hpmcounter13" : "=r"(hits)::"memory");
  return hits;
}
#define L3_HITS() l3_hits()
#endif
// A loop of one thread goes on for so long at most, and not when the kernel has ended.
#define RUNNING(k, iteration) ((iteration) < 65536 && !(k)->context->stop)
)";
}

std::string pace(bool adaptive, bool bounded) {
  std::string text = R"(
// How far this program skips ahead.
struct pace {
  s64 skip_factor;
)";
  if (adaptive)
    text += R"(  s64 least;
  s64 back_dis;
  u64 last_hit;
)";
  text += R"(};

static inline int stopped(struct duet_preexec *context, u64 *polls) {
  context->polls = ++*polls;
  return context->stop != 0;
}
)";
  if (adaptive)
    text +=
        fmt::format(R"(
// Figure 5.
static inline void update_skip_factor(struct duet_preexec *context, struct pace *pace) {{
  const u64 hitnumber = L3_HITS();
  if (hitnumber - pace->last_hit > context->threshold) {{
    {}pace->skip_factor += 32;
)",
                    bounded ? "if (pace->skip_factor + 32 <= context->skip_factor_most) " : "") +
        R"(  } else if (pace->back_dis != pace->skip_factor - 32 && pace->skip_factor - 32 >= pace->least) {
    // preventing skip_factor bouncing between two values
    pace->skip_factor -= 32;
    pace->back_dis = pace->skip_factor;
  }
  pace->last_hit = hitnumber;
  context->current_skip_factor = (u32)pace->skip_factor;
}
)";
  return text;
}

std::string paced_blocks() {
  return R"(
// Waits as long as block j comes too far behind those that the GPU has begun. Whether the kernel has ended.
static int wait_for_gpu(struct duet_preexec *context, u64 j, u64 *polls) {
  const u64 ahead = (u64)context->waves_ahead * context->concurrent_blocks;
  while (ahead != 0 && j >= context->begun_blocks + ahead)
    if (stopped(context, polls)) return 1;
  return 0;
}
)";
}

std::string forwarded_blocks() {
  return R"(
// The blocks to fetch for next, as many as are active at a time: what number their first threads have. None
// when all had their turn, or the kernel has ended.
static u64 next_blocks(struct duet_preexec *context, struct kernel *k, u64 N_tb, u64 *next, u64 *polls) {
  const volatile u32 *const ring = (const volatile u32 *)context->ring;
  const u64 concurrent_tb = context->concurrent_blocks;
  const u64 all = (u64)context->grid[0] * context->grid[1] * context->grid[2];
  u64 first = *next, end = first;
  while (first < all && !stopped(context, polls)) {
    const u64 known = context->known_blocks, begun = context->begun_blocks;
    if (begun > first + concurrent_tb) first = begun - concurrent_tb;  // those before have ended
    end = first + concurrent_tb < all ? first + concurrent_tb : all;
    if (known < end) continue;  // the GPU is not so far
    for (u64 n = first; n < end; ++n)
      k->first_thread[n - first] = (u32)(ring[n & context->ring_mask] % N_tb * k->tb_size);
    *next = end;
    return end - first;
  }
  return 0;
}

// The i-th thread of these blocks.
static inline u32 thread_of(const struct kernel *k, u64 i) {
  const u64 tb = i * k->tb_inverse >> 40;
  return k->first_thread[tb] + (u32)(i - tb * k->tb_size);
}
)";
}

std::string epilogue() {
  return R"(
void duet_preexecute(struct duet_preexec *context) {
  context->sum = cpu_prefetching(context);
  context->finished = 1;
#ifndef DUET_PREEXEC_HOSTED
  register u64 status __asm__("a0") = 0;
  register u64 exit_call __asm__("a7") = 93;
  __asm__ volatile("ecall" ::"r"(status), "r"(exit_call) : "memory");
  __builtin_unreachable();
#endif
}
)";
}

}  // namespace duet::preexec
