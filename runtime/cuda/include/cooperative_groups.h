/* CUDA's cooperative groups, as wide as its samples use them: blocks, grids, tiles (also of several warps),
 * groups of the lanes that happen to be together, and partitions of them. Source: CUDA C++ programming guide,
 * cooperative groups. Left out: clusters, groups of several devices, invoke_one. */
#ifndef DUET_COOPERATIVE_GROUPS_H
#define DUET_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#if defined(__clang__) && defined(__CUDA__)

#define DUET_GROUP static __device__ __forceinline__ __attribute__((nodebug))
#define DUET_GROUP_MEMBER __device__ __forceinline__ __attribute__((nodebug))

namespace cooperative_groups {

namespace duet {

DUET_GROUP unsigned lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
DUET_GROUP unsigned rank_in_block() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
DUET_GROUP unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

/* A value of any type, word by word: `shuffle` is one of the shuffles of an int. */
template <typename T, typename F>
DUET_GROUP T shuffled(const T& value, const F& shuffle) {
  constexpr unsigned words = (sizeof(T) + 3) / 4;
  int word[words] = {};
  __builtin_memcpy(word, &value, sizeof(T));
#pragma unroll
  for (unsigned i = 0; i < words; ++i) word[i] = shuffle(word[i]);
  T result;
  __builtin_memcpy(&result, word, sizeof(T));
  return result;
}

/* Where a cooperative grid's blocks meet: a size and a count, in device memory. */
DUET_GROUP unsigned* grid_count() {
  unsigned high, low;
  asm("mov.u32 %0, %%envreg1;" : "=r"(high));
  asm("mov.u32 %0, %%envreg2;" : "=r"(low));
  return reinterpret_cast<unsigned*>((static_cast<unsigned long long>(high) << 32) | low) + 1;
}

enum class Kind : unsigned { Block, Lanes, Tile };

}  // namespace duet

/* Any group within a block. */
class thread_group {
 public:
  DUET_GROUP_MEMBER unsigned long long size() const {
    return kind_ == duet::Kind::Block ? duet::threads_of_block() : __popc(mask_);
  }
  DUET_GROUP_MEMBER unsigned long long num_threads() const { return size(); }
  DUET_GROUP_MEMBER unsigned long long thread_rank() const {
    return kind_ == duet::Kind::Block ? duet::rank_in_block() : __popc(mask_ & ((1u << duet::lane()) - 1));
  }
  DUET_GROUP_MEMBER void sync() const {
    if (kind_ == duet::Kind::Block)
      __syncthreads();
    else
      __syncwarp(mask_);
  }

 protected:
  DUET_GROUP_MEMBER thread_group(duet::Kind kind, unsigned mask) : kind_(kind), mask_(mask) {}
  friend DUET_GROUP_MEMBER thread_group tiled_partition(const thread_group& parent, unsigned size);

  duet::Kind kind_;
  unsigned mask_; /* of the warp's lanes */
};

/* What tiles of more than a warp exchange values through: shared memory of the block. */
template <unsigned kMaxThreads = 1024>
struct block_tile_memory {
  unsigned long long values[(kMaxThreads + 31) / 32 * 4];
};

class thread_block : public thread_group {
 public:
  DUET_GROUP_MEMBER explicit thread_block(unsigned long long* scratch)
      : thread_group(duet::Kind::Block, ~0u), scratch_(scratch) {}
  static DUET_GROUP_MEMBER void sync() { __syncthreads(); }
  static DUET_GROUP_MEMBER unsigned thread_rank() { return duet::rank_in_block(); }
  static DUET_GROUP_MEMBER unsigned size() { return duet::threads_of_block(); }
  static DUET_GROUP_MEMBER unsigned num_threads() { return duet::threads_of_block(); }
  static DUET_GROUP_MEMBER dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static DUET_GROUP_MEMBER dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static DUET_GROUP_MEMBER dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static DUET_GROUP_MEMBER dim3 dim_threads() { return group_dim(); }
  DUET_GROUP_MEMBER unsigned long long* scratch() const { return scratch_; }

 private:
  unsigned long long* scratch_;
};

DUET_GROUP thread_block this_thread_block() { return thread_block(nullptr); }
template <unsigned kMaxThreads>
DUET_GROUP thread_block this_thread_block(block_tile_memory<kMaxThreads>& scratch) {
  return thread_block(scratch.values);
}

class grid_group {
 public:
  static DUET_GROUP_MEMBER bool is_valid() {
    return reinterpret_cast<unsigned long long>(duet::grid_count()) > 4;
  }
  static DUET_GROUP_MEMBER unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  static DUET_GROUP_MEMBER unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static DUET_GROUP_MEMBER unsigned long long size() { return num_blocks() * duet::threads_of_block(); }
  static DUET_GROUP_MEMBER unsigned long long num_threads() { return size(); }
  static DUET_GROUP_MEMBER unsigned long long thread_rank() {
    return block_rank() * duet::threads_of_block() + duet::rank_in_block();
  }
  static DUET_GROUP_MEMBER dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static DUET_GROUP_MEMBER dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static DUET_GROUP_MEMBER dim3 group_dim() { return dim_blocks(); }

  /* The count rises by one a block, and is never set back: a round is over when all blocks have come. */
  static DUET_GROUP_MEMBER void sync() {
    if (!is_valid()) __trap(); /* not launched by cudaLaunchCooperativeKernel */
    __syncthreads();
    if (duet::rank_in_block() == 0) {
      const unsigned blocks = static_cast<unsigned>(num_blocks());
      unsigned* const count = duet::grid_count();
      __threadfence();
      const unsigned before = atomicAdd(count, 1u);
      const unsigned all = before / blocks * blocks + blocks;
      while (static_cast<int>(*static_cast<volatile unsigned*>(count) - all) < 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }
};
DUET_GROUP grid_group this_grid() { return grid_group(); }

/* Lanes of a warp that are together. */
class coalesced_group : public thread_group {
 public:
  DUET_GROUP_MEMBER explicit coalesced_group(unsigned mask) : thread_group(duet::Kind::Lanes, mask) {}
  DUET_GROUP_MEMBER unsigned mask() const { return mask_; }
  DUET_GROUP_MEMBER unsigned long long meta_group_size() const { return 1; }
  DUET_GROUP_MEMBER unsigned long long meta_group_rank() const { return 0; }
  DUET_GROUP_MEMBER int any(int predicate) const { return __any_sync(mask_, predicate); }
  DUET_GROUP_MEMBER int all(int predicate) const { return __all_sync(mask_, predicate); }
  /* Bit i is the lane of rank i. */
  DUET_GROUP_MEMBER unsigned ballot(int predicate) const { return by_rank(__ballot_sync(mask_, predicate)); }
  template <typename T>
  DUET_GROUP_MEMBER T shfl(const T& value, int rank) const {
    const int lane = lane_of(static_cast<unsigned>(rank) % static_cast<unsigned>(size()));
    return duet::shuffled(value, [=](DUET_ANY_VALUE int word) { return __shfl_sync(mask_, word, lane); });
  }
  template <typename T>
  DUET_GROUP_MEMBER T shfl_up(const T& value, unsigned delta) const {
    const unsigned rank = static_cast<unsigned>(thread_rank());
    return shfl(value, static_cast<int>(rank >= delta ? rank - delta : rank));
  }
  template <typename T>
  DUET_GROUP_MEMBER T shfl_down(const T& value, unsigned delta) const {
    const unsigned rank = static_cast<unsigned>(thread_rank());
    return shfl(value, static_cast<int>(rank + delta < size() ? rank + delta : rank));
  }
  template <typename T>
  DUET_GROUP_MEMBER unsigned match_any(const T& value) const {
    unsigned mine = 0;
    for (unsigned rest = mask_; rest != 0;) {
      const int leader = __ffs(static_cast<int>(rest)) - 1;
      const T its =
          duet::shuffled(value, [=](DUET_ANY_VALUE int word) { return __shfl_sync(mask_, word, leader); });
      const unsigned same = __ballot_sync(mask_, its == value);
      if (its == value) mine = same;
      rest &= ~same;
    }
    return by_rank(mine);
  }
  DUET_GROUP_MEMBER unsigned lanes_of(unsigned ranks) const {
    unsigned lanes = 0;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, ranks >>= 1)
      if (ranks & 1) lanes |= rest & -rest;
    return lanes;
  }

 private:
  DUET_GROUP_MEMBER int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    while (rank-- != 0) rest &= rest - 1;
    return __ffs(static_cast<int>(rest)) - 1;
  }
  DUET_GROUP_MEMBER unsigned by_rank(unsigned lanes) const {
    unsigned ranks = 0;
    unsigned bit = 1;
    for (unsigned rest = mask_; rest != 0; rest &= rest - 1, bit <<= 1)
      if (lanes & rest & -rest) ranks |= bit;
    return ranks;
  }
};
DUET_GROUP coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* Tiles of kSize threads, a power of two: within a warp, or of several warps. */
template <unsigned kSize, typename Parent = void, bool kOneWarp = (kSize <= 32)>
class thread_block_tile;

template <unsigned kSize, typename Parent>
class thread_block_tile<kSize, Parent, true> : public thread_group {
  static_assert(kSize != 0 && (kSize & (kSize - 1)) == 0, "a tile's size is a power of two");

 public:
  DUET_GROUP_MEMBER thread_block_tile(unsigned long long tiles, unsigned long long number)
      : thread_group(duet::Kind::Tile, own_mask()), tiles_(tiles), number_(number) {}
  template <typename Other>
  DUET_GROUP_MEMBER thread_block_tile(const thread_block_tile<kSize, Other>& other)
      : thread_block_tile(other.meta_group_size(), other.meta_group_rank()) {}
  static DUET_GROUP_MEMBER unsigned thread_rank() { return duet::lane() & (kSize - 1); }
  static constexpr DUET_GROUP_MEMBER unsigned size() { return kSize; }
  static constexpr DUET_GROUP_MEMBER unsigned num_threads() { return kSize; }
  DUET_GROUP_MEMBER unsigned long long meta_group_size() const { return tiles_; }
  DUET_GROUP_MEMBER unsigned long long meta_group_rank() const { return number_; }
  DUET_GROUP_MEMBER void sync() const { __syncwarp(mask_); }
  DUET_GROUP_MEMBER int any(int predicate) const { return __any_sync(mask_, predicate); }
  DUET_GROUP_MEMBER int all(int predicate) const { return __all_sync(mask_, predicate); }
  DUET_GROUP_MEMBER unsigned ballot(int predicate) const {
    return __ballot_sync(mask_, predicate) >> first();
  }
  template <typename T>
  DUET_GROUP_MEMBER T shfl(const T& value, int rank) const {
    return duet::shuffled(value,
                          [=](DUET_ANY_VALUE int word) { return __shfl_sync(mask_, word, rank, kSize); });
  }
  template <typename T>
  DUET_GROUP_MEMBER T shfl_up(const T& value, unsigned delta) const {
    return duet::shuffled(value,
                          [=](DUET_ANY_VALUE int word) { return __shfl_up_sync(mask_, word, delta, kSize); });
  }
  template <typename T>
  DUET_GROUP_MEMBER T shfl_down(const T& value, unsigned delta) const {
    return duet::shuffled(
        value, [=](DUET_ANY_VALUE int word) { return __shfl_down_sync(mask_, word, delta, kSize); });
  }
  template <typename T>
  DUET_GROUP_MEMBER T shfl_xor(const T& value, unsigned mask) const {
    return duet::shuffled(value,
                          [=](DUET_ANY_VALUE int word) { return __shfl_xor_sync(mask_, word, mask, kSize); });
  }
  template <typename T>
  DUET_GROUP_MEMBER unsigned match_any(const T& value) const {
    return coalesced_group(mask_).match_any(value);
  }
  DUET_GROUP_MEMBER unsigned lanes_of(unsigned ranks) const { return ranks << first(); }

 private:
  static DUET_GROUP_MEMBER unsigned first() { return duet::lane() & ~(kSize - 1); }
  static DUET_GROUP_MEMBER unsigned own_mask() {
    return kSize == 32 ? ~0u : ((1u << (kSize & 31)) - 1) << first();
  }
  unsigned long long tiles_, number_;
};

template <unsigned kSize, typename Parent>
class thread_block_tile<kSize, Parent, false> {
  static_assert((kSize & (kSize - 1)) == 0 && kSize <= 1024, "a tile's size is a power of two");

 public:
  DUET_GROUP_MEMBER explicit thread_block_tile(const thread_block& block) : scratch_(block.scratch()) {}
  template <typename Other>
  DUET_GROUP_MEMBER thread_block_tile(const thread_block_tile<kSize, Other>& other)
      : scratch_(other.scratch()) {}
  DUET_GROUP_MEMBER unsigned long long* scratch() const { return scratch_; }
  static DUET_GROUP_MEMBER unsigned thread_rank() { return duet::rank_in_block() % kSize; }
  static constexpr DUET_GROUP_MEMBER unsigned size() { return kSize; }
  static constexpr DUET_GROUP_MEMBER unsigned num_threads() { return kSize; }
  static DUET_GROUP_MEMBER unsigned long long meta_group_size() {
    return (duet::threads_of_block() + kSize - 1) / kSize;
  }
  static DUET_GROUP_MEMBER unsigned long long meta_group_rank() { return duet::rank_in_block() / kSize; }
  DUET_GROUP_MEMBER void sync() const {
    /* A barrier a tile; 0 is that of the block. */
    asm volatile("bar.sync %0, %1;" ::"r"((static_cast<unsigned>(meta_group_rank()) + 1) % 16), "r"(kSize)
                 : "memory");
  }
  /* Every warp's value, to every thread. */
  template <typename T, typename F>
  DUET_GROUP_MEMBER void exchange(const T& value, const F& take) const {
    static_assert(sizeof(T) <= 32, "block_tile_memory has room for 32 bytes a warp");
    const unsigned warp = duet::rank_in_block() / 32, first = warp / (kSize / 32) * (kSize / 32);
    if (duet::lane() == 0) __builtin_memcpy(scratch_ + warp * 4, &value, sizeof(T));
    sync();
    for (unsigned i = first; i < first + kSize / 32; ++i) {
      T its;
      __builtin_memcpy(&its, scratch_ + i * 4, sizeof(T));
      take(its);
    }
    sync();
  }

 private:
  unsigned long long* scratch_;
};

template <unsigned kSize>
DUET_GROUP thread_block_tile<kSize, thread_block> tiled_partition(const thread_block& parent) {
  if constexpr (kSize > 32)
    return thread_block_tile<kSize, thread_block>(parent);
  else
    return thread_block_tile<kSize, thread_block>((duet::threads_of_block() + kSize - 1) / kSize,
                                                  duet::rank_in_block() / kSize);
}
template <unsigned kSize, unsigned kParent, typename Grandparent>
DUET_GROUP thread_block_tile<kSize, thread_block_tile<kParent, Grandparent>> tiled_partition(
    const thread_block_tile<kParent, Grandparent>& parent) {
  static_assert(kSize <= kParent && kSize <= 32, "a tile of a tile lies within it and within a warp");
  return {kParent / kSize, parent.thread_rank() / kSize};
}
/* Of a group that is not known better; lanes that are together are counted by rank. */
DUET_GROUP_MEMBER thread_group tiled_partition(const thread_group& parent, unsigned size) {
  if (parent.kind_ == duet::Kind::Lanes) {
    const unsigned from = static_cast<unsigned>(parent.thread_rank()) / size * size;
    unsigned ranks = (size >= 32 ? ~0u : (1u << size) - 1) << from;
    return coalesced_group(coalesced_group(parent.mask_).lanes_of(ranks));
  }
  const unsigned first = duet::lane() & ~(size - 1);
  return thread_group(duet::Kind::Tile, size >= 32 ? ~0u : ((1u << size) - 1) << first);
}

/* The lanes of the group for which `label` is what it is here. */
template <typename Group, typename T>
DUET_GROUP coalesced_group labeled_partition(const Group& group, const T& label) {
  return coalesced_group(group.lanes_of(group.match_any(label)));
}
template <typename Group>
DUET_GROUP coalesced_group binary_partition(const Group& group, bool predicate) {
  return labeled_partition(group, static_cast<int>(predicate));
}

template <typename Group>
DUET_GROUP void sync(const Group& group) {
  group.sync();
}
template <typename Group>
DUET_GROUP auto thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
DUET_GROUP auto group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups

#include "cooperative_groups/memcpy_async.h"

#endif
#endif
