// The input of a kernel's model: the instructions of some of its blocks, warp by warp, and the requests of
// their accesses to memory. The level that had the bytes of a request is filled in later (shared_caches.h).
//   Access a = block.accesses[warp][n];            of the warp's n-th step with an access
//   RecordedBlock::kAccess block.requests[a.first] .. [a.first + a.count - 1]
// Blocks without kept steps keep CacheRequests alone: their requests as the caches see them. No time is in
// it: the same recording is computed with other latencies, bandwidths and numbers of units. Coalescing, bank
// conflicts, sizes of caches and the map of addresses are of the run's machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "gpu/functional/block_recorder.h"
#include "ptx/micro_op.h"

namespace duet::predict {

enum class Path : std::uint8_t { L1, ConstantCache, Shared, Parameters };

// The work of the load-store unit for the lanes of a warp in one turn.
struct Request {
  std::uint64_t address = 0;  // physical, of its first sector or the line; of an atomic's first word
  Path path = Path::L1;
  std::uint8_t depth = 0xff;  // caches below L1 without it; beyond all of them: DRAM
  std::uint8_t sectors = 0;   // of its line, 32 bytes each, a bit each
  std::uint8_t used_bytes = 0;
  std::uint16_t passes = 1;  // shared memory; of an atomic: words
  static constexpr std::uint16_t kNoSlice = 0xffff;
  std::uint16_t slice = kNoSlice;  // of L2, of the SM whose time is computed; filled in as `depth`
  std::uint8_t first_byte = 0;     // of its 128 bytes, the first used one
  bool in_l1 : 1 = false;          // L1 may hold it
  bool store : 1 = false, atomic : 1 = false;
  bool host : 1 = false;  // in the memory of the host
  // L2 has it because another SM has fetched it: the place of this SM's access at the time of the fetch;
  // none, if the line was there before.
  static constexpr std::uint32_t kBefore = ~std::uint32_t{0};
  std::uint32_t asked_at = kBefore;
};

// A request as a cache sees it.
class CacheRequest {
 public:
  // The request must go to a cache.
  explicit CacheRequest(const Request& request)
      : bits_((request.address & ~kWords) << kFlags | std::uint64_t{request.first_byte} / 4 << kFlags |
              std::uint64_t{request.used_bytes == 32 * std::popcount(request.sectors)} << 8 |
              std::uint64_t{request.in_l1} << 7 | std::uint64_t{request.path == Path::ConstantCache} << 6 |
              std::uint64_t{request.atomic} << 5 | std::uint64_t{request.store} << 4 | request.sectors) {}
  static bool is_of(const Request& request) {
    return !request.host && (request.path == Path::L1 || request.path == Path::ConstantCache);
  }
  std::uint64_t address() const { return bits_ >> kFlags & ~kWords; }                      // of a sector
  unsigned first_word() const { return static_cast<unsigned>(bits_ >> kFlags & kWords); }  // of 128 bytes
  unsigned sectors() const { return bits_ & 0xf; }
  bool store() const { return (bits_ >> 4 & 1) != 0; }
  bool atomic() const { return (bits_ >> 5 & 1) != 0; }
  bool constant() const { return (bits_ >> 6 & 1) != 0; }  // of the constant cache; otherwise of L1
  bool in_l1() const { return (bits_ >> 7 & 1) != 0; }
  bool whole() const { return (bits_ >> 8 & 1) != 0; }  // all bytes of its sectors
  friend bool operator==(const CacheRequest&, const CacheRequest&) = default;

 private:
  static constexpr unsigned kFlags = 9;
  static constexpr std::uint64_t kWords = 31;  // an address's bits below a sector's
  std::uint64_t bits_;
};

struct Access {
  std::uint32_t first = 0;  // in Block::requests
  std::uint32_t count = 0;
  std::uint32_t taps = 0;   // of a texture or surface; 0: it is none
  std::uint32_t place = 0;  // of the SM whose time is computed: in the order of its accesses
};

struct Block : gpu::RecordedBlock {
  std::vector<std::vector<Access>> accesses;  // by warp
  std::vector<Request> requests;
  struct Few {
    std::uint32_t first = 0, count = 0;  // in cache_requests
  };
  std::vector<std::vector<Few>> few;  // by warp, where no steps are kept: its accesses
  std::vector<CacheRequest> cache_requests;
  std::vector<std::uint32_t> request_room;  // by warp: room for further requests

  std::size_t access_count(std::uint32_t warp) const {
    return keeps_steps ? accesses[warp].size() : few[warp].size();
  }
  void add(const Request& request) {
    if (keeps_steps)
      append(requests, request);
    else if (CacheRequest::is_of(request))
      append(cache_requests, CacheRequest(request));
  }
  // The last requests, from this one on, are an access of a warp.
  std::uint32_t next_request() const {
    return static_cast<std::uint32_t>(keeps_steps ? requests.size() : cache_requests.size());
  }
  void add_access(std::uint32_t warp, std::uint32_t first, std::uint32_t taps) {
    const std::uint32_t count = next_request() - first;
    if (keeps_steps)
      accesses[warp].push_back({first, count, taps});
    else
      few[warp].push_back({first, count});
  }
  const std::vector<ptx::MicroOp>* code = nullptr;  // of the kernel

  // Anew, of as many warps, each with room for so many.
  void start(std::size_t count, std::uint32_t steps, std::uint32_t room_for_requests);
  bool only_counted = false;  // nothing of it is kept but how many instructions it has
  // Machine instructions of the whole block, without dropped rounds.
  std::uint64_t executed = 0;

  // The last access of a warp is a load of `op` that is not weak. Where it, or it and up to three accesses
  // before it, repeat the accesses before them without anything else in between, the warp polls for a write
  // of another warp. In functional execution the number of its looks has no meaning for the time, so the
  // round is dropped. Returns whether one was.
  bool polls(std::uint32_t warp, const ptx::MicroOp& op);
  // It is something else.
  void moves_on(std::uint32_t warp) {
    if (!polled_.empty()) polled_[warp].clear();
  }
  // The last step of a warp is `pc`, a read of a clock. Where the last read of a clock before it was the same
  // step, with only computations and branches in between, the warp waits by the clock. Then the round is
  // dropped, and the warp is held up until the clock has moved as far.
  void reads_clock(std::uint32_t warp, std::uint32_t pc, Cycle cycle);
  std::uint64_t dropped() const { return dropped_; }  // machine instructions, where steps are kept

 private:
  // Untouched room costs nothing, copies do: room for four times as many.
  template <typename T>
  static void append(std::vector<T>& to, const T& value) {
    if (to.size() == to.capacity()) to.reserve(std::max<std::size_t>(4 * to.size(), 32));
    to.push_back(value);
  }
  struct Poll {
    const ptx::MicroOp* op;
    std::size_t steps;  // of the warp, up to this one
  };
  bool same(std::uint32_t warp, std::size_t one, std::size_t other) const;
  struct Clock {  // how it was when a warp last read one
    std::uint32_t pc = ~0u;
    std::uint32_t room = 0;
    std::size_t accesses = 0;
    Cycle cycle = 0;
  };
  void drop_accesses(std::uint32_t warp, std::size_t count);
  bool only_computes(std::uint32_t warp, std::uint32_t steps) const;
  void drop(std::uint32_t warp, std::size_t left);

  std::vector<std::vector<Poll>> polled_;  // by warp: its last accesses, as long as all are such loads
  std::vector<Clock> clocks_;              // by warp; empty: none was read
  std::uint64_t dropped_ = 0;
};

}  // namespace duet::predict
