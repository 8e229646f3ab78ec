// Executes each instruction once, in program order, when it is dispatched: values without time.
//
//   if (!execution.run(code)) ...       // it faults, or is an access to a device page
//   execution.run_again(code, pc, 42);  // its load has been performed, and gives 42
//
// A load takes the bytes that it finds at that moment: of older stores of its own core, of a held line, or
// else the newest bytes below. load_unit.h looks again when the load is performed (values-and-time.md).
#pragma once

#include <cstring>

#include "cpu/core_state.h"
#include "cpu/execute.h"

namespace duet::cpu {

class DeviceUnit;
class UncachedUnit;

class EarlyExecution final : private Execution::Bytes {
 public:
  EarlyExecution(CoreState& state, UncachedUnit& uncached, DeviceUnit& device)
      : state_(state), uncached_(uncached), device_(device) {}
  // `read_counter` answers for counting CSRs, with `context`.
  void set_counters(std::uint64_t (*read_counter)(void* context, unsigned csr), void* context) {
    execution_.read_counter = read_counter;
    execution_.counter_context = context;
  }

  // The instruction at the program counter. False: it is illegal, faults, or is an access to a device page.
  bool run(const CodeEntry& code) {
    execution_.registers = state_.registers;
    execution_.pc_value = state_.registers->pc;
    access_.count = 0;
    execution_.illegal = false;
    return code.execute(execution_, code.instruction);
  }
  // A load at `pc`, with these bytes.
  void run_again(const CodeEntry& code, std::uint64_t pc, std::uint64_t value);
  // A reserved rounding mode.
  bool is_illegal() const { return execution_.illegal; }
  // Of the last load or store; a store's value is stored().
  const Access& access() const { return access_; }
  std::uint64_t stored() const { return execution_.access.value; }

  // The bytes of now, with the stores at places before `stores` over them.
  std::uint64_t read(const Access& access, std::uint64_t stores) {
    std::byte bytes[8] = {};
    std::byte* to = bytes;
    for (unsigned i = 0; i < access.count; ++i) {
      read_piece(access.pieces[i], to, stores);
      to += access.pieces[i].bytes;
    }
    std::uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }

 private:
  bool load(std::uint64_t address, unsigned bytes, std::uint64_t& value) override;
  bool may_store(std::uint64_t address, unsigned bytes) override;
  void read_piece(const Piece& piece, std::byte* to, std::uint64_t stores);

  CoreState& state_;
  UncachedUnit& uncached_;
  DeviceUnit& device_;
  Execution execution_{*this};
  Access access_;
  bool again_ = false;  // a load is executed again, with this value
  std::uint64_t value_ = 0;
};

}  // namespace duet::cpu
