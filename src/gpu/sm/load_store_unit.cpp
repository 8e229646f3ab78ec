#include "gpu/sm/load_store_unit.h"

#include <string>

#include "gpu/sm/load_store_lines.h"
#include "gpu/sm/load_store_local.h"
#include "gpu/sm/load_store_values.h"
#include "memory/cache/byte_masks.h"
#include "ptx/memory_order.h"

namespace duet::gpu {

using memory::Request;
using memory::RequestHandle;
using ptx::MicroOp;

namespace {

memory::Scope scope_of(const MicroOp& op) {
  if (op.semantics == ptx::MemorySemantics::Volatile) return memory::Scope::System;
  switch (op.scope) {
    case ptx::MemoryScope::Cta:
      return memory::Scope::Block;
    case ptx::MemoryScope::System:
      return memory::Scope::System;
    default:
      return memory::Scope::Gpu;
  }
}

// Where a load of tracked memory bypasses L1, as others do in segments of 32 bytes, its lanes wait for each
// other anyway: one request asks for all segments of a line from the first to the last touched one.
void drop_outer_segments(Request& request) {
  const unsigned first = memory::first_byte(request.mask) & ~31u;
  const unsigned last = memory::last_byte(request.mask) | 31u;
  request.address += first;
  request.bytes = static_cast<std::uint16_t>(last + 1 - first);
  request.mask = memory::moved_down(request.mask, first);
}

}  // namespace

template <unsigned W>
LoadStoreUnit<W>::LoadStoreUnit(const config::Gpu& config, std::uint16_t sm_number, memory::RequestPool& pool,
                                const memory::AddressSpace& address_space)
    : state_(std::make_unique<State>(outside_, config, sm_number, pool, address_space)) {}

template <unsigned W>
LoadStoreUnit<W>::~LoadStoreUnit() = default;

template <unsigned W>
void LoadStoreUnit<W>::connect(const Ports& ports) {
  state_->ports = ports;
  if (ports.outside != nullptr) state_->check.let_outside();
  if (ports.from_l1 != nullptr) ports.from_l1->mark_pushes(&outside_.arrivals, State::kL1Bit);
  if (ports.from_constant_cache != nullptr)
    ports.from_constant_cache->mark_pushes(&outside_.arrivals, State::kConstantBit);
}

// ---- Issue ----

template <unsigned W>
[[gnu::always_inline]] inline void LoadStoreUnit<W>::State::count(const Instruction& instruction) {
  const ptx::Kind kind = instruction.op->kind;
  for (unsigned i = 0; i < instruction.part_count; ++i) {
    const MemoryPart& part = instruction.parts[i];
    if (!begins_access(instruction, i)) continue;
    if (part.path == MemoryPath::Shared)
      ++statistics.shared_accesses;
    else if (part.path > MemoryPath::LocalAtomic)
      ++statistics.constant_loads;
    else if (kind == ptx::Kind::Atomic)
      ++statistics.atomics;
    else if (kind == ptx::Kind::Load)
      ++(part.local ? statistics.local_loads : statistics.global_loads);
    else
      ++(part.local ? statistics.local_stores : statistics.global_stores);
  }
}

template <unsigned W>
typename LoadStoreUnit<W>::Issue LoadStoreUnit<W>::issue(std::uint32_t warp, ptx::Warp<W>& registers,
                                                         const MicroOp& op, std::uint64_t lanes,
                                                         const WarpMemory& memory, InstructionCounts* counts,
                                                         bool texel) {
  State& s = *state_;
  const unsigned index = s.free.back();
  if (s.entries[index] == nullptr) s.entries[index] = std::make_unique_for_overwrite<MemoryInstruction<W>>();
  MemoryInstruction<W>& instruction = *s.entries[index];
  const bool atomic = op.kind == ptx::Kind::Atomic;
  instruction.op = &op;
  instruction.registers = &registers;
  instruction.lanes = lanes;
  instruction.ready = 0;
  instruction.warp = warp;
  instruction.answers = 0;
  instruction.sent = false;
  instruction.returns = op.kind == ptx::Kind::Load ||
                        (atomic && op.destination_count != 0 && op.destinations[0] != ptx::kNoRegister);
  instruction.takes_data = instruction.returns;
  instruction.writes_own = false;
  instruction.element_bytes = atomic ? atomic_type_bytes(op.atomic_type) : ptx::type_bytes(op.type);
  instruction.bytes = instruction.element_bytes * op.vector_elements;
  if (instruction.bytes > kMaxLaneBytes)
    throw Error("PTX line " + std::to_string(op.ptx_line) + ": an access of " +
                std::to_string(instruction.bytes) + " bytes a lane is not supported");
  instruction.wide = instruction.element_bytes == 8 ||
                     (op.source_type != ptx::Type::None && ptx::type_bytes(op.source_type) == 8);
  instruction.memory = &memory;
  instruction.counts = counts;
  instruction.part_count = 0;
  instruction.tracked = false;
  instruction.texel = texel;
  if (lanes != 0 && !s.check.resolve(instruction)) return Issue::Faulted;
  if ((instruction.tracked || s.order.busy()) && !s.may_go(instruction)) {
    s.check.forget_outside();
    return Issue::Later;
  }
  if (s.check.went_outside()) s.check.tell_outside(instruction, *s.ports.outside);
  instruction.packed = atomic || instruction.element_bytes > 8;
  for (unsigned i = 0; i < instruction.part_count; ++i) instruction.packed |= instruction.parts[i].steps > 1;
  instruction.stride = instruction.bytes;
  if (atomic) {
    instruction.stride = (op.source_count - 1u) * ptx::type_bytes(op.type);
    for (unsigned i = 0; i < instruction.part_count; ++i)
      if (instruction.parts[i].path == MemoryPath::LocalAtomic) [[unlikely]]
        instruction.stride = instruction.bytes + (op.source_count - 1u) * ptx::type_bytes(op.type);
  }
  s.take_values(instruction);
  s.count(instruction);
  s.statistics.texture_accesses += texel;
  if (counts != nullptr) s.count_line(instruction);
  instruction.part = instruction.step = 0;
  instruction.remaining = instruction.parts[0].lanes;

  s.free.pop_back();
  s.taken = index;
  instruction.apart = instruction.tracked && s.takes_place_apart(instruction);
  ++(instruction.apart ? outside_.apart : outside_.pending);
  ++(instruction.returns ? outside_.reads : outside_.writes)[warp];
  if (instruction.tracked) {
    s.order.add(index, instruction);
    if (instruction.waits() && s.own_queue) {
      s.waiting.push_back(index);
      return Issue::Taken;
    }
  }
  std::size_t tail = s.head + outside_.queued++;
  if (tail >= s.queue.size()) tail -= s.queue.size();
  s.queue[tail] = index;
  return Issue::Taken;
}

// Whoever may wait for long leaves the last place of the table of pending instructions to others. A table of
// one place gets another.
template <unsigned W>
bool LoadStoreUnit<W>::State::takes_place_apart(const Instruction& instruction) const {
  return instruction.waits() && own_queue && entry_count == 1;
}

// Whether an access may be issued beside its warp's accesses to tracked memory on their way.
template <unsigned W>
bool LoadStoreUnit<W>::State::may_go(Instruction& instruction) {
  if (ptx::releases(*instruction.op) && order.holds_back(instruction.warp)) return false;
  if (!instruction.tracked) return true;
  take_bits(instruction, atomics_wait);
  instruction.company = company_of(instruction);
  if (takes_place_apart(instruction)) {
    if (outside.apart != 0) return false;
  } else if (instruction.waits() && own_queue && outside.pending + 1 >= entry_count) {
    return false;
  }
  return order.may_go(instruction);
}

template <unsigned W>
bool LoadStoreUnit<W>::orders_tracked(std::uint32_t warp) const {
  return state_->order.holds_back(warp);
}

template <unsigned W>
void LoadStoreUnit<W>::start_at(Cycle cycle) {
  state_->entries[state_->taken]->start = cycle;
}

template <unsigned W>
void LoadStoreUnit<W>::ready_from(Cycle cycle) {
  state_->entries[state_->taken]->ready = cycle;
}

template <unsigned W>
const AccessFault& LoadStoreUnit<W>::fault() const {
  return state_->check.fault();
}

// ---- Requests ----

// Of loads when their values are here, of stores when they are sent; local memory is nobody else's.
template <unsigned W>
void LoadStoreUnit<W>::State::look_for_race(const Instruction& instruction, const Request& request,
                                            Picoseconds now) {
  const MicroOp& op = *instruction.op;
  const memory::RaceAgent agent{instruction.memory->grid->command, true, sm, op.ptx_line};
  const bool loads = op.kind == ptx::Kind::Load, atomic = op.kind == ptx::Kind::Atomic;
  const bool waits = request.trigger != memory::Trigger::None;
  const memory::ByteMask& mask = loads && any(request.required) ? request.required : request.mask;
  if (atomic || op.semantics != ptx::MemorySemantics::Weak) {
    ports.races->synchronise(agent, request.address, mask, loads || (atomic && instruction.returns), !loads);
  } else if (loads) {
    if (request.action != memory::Action::Empty) ports.races->read(agent, request.address, mask, now, waits);
  } else if (request.trigger != memory::Trigger::Empty) {
    ports.races->write(agent, request.address, mask, now, waits);
  }
}

// Lanes of the part at hand have been served.
template <unsigned W>
void LoadStoreUnit<W>::State::advance(Instruction& instruction, std::uint64_t done) {
  instruction.remaining &= ~done;
  if (instruction.remaining != 0) return;
  const MemoryPart& part = instruction.parts[instruction.part];
  if (++instruction.step < part.steps) {
    instruction.remaining = part.lanes;
    return;
  }
  instruction.step = 0;
  if (++instruction.part < instruction.part_count)
    instruction.remaining = instruction.parts[instruction.part].lanes;
}

template <unsigned W>
memory::TrafficClass LoadStoreUnit<W>::State::class_of(const Instruction& instruction,
                                                       const MemoryPart& part) const {
  return part.tracked && instruction.waits() && own_queue ? memory::TrafficClass::TriggeredGpu
                                                          : memory::TrafficClass::NonTriggered;
}

// One request; false when there is no room for it.
template <unsigned W>
bool LoadStoreUnit<W>::State::send(Picoseconds now, Instruction& instruction, const MemoryPart& part,
                                   unsigned index) {
  const MicroOp& op = *instruction.op;
  memory::Channel& channel = part.path == MemoryPath::L1 ? *ports.to_l1 : *ports.to_constant_cache;
  const memory::TrafficClass traffic_class = class_of(instruction, part);
  if (most_requests != 0 && part.path == MemoryPath::L1 && no_request_left(instruction, now)) [[unlikely]]
    return false;
  if (!channel.can_push(now, traffic_class)) return false;
  const std::uint32_t step = instruction.step * part.step_bytes;
  const std::uint32_t* offsets = instruction.offsets.data();
  const std::uint32_t at = offsets[std::countr_zero(instruction.remaining)] + step;
  const std::uint32_t segment = at & ~(part.request_bytes - 1);
  std::uint64_t group =
      lanes_where<W>(offsets, step, part.group_mask, at & part.group_mask) & instruction.remaining;
  if (coalesced_threads != 0 && part.path == MemoryPath::L1 && !instruction.texel) [[unlikely]]
    group = of_one_group(group, coalesced_threads);
  const bool atomic = op.kind == ptx::Kind::Atomic;
  if (atomic) group = distinct_lanes(offsets, segment, group);

  const RequestHandle handle = pool.allocate();
  Request& request = pool[handle];
  request.address = part.base + segment;
  request.bytes = static_cast<std::uint16_t>(part.request_bytes);
  request.operation = op.kind == ptx::Kind::Load    ? memory::Operation::Read
                      : op.kind == ptx::Kind::Store ? memory::Operation::Write
                                                    : memory::Operation::Atomic;
  request.agent = memory::Agent::Sm;
  request.scope = scope_of(op);
  request.cacheability = part.cacheability;
  request.translation = part.translation;
  request.begins = instruction.part == 0 && instruction.step == 0 && instruction.remaining == part.lanes;
  request.unit = sm;
  request.warp = static_cast<std::uint16_t>(instruction.warp);
  request.requester = Requester{index, instruction.step}.pack();
  request.pc = op.ptx_line;
  request.tag = group;
  if (part.tracked) {
    request.tracked = true;
    request.traffic_class = traffic_class;
    request.trigger = instruction.trigger;
    request.action = instruction.action;
  }
  fill(request, instruction, part, group, segment);
  if (part.tracked && op.kind == ptx::Kind::Load) drop_outer_segments(request);
  const auto used_bytes =
      static_cast<unsigned>(std::popcount(request.mask.bits[0]) + std::popcount(request.mask.bits[1]));
  unsigned payload_bytes = op.kind != ptx::Kind::Load ? used_bytes : 0;
  if (atomic) {
    request.atomic_operation = op.atomic_operation;
    request.atomic_type = op.atomic_type;
    request.wants_result = instruction.returns;
    if (request.second != memory::kNoRequest) payload_bytes *= 2;
  }
  memory::Packet packet;
  packet.request = handle;
  packet.payload_bytes = static_cast<std::uint16_t>(payload_bytes);
  packet.traffic_class = traffic_class;
  if (ports.races != nullptr && op.kind != ptx::Kind::Load) look_for_race(instruction, request, now);
  channel.push(now, packet);
  if (part.path == MemoryPath::L1) count_request(instruction, request.bytes, used_bytes);
  if (most_requests != 0 && part.path == MemoryPath::L1 && is_limited(instruction)) [[unlikely]]
    ++limited_requests;
  ++instruction.answers;
  advance(instruction, group);
  return true;
}

// ---- Time ----

template <unsigned W>
void LoadStoreUnit<W>::State::serve_shared(Instruction& instruction, const MemoryPart& part, Cycle cycle) {
  const MicroOp& op = *instruction.op;
  std::byte* const shared = instruction.memory->shared;
  const std::uint32_t* offsets = instruction.offsets.data();
  const bool atomic = op.kind == ptx::Kind::Atomic;
  unsigned passes = 1;
  if (instruction.consecutive)
    passes = banks.passes_of_consecutive(W);
  else if (atomic || !banks.one_pass_for_range(instruction.lowest, instruction.highest, instruction.bytes))
    passes = banks.passes(offsets, part.lanes, instruction.bytes, instruction.registers->width, atomic);
  if (atomic) {
    shared_atomic(instruction, part);
  } else if (op.kind == ptx::Kind::Load) {
    read_block_bytes(instruction, part, shared, instruction.memory->shared_bytes);
  } else if (!instruction.packed) {
    store_words(instruction, shared, offsets, part.lanes);
  } else {
    LaneMask(part.lanes).for_each([&](unsigned lane) {
      std::memcpy(shared + offsets[lane], instruction.payload.data() + lane * instruction.stride,
                  instruction.bytes);
    });
  }
  if (passes > 1) {
    statistics.shared_conflict_cycles += passes - 1;
    (atomic ? statistics.atomic_cycles : statistics.bank_conflict_cycles) += passes - 1;
    if (instruction.counts != nullptr)
      count_of(*instruction.counts, InstructionCount::SharedConflictCycles) += passes - 1;
  }
  instruction.ready = std::max(instruction.ready, cycle + (passes - 1) * shared_pass + shared_latency);
  free_at = cycle + passes;
}

// The next step of an instruction; false: it waits for room.
template <unsigned W>
[[gnu::always_inline]] inline bool LoadStoreUnit<W>::State::go_on(Picoseconds now, Cycle cycle,
                                                                  Instruction& instruction, unsigned index) {
  const MemoryPart& part = instruction.parts[instruction.part];
  switch (part.path) {
    case MemoryPath::Shared:
      serve_shared(instruction, part, cycle);
      advance(instruction, part.lanes);
      return true;
    case MemoryPath::Parameters:
      read_block_bytes(instruction, part, instruction.memory->parameters,
                       instruction.memory->parameter_bytes);
      instruction.ready = std::max(instruction.ready, cycle + parameter_latency);
      advance(instruction, part.lanes);
      break;
    case MemoryPath::LocalAtomic:
      return go_on_alone(now, cycle, instruction, index);
    default: {
      const bool first = instruction.remaining == part.lanes;
      const bool atomic = instruction.op->kind == ptx::Kind::Atomic;
      if (!send(now, instruction, part, index)) return false;
      if (!first) ++(atomic ? statistics.atomic_cycles : statistics.uncoalesced_cycles);
    }
  }
  free_at = cycle + 1;
  return true;
}

// One cycle of the instruction at the queue's head; false: it waits for room.
template <unsigned W>
bool LoadStoreUnit<W>::State::act(Picoseconds now, Cycle cycle) {
  const unsigned index = queue[head];
  Instruction& instruction = *entries[index];
  if (instruction.part == instruction.part_count)
    free_at = cycle + 1;
  else if (!go_on(now, cycle, instruction, index))
    return false;
  if (instruction.part < instruction.part_count) return true;
  if (++head == queue.size()) head = 0;
  --outside.queued;
  all_sent(instruction, cycle);
  if (instruction.answers == 0) finish(index, cycle);
  return true;
}

// The same for the oldest instruction that may wait for bits.
template <unsigned W>
bool LoadStoreUnit<W>::State::act_waiting(Picoseconds now, Cycle cycle) {
  const unsigned index = waiting.front();
  Instruction& instruction = *entries[index];
  if (!go_on(now, cycle, instruction, index)) return false;
  if (instruction.part < instruction.part_count) return true;
  waiting.erase(waiting.begin());
  all_sent(instruction, cycle);
  if (instruction.answers == 0) finish(index, cycle);
  return true;
}

template <unsigned W>
[[gnu::always_inline]] inline void LoadStoreUnit<W>::State::all_sent(Instruction& instruction, Cycle cycle) {
  instruction.sent = true;
  if (tells_sent && !instruction.returns && !instruction.texel) [[unlikely]]
    outside.completions.push_back({instruction.warp, nullptr, std::max(instruction.ready, cycle + 1)});
}

template <unsigned W>
void LoadStoreUnit<W>::State::finish(unsigned index, Cycle cycle) {
  Instruction& instruction = *entries[index];
  if (instruction.packed && instruction.returns)
    ptx::write_back(*instruction.registers, *instruction.op, instruction.lanes, instruction.payload.data(),
                    instruction.stride);
  --(instruction.returns ? outside.reads : outside.writes)[instruction.warp];
  if (instruction.tracked) order.remove(index, instruction);
  outside.completions.push_back({instruction.warp, instruction.op, std::max(instruction.ready, cycle + 1)});
  free.push_back(index);
  --(instruction.apart ? outside.apart : outside.pending);
}

template <unsigned W>
void LoadStoreUnit<W>::State::take_answer(sim::Queue<memory::Packet>& from, std::uint64_t bit,
                                          Picoseconds now, Cycle cycle) {
  if (!from.can_pop(now)) return;
  const RequestHandle handle = from.pop(now).request;
  if (from.empty()) outside.arrivals &= ~bit;
  const Request& request = pool[handle];
  const unsigned index = Requester::of(request.requester).entry;
  Instruction& instruction = *entries[index];
  if (most_requests != 0 && bit == kL1Bit && request.operation != memory::Operation::Write &&
      is_limited(instruction)) [[unlikely]] {
    --limited_requests;
    freed_at = now;
  }
  if (instruction.takes_data) deliver(instruction, request);
  if (instruction.counts != nullptr && bit == kL1Bit) count_answer(*instruction.counts, request);
  if (ports.races != nullptr && instruction.op->kind == ptx::Kind::Load)
    look_for_race(instruction, request, now);
  if (request.second != memory::kNoRequest) pool.release(request.second);
  pool.release(handle);
  if (--instruction.answers != 0) return;
  if (instruction.sent)
    finish(index, cycle);
  else if (reads_own(instruction)) [[unlikely]]
    update_own(instruction, cycle);
}

// When the next answer can be taken.
template <unsigned W>
Cycle LoadStoreUnit<W>::State::next_answer(const sim::Queue<memory::Packet>& from, Picoseconds now,
                                           Cycle cycle) const {
  const Picoseconds arrival = from.next_arrival(now);
  if (arrival == kNever || arrival == now) return cycle + 1;
  return cycle + (clock.cycle_at(arrival) - clock.cycle_at(now)) + 1;
}

template <unsigned W>
Cycle LoadStoreUnit<W>::tick(Picoseconds now, Cycle cycle) {
  State& s = *state_;
  Cycle next = kNever;
  const auto answers = [&](sim::Queue<memory::Packet>* from, std::uint64_t bit) {
    if ((outside_.arrivals & bit) == 0) return;
    s.take_answer(*from, bit, now, cycle);
    if ((outside_.arrivals & bit) != 0) next = std::min(next, s.next_answer(*from, now, cycle));
  };
  answers(s.ports.from_l1, State::kL1Bit);
  answers(s.ports.from_constant_cache, State::kConstantBit);
  const auto due = [&] { return std::max(s.entries[s.queue[s.head]]->start, s.free_at); };
  if (outside_.waits_for_room) s.statistics.blocked_cycles += cycle - s.blocked_since;
  outside_.waits_for_room = false;
  if (outside_.queued != 0 && due() <= cycle && !s.act(now, cycle)) {
    outside_.waits_for_room = true;
    s.blocked_since = cycle;
    if (s.freed_at == now) next = cycle + 1;
  } else if (outside_.queued != 0) {
    next = std::min(next, std::max(due(), cycle + 1));
  }
  return s.waiting.empty() ? next : std::min(next, tick_waiting(now, cycle));
}

// One transaction a cycle enters L1: instructions that cannot wait for bits go first.
template <unsigned W>
Cycle LoadStoreUnit<W>::tick_waiting(Picoseconds now, Cycle cycle) {
  State& s = *state_;
  const auto due = [&] { return std::max(s.entries[s.waiting.front()]->start, s.free_at); };
  if (due() <= cycle && !s.act_waiting(now, cycle)) {
    outside_.waits_for_room = true;
    s.blocked_since = cycle;
    return kNever;
  }
  return s.waiting.empty() ? kNever : std::max(due(), cycle + 1);
}

template <unsigned W>
LoadStoreStatistics& LoadStoreUnit<W>::statistics() {
  return state_->statistics;
}

template <unsigned W>
std::uint64_t LoadStoreUnit<W>::command_of(std::uint32_t requester, std::uint32_t pc) const {
  const auto& entry = state_->entries[Requester::of(requester).entry];
  return entry != nullptr && entry->answers != 0 && entry->op->ptx_line == pc ? entry->memory->grid->command
                                                                              : 0;
}

template <unsigned W>
std::string LoadStoreUnit<W>::waits_for() const {
  const State& s = *state_;
  const bool at_limit = s.most_requests != 0 && s.limited_requests == s.most_requests;
  if (outside_.queued != 0 && !at_limit) {
    const auto& instruction = *s.entries[s.queue[s.head]];
    const bool constant = instruction.part < instruction.part_count &&
                          instruction.parts[instruction.part].path == MemoryPath::ConstantCache;
    return "room for the request of PTX line " + std::to_string(instruction.op->ptx_line) + " in " +
           (constant ? "the constant cache" : "L1");
  }
  std::uint64_t answers = 0;
  std::uint32_t line = 0;
  for (unsigned i = 0; i < s.entries.size(); ++i) {
    if (s.entries[i] == nullptr || s.entries[i]->answers == 0) continue;
    answers += s.entries[i]->answers;
    line = s.entries[i]->op->ptx_line;
  }
  if (answers == 0) return {};
  return std::to_string(answers) + " answers from memory, among them for PTX line " + std::to_string(line);
}

template class LoadStoreUnit<32>;
template class LoadStoreUnit<64>;

}  // namespace duet::gpu
