#include "gpu/sm/timed_kernel.h"

#include <algorithm>

#include "base/error.h"
#include "gpu/sm/execution_units.h"

namespace duet::gpu {

namespace {

using ptx::Bank;
using ptx::MicroOp;
using ptx::Unit;

// A division as one instruction: its quotient or rest comes from the special function unit.
bool divides_at_once(const MicroOp& op, const config::Sm& sm) {
  return sm.ptx_instructions && (op.opcode == ptx::Opcode::Div || op.opcode == ptx::Opcode::Rem);
}

std::uint16_t short_cycles(std::uint64_t cycles) {
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(cycles, 0xffff));
}

const config::Sm::Timing& timing_of(const MicroOp& op, const config::Sm& sm) {
  if (divides_at_once(op, sm) && op.unit == Unit::Integer) return sm.integer_division;
  if (divides_at_once(op, sm) && op.unit == Unit::Float) return sm.special_function;
  switch (op.unit) {
    case Unit::Shift:
      return sm.shift;
    case Unit::IntegerMultiply:
      return sm.integer_multiply;
    case Unit::Float:
      return sm.floating;
    case Unit::Double:
      return sm.double_precision;
    case Unit::SpecialFunction:
      return sm.special_function;
    case Unit::Half:
      return sm.half;
    case Unit::Conversion:
      return sm.conversion;
    case Unit::BitCount:
      return sm.bit_count;
    case Unit::Shuffle:
      return sm.shuffle;
    case Unit::Control:
      return sm.control;
    default:
      return sm.integer;
  }
}

Pipe integer_pipe(const config::Sm& sm) { return sm.int_units == 0 ? Pipe::Sp : Pipe::Int; }

Pipe pipe_of(const MicroOp& op, const config::Sm& sm) {
  if (divides_at_once(op, sm) && op.unit != Unit::Double) return Pipe::Sfu;
  switch (op.unit) {
    case Unit::SpecialFunction:
    case Unit::BitCount:
      return Pipe::Sfu;
    case Unit::Integer:
    case Unit::Shift:
      return integer_pipe(sm);
    case Unit::Shuffle:
      return Pipe::Shuffle;
    case Unit::Double:
      return sm.dp_units == 0 ? Pipe::Sfu : Pipe::Dp;
    case Unit::LoadStore:
      return Pipe::LoadStore;
    default:
      return Pipe::Sp;
  }
}

class Builder {
 public:
  Builder(const ptx::Kernel& kernel, const config::Sm& sm) : kernel_(kernel), sm_(sm) {}

  std::shared_ptr<const TimedKernel> build() {
    result_->scoreboard_entries =
        kernel_.register_slots + kernel_.predicates + 1 + (sm_.blocking_issue ? 1 : 0);
    if (result_->scoreboard_entries > 0xffff)
      throw Error("kernel '" + kernel_.name +
                  "' has more registers than the timed GPU's scoreboard can name");
    for (const MicroOp& op : kernel_.code) add(op);
    result_->clock_loops = find_clock_loops(kernel_, *result_);
    for (const ClockLoop& loop : result_->clock_loops) result_->ops[loop.branch].ends_clock_loop = true;
    return result_;
  }

 private:
  // The special function unit makes a first approximation of a rounded root, reciprocal, logarithm or
  // exponential; multiplications and additions scale its operand and refine its result.
  void refine(TimedOp& timed) const {
    timed.first_part_cycles = std::max(timed.latency_cycles, timed.part_interval_cycles);
    timed.pipe = Pipe::Sp;
    timed.latency_cycles = short_cycles(sm_.floating.latency_cycles);
    timed.interval_cycles = short_cycles(sm_.floating.interval_cycles);
  }

  // A leading bit is found in one part, what follows is integer arithmetic.
  void find_bit(TimedOp& timed) const {
    timed.first_part_cycles = std::max(timed.latency_cycles, timed.part_interval_cycles);
    timed.pipe = integer_pipe(sm_);
    timed.latency_cycles = short_cycles(sm_.integer.latency_cycles);
    timed.interval_cycles = short_cycles(sm_.integer.interval_cycles);
  }

  // The parts of an access before the last one are integer arithmetic.
  void compute_address(TimedOp& timed) const {
    timed.first_pipe = integer_pipe(sm_);
    timed.first_interval_cycles =
        timed.first_pipe == Pipe::Sp ? std::uint16_t{1} : short_cycles(sm_.integer.interval_cycles);
  }

  // The next instruction of the warp, or part of this one, waits until a pipeline of so many cycles is
  // through. `latency`: of the first part.
  void block(TimedOp& timed, std::uint64_t latency) const {
    const auto commits = [&](std::uint64_t own) {
      return std::max(own + ExecutionUnits::kCollectCycles, sm_.commit_cycles);
    };
    timed.first_part_cycles = std::max(timed.first_part_cycles, short_cycles(commits(latency)));
    const std::uint64_t later = commits(timed.latency_cycles);
    timed.part_interval_cycles = std::max(timed.part_interval_cycles, short_cycles(later));
    timed.latency_cycles = short_cycles(later - ExecutionUnits::kCollectCycles);
  }

  void add(const MicroOp& op) {
    TimedOp timed;
    timed.first_entry = static_cast<std::uint32_t>(result_->entries.size());
    timed.machine_index = result_->machine_instructions;
    timed.parts = op.machine_instructions;
    const bool memory = op.kind == ptx::Kind::Load || op.kind == ptx::Kind::Store ||
                        op.kind == ptx::Kind::Atomic || op.kind == ptx::Kind::Image;
    const config::Sm::Timing& timing = timing_of(op, sm_);
    timed.latency_cycles = short_cycles(timing.latency_cycles);
    timed.interval_cycles = short_cycles(timing.interval_cycles);
    timed.pipe = memory ? Pipe::LoadStore : pipe_of(op, sm_);
    // Fences and the like are of the load-store class without being accesses.
    if (!memory && timed.pipe == Pipe::LoadStore) timed.pipe = Pipe::Sp;
    if (timed.parts > 2) timed.part_interval_cycles = short_cycles(sm_.sequence_interval_cycles);
    timed.first_pipe = timed.pipe;
    timed.first_interval_cycles = timed.interval_cycles;
    timed.first_part_cycles = timed.part_interval_cycles;
    if (memory) compute_address(timed);
    if ((op.opcode == ptx::Opcode::Clz || op.opcode == ptx::Opcode::Bfind) && timed.parts > 1)
      find_bit(timed);
    if (op.unit == Unit::SpecialFunction && timed.parts > 1) refine(timed);
    if (sm_.blocking_issue) block(timed, timing.latency_cycles);
    result_->machine_instructions += timed.parts;

    const bool wide_element = ptx::type_bytes(op.type) == 16;
    for (unsigned i = 0; i < op.source_count; ++i) {
      const ptx::Operand& source = op.sources[i];
      if (source.bank != Bank::Register) continue;
      read(source.slot);
      if (wide_element && (!memory || i > 0)) read(source.slot + 2);
    }
    timed.register_reads = count(timed);
    for (unsigned i = 0; i < op.source_count; ++i)
      if (op.sources[i].bank == Bank::Predicate) read(predicate(op.sources[i].slot));
    if (op.guard != ptx::kNoPredicate) read(predicate(op.guard));
    if (op.carry_in) read(carry());
    // What is folded away comes with its successor.
    const bool folded = timed.parts == 0 && (op.kind == ptx::Kind::Arithmetic || op.kind == ptx::Kind::Nop);
    const bool blocks = sm_.blocking_issue && !folded;
    if (blocks && commits_when_sent(op)) read(result_->commit_entry());
    timed.read_entries = count(timed);
    for (unsigned i = 0; i < op.destination_count; ++i) {
      if (op.destinations[i] == ptx::kNoRegister) continue;
      write(op.destinations[i]);
      if (wide_element) write(op.destinations[i] + 2u);
    }
    if (op.predicate_destination != ptx::kNoPredicate) write(predicate(op.predicate_destination));
    if (op.predicate_destination_second != ptx::kNoPredicate)
      write(predicate(op.predicate_destination_second));
    if (op.carry_out) write(carry());
    if (blocks && !commits_when_sent(op)) write(result_->commit_entry());
    timed.write_entries = static_cast<std::uint8_t>(count(timed) - timed.read_entries);
    result_->ops.push_back(timed);
  }

  std::uint8_t count(const TimedOp& timed) const {
    return static_cast<std::uint8_t>(result_->entries.size() - timed.first_entry);
  }
  void read(std::uint32_t entry) { result_->entries.push_back(static_cast<std::uint16_t>(entry)); }
  void write(std::uint32_t entry) { result_->entries.push_back(static_cast<std::uint16_t>(entry)); }
  std::uint32_t predicate(std::uint32_t index) const { return kernel_.register_slots + index; }
  std::uint32_t carry() const { return kernel_.register_slots + kernel_.predicates; }

  const ptx::Kernel& kernel_;
  const config::Sm& sm_;
  std::shared_ptr<TimedKernel> result_ = std::make_shared<TimedKernel>();
};

}  // namespace

std::shared_ptr<const TimedKernel> make_timed_kernel(const ptx::Kernel& kernel, const config::Sm& sm) {
  return Builder(kernel, sm).build();
}

}  // namespace duet::gpu
