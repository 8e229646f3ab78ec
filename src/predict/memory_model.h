// The contents of the caches below L1, and the load of DRAM, for a kernel's requests in the order of their
// execution. It outlives kernels: lines of copies and earlier kernels are there.
//   MemoryModel memory(machine);
//   request.depth = memory.access(CacheRequest(request), memory.set_at(request.address));
//   memory.take_load()    since the last call: requests, and the work of DRAM's busiest channel
// DRAM is counted, not played: of as many requests of a channel as its queue holds, each row is opened once
// (FR-FCFS). The channel takes the longest of three times: the data bus with a turn from reads to writes and
// back, activates (tRRD, tFAW), and the banks. With a bank's work w the banks take sum w^2 / sum w: all of it
// where one bank has everything, a share where many have as much. Source: machine file (gpu.dram); JEDEC
// names; Rixner et al., "Memory Access Scheduling", ISCA 2000, for the order. Left out: the other schedulers
// of gpu.dram.scheduler.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "config/machine.h"
#include "memory/address_map.h"
#include "predict/recording.h"
#include "predict/tag_array.h"

namespace duet::predict {

// Of a number of requests, all SMs together.
struct MemoryLoad {
  std::uint64_t requests = 0;                     // below L1
  std::vector<std::uint64_t> below;               // by level: requests that went below it, fetches
  std::uint64_t dram_reads = 0, dram_writes = 0;  // requests
  std::uint64_t dram_bytes = 0, dram_written_bytes = 0;
  double dram_cycles = 0;               // of the command clock, of the busiest channel
  double row_hits = 1;                  // share of the DRAM requests with an open row
  std::vector<std::uint64_t> of_slice;  // of L2
  // Of the computed SM: requests below L1, and by level the requests below it.
  std::uint64_t own_requests = 0, own_stores = 0;
  std::vector<std::uint64_t> own_below, own_of_slice;
};

class MemoryModel {
 public:
  explicit MemoryModel(const config::Machine& machine);
  ~MemoryModel();

  // A request that L1 has not answered, and its set in L2. Returns the number of caches without its line.
  unsigned access(const CacheRequest& request, TagArray::Set set);
  TagArray::Set set_at(std::uint64_t address) const;
  void prefetch(TagArray::Set set) const;
  // A copy engine wrote or read these bytes.
  void copied(PhysicalAddress first, Bytes bytes, bool written);
  // A line of machine code.
  unsigned fetch(std::uint64_t address) { return read(0, address & ~std::uint64_t{127}, 0xf); }
  using Moments = std::vector<std::uint32_t>;  // by level
  // Part of a kernel is not seen. This part does `more` times the work seen since `then`, with as many first
  // uses of lines of each cache. All unseen work, earlier and later, is `all` times as much: where the kernel
  // uses more lines than a cache has, it finds none of them, because they displace each other.
  struct Count {
    TagArray::FirstUses first_uses;
    std::uint64_t dirtied = 0;
    Count operator-(const Count& other) const {
      return {{first_uses.found - other.first_uses.found, first_uses.missed - other.first_uses.missed},
              dirtied - other.dirtied};
    }
  };
  using Counts = std::vector<Count>;  // by level
  void begin_kernel();
  void begin_wave();
  Counts counts() const;
  void pass(const Counts& then, double more, double all);
  MemoryLoad take_load();
  // The current access of a kernel's `count` accesses. A line of L2 may still be on its way to it:
  // brought_at() is, for the last read, the access that fetched the line; Request::kBefore: none.
  void begin_accesses(std::size_t count);
  void at_access(std::uint32_t number);
  std::uint32_t brought_at() const;
  std::uint64_t dirty_segments() const;  // of all caches, 32 bytes each
  // For a kernel with `times` the work seen since the last load was taken. It drives out older dirty lines
  // once. In the long run it writes back as much as it writes, as far as the caches have no room. The load
  // becomes its average; the contents of the caches stay. `before`: held() when the last load was taken.
  struct Held {
    std::uint64_t dirty_segments = 0;
    std::uint64_t free_lines = 0;  // of the last level
  };
  Held held() const;
  void write_back_in_time(double times, const Held& before);
  std::uint16_t slice_of(std::uint64_t address) const;
  // The lines used after some moment. leave() puts them into the caches once more, in the order of their last
  // use.
  struct Left {
    std::vector<std::vector<TagArray::Line>> lines;  // by level
    bool in_order = false;
  };
  Moments moments() const;
  Left left_since(const Moments& moments) const;
  void leave(Left& left);

 private:
  struct Level;
  struct Channel;
  template <typename F>
  static void for_lines(const Level& level, std::uint64_t block, unsigned segments, const F& f);
  unsigned read(std::size_t number, std::uint64_t block, unsigned segments, TagArray::Set set);
  unsigned read(std::size_t number, std::uint64_t block, unsigned segments);
  void displaced(std::size_t number, Level& level);
  void write(std::size_t number, std::uint64_t block, unsigned segments, bool whole, TagArray::Set set);
  bool write_passed(std::size_t number, unsigned segments);
  void write_below(std::size_t number, std::uint64_t block, unsigned segments, bool passed);
  void write(std::size_t number, std::uint64_t block, unsigned segments, bool whole);
  void to_dram(std::uint64_t address, unsigned segments, bool written);
  void serve(Channel& channel);
  void count_chunk();
  void serve_all();

  const config::Machine machine_;
  memory::AddressMap map_;
  std::uint64_t queue_;  // entries of a channel's
  std::vector<std::unique_ptr<Level>> levels_;
  std::vector<Channel> channels_;
  std::vector<std::uint64_t> of_slice_;
  std::uint64_t row_misses_ = 0, chunk_requests_ = 0;
  bool passing_ = false;                            // requests to DRAM are not part of the load
  std::uint32_t first_stamp_ = 1, next_stamp_ = 1;  // of the accesses of the kernel, and of the next one's
  MemoryLoad load_;
};

}  // namespace duet::predict
