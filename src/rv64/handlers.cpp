// A handler an instruction. It executes semantics.h's function, and calls the next one's: where the compiler
// makes jumps of such calls (DUET_TAIL_CALLS), a block is executed without a loop around it, and each
// instruction has an indirect jump of its own, predictable for the host's processor. Otherwise a loop calls
// them.
//
// Rare cases have functions of their own, so a handler needs only the host's free registers.
#include <array>
#include <cstring>

#include "rv64/block.h"
#include "rv64/semantics.h"

namespace duet::rv64 {
namespace {

#if defined(__clang__)
#ifndef DUET_TAIL_CALLS
#define DUET_TAIL_CALLS
#endif
#define DUET_TAIL_CALL [[clang::musttail]] return
#else
#define DUET_TAIL_CALL return
#endif

#ifdef DUET_TAIL_CALLS
#define DUET_NEXT(next)                              \
  do {                                               \
    const MicroOp* const next_ = (next);             \
    DUET_TAIL_CALL next_->handler(next_, hart, run); \
  } while (false)
#else
#define DUET_NEXT(next) return (next)
#endif

Block* block_of(const MicroOp* op) {
  return reinterpret_cast<Block*>(const_cast<MicroOp*>(op - op->position)) - 1;
}
std::uint64_t pc_of(const MicroOp* op) { return block_of(op)->pc + 2u * op->pc_halfwords; }

// A hart as execute's machine.
class HartMachine {
 public:
  HartMachine(Hart* hart, Run* run, const MicroOp* op) : hart_(*hart), run_(*run), op_(op) {}

  std::uint64_t x(unsigned number) const { return hart_.x[number]; }
  void set_x(unsigned number, std::uint64_t value) { hart_.x[number] = value; }
  std::uint64_t f(unsigned number) const { return hart_.f[number]; }
  void set_f(unsigned number, std::uint64_t value) { hart_.f[number] = value; }
  std::uint8_t& fflags() { return hart_.fflags; }
  std::uint32_t frm() const { return hart_.frm; }
  void set_frm(std::uint32_t value) { hart_.frm = static_cast<std::uint8_t>(value); }
  std::uint64_t pc(const MicroOp& op) const { return pc_of(&op); }
  std::uint64_t counter(unsigned number) const {
    if (number > csr::kInstret) return 0;
    return hart_.retired + static_cast<std::uint64_t>(run_.allowed - run_.remaining) - op_->rest;
  }

 protected:
  Hart& hart_;
  Run& run_;
  const MicroOp* op_;
};

// Does the work without calls; the careful machine repeats failed work.
class QuickMachine : public HartMachine {
 public:
  using HartMachine::HartMachine;
  bool rounding(Rounding written, Rounding& meant) const {
    meant = written == Rounding::Dynamic ? static_cast<Rounding>(hart_.frm) : written;
    return meant <= Rounding::NearestMaximum;
  }
  template <typename T>
  bool load(std::uint64_t address, T& value) const {
    const std::byte* from = hart_.port.load_hit<T>(address);
    if (from == nullptr) return false;
    std::memcpy(&value, from, sizeof(T));
    return true;
  }
  template <typename T>
  bool store(std::uint64_t address, T value) const {
    std::byte* to = hart_.port.store_hit<T>(address);
    if (to == nullptr) return false;
    std::memcpy(to, &value, sizeof(T));
    return true;
  }
};

class CarefulMachine : public HartMachine {
 public:
  using HartMachine::HartMachine;
  bool rounding(Rounding written, Rounding& meant) {
    meant = written == Rounding::Dynamic ? static_cast<Rounding>(hart_.frm) : written;
    run_.illegal = meant > Rounding::NearestMaximum;
    return !run_.illegal;
  }
  template <typename T>
  bool load(std::uint64_t address, T& value) {
    return done(hart_.port.load(address, value));
  }
  template <typename T>
  bool store(std::uint64_t address, T value) {
    return done(hart_.port.store(address, value));
  }
  template <typename T>
  bool load_reserved(std::uint64_t address, T& value) {
    return done(hart_.port.load_reserved(address, value));
  }
  template <typename T>
  bool store_conditional(std::uint64_t address, T value, bool& succeeded) {
    return done(hart_.port.store_conditional(address, value, succeeded));
  }
  template <typename T, typename Operation>
  bool read_modify_write(std::uint64_t address, T& old, Operation operation) {
    return done(hart_.port.read_modify_write(address, old, operation));
  }

 private:
  bool done(bool succeeded) {
    run_.faulted = !succeeded;
    return succeeded;
  }
};

// Leaves the run before `op`.
[[gnu::noinline]] const MicroOp* trap(const MicroOp* op, Hart* hart, Run* run) {
  run->trapped = true;
  run->remaining += op->rest;
  hart->pc = pc_of(op);
  return nullptr;
}

// Leaves the run at hart->pc; a block's instructions may have been taken off for nothing.
[[gnu::noinline]] const MicroOp* leave(const MicroOp* link, Hart* hart, Run* run) {
  hart->pc = static_cast<std::uint64_t>(link->immediate);
  if (link->block != nullptr) run->remaining += link->block->instructions;
  run->link = link;
  return nullptr;
}

#define DUET_FOLLOW(link_op)                  \
  do {                                        \
    const MicroOp* const link_ = (link_op);   \
    Block* const block_ = link_->block;       \
    if (block_ == nullptr) [[unlikely]]       \
      DUET_TAIL_CALL leave(link_, hart, run); \
    run->remaining -= block_->instructions;   \
    if (run->remaining < 0) [[unlikely]]      \
      DUET_TAIL_CALL leave(link_, hart, run); \
    DUET_NEXT(block_->ops());                 \
  } while (false)

template <Opcode op_>
[[gnu::noinline]] const MicroOp* execute_carefully(const MicroOp* op, Hart* hart, Run* run) {
  CarefulMachine machine(hart, run, op);
  if (!execute<op_>(machine, *op)) DUET_TAIL_CALL trap(op, hart, run);
  DUET_NEXT(op + 1);
}

constexpr bool always_succeeds(Opcode op) {
  const Kind kind = info_of(op).kind;
  return kind != Kind::Load && kind != Kind::Store && !has_operand(op, 'm');
}

template <Opcode op_>
const MicroOp* handle(const MicroOp* op, Hart* hart, Run* run) {
  constexpr Kind kKind = info_of(op_).kind;
  if constexpr (kKind == Kind::Branch) {
    if (is_taken<op_>(hart->x[op->rs1], hart->x[op->rs2])) {
      run->remaining += op->rest - 1;
      DUET_FOLLOW(op + 1);
    }
    DUET_NEXT(op + 2);
  } else if constexpr (op_ == Opcode::Jalr) {
    const std::uint64_t target =
        (hart->x[op->rs1] + static_cast<std::uint64_t>(op->immediate)) & ~std::uint64_t{1};
    // A jump ends its block.
    hart->x[op->rd] = block_of(op)->pc + block_of(op)->bytes;
    Block* const block = run->targets[Run::target_index(target)];
    if (block == nullptr || block->pc != target || run->remaining < block->instructions) [[unlikely]] {
      hart->pc = target;
      return nullptr;
    }
    run->remaining -= block->instructions;
    DUET_NEXT(block->ops());
  } else if constexpr (op_ == Opcode::Ecall) {
    run->system_call = true;
    DUET_TAIL_CALL trap(op, hart, run);
  } else if constexpr (op_ == Opcode::Ebreak) {
    run->breakpoint = true;
    DUET_TAIL_CALL trap(op, hart, run);
  } else if constexpr (kKind == Kind::Atomic) {
    DUET_TAIL_CALL execute_carefully<op_>(op, hart, run);
  } else if constexpr (is_executed(op_)) {
    QuickMachine machine(hart, run, op);
    const bool done = execute<op_>(machine, *op);
    if constexpr (!always_succeeds(op_))
      if (!done) [[unlikely]]
        DUET_TAIL_CALL execute_carefully<op_>(op, hart, run);
    DUET_NEXT(op + 1);
  } else {
    static_assert(kKind == Kind::Fence || op_ == Opcode::Jal);  // no micro-op of their own
    DUET_NEXT(op + 1);
  }
}

const MicroOp* handle_illegal(const MicroOp* op, Hart* hart, Run* run) {
  run->illegal = true;
  DUET_TAIL_CALL trap(op, hart, run);
}
const MicroOp* handle_load_constant(const MicroOp* op, Hart* hart, [[maybe_unused]] Run* run) {
  hart->x[op->rd] = static_cast<std::uint64_t>(op->immediate);
  DUET_NEXT(op + 1);
}
const MicroOp* handle_move(const MicroOp* op, Hart* hart, [[maybe_unused]] Run* run) {
  hart->x[op->rd] = hart->x[op->rs1];
  DUET_NEXT(op + 1);
}
const MicroOp* handle_jump(const MicroOp* op, Hart* hart, Run* run) { DUET_FOLLOW(op + 1); }
const MicroOp* handle_jump_and_link(const MicroOp* op, Hart* hart, Run* run) {
  hart->x[op->rd] = static_cast<std::uint64_t>(op->immediate);
  DUET_FOLLOW(op + 1);
}

constexpr std::array<Handler, kOpcodes> kHandlers{
#define INSTRUCTION(enumerator, ...) &handle<Opcode::enumerator>,
#include "rv64/instructions.def"
#undef INSTRUCTION
};

}  // namespace

Handler handler_of(Opcode opcode) { return kHandlers[static_cast<std::size_t>(opcode)]; }
namespace special {
Handler illegal() { return handle_illegal; }
Handler load_constant() { return handle_load_constant; }
Handler move() { return handle_move; }
Handler jump() { return handle_jump; }
Handler jump_and_link() { return handle_jump_and_link; }
Handler end_of_block() { return handle_jump; }
}  // namespace special

void execute_block(Block& block, Hart& hart, Run& run) {
  const MicroOp* op = block.ops();
  while (op != nullptr) op = op->handler(op, &hart, &run);
}

}  // namespace duet::rv64
