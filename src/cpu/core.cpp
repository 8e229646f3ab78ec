#include "cpu/core.h"

#include <algorithm>

namespace duet::cpu {

using memory::CoherenceKind;

namespace {

constexpr Cycle kAloneCycles = 500;  // as far as it goes at once while nobody else acts

}  // namespace

Core::Core(sim::Engine& engine, const sim::Component* parent, const config::Cpu& config, unsigned number,
           const Surroundings& surroundings)
    : Component(engine, "core " + std::to_string(number), parent, 2, sim::Role::ProcessingElement),
      state_(*this, config, number, surroundings.memory, surroundings.view),
      prefetcher_(config.l2.sets != 0 ? state_.config.l2 : state_.config.l1, config.line_bytes, state_.caches,
                  state_.misses, state_.statistics),
      front_end_(state_, stores_, walker_, prefetcher_),
      back_end_(state_, front_end_, walker_, uncached_),
      walker_(state_, front_end_, loads_, back_end_),
      loads_(state_, execution_, back_end_, uncached_, prefetcher_),
      stores_(state_, loads_, uncached_, prefetcher_, engine),
      uncached_(state_, loads_, back_end_),
      execution_(state_, uncached_, device_),
      serial_(state_, {front_end_, back_end_, execution_, stores_, uncached_, coherence_}, *this,
              surroundings.client),
      device_(state_, front_end_, execution_, serial_, uncached_),
      coherence_(state_, front_end_, walker_, loads_, back_end_),
      dispatcher_(state_, {front_end_, back_end_, execution_, loads_, stores_, serial_, device_}) {
  state_.caches.connect(coherence_);
  execution_.set_counters(SerialUnit::read_counter, &serial_);
  state_.memory.attach_pages([this] { forget_translations(); });
}

void Core::assign(rv64::Registers* registers, Picoseconds now, Cycle later) {
  settle_statistics();
  state_.registers = registers;
  serial_.preempt_at(kNever);
  front_end_.forget_line();
  state_.reservation.drop();
  if (registers == nullptr || serial_.is_trapped()) return;  // in a trap it goes on by itself
  state_.slots.begin(state_.ahead.cycle_at(now) + 1 + later);
  state_.sampling.begin(state_.slots.cycle());
  serial_.go_on(registers->pc, state_.slots.cycle());
  engine().wake(*this, state_.ahead.first_edge_after(now));
}

bool Core::settle_statistics() {
  if (state_.registers == nullptr) return false;
  const Cycle now = state_.ahead.cycle_at(engine().now());
  back_end_.count_retired(now);
  state_.slots.count(std::max(now, state_.slots.end()), dispatcher_.cause_of_waiting());
  return true;
}

void Core::preempt_at(Picoseconds time) {
  serial_.preempt_at(time);
  if (state_.registers != nullptr && time != kNever && !serial_.is_trapped())
    engine().wake_after(*this, std::max(time, engine().now()));
}

void Core::forget_translations() {
  state_.translation.forget();
  walker_.forget_translations();
  front_end_.forget_translation();
}

std::uint64_t Core::drop_lines(Picoseconds now) {
  return coherence_.drop_lines(state_.ahead.cycle_at(now) + 1);
}

void Core::line_rewritten(PhysicalAddress line) {
  if (state_.registers == nullptr) return;
  const Cycle now = state_.ahead.cycle_at(engine().now());
  if (coherence_.line_rewritten(line.value(), std::max(now, state_.ahead.reached())))
    engine().wake_after(*this, engine().now());
}

void CoreClient::stands(Core& core) {
  core.engine().after_ticks([&core] { core.call_client(); });
}

void Core::call_client() {
  const Picoseconds now = engine().now();
  const Cycle spent = serial_.call_client(now);
  if (state_.registers == nullptr) return;
  serial_.go_on(state_.registers->pc, state_.ahead.now() + 1 + spent);
  engine().wake(*this, state_.ahead.next_edge(now));
}

void Core::handle(const memory::CoherenceMessage& message) {
  const Cycle now = state_.ahead.now();
  state_.stores.set_due(0);
  if (message.kind == CoherenceKind::Grant) {
    coherence_.granted(message, engine().now());
    // Accesses that wait for the line have it before another agent may ask for it.
    stores_.drain(now);
    if (serial_.waits_for(message.line.value())) dispatcher_.dispatch();
  } else if (message.kind == CoherenceKind::Uncached) {
    uncached_answered(message.request);
    stores_.drain(now);
  } else {
    // Finished accesses came first.
    coherence_.probed(message, std::max(now, state_.ahead.reached()));
  }
}

void Core::uncached_answered(memory::RequestHandle request) {
  uncached_.answered(request);
  if (device_.is_of(request)) device_.end();
  uncached_.release(request);
  back_end_.tell_waiters();
  uncached_.retry_waiting();
  back_end_.retire_known();
}

// While it is the only executing core, and has asked for nothing: until another agent can ask it for a line.
Cycle Core::reach_alone(Picoseconds now) {
  const Picoseconds others = state_.view.others_ask_from(now);
  Cycle reach = state_.ahead.now() + kAloneCycles;
  const WriteCombining& combining = uncached_.combining();
  for (const WriteCombining::Buffer& buffer : combining.open())
    reach = std::min(reach, state_.ahead.answer_after(combining.deadline(buffer)));
  if (others == kNever) return reach;
  return std::min(reach, state_.ahead.before_arrival(state_.ahead.cycle_at(others)));
}

// How far the tick goes, with the next message at `arrival`.
[[gnu::always_inline]] inline void Core::set_reach(Picoseconds now, Picoseconds arrival) {
  Lookahead& ahead = state_.ahead;
  ahead.set_limit(ahead.before_arrival(ahead.now()));
  if (arrival != kNever)
    ahead.stop_at(ahead.cycle_at(arrival));
  else if (state_.alone && state_.misses.is_empty() && state_.port.is_empty() && uncached_.is_empty())
    ahead.set_limit(std::max(ahead.limit(), reach_alone(now)));
}

// The probe of a reserved line is answered in time.
[[gnu::always_inline]] inline void Core::wait_with_held_probe() {
  if (state_.reservation.held() == nullptr) return;
  const Cycle until = state_.reservation.held_until();
  if (state_.ahead.now() >= until) {
    coherence_.answer_held_probe(state_.ahead.now());
  } else {
    state_.ahead.stop_at(until - 1);
    state_.ahead.wake_at(until);
  }
}

// As far as the tick goes.
[[gnu::always_inline]] inline void Core::work() {
  for (bool again = true; again;) {
    while (dispatcher_.dispatch()) {
    }
    // Loads with a performed store let dispatch go on.
    const std::size_t waiting = state_.loads.waiting_for_stores();
    stores_.drain(state_.ahead.limit());
    again = state_.loads.waiting_for_stores() < waiting;
  }
  uncached_.retry_waiting();  // a fence may have retired
  if (uncached_.combining().any_open()) uncached_.send_idle(state_.ahead.limit());
  if (state_.stores.due() != kUnknown) state_.ahead.wake_for(state_.stores.due());
}

Picoseconds Core::tick(Picoseconds now) {
  sim::Queue<memory::CoherenceMessage>& answers = state_.port.answers();
  state_.ahead.begin(now);
  while (answers.can_pop(now)) handle(answers.pop(now));
  const Picoseconds arrival = answers.next_arrival(now);
  set_reach(now, arrival);
  wait_with_held_probe();
  work();
  state_.port.flush(now);
  Picoseconds next = state_.ahead.end(now);
  if (arrival != kNever) next = std::min(next, state_.ahead.first_edge_after(arrival));
  return next;
}

std::string Core::waits_for() const {
  if (state_.registers == nullptr) return {};
  if (!state_.misses.is_empty()) return name() + " waits for lines of memory";
  if (!uncached_.is_empty()) return name() + " waits for accesses that no cache holds";
  return {};
}

}  // namespace duet::cpu
