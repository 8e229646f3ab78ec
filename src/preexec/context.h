// The input and the output of a pre-execution program, in memory that its core reaches: the struct whose
// address it gets in a0. The generated C declares the same struct (`struct duet_preexec`, text/prologue.cpp;
// tests/preexec runs programs on this one). It has three parts, a cache line each, so a poll never takes the
// line that the program writes: the starter's values, the word to stop the program, and the program's own
// values; and a fourth for block ids (Options::forwarded_blocks). The program writes nowhere else but to
// `active`'s target. Source: yang2012 sections 4.1 and 4.2 (the names are from Figs 3 and 5).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace duet::preexec {

// How Fig. 5's update may lower skip_factor.
enum class Lowering : std::uint32_t {
  NotBelowInitial =
      0,         // no lower than the value the program started with: a smaller one fetches a line twice
  AsPrinted = 1  // only back_dis holds it back; it is not lowered below 1, or the loops would not end
};

// The threads of the loop over concurrent threads (Figs 3, 7, 9).
enum class ThreadIds : std::uint32_t {
  AsPrinted = 0,  // whole batches: the last goes on into the next blocks, or beyond the grid
  Clamped = 1     // none beyond the concurrent blocks
};

struct alignas(64) Context {
  // Read. Addresses are for the core's loads.
  std::uint64_t parameters = 0;  // of the kernel parameters' bytes, as PTX lays them out
  std::uint64_t symbols = 0;     // of an array: the addresses of Program::symbols, in their order
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t concurrent_blocks = 1;  // on the GPU at a time (occupancy times SMs)
  std::uint32_t skip_factor = 32;       // the initial one, in threads; at least 1
  std::uint32_t batch_size = 16;        // at least 1
  std::uint32_t threshold = 10;         // hits in L3 a batch
  std::uint32_t lowering = 0;           // a Lowering
  std::uint32_t thread_ids = 0;         // a ThreadIds

  // Read once a batch; not 0 when the kernel has ended.
  alignas(64) volatile std::uint32_t stop = 0;

  // Written.
  alignas(64) volatile std::uint32_t current_skip_factor = 0;  // one store an update, and one at the start
  volatile std::uint32_t finished = 0;                         // 1: just before the end, stopped or not
  volatile std::uint64_t polls = 0;                            // of `stop`
  volatile std::uint64_t sum = 0;                              // of all loaded values, so no load is dead

  // Of the grid's blocks, in the order of their dispatch: so many have been dispatched, and the ids of so
  // many are known. These two change while the program runs.
  alignas(64) volatile std::uint32_t begun_blocks = 0;
  volatile std::uint32_t known_blocks = 0;
  std::uint64_t ring = 0;       // of an array: the n-th one's id, 4 bytes, at n & ring_mask
  std::uint64_t active = 0;     // of room for 4 * concurrent_blocks bytes, the program's own
  std::uint32_t ring_mask = 0;  // the ring has room for at least 2 * concurrent_blocks

  // Read. Of programs with Options::bounded_skip_factor: no higher skip_factor.
  std::uint32_t skip_factor_most = 0;
  // Of programs with Options::paced_blocks: the first block that is fetched for; and how many times
  // concurrent_blocks a block may come behind those that have begun. 0: the program waits for none.
  std::uint32_t first_block = 0, waves_ahead = 0;
};

static_assert(offsetof(Context, parameters) == 0);
static_assert(offsetof(Context, symbols) == 8);
static_assert(offsetof(Context, grid) == 16);
static_assert(offsetof(Context, block) == 28);
static_assert(offsetof(Context, concurrent_blocks) == 40);
static_assert(offsetof(Context, skip_factor) == 44);
static_assert(offsetof(Context, batch_size) == 48);
static_assert(offsetof(Context, threshold) == 52);
static_assert(offsetof(Context, lowering) == 56);
static_assert(offsetof(Context, thread_ids) == 60);
static_assert(offsetof(Context, stop) == 64);
static_assert(offsetof(Context, current_skip_factor) == 128);
static_assert(offsetof(Context, finished) == 132);
static_assert(offsetof(Context, polls) == 136);
static_assert(offsetof(Context, sum) == 144);
static_assert(offsetof(Context, begun_blocks) == 192);
static_assert(offsetof(Context, known_blocks) == 196);
static_assert(offsetof(Context, ring) == 200);
static_assert(offsetof(Context, active) == 208);
static_assert(offsetof(Context, ring_mask) == 216);
static_assert(offsetof(Context, skip_factor_most) == 220);
static_assert(offsetof(Context, first_block) == 224);
static_assert(offsetof(Context, waves_ahead) == 228);
static_assert(sizeof(Context) == 256);

}  // namespace duet::preexec
