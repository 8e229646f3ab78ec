#include "predict/shared_caches.h"

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

}  // namespace

MemoryLoad play(KernelRecording& recording, const AccessOrder& order, const config::Machine& machine,
                MemoryModel& memory) {
  const std::uint64_t sms = std::min(machine.gpu.sm.count, recording.blocks);
  std::vector<PrivateCaches> caches(sms, PrivateCaches(machine.gpu));
  // By number of a block of the SM: those of the others beside it.
  std::vector<std::vector<Block*>> beside(order.blocks.size(), std::vector<Block*>(sms, nullptr));
  std::size_t at = 0;
  for (std::size_t j = 0; j < order.blocks.size(); ++j) {
    const std::uint64_t first = order.blocks[j]->block - order.sm;
    while (at < recording.kept.size() && recording.kept[at]->block < first) ++at;
    for (std::size_t k = at; k < recording.kept.size() && recording.kept[k]->block < first + sms; ++k)
      beside[j][recording.kept[k]->block - first] = recording.kept[k].get();
  }
  memory.take_load();  // what is before it
  const std::uint64_t dirty = memory.dirty_segments();
  std::uint64_t own_requests = 0, own_stores = 0;
  std::vector<std::uint64_t> own_below(1 + machine.levels.size()), own_of_slice(machine.gpu.l2_slices);
  for (const AccessOrder::Entry& entry : order.entries) {
    for (std::uint64_t sm = 0; sm < sms; ++sm) {
      Block* const block = beside[entry.block][sm];
      if (block == nullptr || entry.warp >= block->accesses.size() ||
          entry.access >= block->accesses[entry.warp].size())
        continue;
      const Access& access = block->accesses[entry.warp][entry.access];
      for (std::uint32_t i = access.first; i < access.first + access.count; ++i) {
        Request& request = block->requests[i];
        if (request.host || (request.path != Path::L1 && request.path != Path::ConstantCache)) continue;
        if (sm == order.sm) request.slice = memory.slice_of(request.address);
        if (caches[sm].has(request)) {
          request.depth = 0;
          continue;
        }
        request.depth = static_cast<std::uint8_t>(memory.access(request, request.store    ? Kind::Store
                                                                         : request.atomic ? Kind::Atomic
                                                                                          : Kind::Load));
        if (sm != order.sm) continue;
        ++own_requests;
        ++own_of_slice[request.slice];
        own_stores += request.store;
        for (unsigned level = 0; level < request.depth && level < own_below.size(); ++level)
          ++own_below[level];
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
