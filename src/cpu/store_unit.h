// The store unit of a core: retired stores are written to L1, in order, when their lines are held for
// writing.
//
//   stores.drain(120);        // writes all whose time comes by cycle 120
//   stores.drain(120, 7);     // and as far as the one at place 7
//
// Guarantee: total store order. Stores behind the oldest ask for their lines in advance (store_prefetches).
// Stores to uncached pages leave for write-combining buffers (uncached_unit.h).
#pragma once

#include "cpu/core_state.h"

namespace duet::cpu {

class LinePrefetcher;
class LoadUnit;
class UncachedUnit;

class StoreUnit {
 public:
  StoreUnit(CoreState& state, LoadUnit& loads, UncachedUnit& uncached, LinePrefetcher& prefetcher,
            sim::Engine& engine)
      : state_(state), loads_(loads), uncached_(uncached), prefetcher_(prefetcher), engine_(engine) {}

  // A store with this access and value is dispatched.
  void dispatched(std::uint64_t sequence, WindowEntry& made);
  void drain(Cycle limit, std::uint64_t up_to = kNoStore) {
    if (limit >= state_.stores.due()) drain_stores(limit, up_to);
  }
  // Lines of the access are held for writing.
  void write_to_l1(const Access& access);

 private:
  void drain_stores(Cycle limit, std::uint64_t up_to);
  void prepare_next(Cycle limit);
  bool write_oldest(Store& oldest, Cycle cycle);
  void prepare(Store& store, Cycle cycle);
  bool holds_lines(const Access& access);
  void write_held_part(Access& access);
  void code_written(const Access& access);

  CoreState& state_;
  LoadUnit& loads_;
  UncachedUnit& uncached_;
  LinePrefetcher& prefetcher_;
  sim::Engine& engine_;
};

}  // namespace duet::cpu
