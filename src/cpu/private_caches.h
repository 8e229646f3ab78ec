// The private caches of a core: an instruction cache and L1 before L2, which has every line of theirs; or,
// without L2, the two alone.
//
//   PrivateLine* held = caches.find_for_data(line);   // in L1, or in the cache behind it; null: not held
//   caches.place_in_l1(line, *held);                  // its victim stays in L2, or leaves the core
//   caches.take_out(line, dirty);                     // another agent gets it
//
// Guarantee: when a line leaves the last of them for lack of room, the owner is called, and gives the line
// back to the directory.
#pragma once

#include <initializer_list>

#include "cpu/private_cache.h"

namespace duet::cpu {

class PrivateCaches {
 public:
  class Owner {
   public:
    // A line has left the core for another one.
    virtual void line_evicted(std::uint64_t line, bool dirty) = 0;
    // A line has left the instruction cache.
    virtual void instructions_left() = 0;

   protected:
    ~Owner() = default;
  };

  explicit PrivateCaches(const config::Cpu& config)
      : instruction_cache_(config.instruction_cache, config.line_bytes),
        l1_(config.l1, config.line_bytes),
        l2_(config.l2, config.line_bytes) {}

  // `owner` outlives it. Before the first line comes.
  void connect(Owner& owner) { owner_ = &owner; }

  PrivateCache& instruction_cache() { return instruction_cache_; }
  PrivateCache& l1() { return l1_; }
  PrivateCache& l2() { return l2_; }

  // In the cache behind L1, or in the other L1 where there is no L2; null: not held.
  PrivateLine* outer(std::uint64_t line) {
    if (l2_.exists()) return l2_.find(line);
    PrivateLine* const of_data = l1_.find(line);
    return of_data != nullptr ? of_data : instruction_cache_.find(line);
  }
  PrivateLine* find_for_data(std::uint64_t line) {
    PrivateLine* const held = l1_.find(line);
    return held != nullptr ? held : outer(line);
  }
  bool holds_exclusively(std::uint64_t line) {
    const PrivateLine* const held = find_for_data(line);
    return held != nullptr && held->exclusive;
  }
  // Calls use(cache, line in it) for every private cache with the line.
  template <typename F>
  void for_each_copy(std::uint64_t line, F use) {
    for (PrivateCache* const cache : {&l1_, &instruction_cache_, &l2_}) {
      if (!cache->exists()) continue;
      if (PrivateLine* const copy = cache->find(line)) use(*cache, *copy);
    }
  }

  // `from` may be the victim.
  PrivateLine& place_in_l1(std::uint64_t line, const PrivateLine& from);
  void place_in_instruction_cache(std::uint64_t line, const PrivateLine& from);
  // A line from the directory: held copies get its bytes and its right; otherwise L2 takes it, as a
  // prefetched one or not.
  void fill(const PrivateLine& arrived, bool prefetched);
  // Out of all of them; false: it was not held. `dirty` becomes true where a copy was.
  bool take_out(std::uint64_t line, bool& dirty);

 private:
  PrivateLine& place(PrivateCache& cache, std::uint64_t line, const PrivateLine& from,
                     std::optional<PrivateLine>& victim);

  Owner* owner_ = nullptr;
  PrivateCache instruction_cache_, l1_, l2_;
};

}  // namespace duet::cpu
