// Instructions as a core needs them, decoded once a page. A writer of code calls rv64::Memory, which calls
// this cache.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "rv64/instruction.h"
#include "rv64/memory.h"

namespace duet::cpu {

class Execution;
class MemoryView;

// Registers by one number: x0 to x31, then f0 to f31.
inline constexpr std::uint8_t kNoRegister = 64;

// The units of an instruction, or its other treatment.
enum class Treatment : std::uint8_t {
  Integer,
  Multiply,
  Divide,
  FloatAdd,
  FloatMultiply,
  FloatFused,
  FloatDivide,
  FloatSquareRoot,
  FloatMove,
  FloatConvert,
  Branch,
  Jump,
  Load,
  Store,
  Nothing,  // a fence without effect in this core's order, for cached pages
  // When all before it has retired, alone.
  DrainStores,  // a fence: stores are in L1 too
  Atomic,       // the same
  Serial,       // CSRs
  Trap          // ecall, ebreak, illegal instructions
};
inline constexpr unsigned kUnitTreatments = 11;  // Integer to Branch

struct CodeEntry {
  rv64::Instruction instruction;
  bool (*execute)(Execution&, const rv64::Instruction&) = nullptr;  // null: control flow, fences, traps
  Treatment treatment = Treatment::Trap;
  bool decoded = false;
  std::uint8_t destination = kNoRegister;
  bool orders_loads = false, orders_stores = false;  // of a fence: accesses before, and after it
  std::array<std::uint8_t, 3> sources{kNoRegister, kNoRegister, kNoRegister};
};

// The execute() of an instruction, and its treatment.
CodeEntry decode_entry(std::uint32_t bits);

class CodeCache : public rv64::CodeObserver {
 public:
  // For a core that sees memory by `view`; without one the bytes are in their pages.
  explicit CodeCache(rv64::Memory& memory, MemoryView* view = nullptr, unsigned core = 0)
      : memory_(memory), view_(view), core_(core) {
    memory_.attach(*this);
  }
  ~CodeCache() override { memory_.detach(*this); }
  CodeCache(const CodeCache&) = delete;
  CodeCache& operator=(const CodeCache&) = delete;

  // Null: it cannot be fetched, and fault() has the reason. The entry stays there, unchanged until the next
  // find() of its address, also when the code changes.
  const CodeEntry* find(std::uint64_t pc) {
    if (pc >> rv64::kPageShift == last_number_) [[likely]] {
      const CodeEntry& entry = (*last_)[pc % rv64::kPageBytes / 2];
      if (entry.decoded) [[likely]]
        return &entry;
    }
    return decode(pc);
  }
  const rv64::Fault& fault() const { return fault_; }
  void code_changed(VirtualAddress first, std::uint64_t pages) override;

 private:
  using Page = std::array<CodeEntry, rv64::kPageBytes / 2>;
  const CodeEntry* decode(std::uint64_t pc);
  std::uint16_t half_word(VirtualAddress address, const rv64::Page& page);

  rv64::Memory& memory_;
  MemoryView* const view_;
  const unsigned core_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
  rv64::Fault fault_;
};

}  // namespace duet::cpu
