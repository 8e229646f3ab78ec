// An out-of-order core for RV64GC: values in program order, times from a window.
//
//   lw  a0, 0(a1)      executed when it is dispatched: takes the bytes that are there now
//   add a2, a0, a3     executed next, with these bytes; starts when the load has completed in time
//   ...                the load's line comes with other bytes: the add and all later instructions are
//                      squashed, and executed again
//
// Guarantees: total store order, which is stronger than RISC-V's RVWMO. Traps are precise. In a tick the core
// goes on by as many cycles as nothing can arrive that is not there yet; results and statistics do not depend
// on the length of a tick (Core.HowFarATickGoesChangesNothing).
// values-and-time.md has the rules, the sources and the omissions; uncached.md has pages that no cache holds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "config/machine.h"
#include "cpu/branch_predictor.h"
#include "cpu/code_cache.h"
#include "cpu/core_client.h"
#include "cpu/core_statistics.h"
#include "cpu/directory_port.h"
#include "cpu/dispatch_slots.h"
#include "cpu/execute.h"
#include "cpu/execution_units.h"
#include "cpu/lookahead.h"
#include "cpu/private_cache.h"
#include "cpu/scheduler.h"
#include "cpu/stream_detector.h"
#include "cpu/tlb.h"
#include "cpu/write_combining.h"
#include "memory/coherence/coherence_message.h"
#include "sim/engine.h"
#include "sim/queue.h"

namespace duet::cpu {

// The memory below the private caches, outside simulated time.
class MemoryView {
 public:
  // The newest bytes there, all of one line. Writes of other cores at this very time are not seen, so the
  // order of ticks does not matter.
  virtual void peek(PhysicalAddress address, unsigned bytes, std::byte* to, unsigned core) = 0;
  // Called before `core` writes into a held line, with the old bytes.
  virtual void about_to_write(PhysicalAddress address, unsigned bytes, const std::byte* old,
                              unsigned core) = 0;
  // The earliest time, known in a tick at `now`, at which an agent other than a core may ask the directory
  // for a line. kNever: there is no such agent.
  virtual Picoseconds others_ask_from(Picoseconds) { return kNever; }
  // rv64::Memory::find_page for `core`, possibly the first to touch the page: its frame, and so its physical
  // address, does not depend on the order of ticks.
  virtual rv64::Page page_of(VirtualAddress address, rv64::Access access, unsigned core) = 0;
  // Of a page of rv64::Memory.
  virtual PhysicalAddress physical_of(const std::byte* page) = 0;
  // A private cache answers a guessed load (Core::suppress_load_faults), with bytes of a line that came at
  // `brought`. In memory that others write without its knowledge: Fresh; Stale, after a later write of the
  // same bytes; Wrong, after a write of other bytes. Otherwise Coherent.
  enum class Held : std::uint8_t { Coherent, Fresh, Stale, Wrong };
  struct HeldLine {
    PhysicalAddress line;
    Picoseconds brought;
    unsigned core;
  };
  virtual Held state_of_held(VirtualAddress, const std::byte*, const HeldLine&) { return Held::Coherent; }
  // Where a walk of the page tables reads on its way to an address: level 2 is the root's.
  virtual PhysicalAddress page_table_entry(VirtualAddress address, unsigned level, unsigned core) = 0;

 protected:
  ~MemoryView() = default;
};

class Core final : public sim::Component, private Execution::Bytes {
 public:
  // All of them outlive the core.
  struct Surroundings {
    rv64::Memory& memory;
    MemoryView& view;
    CoreClient& client;
  };
  Core(sim::Engine& engine, const sim::Component* parent, const config::Cpu& config, unsigned number,
       const Surroundings& surroundings);

  // The way to the directory, and back; requests of uncached accesses are from `pool`.
  void connect(sim::Queue<memory::CoherenceMessage>& requests, sim::Queue<memory::CoherenceMessage>& answers,
               memory::RequestPool& pool) {
    port_.connect(requests, answers);
    pool_.emplace(&pool);
  }

  unsigned number() const { return number_; }
  // Whose instructions it executes from `now` on; null: nobody's. Only while nothing is in flight: before the
  // first assignment, in a CoreClient's call, or while it has none. Outside of a trap they begin `later`
  // cycles after the next one.
  void assign(rv64::Registers* registers, Picoseconds now, Cycle later = 0);
  rv64::Registers* registers() const { return registers_; }
  // Asks for CoreClient::preempted at `time`, or as soon after it as nothing is in flight; kNever: not at
  // all.
  void preempt_at(Picoseconds time);
  // No other agent acts until it is told otherwise: without requests of its own nothing will arrive.
  void set_alone(bool alone) { alone_ = alone; }
  bool will_be_preempted() const { return preempt_at_ != kNever; }
  // Pages were mapped or unmapped, or their rights changed.
  void forget_translations();
  // As assign(): from now on MemoryView has other pages for it, and no address is of both. So TLBs keep their
  // entries: address spaces are distinct in them.
  void change_address_space() { translations_.fill({}); }
  // From now on faulting loads give 0 instead, and are counted: for programs whose loads are guesses
  // (yang2012 section 4). Loads answered by private caches are counted by MemoryView::Held. As assign().
  void suppress_load_faults(bool on) { suppress_load_faults_ = on; }

  // Gives up every line of the private caches; dirty ones are written back. The messages go to the directory
  // one after the other, before later requests of the core. As assign(), while it has no registers. Returns
  // their number.
  std::uint64_t drop_lines(Picoseconds now);

  // Somebody outside of simulated time has written to a line, between ticks, under whoever holds it: as if it
  // had been lost for a moment.
  void line_rewritten(PhysicalAddress line);

  // For the client (CoreClient::stands).
  void call_client();

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  Picoseconds next_opportunity(Picoseconds time) const override { return ahead_.first_edge_after(time); }

  // Slots are counted up to now, or as far as the core has gone.
  bool settle_statistics() override;

  const CoreStatistics& statistics() const { return statistics_; }

 private:
  using Message = memory::CoherenceMessage;
  static constexpr std::uint64_t kNoLine = PrivateLine::kNone;
  static constexpr std::uint64_t kNoStore = ~std::uint64_t{0};
  static constexpr unsigned kRegisters = 65;  // x, f, and one without readers

  enum class Level : std::uint8_t { L1, L2, Below };
  // Two, where an access goes over the end of a line.
  struct Piece {
    std::uint64_t physical = 0;
    unsigned bytes = 0;
  };
  struct Access {
    std::array<Piece, 2> pieces;
    unsigned count = 0;
    std::uint64_t address = 0, value = 0;
    unsigned bytes = 0;
    rv64::MemoryType type = rv64::MemoryType::WriteBack;
  };
  // An instruction in the window. Its number (sequence) counts from 1; 0 is nobody.
  struct Entry {
    std::uint64_t pc = 0;
    Cycle dispatched = 0, start = kUnknown, complete = kUnknown, retire = kUnknown;
    Cycle ready = 0;                         // when the known operands are there
    std::array<std::uint64_t, 4> awaited{};  // instructions whose results are not known yet
    unsigned awaited_count = 0;
    std::uint64_t first_waiter = 0, next_waiter = 0;
    std::uint64_t old_value = 0, old_writer = 0;  // of the destination
    Cycle old_ready = 0;
    std::uint8_t destination = kNoRegister, old_fflags = 0;
    Treatment treatment = Treatment::Nothing;
    bool waits_in_scheduler = false;
    // Of a load.
    std::uint64_t behind = kNoStore;  // the youngest store whose bytes it takes
    bool forwarded = false;           // all of them; otherwise it is performed when the store is in L1
    Cycle bound = kUnknown;           // when its bytes were final
    Level level = Level::L1;
    unsigned lines_missing = 0;
    std::uint64_t store = 0;  // of a store its place, of a load how many stores are older
    Access access;
    // Of a load of an uncached page.
    std::uint64_t fence = 0;  // the fence before it; 0: there is none
    Cycle asked = kUnknown;   // when it was sent
    std::uint64_t arrived = 0;
  };
  struct Store {
    std::uint64_t sequence = 0;
    Access access;
    Cycle senior = kUnknown;   // when it retired
    Cycle drained = kUnknown;  // when it was in L1
    Cycle ready = 0;           // when its line is in L1
    bool asked = false;
    bool plain = true;    // neither uncached nor fenced
    bool fenced = false;  // bytes of earlier stores in write-combining buffers have to be written first
  };
  // An uncached access, on its way.
  struct Uncached {
    memory::RequestHandle request = memory::kNoRequest;
    Cycle sent = 0;
    std::uint64_t load = 0;  // the waiting load; 0: none, or it is gone
    unsigned at = 0;         // its bytes among the load's
    bool writes = false;     // of a write-combining buffer
  };
  // A line on its way.
  struct Miss {
    std::uint64_t line = kNoLine;
    bool exclusive = false, data = false, fetch = false, prefetch = false, walk = false;
    std::vector<std::uint64_t> loads;
  };
  // A walk through the page tables, under way or queued.
  struct Walk {
    std::uint64_t page = 0;
    Cycle at = 0;  // where it is in time
    bool begun = false;
    unsigned level = 0;
    bool fetch = false;                   // for the next instruction
    std::vector<std::uint64_t> accesses;  // waiting loads and stores
  };
  struct Translation {
    std::uint64_t page = ~std::uint64_t{0};
    std::uint64_t physical = 0;
    rv64::Rights rights;
    rv64::MemoryType type{};
  };
  Entry& entry(std::uint64_t sequence) { return window_[sequence & window_mask_]; }
  Store& store(std::uint64_t place) { return stores_[place & store_mask_]; }

  // core.cpp
  void handle(const Message& message);
  Cycle reach_alone(Picoseconds now);
  static std::uint64_t read_counter(void* core, unsigned csr);

  // core_dispatch.cpp: an instruction's way into the window. False: not before limit_.
  bool dispatch();
  bool fetch_line(std::uint64_t pc, Cycle earliest);
  bool room_in_window(const CodeEntry& code, Cycle& cycle, Cause& cause);
  Cause cause_of(const Entry& full_behind) const;
  const Entry& oldest_in_window(Cycle cycle);
  Cause cause_of_waiting();
  void enter(const CodeEntry& code, Cycle cycle);
  Prediction follow(const CodeEntry& code, std::uint64_t& next, bool& taken);
  void resume_fetch(std::uint64_t sequence, Prediction prediction, bool taken);
  void await(Entry& made, std::uint64_t writer, Cycle ready);
  void record_load(Entry& made);
  void record_store(std::uint64_t sequence, Entry& made);

  // core_window.cpp: issue, completion, retirement, squashes.
  void issue(std::uint64_t sequence);
  void complete(std::uint64_t sequence, Cycle cycle);
  void tell_waiters();
  void link(std::uint64_t sequence);
  void retire_known();
  void count_retired(Cycle until);
  void squash_from(std::uint64_t sequence, Cycle cycle);
  void undo(Entry& gone);
  void rebuild_after_squash(Cycle cycle);

  // core_memory.cpp: loads, stores, lines.
  bool load(std::uint64_t address, unsigned bytes, std::uint64_t& value) override;
  bool may_store(std::uint64_t address, unsigned bytes) override;
  bool translate(std::uint64_t address, unsigned bytes, rv64::Access kind, Access& access);
  std::uint64_t read_bytes(const Access& access, std::uint64_t stores_before);
  void read_piece(const Piece& piece, std::byte* to, std::uint64_t stores_before);
  void put_stores_over(const Piece& piece, std::byte* to, std::uint64_t stores_before);
  void perform(std::uint64_t sequence, Cycle cycle);
  Cycle reach_line(std::uint64_t sequence, std::uint64_t line, Cycle cycle, Level& level);
  void performed(std::uint64_t sequence, Cycle cycle);
  void correct(std::uint64_t sequence, std::uint64_t value, Cycle cycle);
  Miss* find_miss(std::uint64_t line);
  Miss& ask(std::uint64_t line, bool exclusive, Cycle cycle);
  void prefetch_after(std::uint64_t line, Cycle cycle);
  void prefetch_stream(std::uint64_t line, Cycle cycle);
  bool prefetch(std::uint64_t line, Cycle cycle);
  PrivateLine* outer(std::uint64_t line);
  bool holds_exclusively(std::uint64_t line);
  bool lines_can_be_had(const Access& access);
  std::uint64_t line_of(std::uint64_t physical) const { return physical & ~line_mask_; }
  void put(std::uint64_t line, bool dirty, Cycle at);
  PrivateLine& place_in_l1(std::uint64_t line, const PrivateLine& from);
  void place_in_instruction_cache(std::uint64_t line, const PrivateLine& from);
  bool take_out(std::uint64_t line, bool& dirty);
  // Calls use(cache, line in it) for every private cache with the line.
  template <typename F>
  void for_each_copy(std::uint64_t line, F use) {
    for (PrivateCache* const cache : {&l1_, &instruction_cache_, &l2_}) {
      if (!cache->exists()) continue;
      if (PrivateLine* const copy = cache->find(line)) use(*cache, *copy);
    }
  }
  void line_lost(std::uint64_t line, Cycle cycle);
  void count_line(memory::GrantSource source);
  void granted(const Message& message, Cycle cycle);
  void probed(const Message& message, Cycle cycle);
  void answer_held_probe(Cycle cycle);
  void retry_waiting(Cycle cycle);
  bool touches(const Entry& load, std::uint64_t line) const;

  // core_guesses.cpp
  void count_held(std::uint64_t sequence, const PrivateLine& held);

  // core_translation.cpp: the cost of translations.
  void start_access(std::uint64_t sequence, Cycle cycle);
  bool translate_fetch(std::uint64_t page, Cycle cycle);
  bool find_translation(Tlb& first, std::uint64_t page, Cycle& cycle);
  Walk& walk_to(std::uint64_t page, Cycle cycle);
  void run_walks();
  bool read_table(Walk& walk);
  void table_is_there(Cycle cycle);
  void finish_walk();

  // core_stores.cpp: the store buffer.
  void drain(Cycle limit, std::uint64_t up_to = kNoStore) {
    if (limit >= drain_at_) drain_stores(limit, up_to);
  }
  void drain_stores(Cycle limit, std::uint64_t up_to);
  void prepare(Store& store, Cycle cycle);
  bool holds_lines(const Access& access);
  void write_held_part(Access& access);
  void write_to_l1(const Access& access);
  void code_written(const Access& access);
  void drained_one(Cycle cycle);
  static unsigned granule_of(std::uint64_t physical) { return physical >> 3 & (kGranules - 1); }
  void count_granules(const Access& access, int by);
  bool may_be_in_stores(const Piece& piece) const {
    return granules_[granule_of(piece.physical)] != 0 ||
           granules_[granule_of(piece.physical + piece.bytes - 1)] != 0;
  }

  // core_uncached.cpp: uncached pages.
  bool load_uncached(std::uint64_t& value);
  bool store_device();
  void put_combined_over(const Piece& piece, std::byte* to);
  void perform_uncached(std::uint64_t sequence, Cycle cycle);
  bool may_be_sent(const Entry& load, std::uint64_t sequence, Cycle& cycle);
  void retry_uncached();
  bool combine(Store& store, Cycle cycle);
  void remove_front(Access& access, unsigned bytes);
  void send_combined(WriteCombining::Buffer& buffer, Cycle cycle);
  void send_all_combined(Cycle cycle);
  void send_idle(Cycle limit);
  void send_uncached(Cycle at, const Uncached& access);
  memory::RequestHandle make_request(memory::Operation operation, const Piece& piece);
  void uncached_done(memory::RequestHandle handle);
  bool access_device(const CodeEntry& code);
  void device_done(memory::RequestHandle handle);
  void note_fence(std::uint64_t sequence);
  void forget_squashed_uncached();

  // core_serial.cpp: instructions that wait until the window is empty.
  bool serial(const CodeEntry* code);
  bool window_empties(bool stores_too, Cycle& cycle);
  bool trap(const CodeEntry* code, Cycle cycle);
  bool csr(const CodeEntry& code, Cycle cycle);
  bool atomic(const CodeEntry& code, Cycle cycle);
  void perform_atomic(const rv64::Instruction& instruction, const Access& access, Cycle cycle);
  void go_on(std::uint64_t pc, Cycle cycle);

  const config::Cpu config_;
  Lookahead ahead_;
  const unsigned number_;
  const std::uint64_t line_mask_;  // address within a line
  DirectoryPort port_;
  rv64::Memory& memory_;
  MemoryView& view_;
  CoreClient& client_;

  CodeCache code_;
  Execution execution_{*this};
  BranchPredictor predictor_;
  rv64::Registers* registers_ = nullptr;
  // Fetch.
  Cycle fetch_cycle_ = 0;
  unsigned fetched_ = 0;                                          // in the cycle
  std::uint64_t fetch_line_ = kNoLine, fetch_address_ = kNoLine;  // physical and virtual, of the line
  bool fetch_missing_ = false;
  Cycle line_there_ = 0;           // when the line of a miss has come
  std::uint64_t fetch_waits_ = 0;  // the mispredicted branch to be executed first
  Cause fetch_cause_ = Cause::FrontEnd;

  // Window. Its rings have twice the places, so squashed entries overwrite nothing in use.
  std::vector<Entry> window_;
  std::uint64_t window_mask_;
  std::uint64_t next_ = 1;     // the next instruction's number
  std::uint64_t retired_ = 0;  // the last one whose retirement is known
  std::uint64_t oldest_ = 1;   // earlier ones have retired, as seen from dispatch
  std::uint64_t squashes_ = 0;
  Cycle last_retire_ = 0;
  unsigned retired_in_cycle_ = 0;
  static constexpr std::uint64_t kDispatchTimes = 2048;
  std::vector<Cycle> dispatch_times_;  // of the last kDispatchTimes instructions, by number
  const std::uint64_t front_end_places_;
  std::array<std::uint64_t, kRegisters> writers_{};
  std::array<Cycle, kRegisters> ready_{};
  std::vector<std::uint64_t> to_tell_;  // completed, their waiters not yet told
  bool telling_ = false;
  DispatchSlots slots_;
  Scheduler scheduler_;
  ExecutionUnits units_;

  // Memory.
  PrivateCache instruction_cache_, l1_, l2_;
  StreamDetector streams_;
  std::vector<Miss> misses_;
  unsigned data_misses_ = 0;
  std::deque<std::uint64_t> waiting_for_miss_;  // loads
  std::vector<std::uint64_t> behind_stores_;    // loads
  std::vector<std::uint64_t> load_places_;      // numbers of loads, in a ring
  std::uint64_t loads_ = 0;
  std::vector<Store> stores_;
  std::uint64_t store_mask_;
  std::uint64_t oldest_store_ = 0, next_store_ = 0;
  Cycle last_drain_ = 0;
  Cycle drain_at_ = kUnknown;  // before it there is nothing to do; kUnknown: until something happens
  static constexpr unsigned kGranules = 1024;
  std::array<std::uint16_t, kGranules> granules_{};  // of 8 bytes, by their address: the number of stores to
                                                     // them
  static constexpr unsigned kTranslations = 512;
  std::array<Translation, kTranslations> translations_;
  Tlb instruction_tlb_, data_tlb_, l2_tlb_, walk_cache_;
  std::deque<Walk> walks_;             // the first is under way
  std::uint64_t walk_line_ = kNoLine;  // the line it waits for
  bool running_walks_ = false;
  Cycle walker_free_ = 0;
  bool fetch_walks_ = false;
  std::uint64_t fetch_page_ = kNoLine;
  rv64::Fault fault_;
  Access access_;  // of the load or store in execution
  bool suppress_load_faults_ = false;
  bool correcting_ = false;  // a load is executed again, with this value
  std::uint64_t right_value_ = 0;

  // Uncached.
  std::optional<memory::RequestPool> pool_;
  WriteCombining combining_;
  std::vector<Uncached> uncached_;               // on their way, in the order of their making
  unsigned uncached_loads_ = 0;                  // of these
  std::vector<std::uint64_t> uncached_waiting_;  // loads not to be sent yet
  Cycle combined_done_ = 0;                      // when the last write of combined stores was answered
  std::uint64_t load_fence_ = 0;                 // the last fence of loads
  bool store_fence_ = false;                     // there was a fence of stores since the last store
  bool of_device_ = false;                       // the access in execution
  memory::RequestHandle device_request_ = memory::kNoRequest;
  const CodeEntry* device_code_ = nullptr;

  // Serial.
  std::uint64_t atomic_line_ = kNoLine;  // the line an atomic waits for
  // A line reserved by LR is not given up for so long, or cores would take it from each other between LR and
  // SC for ever: longer than the manual's 16 instructions take (Rocket Chip's lrscCycles).
  static constexpr Cycle kReservationCycles = 80;
  std::uint64_t reservation_ = kNoLine;
  Cycle reserved_until_ = 0;
  std::optional<Message> held_probe_;  // of the reserved line, to be answered
  bool alone_ = false;
  bool trapped_ = false;  // the client is about to be called
  rv64::Trap trap_;
  bool preempting_ = false;
  Picoseconds preempt_at_ = kNever;
  Cycle serial_cycle_ = 0;     // of the serial instruction in execution
  Cycle floor_ = 0;            // nothing before it retires: where the last serial instruction ended
  std::uint64_t counted_ = 0;  // the last counted instruction

  CoreStatistics statistics_;
};

}  // namespace duet::cpu
