#include "predict/shared_caches.h"

#include <algorithm>

namespace duet::predict {

namespace {

// L1 and the constant cache of one SM: what they have goes no further.
class PrivateCaches {
 public:
  explicit PrivateCaches(const config::Gpu& gpu)
      : evicts_(gpu.l1.write_evict),
        l1_bytes_(gpu.l1.line_bytes),
        constant_bytes_(gpu.constant_cache.line_bytes),
        l1_(gpu.l1, nullptr),
        constants_(gpu.constant_cache, nullptr) {}

  bool has(const Request& request) {
    if (request.path == Path::ConstantCache)
      return constants_.read(request.address, own(request, constant_bytes_));
    if (!request.in_l1 || request.atomic) return false;
    if (!request.store) return l1_.read(request.address, own(request, l1_bytes_));
    if (evicts_) l1_.drop(request.address);
    return false;
  }

 private:
  static unsigned own(const Request& request, Bytes line) {
    if (line >= 128) return request.sectors;
    return request.sectors >> request.address % 128 / line * (line / 32) & ((1u << line / 32) - 1);
  }
  bool evicts_;
  Bytes l1_bytes_, constant_bytes_;
  TagArray l1_, constants_;
};

// Entries of the order that are gone through at a time: the private caches of an SM see so many before those
// of the next one do, and all that they let through lies side by side.
constexpr std::size_t kTogether = 1024;

struct Sent {
  std::uint64_t address;
  std::uint32_t entry;
  Kind kind;
  std::uint8_t sectors, used_bytes;
};

// What an SM's private caches let through of its own accesses.
class Sm {
 public:
  explicit Sm(const config::Gpu& gpu) : caches_(gpu) {}

  std::vector<Block*> blocks;  // by number of a block of the SM whose order it is; null: it has none there
  std::vector<Sent> sent;
  std::size_t next = 0;  // of `sent`

  // `own`: null, or told which requests `sent` are. `slice_of`: fills in the slices of those.
  template <typename F>
  void send(const AccessOrder& order, std::size_t first, std::size_t end, std::vector<Request*>* own,
            const F& slice_of) {
    sent.clear();
    next = 0;
    for (std::size_t at = first; at < end; ++at) {
      // What comes next lies far apart: the host is told in time.
      if (at + 2 * kAhead < end) __builtin_prefetch(access_of(order.entries[at + 2 * kAhead]));
      if (at + kAhead < end)
        if (const Access* const next = access_of(order.entries[at + kAhead]); next != nullptr)
          __builtin_prefetch(blocks[order.entries[at + kAhead].block]->requests.data() + next->first);
      const AccessOrder::Entry& entry = order.entries[at];
      const Access* const access = access_of(entry);
      if (access == nullptr) continue;
      for (std::uint32_t i = access->first; i < access->first + access->count; ++i) {
        Request& request = blocks[entry.block]->requests[i];
        if (request.host || (request.path != Path::L1 && request.path != Path::ConstantCache)) continue;
        if (own != nullptr) request.slice = slice_of(request.address);
        if (caches_.has(request)) {
          if (own != nullptr) request.depth = 0;
          continue;
        }
        const Kind kind = request.store ? Kind::Store : request.atomic ? Kind::Atomic : Kind::Load;
        sent.push_back({request.address, static_cast<std::uint32_t>(at - first), kind, request.sectors,
                        request.used_bytes});
        if (own != nullptr) own->push_back(&request);
      }
    }
  }

 private:
  static constexpr std::size_t kAhead = 8;
  // Null: this SM does less.
  const Access* access_of(const AccessOrder::Entry& entry) const {
    const Block* const block = blocks[entry.block];
    if (block == nullptr || entry.warp >= block->accesses.size()) return nullptr;
    const std::vector<Access>& own = block->accesses[entry.warp];
    return entry.access < own.size() ? &own[entry.access] : nullptr;
  }

  PrivateCaches caches_;
};

}  // namespace

MemoryLoad play(KernelRecording& recording, const AccessOrder& order, const config::Machine& machine,
                MemoryModel& memory) {
  std::vector<Sm> sms(std::min(machine.gpu.sm.count, recording.blocks), Sm(machine.gpu));
  for (Sm& sm : sms) sm.blocks.assign(order.blocks.size(), nullptr);
  std::size_t at = 0;
  for (std::size_t j = 0; j < order.blocks.size(); ++j) {
    const std::uint64_t first = order.blocks[j]->block - order.sm;
    while (at < recording.kept.size() && recording.kept[at]->block < first) ++at;
    for (std::size_t k = at; k < recording.kept.size() && recording.kept[k]->block < first + sms.size(); ++k)
      sms[recording.kept[k]->block - first].blocks[j] = recording.kept[k].get();
  }
  memory.take_load();  // what is before it
  memory.begin_accesses(order.entries.size());
  for (std::size_t i = 0; i < order.entries.size(); ++i) {
    const AccessOrder::Entry& entry = order.entries[i];
    order.blocks[entry.block]->accesses[entry.warp][entry.access].place = static_cast<std::uint32_t>(i);
  }
  const std::uint64_t dirty = memory.dirty_segments();
  std::uint64_t own_requests = 0, own_stores = 0;
  std::vector<std::uint64_t> own_below(1 + machine.levels.size()), own_of_slice(machine.gpu.l2_slices);
  const auto slice_of = [&](std::uint64_t address) { return memory.slice_of(address); };
  std::vector<Request*> own;
  // Of blocks that were not recorded only how many lines they bring is known.
  const MemoryModel::Counts taken = memory.taken();
  const MemoryModel::Moments began = memory.moments();
  std::size_t started = 0;
  const auto starts = [&](std::size_t block) {
    for (; started <= block; ++started) {
      const std::uint64_t sm_count = machine.gpu.sm.count;
      const std::uint64_t between =
          started == 0 ? 0 : (order.blocks[started]->block - order.blocks[started - 1]->block) / sm_count - 1;
      if (between != 0) memory.age(taken, static_cast<double>(between) / static_cast<double>(started), began);
    }
  };
  for (std::size_t first = 0; first < order.entries.size(); first += kTogether) {
    const std::size_t end = std::min(first + kTogether, order.entries.size());
    own.clear();
    for (std::size_t sm = 0; sm < sms.size(); ++sm)
      sms[sm].send(order, first, end, sm == order.sm ? &own : nullptr, slice_of);
    for (std::uint32_t entry = 0; entry < end - first; ++entry) {
      starts(order.entries[first + entry].block);
      memory.at_access(static_cast<std::uint32_t>(first) + entry);
      for (std::size_t number = 0; number < sms.size(); ++number) {
        Sm& sm = sms[number];
        for (; sm.next < sm.sent.size() && sm.sent[sm.next].entry == entry; ++sm.next) {
          const Sent& sent = sm.sent[sm.next];
          const unsigned depth = memory.access(sent.address, sent.sectors, sent.used_bytes, sent.kind);
          if (number != order.sm) continue;
          Request& request = *own[sm.next];
          request.asked_at = depth == 0 && sent.kind == Kind::Load ? memory.brought_at() : Request::kBefore;
          request.depth = static_cast<std::uint8_t>(depth);
          ++own_requests;
          ++own_of_slice[request.slice];
          own_stores += request.store;
          for (unsigned level = 0; level < depth && level < own_below.size(); ++level) ++own_below[level];
        }
      }
    }
  }
  if (recording.kept.size() < recording.blocks)
    memory.write_back_in_time(recording.instructions() / static_cast<double>(recording.kept_instructions()),
                              dirty);
  MemoryLoad load = memory.take_load();
  load.own_requests = own_requests;
  load.own_stores = own_stores;
  load.own_below = std::move(own_below);
  load.own_of_slice = std::move(own_of_slice);
  return load;
}

}  // namespace duet::predict
