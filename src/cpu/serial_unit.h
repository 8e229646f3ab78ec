// The serial instructions of a core: they wait until all earlier ones have retired, and traps.
//
//   serial.execute(code);      // false: the window is not empty, the line is missing, or the client is to be
//   called serial.execute(nullptr);   // the instruction cannot be fetched, or its access faults
//
// Guarantees: atomics, fences of stores before loads, and traps find every store in L1 and every
// write-combining buffer written; CSRs do not wait for stores. No later instruction is dispatched before they
// are done.
#pragma once

#include "cpu/core_state.h"
#include "rv64/interpreter.h"

namespace duet::cpu {

class BackEnd;
class CoherenceUnit;
class Core;
class CoreClient;
class EarlyExecution;
class FrontEnd;
class StoreUnit;
class UncachedUnit;

class SerialUnit {
 public:
  // All of them outlive it. `core` is for calls of the client.
  struct Units {
    FrontEnd& front_end;
    BackEnd& back_end;
    EarlyExecution& execution;
    StoreUnit& stores;
    UncachedUnit& uncached;
    CoherenceUnit& coherence;
  };
  SerialUnit(CoreState& state, const Units& units, Core& core, CoreClient& client)
      : state_(state), units_(units), core_(core), client_(client) {}

  // `code` is null where the instruction cannot be fetched, or its access faults (AddressTranslation::fault).
  // Returns whether anything can be dispatched behind it at once.
  bool execute(const CodeEntry* code);
  // Finds the cycle of an empty window; false while it is not known, or not in this tick.
  bool window_empties(bool stores_too, Cycle& cycle);
  // Fetch goes on at `pc`; an instruction may be dispatched in `cycle`.
  void go_on(std::uint64_t pc, Cycle cycle);
  // The line that an atomic waits for.
  bool waits_for(std::uint64_t line) const { return atomic_line_ == line; }
  // A trap, or an atomic without its line.
  bool is_waiting() const { return trapped_ || atomic_line_ != kNoLine; }

  // ---- traps ----
  // The client is about to be called.
  bool is_trapped() const { return trapped_; }
  // Calls the client. Returns how many cycles its work takes.
  Cycle call_client(Picoseconds now);
  // Asks for CoreClient::preempted; kNever: not at all.
  void preempt_at(Picoseconds time) {
    preempt_at_ = time;
    preempting_ = false;
  }
  bool will_be_preempted() const { return preempt_at_ != kNever; }
  bool is_preempted(Cycle cycle) const {
    return preempt_at_ != kNever && state_.ahead.edge(cycle) >= preempt_at_;
  }
  // The window empties, and the client is called.
  bool preempt() {
    preempting_ = true;
    return execute(nullptr);
  }
  // Of the serial instruction in execution: what a CSR that counts reads.
  static std::uint64_t read_counter(void* unit, unsigned csr);

 private:
  static constexpr std::uint64_t kNoLine = PrivateLine::kNone;
  bool trap(const CodeEntry* code, Cycle cycle);
  bool csr(const CodeEntry& code, Cycle cycle);
  bool atomic(const CodeEntry& code, Cycle cycle);
  bool line_is_writable(std::uint64_t line, Cycle cycle);
  void perform_atomic(const rv64::Instruction& instruction, const Access& access, Cycle cycle);
  void store_conditional(const Access& written, Cycle cycle, std::uint64_t& result);
  void reserve(std::uint64_t line, Cycle cycle);

  CoreState& state_;
  const Units units_;
  Core& core_;
  CoreClient& client_;
  std::uint64_t atomic_line_ = kNoLine;
  bool trapped_ = false;
  rv64::Trap trap_;
  bool preempting_ = false;
  Picoseconds preempt_at_ = kNever;
  Cycle cycle_ = 0;  // of the serial instruction in execution
};

}  // namespace duet::cpu
