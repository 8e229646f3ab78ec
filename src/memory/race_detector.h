// Names bytes of device memory that were read too early: a command read them, then another wrote them,
// nothing ordered the two, and at least one of them is a copy or a fill (lustig2013 §2.1: without full/empty
// bits a kernel may start before its input arrives). A check by option: it changes no time and no value.
//
// A read counts when its value is used, a write when it is sent. So a reported byte was read before it was
// written beyond doubt; a read and a write that meet on their way through the machine are not reported.
// Emptied words are forgotten: a later read of them waits for the write. Two kernels are never such a pair:
// conflict_detector.h finds those, and every other pair without an order. Left out: accesses that synchronise
// (volatile, atomic, scoped), reads that empty their words, writes with a wait for empty.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

#include "base/address.h"
#include "memory/cache/byte_masks.h"
#include "memory/conflict_detector.h"
#include "sim/engine.h"

namespace duet::memory {

// The source of an access. The driver numbers commands from 1.
struct RaceAgent {
  std::uint64_t command = 0;
  bool kernel = false;         // otherwise a copy or a fill
  std::uint32_t unit = 0;      // SM or copy engine
  std::uint32_t ptx_line = 0;  // of a kernel's access
};

struct Race {
  std::uint64_t reader = 0, writer = 0;  // commands
  bool reader_is_kernel = false, writer_is_kernel = false;
  PhysicalAddress first, last;  // of the lowest and the highest of the bytes
  Bytes bytes = 0;
  Picoseconds read_ps = 0, written_ps = 0;  // the first of each
  RaceAgent first_of_kernel;                // the kernel's first access to these bytes
};

class RaceDetector {
 public:
  // Whether the earlier command is complete before the later one begins, whatever the machine does.
  using Before = std::function<bool(std::uint64_t earlier, std::uint64_t later)>;
  // All SMs, copy engines and controllers tell it of accesses in their ticks. With an engine it looks at them
  // between ticks.
  explicit RaceDetector(Before before, sim::Engine* engine = nullptr)
      : before_(before), engine_(engine), conflicts_(std::move(before)) {}

  // `mask` is relative to `address`, a physical one; all of it lies in one line. `waits`: full/empty bits
  // order it.
  void read(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask, Picoseconds now,
            bool waits = false);
  void write(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask, Picoseconds now,
             bool waits = false);
  // A synchronising access of a kernel.
  void synchronise(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask, bool reads,
                   bool writes);
  void empty(PhysicalAddress address, const ByteMask& mask, Picoseconds now);

  // The races whose writes the command made, in the order of their readers; they are forgotten here.
  std::vector<Race> take(std::uint64_t writer);
  // All remaining ones.
  std::vector<Race> take_all();
  // After take(): other conflicts of the command with complete ones, then (0) all remaining ones.
  std::vector<Conflict> take_conflicts(std::uint64_t command);

 private:
  // The bytes of a line that one command has read. Bytes read at `recent_ps` are apart, so the order of
  // events of one time cannot be observed.
  struct Reads {
    RaceAgent agent;
    Picoseconds first_ps = 0, recent_ps = 0;
    ByteMask earlier, recent;
    ByteMask before(Picoseconds now) const { return recent_ps < now ? earlier | recent : earlier; }
    void forget(const ByteMask& bytes, Picoseconds now);
  };
  using Pair = std::pair<std::uint64_t, std::uint64_t>;  // writer, reader

  template <typename F>
  void between_ticks(F look) {
    if (engine_ != nullptr)
      engine_->between_ticks(look);
    else
      look();
  }
  void note_read(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask, Picoseconds now);
  void note_write(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask, Picoseconds now);
  void note_empty(PhysicalAddress address, const ByteMask& mask, Picoseconds now);

  Before before_;
  sim::Engine* engine_;
  std::unordered_map<std::uint64_t, std::vector<Reads>> lines_;
  std::map<Pair, Race> races_;
  ConflictDetector conflicts_;
};

}  // namespace duet::memory
