// The load-store unit of an SM: takes memory instructions in program order of their issue, splits them by
// address space, coalesces their lanes into requests, plays bank conflicts, and collects the answers. Values
// are bound where a request is serviced; shared memory is serviced here. One transaction enters L1 (or the
// constant cache) per core cycle; shared memory is busy one cycle per conflict-free part. Source: hu2016 §2
// (SM), CUDA C programming guide, compute capability 2.x (coalescing, banks, broadcast). At most
// gpu.sm.memory_requests of loads are on their way, others wait here. Textures and surfaces come through
// texture_unit.h. Tracked memory (lustig2013 §4.1, §4.5): an access acts on the bits as
// its instruction names; otherwise loads wait for full, stores fill, atomics do both. Waiting accesses have a
// queue of their own, so they never keep other instructions from L1. Because classes may pass each other, a
// warp's access to tracked memory is issued only when it meets none of its earlier ones (tracked_order.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/instruction_counts.h"
#include "config/machine.h"
#include "gpu/functional/memory_unit.h"
#include "memory/address_space.h"
#include "memory/channel.h"
#include "memory/race_detector.h"
#include "ptx/semantics/semantics.h"
#include "sim/statistics.h"

namespace duet::gpu {

class OutsideAccesses;

// The memory of an instruction's block and warp.
struct WarpMemory {
  std::byte* shared = nullptr;
  Bytes shared_bytes = 0;
  // Physical address of the warp's local memory: word k (4 bytes) of lane i lies at + (k * width + i) * 4, so
  // lanes with the same word coalesce.
  PhysicalAddress local_physical;
  Bytes local_bytes = 0;  // per thread
  const std::byte* parameters = nullptr;
  Bytes parameter_bytes = 0;
  const Grid* grid = nullptr;
};

struct LoadStoreStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter transactions{*this, "memory_transactions", "requests", "requests of load-store units to L1"};
  sim::Counter texture_transactions{*this, "texture_transactions", "requests",
                                    "of these, the ones of textures and surfaces"};
  sim::Counter requested_bytes{*this, "requested_bytes", "bytes", "bytes of these requests: whole segments"};
  sim::Counter used_bytes{*this, "used_bytes", "bytes", "of these bytes what threads read or write"};
  sim::Counter shared_conflict_cycles{*this, "shared_conflict_cycles", "cycles",
                                      "shared memory: passes beyond the first of an access"};
  // Cycles of the unit beyond one for each access of a warp, by cause.
  sim::Counter uncoalesced_cycles{*this, "uncoalesced_cycles", "cycles",
                                  "load-store unit: requests beyond the first of a load or a store"};
  sim::Counter bank_conflict_cycles{
      *this, "bank_conflict_cycles", "cycles",
      "load-store unit: passes beyond the first of a load or a store, shared memory"};
  sim::Counter atomic_cycles{*this, "atomic_cycles", "cycles",
                             "load-store unit: requests and passes beyond the first of an atomic"};
  sim::Counter blocked_cycles{*this, "load_store_blocked_cycles", "cycles",
                              "load-store unit: cycles in which its next request found no room"};
  // Warp instructions.
  sim::Counter global_loads{*this, "global_loads", "instructions", "loads of global memory, per warp"};
  sim::Counter texture_accesses{*this, "texture_accesses", "instructions",
                                "of global loads and stores, texels of textures and surfaces, per warp"};
  sim::Counter global_stores{*this, "global_stores", "instructions", "stores to global memory, per warp"};
  sim::Counter local_loads{*this, "local_loads", "instructions", "loads of local memory, per warp"};
  sim::Counter local_stores{*this, "local_stores", "instructions", "stores to local memory, per warp"};
  sim::Counter atomics{*this, "atomics", "instructions", "atomics on global memory, per warp"};
  sim::Counter shared_accesses{*this, "shared_accesses", "instructions",
                               "accesses to shared memory, atomics among them, per warp"};
  sim::Counter constant_loads{*this, "constant_loads", "instructions",
                              "loads of constants and kernel parameters, per warp"};
};

template <unsigned W>
class LoadStoreUnit {
 public:
  struct Ports {
    memory::Channel* to_l1 = nullptr;
    sim::Queue<memory::Packet>* from_l1 = nullptr;
    memory::Channel* to_constant_cache = nullptr;
    sim::Queue<memory::Packet>* from_constant_cache = nullptr;
    memory::RaceDetector* races = nullptr;  // null: nobody looks for races
    OutsideAccesses* outside = nullptr;     // null: accesses beside allocations are faults
  };
  // A memory instruction whose destination registers have been written: dependent instructions may issue at
  // `ready`. Stores and reductions complete too, when all their writes have been acknowledged. Without an
  // instruction, with gpu.sm.blocking_issue: all requests of the warp's store or reduction have left.
  struct Completion {
    std::uint32_t warp = 0;
    const ptx::MicroOp* op = nullptr;
    Cycle ready = 0;
  };

  LoadStoreUnit(const config::Gpu& config, std::uint16_t sm_number, memory::RequestPool& pool,
                const memory::AddressSpace& address_space);
  ~LoadStoreUnit();
  void connect(const Ports& ports);

  enum class Issue : std::uint8_t {
    Taken,
    Faulted,  // fault() says why and nothing has happened
    Later     // tracked memory: not before an instruction completes; nothing has happened
  };
  // Whether an instruction can be taken now (queue and pending table have room).
  bool can_issue() const {
    return outside_.queued < outside_.queue_entries && outside_.pending < outside_.pending_entries;
  }
  // Takes a Load, Store or Atomic at issue: generates and checks the addresses and copies the stored values.
  // start_at() says right after it when its operands are collected: the first cycle at which it may act.
  // `warp` is the warp's slot; `registers`, `memory` and `counts` (null: not asked for) stay valid until the
  // completion. `texel`: the access is a part of a texture's or a surface's.
  Issue issue(std::uint32_t warp, ptx::Warp<W>& registers, const ptx::MicroOp& op, std::uint64_t lanes,
              const WarpMemory& memory, InstructionCounts* counts = nullptr, bool texel = false);
  void start_at(Cycle cycle);
  // The results of the instruction issued last may not be used before `cycle`.
  void ready_from(Cycle cycle);
  const AccessFault& fault() const;

  // Does what is due at `cycle` (a core cycle, whose edge is `now`): takes answers, sends requests, services
  // shared memory. Returns the next cycle with work that needs no answer or room from outside; kNever: none.
  // An answer or new room wakes the SM.
  Cycle tick(Picoseconds now, Cycle cycle);
  // Whether tick() may have something to do before its returned cycle.
  bool wants_tick() const { return outside_.arrivals != 0 || outside_.waits_for_room; }
  // The completions since the last clear_completions().
  const std::vector<Completion>& completions() const { return outside_.completions; }
  void clear_completions() { outside_.completions.clear(); }

  // Incomplete instructions of a warp: a fence waits for both to be 0, a block ends when both are.
  std::uint32_t outstanding_reads(std::uint32_t warp) const { return outside_.reads[warp]; }
  std::uint32_t outstanding_writes(std::uint32_t warp) const { return outside_.writes[warp]; }
  // Whether the warp has accesses to tracked memory on their way; a barrier or a fence waits for them.
  bool orders_tracked(std::uint32_t warp) const;
  bool idle() const { return outside_.pending == 0 && outside_.apart == 0; }
  LoadStoreStatistics& statistics();
  // For reports: the driver's number of the command whose instruction sent a request (Request::requester,
  // pc); 0 when it has come back.
  std::uint64_t command_of(std::uint32_t requester, std::uint32_t pc) const;
  // For deadlock reports: its wait; empty when there is none.
  std::string waits_for() const;

 private:
  Cycle tick_waiting(Picoseconds now, Cycle cycle);

  struct State;
  // The state that the SM reads in every cycle.
  struct Outside {
    std::uint64_t arrivals = 0;  // bits of the queues with answers
    bool waits_for_room = false;
    std::uint32_t queued = 0, queue_entries = 0, pending = 0, pending_entries = 0;
    std::uint32_t apart = 0;  // tracked memory's own place beside a table of one
    std::vector<Completion> completions;
    std::vector<std::uint32_t> reads, writes;
  };
  Outside outside_;
  std::unique_ptr<State> state_;
};

}  // namespace duet::gpu
