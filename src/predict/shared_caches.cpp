#include "predict/shared_caches.h"

#include <algorithm>
#include <bit>

#include "predict/dropped_words.h"

namespace duet::predict {

namespace {

// L1 and the constant cache of one SM: requests that hit there go no further.
class PrivateCaches {
 public:
  explicit PrivateCaches(const config::Gpu& gpu)
      : evicts_(gpu.l1.write_evict),
        l1_bytes_(gpu.l1.line_bytes),
        constant_bytes_(gpu.constant_cache.line_bytes),
        l1_(gpu.l1, nullptr),
        constants_(gpu.constant_cache, nullptr) {}

  bool has(const CacheRequest& request) {
    if (request.constant()) return constants_.read(request.address(), own(request, constant_bytes_));
    if (!request.in_l1() || request.atomic()) return false;
    const std::uint64_t line = request.address() / l1_bytes_;
    if (request.store()) {
      if (evicts_ && l1_.holds(request.address())) dropped_.drop(line, words(request));
      return false;
    }
    const bool hit =
        l1_.read(request.address(), own(request, l1_bytes_)) && !dropped_.any(line, words(request));
    if (!hit) dropped_.fetched(line);
    return hit;
  }

 private:
  // Of a request for parts of its sectors only the first byte is known.
  static std::uint32_t words(const CacheRequest& request) {
    const Bytes bytes = request.whole() ? 32 * static_cast<Bytes>(std::popcount(request.sectors())) : 1;
    return DroppedWords::of(4 * Bytes{request.first_word()}, bytes);
  }
  static unsigned own(const CacheRequest& request, Bytes line) {
    if (line >= 128) return request.sectors();
    return request.sectors() >> request.address() % 128 / line * (line / 32) & ((1u << line / 32) - 1);
  }
  bool evicts_;
  Bytes l1_bytes_, constant_bytes_;
  TagArray l1_, constants_;
  DroppedWords dropped_;
};

// Entries of the order at a time: the private caches of an SM see so many before the next SM's turn.
constexpr std::size_t kTogether = 1024;
// How far ahead the host prefetches, as the data lie far apart.
constexpr std::size_t kAhead = 8;

// The requests that the private caches of all SMs let through.
class Sent {
 public:
  struct One {
    CacheRequest request;
    TagArray::Set set;  // of L2
    std::uint32_t entry;
    Request* own;  // null: of another SM than the one whose time is computed
  };
  void clear() { all_.clear(); }
  void add(const CacheRequest& request, std::uint32_t entry, Request* own, const MemoryModel& memory) {
    all_.push_back({request, memory.set_at(request.address()), entry, own});
  }
  // By entries; within an entry in the order of their addition.
  void sort(std::size_t entries) {
    ends_.assign(entries + 1, 0);
    for (const One& one : all_) ++ends_[one.entry + 1];
    for (std::size_t i = 0; i < entries; ++i) ends_[i + 1] += ends_[i];
    sorted_.resize(all_.size());
    for (std::uint32_t i = 0; i < all_.size(); ++i) sorted_[ends_[all_[i].entry]++] = i;
  }
  std::size_t end_of(std::size_t entry) const { return ends_[entry]; }
  const One& operator[](std::size_t place) const { return all_[sorted_[place]]; }
  std::size_t size() const { return all_.size(); }

 private:
  std::vector<One> all_;
  std::vector<std::uint32_t> sorted_, ends_;
};

// An SM's accesses, in the order of the computed SM's.
class Sm {
 public:
  // `warps`: of a block.
  Sm(const config::Gpu& gpu, std::size_t blocks, std::size_t warps)
      : caches_(gpu), warps_(warps), lists_(blocks * warps) {}

  // In place of a block of the SM whose time is computed.
  void take(std::size_t number, const Block& block) {
    for (std::uint32_t warp = 0; warp < std::min(warps_, block.room.size()); ++warp) {
      List& list = lists_[number * warps_ + warp];
      list.count = static_cast<std::uint32_t>(block.access_count(warp));
      list.keeps_steps = block.keeps_steps;
      if (block.keeps_steps)
        list.accesses = block.accesses[warp].data(), list.requests = block.requests.data();
      else
        list.few = block.few[warp].data(), list.cache_requests = block.cache_requests.data();
    }
  }

  void send(const AccessOrder& order, std::size_t first, std::size_t end, const MemoryModel& memory,
            Sent& sent) {
    for (std::size_t at = first; at < end; ++at) {
      if (at + 2 * kAhead < end) prefetch_access(order.entries[at + 2 * kAhead]);
      if (at + kAhead < end) prefetch_requests(order.entries[at + kAhead]);
      const std::uint32_t access = order.entries[at].access;
      const List& list = list_of(order.entries[at]);
      if (access >= list.count) continue;  // this SM does less
      const auto add = [&](const CacheRequest& request) {
        if (!caches_.has(request)) sent.add(request, static_cast<std::uint32_t>(at - first), nullptr, memory);
      };
      if (list.keeps_steps) {
        const Access& own = list.accesses[access];
        for (std::uint32_t i = own.first; i < own.first + own.count; ++i)
          if (CacheRequest::is_of(list.requests[i])) add(CacheRequest(list.requests[i]));
      } else {
        const Block::Few& own = list.few[access];
        for (std::uint32_t i = own.first; i < own.first + own.count; ++i) add(list.cache_requests[i]);
      }
    }
  }

  // Of the SM whose time is computed.
  void send_own(const AccessOrder& order, std::size_t first, std::size_t end, const MemoryModel& memory,
                Sent& sent) {
    for (std::size_t at = first; at < end; ++at) {
      const AccessOrder::Entry& entry = order.entries[at];
      Block& block = *order.blocks[entry.block];
      const Access& access = block.accesses[entry.warp][entry.access];
      for (std::uint32_t i = access.first; i < access.first + access.count; ++i) {
        Request& request = block.requests[i];
        if (!CacheRequest::is_of(request)) continue;
        request.slice = memory.slice_of(request.address);
        if (const CacheRequest seen(request); caches_.has(seen))
          request.depth = 0;
        else
          sent.add(seen, static_cast<std::uint32_t>(at - first), &request, memory);
      }
    }
  }

 private:
  struct List {  // of a warp
    union {
      const Access* accesses = nullptr;
      const Block::Few* few;
    };
    union {
      const Request* requests = nullptr;
      const CacheRequest* cache_requests;
    };
    std::uint32_t count = 0;
    bool keeps_steps = false;
  };
  const List& list_of(const AccessOrder::Entry& entry) const {
    return lists_[entry.block * warps_ + entry.warp];
  }
  void prefetch_access(const AccessOrder::Entry& entry) const {
    const List& list = list_of(entry);
    if (entry.access >= list.count) return;
    if (list.keeps_steps)
      __builtin_prefetch(list.accesses + entry.access);
    else
      __builtin_prefetch(list.few + entry.access);
  }
  void prefetch_requests(const AccessOrder::Entry& entry) const {
    const List& list = list_of(entry);
    if (entry.access >= list.count) return;
    if (list.keeps_steps)
      __builtin_prefetch(list.requests + list.accesses[entry.access].first);
    else
      __builtin_prefetch(list.cache_requests + list.few[entry.access].first);
  }

  PrivateCaches caches_;
  std::size_t warps_;
  std::vector<List> lists_;  // by block and warp
};

}  // namespace

MemoryLoad play(KernelRecording& recording, const AccessOrder& order, const config::Machine& machine,
                MemoryModel& memory) {
  std::vector<Sm> sms(std::min(machine.gpu.sm.count, recording.blocks),
                      Sm(machine.gpu, order.blocks.size(), order.blocks.front()->room.size()));
  std::size_t at = 0;
  for (std::size_t j = 0; j < order.blocks.size(); ++j) {
    const std::uint64_t first = order.blocks[j]->block - order.sm;
    while (at < recording.kept.size() && recording.kept[at]->block < first) ++at;
    for (std::size_t k = at; k < recording.kept.size() && recording.kept[k]->block < first + sms.size(); ++k)
      if (const std::uint64_t sm = recording.kept[k]->block - first; sm != order.sm)
        sms[sm].take(j, *recording.kept[k]);
  }
  memory.take_load();  // the load before it
  memory.begin_accesses(order.entries.size());
  for (std::size_t i = 0; i < order.entries.size(); ++i) {
    const AccessOrder::Entry& entry = order.entries[i];
    order.blocks[entry.block]->accesses[entry.warp][entry.access].place = static_cast<std::uint32_t>(i);
  }
  const MemoryModel::Held before = memory.held();
  std::uint64_t own_requests = 0, own_stores = 0;
  std::vector<std::uint64_t> own_below(1 + machine.levels.size()), own_of_slice(machine.gpu.l2_slices);
  // Unrecorded blocks are taken to use as many lines as the blocks of the windows, without the first wave: it
  // also brings the lines that all use.
  const bool gaps = recording.kept.size() < recording.blocks;
  if (gaps) memory.begin_kernel();
  MemoryModel::Counts then = memory.counts();
  std::size_t started = 0, started_then = 0;
  const auto starts = [&](std::size_t block) {
    for (; gaps && started <= block; ++started) {
      const std::uint64_t between =
          started == 0
              ? 0
              : (order.blocks[started]->block - order.blocks[started - 1]->block) / machine.gpu.sm.count - 1;
      if (between != 0) {
        const auto seen = static_cast<double>(started - started_then);
        const std::uint64_t blocks = order.blocks.back()->block / machine.gpu.sm.count + 1;
        memory.pass(then, static_cast<double>(between) / seen, static_cast<double>(blocks - started) / seen);
      }
      if (started == 0 || started % recording.blocks_per_sm != 0) continue;
      memory.begin_wave();
      if (started_then != 0) continue;
      then = memory.counts();
      started_then = started;
    }
  };
  Sent sent;
  for (std::size_t first = 0; first < order.entries.size(); first += kTogether) {
    const std::size_t end = std::min(first + kTogether, order.entries.size());
    sent.clear();
    for (std::size_t sm = 0; sm < sms.size(); ++sm)
      if (sm == order.sm)
        sms[sm].send_own(order, first, end, memory, sent);
      else
        sms[sm].send(order, first, end, memory, sent);
    sent.sort(end - first);
    std::size_t next = 0;
    for (std::uint32_t entry = 0; entry < end - first; ++entry) {
      starts(order.entries[first + entry].block);
      memory.at_access(static_cast<std::uint32_t>(first) + entry);
      for (const std::size_t last = sent.end_of(entry); next < last; ++next) {
        if (next + kAhead < sent.size()) memory.prefetch(sent[next + kAhead].set);
        const Sent::One& one = sent[next];
        const unsigned depth = memory.access(one.request, one.set);
        if (one.own == nullptr) continue;
        Request& request = *one.own;
        request.asked_at =
            depth == 0 && !request.store && !request.atomic ? memory.brought_at() : Request::kBefore;
        request.depth = static_cast<std::uint8_t>(depth);
        ++own_requests;
        ++own_of_slice[request.slice];
        own_stores += request.store;
        for (unsigned level = 0; level < depth && level < own_below.size(); ++level) ++own_below[level];
      }
    }
  }
  if (recording.kept.size() < recording.blocks)
    memory.write_back_in_time(recording.instructions() / static_cast<double>(recording.kept_instructions()),
                              before);
  MemoryLoad load = memory.take_load();
  load.own_requests = own_requests;
  load.own_stores = own_stores;
  load.own_below = std::move(own_below);
  load.own_of_slice = std::move(own_of_slice);
  return load;
}

}  // namespace duet::predict
