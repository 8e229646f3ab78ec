// The effect of an instruction on a hart's registers, with a core in the place of memory: loads take bytes
// from the core, stores are handed to it. Atomics are the core's, with atomic_result() for their values.
#pragma once

#include <cstdint>

#include "rv64/hart.h"
#include "rv64/instruction.h"

namespace duet::cpu {

// An access of a load or store as execution finds it.
struct MemoryAccess {
  std::uint64_t address = 0;
  std::uint64_t value = 0;  // as many low bytes as the access has
  std::uint8_t bytes = 0;   // 0: none
};

class Execution {
 public:
  // The source of loads' bytes: false where it faults.
  class Bytes {
   public:
    virtual bool load(std::uint64_t address, unsigned bytes, std::uint64_t& value) = 0;
    // Whether a store may be done.
    virtual bool may_store(std::uint64_t address, unsigned bytes) = 0;

   protected:
    ~Bytes() = default;
  };

  explicit Execution(Bytes& bytes) : bytes_(bytes) {}

  rv64::Registers* registers = nullptr;
  std::uint64_t pc_value = 0;
  MemoryAccess access;   // of the last load or store
  bool illegal = false;  // a reserved rounding mode
  std::uint64_t (*read_counter)(void* context, unsigned csr) = nullptr;
  void* counter_context = nullptr;

  // The interface for rv64/semantics.h.
  std::uint64_t x(unsigned number) const { return registers->x[number]; }
  void set_x(unsigned number, std::uint64_t value) {
    registers->x[number == 0 ? rv64::Registers::kSink : number] = value;
  }
  std::uint64_t f(unsigned number) const { return registers->f[number]; }
  void set_f(unsigned number, std::uint64_t value) { registers->f[number] = value; }
  std::uint8_t& fflags() { return registers->fflags; }
  std::uint32_t frm() const { return registers->frm; }
  void set_frm(std::uint32_t value) { registers->frm = static_cast<std::uint8_t>(value); }
  std::uint64_t pc(const rv64::Instruction&) const { return pc_value; }
  std::uint64_t counter(unsigned csr) const { return read_counter(counter_context, csr); }
  bool rounding(rv64::Rounding written, rv64::Rounding& meant) {
    meant = written == rv64::Rounding::Dynamic ? static_cast<rv64::Rounding>(registers->frm) : written;
    illegal = meant > rv64::Rounding::NearestMaximum;
    return !illegal;
  }
  template <typename T>
  bool load(std::uint64_t address, T& value) {
    access = {address, 0, sizeof(T)};
    if (!bytes_.load(address, sizeof(T), access.value)) return false;
    value = static_cast<T>(access.value);
    return true;
  }
  template <typename T>
  bool store(std::uint64_t address, T value) {
    access = {address, value, sizeof(T)};
    return bytes_.may_store(address, sizeof(T));
  }

 private:
  Bytes& bytes_;
};

using ExecuteFunction = bool (*)(Execution&, const rv64::Instruction&);
// Null for control flow, fences, atomics, ecall and ebreak.
ExecuteFunction execute_function(rv64::Opcode opcode);
// Of a branch: whether it is taken.
bool branch_taken(rv64::Opcode opcode, std::uint64_t a, std::uint64_t b);
// The new value in memory of an atomic other than LR and SC.
std::uint64_t atomic_value(rv64::Opcode opcode, std::uint64_t old, std::uint64_t operand);
unsigned atomic_bytes(rv64::Opcode opcode);

}  // namespace duet::cpu
