// Instructions that wait until all earlier ones have retired, and traps.
#include <algorithm>
#include <cstring>

#include "cpu/core.h"

namespace duet::cpu {

using rv64::Opcode;

// Finds the cycle of an empty window; false while it is not known, or later than ahead_.limit().
bool Core::window_empties(bool stores_too, Cycle& cycle) {
  if (retired_ + 1 != next_) {
    drain(ahead_.limit());  // a load may wait for a store
    if (retired_ + 1 != next_) return false;
  }
  cycle = std::max({last_retire_ + 1, fetch_cycle_ + config_.front_end_cycles, slots_.cycle()});
  if (stores_too) {
    drain(ahead_.limit());
    if (oldest_store_ != next_store_) return false;
    cycle = std::max(cycle, last_drain_ + 1);
    if (combining_.in_use() != 0) {
      send_all_combined(cycle);
      return false;
    }
    cycle = std::max(cycle, combined_done_);
  }
  if (cycle <= ahead_.limit()) return true;
  ahead_.wake_for(cycle);
  return false;
}

// `code` is null where the instruction cannot be fetched, or its access faults (fault_). Tells whether
// anything can be dispatched behind it at once.
bool Core::serial(const CodeEntry* code) {
  const bool stores_too = code == nullptr || code->treatment != Treatment::Serial;
  Cycle cycle = 0;
  const std::uint64_t before = squashes_;
  const bool empty = window_empties(stores_too, cycle);
  if (squashes_ != before) return true;  // another instruction is the next one
  if (!empty) return false;
  // With nothing else in flight, all values are right: so is a fault.
  if (code == nullptr || code->treatment == Treatment::Trap) return trap(code, cycle);
  if (code->treatment == Treatment::Serial) return csr(*code, cycle);
  if (code->execute != nullptr) return trap(code, cycle);  // a reserved rounding mode
  if (code->treatment == Treatment::Atomic) return atomic(*code, cycle);
  slots_.move_to(cycle, Cause::Serial);
  ++statistics_.instructions;
  ++statistics_.serial;
  go_on(registers_->pc + code->instruction.length, cycle + 1);
  return true;
}

// Fetch goes on at `pc`; an instruction may be dispatched in `cycle`.
void Core::go_on(std::uint64_t pc, Cycle cycle) {
  count_retired(kUnknown - 1);
  registers_->pc = pc;
  floor_ = cycle;
  fetch_cycle_ = cycle > config_.front_end_cycles ? cycle - config_.front_end_cycles : 0;
  fetched_ = 0;
  fetch_cause_ = Cause::Serial;
  fetch_address_ = kNoLine;
}

bool Core::csr(const CodeEntry& code, Cycle cycle) {
  slots_.move_to(cycle, Cause::Serial);
  count_retired(kUnknown - 1);
  serial_cycle_ = cycle;
  execution_.registers = registers_;
  execution_.pc_value = registers_->pc;
  execution_.illegal = false;
  code.execute(execution_, code.instruction);
  const std::uint8_t destination = code.destination;
  if (destination != kNoRegister) ready_[destination] = cycle + 1;
  ++statistics_.instructions;
  ++statistics_.serial;
  go_on(registers_->pc + code.instruction.length, cycle + 1);
  return true;
}

bool Core::trap(const CodeEntry* code, Cycle cycle) {
  if (cycle > ahead_.now()) {  // the client acts at its time
    ahead_.wake_at(cycle);
    return false;
  }
  slots_.move_to(cycle, Cause::Serial);
  count_retired(kUnknown - 1);
  reservation_ = kNoLine;
  answer_held_probe(cycle);
  trap_ = {};
  if (code == nullptr) {
    trap_.cause = rv64::TrapCause::AccessFault;
    trap_.fault = fault_;
    if (const CodeEntry* const faulting = code_.find(registers_->pc))
      trap_.instruction = faulting->instruction.bits;
  } else {
    trap_.instruction = code->instruction.bits;
    trap_.cause = code->instruction.opcode == Opcode::Ecall    ? rv64::TrapCause::SystemCall
                  : code->instruction.opcode == Opcode::Ebreak ? rv64::TrapCause::Breakpoint
                                                               : rv64::TrapCause::IllegalInstruction;
  }
  trapped_ = true;
  client_.stands(*this);
  return false;
}

void CoreClient::stands(Core& core) {
  core.engine().after_ticks([&core] { core.call_client(); });
}

void Core::call_client() {
  const Picoseconds now = engine().now();
  const bool preempted = preempting_;
  preempting_ = false;
  if (preempted) preempt_at_ = kNever;
  ++statistics_.serial;
  const Cycle spent = preempted ? client_.preempted(*this, now) : client_.trapped(*this, trap_, now);
  trapped_ = false;
  if (registers_ == nullptr) return;
  const Cycle cycle = ahead_.now() + 1 + spent;
  go_on(registers_->pc, cycle);
  engine().wake(*this, ahead_.next_edge(now));
}

bool Core::atomic(const CodeEntry& code, Cycle cycle) {
  const rv64::Instruction& instruction = code.instruction;
  const unsigned bytes = atomic_bytes(instruction.opcode);
  const std::uint64_t address = registers_->x[instruction.rs1];
  const bool is_load = instruction.opcode == Opcode::LrW || instruction.opcode == Opcode::LrD;
  const rv64::Access kind = is_load ? rv64::Access::Load : rv64::Access::Store;
  Access access;
  if (address % bytes != 0 || !translate(address, bytes, kind, access)) {
    if (address % bytes != 0) fault_ = {address, kind, true, false};
    return trap(nullptr, cycle);
  }
  if (access.type != rv64::MemoryType::WriteBack) {  // AMONone and RsrvNone, as RISC-V's attributes say
    fault_ = {address, kind, false, true};
    return trap(nullptr, cycle);
  }
  const bool conditional = instruction.opcode == Opcode::ScW || instruction.opcode == Opcode::ScD;
  const std::uint64_t line = line_of(access.pieces[0].physical);
  const bool fails = conditional && reservation_ != line;
  if (!fails && !holds_exclusively(line)) {
    atomic_line_ = line;
    if (Miss* const miss = find_miss(line)) {
      miss->data = miss->data || (++data_misses_, true);
    } else {
      Miss& made = ask(line, true,
                       std::max(cycle, ahead_.now()) + config_.l1.latency_cycles +
                           (l2_.exists() ? config_.l2.latency_cycles : 0));
      made.data = true;
      ++data_misses_;
    }
    return false;
  }
  atomic_line_ = kNoLine;
  slots_.move_to(std::max(cycle, ahead_.now()), Cause::Serial);
  perform_atomic(instruction, access, slots_.cycle());
  return true;
}

// Its line is held for writing, or it is a failing store-conditional.
void Core::perform_atomic(const rv64::Instruction& instruction, const Access& access, Cycle cycle) {
  const std::uint64_t line = line_of(access.pieces[0].physical);
  const Opcode opcode = instruction.opcode;
  const bool word = access.bytes == 4;
  const auto extended = [word](std::uint64_t value) {
    return word ? static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(value)))
                : value;
  };
  const std::uint64_t operand = registers_->x[instruction.rs2];
  std::uint64_t result = 1;
  Cycle latency = 1;
  Access written = access;
  if (opcode == Opcode::ScW || opcode == Opcode::ScD) {
    if (reservation_ == line) {
      written.value = operand;
      write_to_l1(written);
      result = 0;
    }
    reservation_ = kNoLine;
    answer_held_probe(cycle);
  } else {
    const std::uint64_t old = read_bytes(access, next_store_);
    latency = config_.l1.latency_cycles;
    result = extended(old);
    if (opcode == Opcode::LrW || opcode == Opcode::LrD) {
      if (reservation_ != line) answer_held_probe(cycle);
      reservation_ = line;
      // Others go first until SC.
      if (PrivateLine* const held = l1_.find(line)) l1_.use(*held);
      if (l2_.exists()) l2_.use(*l2_.find(line));
      if (!held_probe_) reserved_until_ = cycle + kReservationCycles;
    } else {
      written.value = atomic_value(opcode, old, operand);
      write_to_l1(written);
    }
  }
  last_drain_ = std::max(last_drain_, cycle);
  if (instruction.rd != 0) {
    registers_->x[instruction.rd] = result;
    ready_[instruction.rd] = cycle + latency;
    writers_[instruction.rd] = 0;
  }
  ++statistics_.instructions;
  ++statistics_.atomics;
  ++statistics_.serial;
  go_on(registers_->pc + instruction.length, cycle + latency);
}

}  // namespace duet::cpu
