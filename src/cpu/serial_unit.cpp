#include "cpu/serial_unit.h"

#include <algorithm>

#include "cpu/back_end.h"
#include "cpu/coherence_unit.h"
#include "cpu/core_client.h"
#include "cpu/early_execution.h"
#include "cpu/front_end.h"
#include "cpu/program_counters.h"
#include "cpu/store_unit.h"
#include "cpu/uncached_unit.h"

namespace duet::cpu {

using rv64::Opcode;

std::uint64_t SerialUnit::read_counter(void* unit, unsigned csr) {
  const SerialUnit& self = *static_cast<SerialUnit*>(unit);
  switch (csr) {
    case rv64::csr::kCycle:
      return self.cycle_;
    case rv64::csr::kTime:
      return self.state_.ahead.edge(self.cycle_) / kPicosecondsPerNanosecond;
    case rv64::csr::kInstret:
      return self.state_.statistics.instructions;
    default:
      return program_counter(self.state_.statistics, csr - rv64::csr::kCycle);
  }
}

bool SerialUnit::window_empties(bool stores_too, Cycle& cycle) {
  ReorderWindow& window = state_.window;
  const Cycle limit = state_.ahead.limit();
  if (!window.is_empty()) {
    units_.stores.drain(limit);  // a load may wait for a store
    if (!window.is_empty()) return false;
  }
  cycle = std::max({window.last_retire() + 1, units_.front_end.dispatch_cycle(), state_.slots.cycle()});
  if (stores_too) {
    units_.stores.drain(state_.ahead.limit());
    if (!state_.stores.is_empty()) return false;
    cycle = std::max(cycle, state_.stores.last_drain() + 1);
    if (units_.uncached.combining().in_use() != 0) {
      units_.uncached.send_all_combined(cycle);
      return false;
    }
    cycle = std::max(cycle, units_.uncached.combined_done());
  }
  if (cycle <= state_.ahead.limit()) return true;
  state_.ahead.wake_for(cycle);
  return false;
}

bool SerialUnit::execute(const CodeEntry* code) {
  const bool stores_too = code == nullptr || code->treatment != Treatment::Serial;
  Cycle cycle = 0;
  const std::uint64_t before = state_.window.squashes();
  const bool empty = window_empties(stores_too, cycle);
  if (state_.window.squashes() != before) return true;  // another instruction is the next one
  if (!empty) return false;
  // With nothing else in flight, all values are right: so is a fault.
  if (code == nullptr || code->treatment == Treatment::Trap) return trap(code, cycle);
  if (code->treatment == Treatment::Serial) return csr(*code, cycle);
  if (code->execute != nullptr) return trap(code, cycle);  // a reserved rounding mode
  if (code->treatment == Treatment::Atomic) return atomic(*code, cycle);
  state_.dispatch_in(cycle, Cause::Serial);
  ++state_.statistics.instructions;
  ++state_.statistics.serial;
  go_on(state_.registers->pc + code->instruction.length, cycle + 1);
  return true;
}

void SerialUnit::go_on(std::uint64_t pc, Cycle cycle) {
  units_.back_end.count_retired(kUnknown - 1);
  state_.registers->pc = pc;
  state_.window.set_floor(cycle);
  units_.front_end.go_on(cycle);
}

bool SerialUnit::csr(const CodeEntry& code, Cycle cycle) {
  state_.dispatch_in(cycle, Cause::Serial);
  units_.back_end.count_retired(kUnknown - 1);
  cycle_ = cycle;
  units_.execution.run(code);
  if (code.destination != kNoRegister) state_.status.set(code.destination, cycle + 1);
  ++state_.statistics.instructions;
  ++state_.statistics.serial;
  go_on(state_.registers->pc + code.instruction.length, cycle + 1);
  return true;
}

// ---- traps ----

bool SerialUnit::trap(const CodeEntry* code, Cycle cycle) {
  if (cycle > state_.ahead.now()) {  // the client acts at its time
    state_.ahead.wake_at(cycle);
    return false;
  }
  state_.dispatch_in(cycle, Cause::Serial);
  units_.back_end.count_retired(kUnknown - 1);
  state_.reservation.drop();
  units_.coherence.answer_held_probe(cycle);
  trap_ = {};
  if (code == nullptr) {
    trap_.cause = rv64::TrapCause::AccessFault;
    trap_.fault = state_.translation.fault();
    if (const CodeEntry* const faulting = state_.code.find(state_.registers->pc))
      trap_.instruction = faulting->instruction.bits;
  } else {
    trap_.instruction = code->instruction.bits;
    trap_.cause = code->instruction.opcode == Opcode::Ecall    ? rv64::TrapCause::SystemCall
                  : code->instruction.opcode == Opcode::Ebreak ? rv64::TrapCause::Breakpoint
                                                               : rv64::TrapCause::IllegalInstruction;
  }
  trapped_ = true;
  client_.stands(core_);
  return false;
}

Cycle SerialUnit::call_client(Picoseconds now) {
  const bool preempted = preempting_;
  preempting_ = false;
  if (preempted) preempt_at_ = kNever;
  ++state_.statistics.serial;
  const Cycle spent = preempted ? client_.preempted(core_, now) : client_.trapped(core_, trap_, now);
  trapped_ = false;
  return spent;
}

// ---- atomics ----

bool SerialUnit::atomic(const CodeEntry& code, Cycle cycle) {
  const rv64::Instruction& instruction = code.instruction;
  AddressTranslation& translation = state_.translation;
  const unsigned bytes = atomic_bytes(instruction.opcode);
  const std::uint64_t address = state_.registers->x[instruction.rs1];
  const bool is_load = instruction.opcode == Opcode::LrW || instruction.opcode == Opcode::LrD;
  const rv64::Access kind = is_load ? rv64::Access::Load : rv64::Access::Store;
  Access access;
  if (address % bytes != 0) {
    translation.set_fault({address, kind, true, false});
    return trap(nullptr, cycle);
  }
  if (!translation.translate(address, bytes, kind, access)) return trap(nullptr, cycle);
  if (access.type != rv64::MemoryType::WriteBack) {  // AMONone and RsrvNone, as RISC-V's attributes say
    translation.set_fault({address, kind, false, true});
    return trap(nullptr, cycle);
  }
  const bool conditional = instruction.opcode == Opcode::ScW || instruction.opcode == Opcode::ScD;
  const std::uint64_t line = state_.line_of(access.pieces[0].physical);
  const bool fails = conditional && !state_.reservation.is_of(line);
  if (!fails && !line_is_writable(line, cycle)) {
    atomic_line_ = line;
    return false;
  }
  atomic_line_ = kNoLine;
  state_.dispatch_in(std::max(cycle, state_.ahead.now()), Cause::Serial);
  perform_atomic(instruction, access, state_.slots.cycle());
  return true;
}

// Whether it is held for writing; if not, it is on its way from `cycle` on.
bool SerialUnit::line_is_writable(std::uint64_t line, Cycle cycle) {
  if (state_.caches.holds_exclusively(line)) return true;
  LineMiss* miss = state_.misses.find(line);
  if (miss == nullptr) {
    const Cycle looked_up = std::max(cycle, state_.ahead.now()) + state_.config.l1.latency_cycles;
    miss = &state_.misses.ask(line, true, looked_up + state_.l2_latency());
  }
  state_.misses.for_data(*miss);
  return false;
}

// Its line is held for writing, or it is a failing store-conditional.
void SerialUnit::perform_atomic(const rv64::Instruction& instruction, const Access& access, Cycle cycle) {
  rv64::Registers& registers = *state_.registers;
  const Opcode opcode = instruction.opcode;
  const std::uint64_t operand = registers.x[instruction.rs2];
  std::uint64_t result = 1;
  Cycle latency = 1;
  Access written = access;
  if (opcode == Opcode::ScW || opcode == Opcode::ScD) {
    written.value = operand;
    store_conditional(written, cycle, result);
  } else {
    const std::uint64_t old = units_.execution.read(access, state_.stores.next());
    latency = state_.config.l1.latency_cycles;
    const auto word = static_cast<std::int64_t>(static_cast<std::int32_t>(old));
    result = access.bytes == 4 ? static_cast<std::uint64_t>(word) : old;
    if (opcode == Opcode::LrW || opcode == Opcode::LrD) {
      reserve(state_.line_of(access.pieces[0].physical), cycle);
    } else {
      written.value = atomic_value(opcode, old, operand);
      units_.stores.write_to_l1(written);
    }
  }
  state_.stores.written_beside(cycle);
  if (instruction.rd != 0) {
    registers.x[instruction.rd] = result;
    state_.status.set(instruction.rd, cycle + latency);
  }
  ++state_.statistics.instructions;
  ++state_.statistics.atomics;
  ++state_.statistics.serial;
  go_on(registers.pc + instruction.length, cycle + latency);
}

void SerialUnit::store_conditional(const Access& written, Cycle cycle, std::uint64_t& result) {
  if (state_.reservation.is_of(state_.line_of(written.pieces[0].physical))) {
    units_.stores.write_to_l1(written);
    result = 0;
  }
  state_.reservation.drop();
  units_.coherence.answer_held_probe(cycle);
}

void SerialUnit::reserve(std::uint64_t line, Cycle cycle) {
  if (!state_.reservation.is_of(line)) units_.coherence.answer_held_probe(cycle);
  // Others go first until SC.
  PrivateCaches& caches = state_.caches;
  if (PrivateLine* const held = caches.l1().find(line)) caches.l1().use(*held);
  if (caches.l2().exists()) caches.l2().use(*caches.l2().find(line));
  state_.reservation.make(line, cycle);
}

}  // namespace duet::cpu
