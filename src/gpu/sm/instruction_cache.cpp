#include "gpu/sm/instruction_cache.h"

#include <bit>
#include <string>

#include "base/error.h"

namespace duet::gpu {

InstructionCache::InstructionCache(const config::Cache& config, std::uint16_t sm_number,
                                   memory::RequestPool& pool)
    : config_(config),
      line_shift_(static_cast<unsigned>(std::countr_zero(config.line_bytes))),
      sets_mask_(std::has_single_bit(config.sets) ? config.sets - 1 : 0),
      sm_number_(sm_number),
      pool_(&pool),
      lines_(config.sets * config.ways) {
  if (!std::has_single_bit(config.line_bytes))
    throw Error("gpu.instruction_cache.line_bytes is " + std::to_string(config.line_bytes) +
                ": a line is a power of two");
}

void InstructionCache::miss(Picoseconds now, std::uint64_t line, PhysicalAddress code_end) {
  if (const auto coming = on_its_way(line); coming != missing_.end()) {
    if (!coming->prefetched) return;
    coming->prefetched = false;
    look_ahead(line, code_end);
    return;
  }
  if (missing_.size() >= config_.mshrs ||
      !ports_.to_memory->can_push(now, memory::TrafficClass::NonTriggered))
    return;
  ++statistics_.misses;
  missing_.push_back({line, false});
  ask(now, line);
  look_ahead(line, code_end);
}

void InstructionCache::prefetch(Picoseconds now) {
  const auto is_there = [this](std::uint64_t line) {
    const Line* const set = set_of(line);
    return std::any_of(set, set + config_.ways, [line](const Line& l) { return l.valid && l.tag == line; });
  };
  while (ahead_ != ahead_end_ && (is_there(ahead_) || on_its_way(ahead_) != missing_.end())) ++ahead_;
  if (!prefetching() || !ports_.to_memory->can_push(now, memory::TrafficClass::NonTriggered)) return;
  ++statistics_.prefetches;
  missing_.push_back({ahead_, true});
  ask(now, ahead_++);
}

void InstructionCache::warm(PhysicalAddress code, Bytes bytes) {
  if (bytes == 0) return;
  const std::uint64_t end = ((code.value() + bytes - 1) >> line_shift_) + 1;
  for (std::uint64_t line = code >> line_shift_; line < end; ++line) {
    if (on_its_way(line) != missing_.end()) continue;
    Line* const set = set_of(line);
    Line* way =
        std::find_if(set, set + config_.ways, [line](const Line& l) { return l.valid && l.tag == line; });
    if (way == set + config_.ways)
      way = std::min_element(set, set + config_.ways, [](const Line& a, const Line& b) {
        return (a.valid ? a.used : 0) < (b.valid ? b.used : 0);
      });
    *way = {line, ++clock_, true, false};
  }
}

void InstructionCache::ask(Picoseconds now, std::uint64_t line) {
  const memory::RequestHandle handle = pool_.allocate();
  memory::Request& request = pool_[handle];
  request.address = PhysicalAddress(line * config_.line_bytes);
  request.bytes = static_cast<std::uint16_t>(config_.line_bytes);
  request.mask = memory::ByteMask::first(request.bytes);
  request.agent = memory::Agent::Sm;
  request.unit = sm_number_;
  request.cacheability.gpu_l1 = false;
  memory::Packet packet;
  packet.request = handle;
  packet.source = ports_.number;
  packet.destination = ports_.destinations->of(request.address);
  ports_.to_memory->push(now, packet);
}

bool InstructionCache::receive(Picoseconds now) {
  bool any = false;
  while (ports_.from_memory->can_pop(now)) {
    const memory::Packet packet = ports_.from_memory->pop(now);
    const std::uint64_t line = pool_[packet.request].address >> line_shift_;
    pool_.release(packet.request);
    const auto coming = on_its_way(line);
    const bool prefetched = coming->prefetched;
    missing_.erase(coming);
    Line* set = set_of(line);
    Line* victim = std::min_element(set, set + config_.ways, [](const Line& a, const Line& b) {
      return a.valid != b.valid ? !a.valid : a.used < b.used;
    });
    *victim = {line, ++clock_, true, prefetched};
    any = true;
  }
  return any;
}

}  // namespace duet::gpu
