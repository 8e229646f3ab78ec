#include "rv64/interpreter.h"

#include <algorithm>

#include "rv64/block.h"
#include "rv64/block_cache.h"

namespace duet::rv64 {

class Interpreter::Engine : public CodeObserver {
 public:
  explicit Engine(Memory& memory) : memory_(memory) { memory_.attach(*this); }
  ~Engine() override { memory_.detach(*this); }

  Trap run(Hart& hart, std::uint64_t instructions);
  // Blocks may be in execution: the budget becomes too small to enter the next one.
  void code_changed(VirtualAddress, std::uint64_t) override {
    if (stale_) return;
    stale_ = true;
    run_.remaining -= kDebt;
    run_.allowed -= kDebt;
  }

 private:
  static constexpr std::int64_t kDebt = std::int64_t{1} << 62;

  Trap run_blocks(Hart& hart);
  Trap trap_of(Hart& hart) const;
  void drop_stale_code();

  Memory& memory_;
  BlockCache cache_;
  Run run_;
  bool stale_ = false;
};

void Interpreter::Engine::drop_stale_code() {
  if (!stale_) return;
  stale_ = false;
  run_.remaining += kDebt;
  run_.allowed += kDebt;
  run_.link = nullptr;
  cache_.clear();
}

Trap Interpreter::Engine::trap_of(Hart& hart) const {
  Trap trap;
  if (run_.system_call) {
    trap.cause = TrapCause::SystemCall;
  } else if (run_.breakpoint) {
    trap.cause = TrapCause::Breakpoint;
  } else if (run_.illegal) {
    trap.cause = TrapCause::IllegalInstruction;
  } else {
    trap.cause = TrapCause::AccessFault;
    trap.fault = hart.port.fault();
  }
  trap.instruction = fetch_instruction(hart.pc, hart).value_or(0);
  hart.port.end_reservation();
  return trap;
}

Trap Interpreter::Engine::run_blocks(Hart& hart) {
  for (;;) {
    drop_stale_code();
    if (run_.remaining == 0) return {};
    Block* block = cache_.find_or_decode(hart.pc, hart);
    if (block == nullptr) {
      hart.port.end_reservation();
      return {TrapCause::AccessFault, 0, hart.port.fault()};
    }
    if (run_.link != nullptr) const_cast<MicroOp*>(run_.link)->block = block;
    const bool part = block->instructions > run_.remaining;
    if (part) block = cache_.decode_part(hart.pc, hart, static_cast<unsigned>(run_.remaining));
    run_.link = nullptr;
    run_.remaining -= block->instructions;
    execute_block(*block, hart, run_);
    if (part) run_.link = nullptr;
    if (run_.trapped) {
      drop_stale_code();
      return trap_of(hart);
    }
  }
}

Trap Interpreter::Engine::run(Hart& hart, std::uint64_t instructions) {
  drop_stale_code();
  run_ = Run{};
  run_.allowed = run_.remaining =
      static_cast<std::int64_t>(std::min<std::uint64_t>(instructions, std::uint64_t{1} << 61));
  run_.targets = cache_.targets();
  const Trap trap = run_blocks(hart);
  hart.retired += static_cast<std::uint64_t>(run_.allowed - run_.remaining);
  return trap;
}

Interpreter::Interpreter(Memory& memory) : engine_(std::make_unique<Engine>(memory)) {}
Interpreter::~Interpreter() = default;
Trap Interpreter::run(Hart& hart, std::uint64_t instructions) { return engine_->run(hart, instructions); }

}  // namespace duet::rv64
