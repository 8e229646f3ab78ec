#include "cpu/core.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/error.h"
#include "cpu/program_counters.h"

namespace duet::cpu {

using memory::CoherenceKind;

namespace {

constexpr Cycle kAloneCycles = 500;  // as far as it goes at once while nobody else acts

}  // namespace

Core::Core(sim::Engine& engine, const sim::Component* parent, const config::Cpu& config, unsigned number,
           const Surroundings& surroundings)
    : Component(engine, "core " + std::to_string(number), parent, 2, sim::Role::ProcessingElement),
      config_(config),
      ahead_(config_),
      number_(number),
      line_mask_(config.line_bytes - 1),
      port_(ahead_, number),
      memory_(surroundings.memory),
      view_(surroundings.view),
      client_(surroundings.client),
      code_(surroundings.memory, &surroundings.view, number),
      predictor_(config.predictor),
      window_(std::bit_ceil(2 * config.rob_entries + 1)),
      window_mask_(window_.size() - 1),
      dispatch_times_(kDispatchTimes),
      front_end_places_(std::min(config.fetch_width * (config.front_end_cycles + 2), kDispatchTimes)),
      slots_(config.dispatch_width, statistics_),
      scheduler_(config.scheduler_entries),
      units_(config),
      instruction_cache_(config.instruction_cache, config.line_bytes),
      l1_(config.l1, config.line_bytes),
      l2_(config.l2, config.line_bytes),
      load_places_(2 * config.load_entries + 1),
      stores_(std::bit_ceil(2 * config.store_entries + 1)),
      store_mask_(stores_.size() - 1),
      instruction_tlb_(config.tlb.instruction_entries, config.tlb.ways),
      data_tlb_(config.tlb.data_entries, config.tlb.ways),
      l2_tlb_(config.tlb.l2_entries, config.tlb.l2_ways),
      walk_cache_(config.tlb.walk_cache_entries, config.tlb.walk_cache_entries),
      combining_(config.write_combining),
      statistics_(*this, "core.") {
  execution_.read_counter = read_counter;
  execution_.counter_context = this;
  memory_.attach_pages([this] { forget_translations(); });
}

void Core::assign(rv64::Registers* registers, Picoseconds now, Cycle later) {
  settle_statistics();
  registers_ = registers;
  preempt_at_ = kNever;
  fetch_address_ = kNoLine;
  reservation_ = kNoLine;
  if (registers == nullptr || trapped_) return;  // in a trap it goes on by itself
  const Cycle cycle = ahead_.cycle_at(now) + 1 + later;
  slots_.begin(cycle);
  go_on(registers->pc, slots_.cycle());
  engine().wake(*this, ahead_.first_edge_after(now));
}

bool Core::settle_statistics() {
  if (registers_ == nullptr) return false;
  count_retired(ahead_.cycle_at(engine().now()));
  slots_.count(std::max(ahead_.cycle_at(engine().now()), slots_.end()), cause_of_waiting());
  return true;
}

void Core::preempt_at(Picoseconds time) {
  preempt_at_ = time;
  preempting_ = false;
  if (registers_ != nullptr && time != kNever && !trapped_)
    engine().wake_after(*this, std::max(time, engine().now()));
}

std::uint64_t Core::read_counter(void* core, unsigned csr) {
  const Core& self = *static_cast<Core*>(core);
  switch (csr) {
    case rv64::csr::kCycle:
      return self.serial_cycle_;
    case rv64::csr::kTime:
      return self.ahead_.edge(self.serial_cycle_) / kPicosecondsPerNanosecond;
    case rv64::csr::kInstret:
      return self.statistics_.instructions;
    default:
      return program_counter(self.statistics_, csr - rv64::csr::kCycle);
  }
}

void Core::handle(const Message& message) {
  drain_at_ = 0;
  if (message.kind == CoherenceKind::Grant) {
    granted(message, ahead_.now());
    // Accesses that wait for the line have it before another agent may ask for it.
    drain(ahead_.now());
    if (atomic_line_ == message.line.value()) dispatch();
  } else if (message.kind == CoherenceKind::Uncached) {
    uncached_done(message.request);
    drain(ahead_.now());
  } else {
    // Finished accesses came first.
    probed(message, std::max(ahead_.now(), ahead_.reached()));
  }
}

// While it is the only executing core, and has asked for nothing: until another agent can ask it for a line.
Cycle Core::reach_alone(Picoseconds now) {
  const Picoseconds others = view_.others_ask_from(now);
  Cycle reach = ahead_.now() + kAloneCycles;
  for (const WriteCombining::Buffer& buffer : combining_.open())
    reach = std::min(reach, ahead_.answer_after(combining_.deadline(buffer)));
  if (others == kNever) return reach;
  return std::min(reach, ahead_.before_arrival(ahead_.cycle_at(others)));
}

Picoseconds Core::tick(Picoseconds now) {
  ahead_.begin(now);
  while (port_.answers().can_pop(now)) handle(port_.answers().pop(now));
  const Picoseconds arrival = port_.answers().next_arrival(now);
  ahead_.set_limit(ahead_.before_arrival(ahead_.now()));
  if (arrival != kNever)
    ahead_.stop_at(ahead_.cycle_at(arrival));
  else if (alone_ && misses_.empty() && port_.is_empty() && uncached_.empty())
    ahead_.set_limit(std::max(ahead_.limit(), reach_alone(now)));
  if (held_probe_) {
    if (reservation_ != held_probe_->line.value() || ahead_.now() >= reserved_until_) {
      answer_held_probe(ahead_.now());
    } else {
      ahead_.stop_at(reserved_until_ - 1);
      ahead_.wake_at(reserved_until_);
    }
  }
  for (bool again = true; again;) {
    while (dispatch()) {
    }
    // Loads with a performed store let dispatch go on.
    const std::size_t waiting = behind_stores_.size();
    drain(ahead_.limit());
    again = behind_stores_.size() < waiting;
  }
  if (!uncached_waiting_.empty()) retry_uncached();  // a fence may have retired
  if (combining_.any_open()) send_idle(ahead_.limit());
  if (drain_at_ != kUnknown) ahead_.wake_for(drain_at_);
  port_.flush(now);
  Picoseconds next = ahead_.end(now);
  if (arrival != kNever) next = std::min(next, ahead_.first_edge_after(arrival));
  return next;
}

std::string Core::waits_for() const {
  if (registers_ == nullptr) return {};
  if (!misses_.empty()) return name() + " waits for lines of memory";
  if (!uncached_.empty()) return name() + " waits for accesses that no cache holds";
  return {};
}

}  // namespace duet::cpu
