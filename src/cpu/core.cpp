#include "cpu/core.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/error.h"
#include "cpu/program_counters.h"

namespace duet::cpu {

using memory::CoherenceKind;

namespace {

std::vector<Units> units_of(const config::Cpu& cpu) {
  std::vector<Units> units;
  for (const config::Cpu::Unit* const unit :
       {&cpu.integer, &cpu.multiply, &cpu.divide, &cpu.float_add, &cpu.float_multiply, &cpu.float_fused,
        &cpu.float_divide, &cpu.float_square_root, &cpu.float_move, &cpu.float_convert, &cpu.branch})
    units.emplace_back(static_cast<unsigned>(unit->count), unit->interval_cycles);
  return units;
}

std::array<Cycle, kUnitTreatments> latencies_of(const config::Cpu& cpu) {
  return {cpu.integer.latency_cycles,        cpu.multiply.latency_cycles,
          cpu.divide.latency_cycles,         cpu.float_add.latency_cycles,
          cpu.float_multiply.latency_cycles, cpu.float_fused.latency_cycles,
          cpu.float_divide.latency_cycles,   cpu.float_square_root.latency_cycles,
          cpu.float_move.latency_cycles,     cpu.float_convert.latency_cycles,
          cpu.branch.latency_cycles};
}

constexpr Cycle kAloneCycles = 500;  // as far as it goes at once while nobody else acts

}  // namespace

Core::Core(sim::Engine& engine, const sim::Component* parent, const config::Cpu& config, unsigned number,
           const Surroundings& surroundings)
    : Component(engine, "core " + std::to_string(number), parent, 2, sim::Role::ProcessingElement),
      clock_(config.clock_khz * 1000),
      domain_(config.clock_khz * 1000),
      config_(config),
      number_(number),
      line_mask_(config.line_bytes - 1),
      memory_(surroundings.memory),
      view_(surroundings.view),
      client_(surroundings.client),
      code_(surroundings.memory, &surroundings.view, number),
      predictor_(config.predictor),
      window_(std::bit_ceil(2 * config.rob_entries + 1)),
      window_mask_(window_.size() - 1),
      dispatch_times_(kDispatchTimes),
      front_end_places_(std::min(config.fetch_width * (config.front_end_cycles + 2), kDispatchTimes)),
      leaves_(kReach),
      units_(units_of(config)),
      latency_(latencies_of(config)),
      load_ports_(static_cast<unsigned>(config.load_ports), 1),
      store_ports_(static_cast<unsigned>(config.store_ports), 1),
      issue_slots_(static_cast<unsigned>(config.issue_width)),
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
  const Cycle cycle = domain_.cycle_at(now) + 1 + later;
  last_dispatch_ = std::max(last_dispatch_, cycle);
  dispatched_ = 0;
  accounted_ = last_dispatch_;
  go_on(registers->pc, last_dispatch_);
  engine().wake(*this, clock_.first_edge_after(now));
}

bool Core::settle_statistics() {
  if (registers_ == nullptr) return false;
  const Cycle reached = last_dispatch_ + (uncounted_ != 0);
  count_retired(domain_.cycle_at(engine().now()));
  count_slots(std::max(domain_.cycle_at(engine().now()), reached), cause_of_waiting());
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
      return self.domain_.edge(self.serial_cycle_) / kPicosecondsPerNanosecond;
    case rv64::csr::kInstret:
      return self.statistics_.instructions;
    default:
      return program_counter(self.statistics_, csr - rv64::csr::kCycle);
  }
}

void Core::send(Cycle at, CoherenceKind kind, std::uint64_t line, bool dirty, bool held) {
  Message message;
  message.line = PhysicalAddress(line);
  message.cache = static_cast<std::uint16_t>(number_);
  message.kind = kind;
  message.dirty = dirty;
  message.held = held;
  assert(at >= now_);
  outgoing_.push_back({at, sent_++, message});
  // The answer may arrive after limit_.
  limit_ = std::min(limit_, answer_after(at));
}

// Sends messages up to limit_, in the order of their times.
void Core::flush_outgoing(Picoseconds now) {
  if (outgoing_.empty()) return;
  std::sort(outgoing_.begin(), outgoing_.end(), [](const Outgoing& a, const Outgoing& b) {
    return a.at != b.at ? a.at < b.at : a.order < b.order;
  });
  std::size_t sent = 0;
  while (sent < outgoing_.size() && outgoing_[sent].at <= limit_ && to_directory_->can_push(now)) {
    assert(outgoing_[sent].at >= now_);
    const Cycle ahead = outgoing_[sent].at - now_ + config_.to_directory_cycles - 1;
    to_directory_->push(now, outgoing_[sent].message, clock_.edge_after(now, ahead));
    ++sent;
  }
  outgoing_.erase(outgoing_.begin(), outgoing_.begin() + static_cast<std::ptrdiff_t>(sent));
  if (!outgoing_.empty()) wake_for(outgoing_.front().at);
}

void Core::handle(const Message& message) {
  drain_at_ = 0;
  if (message.kind == CoherenceKind::Grant) {
    granted(message, now_);
    // Accesses that wait for the line have it before another agent may ask for it.
    drain(now_);
    if (atomic_line_ == message.line.value()) dispatch();
  } else if (message.kind == CoherenceKind::Uncached) {
    uncached_done(message.request);
    drain(now_);
  } else {
    // Finished accesses came first.
    probed(message, std::max(now_, reached_));
  }
}

// While it is the only executing core, and has asked for nothing: until another agent can ask it for a line.
Cycle Core::reach_alone(Picoseconds now) {
  const Picoseconds others = view_.others_ask_from(now);
  Cycle reach = now_ + kAloneCycles;
  for (const WriteCombining::Buffer& buffer : combining_.open())
    reach = std::min(reach, answer_after(combining_.deadline(buffer)));
  if (others == kNever) return reach;
  return std::min(reach, domain_.cycle_at(others) + config_.from_directory_cycles - 1);
}

Picoseconds Core::tick(Picoseconds now) {
  now_ = clock_.advance_to(now);
  wake_ = kUnknown;
  limit_ = now_;
  while (from_directory_->can_pop(now)) handle(from_directory_->pop(now));
  const Picoseconds arrival = from_directory_->next_arrival(now);
  limit_ = now_ + config_.from_directory_cycles - 1;
  if (arrival != kNever)
    limit_ = std::min(limit_, domain_.cycle_at(arrival));
  else if (alone_ && misses_.empty() && outgoing_.empty() && uncached_.empty())
    limit_ = std::max(limit_, reach_alone(now));
  if (held_probe_) {
    if (reservation_ != held_probe_->line.value() || now_ >= reserved_until_) {
      answer_held_probe(now_);
    } else {
      limit_ = std::min(limit_, reserved_until_ - 1);
      wake_at(reserved_until_);
    }
  }
  for (bool again = true; again;) {
    while (dispatch()) {
    }
    // Loads with a performed store let dispatch go on.
    const std::size_t waiting = behind_stores_.size();
    drain(limit_);
    again = behind_stores_.size() < waiting;
  }
  if (!uncached_waiting_.empty()) retry_uncached();  // a fence may have retired
  if (combining_.any_open()) send_idle(limit_);
  if (drain_at_ != kUnknown) wake_for(drain_at_);
  reached_ = std::max(reached_, limit_);
  flush_outgoing(now);
  Picoseconds next = kNever;
  if (wake_ != kUnknown) next = clock_.edge_after(now, wake_ - now_);
  if (arrival != kNever) next = std::min(next, clock_.first_edge_after(arrival));
  return next;
}

std::string Core::waits_for() const {
  if (registers_ == nullptr) return {};
  if (!misses_.empty()) return name() + " waits for lines of memory";
  if (!uncached_.empty()) return name() + " waits for accesses that no cache holds";
  return {};
}

}  // namespace duet::cpu
