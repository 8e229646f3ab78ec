// Names bytes of device memory that were read too early: a command read them, then another wrote them,
// nothing ordered the two, and at least one of them is a copy or a fill (lustig2013 §2.1: what a kernel
// launched before its input arrives does without full/empty bits). An opt-in check: it changes no time and no
// value.
//
// A read counts when its value is where it is used, a write when it is sent, so what is reported was read
// before it was written beyond doubt; a read and a write within each other's way through the machine are not
// reported. Not recorded: accesses that synchronise (volatile, atomic, scoped), reads that empty their words,
// and writes that wait for empty. Words that are emptied are forgotten: who reads them from now on waits for
// the write. Two kernels are never such a pair: conflict_detector.h finds theirs, and every other one that
// nothing orders.
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

// Who accesses memory. Commands are numbered by the driver, from 1.
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
  RaceAgent first_of_kernel;                // the kernel's first access of those
};

class RaceDetector {
 public:
  // Whether the earlier command is complete before the later one begins, whatever the machine does.
  using Before = std::function<bool(std::uint64_t earlier, std::uint64_t later)>;
  // All SMs, copy engines and controllers tell it of accesses in their ticks. With an engine it looks at them
  // between ticks.
  explicit RaceDetector(Before before, sim::Engine* engine = nullptr)
      : before_(before), engine_(engine), conflicts_(std::move(before)) {}

  // `mask` is relative to `address`, which is physical; all of it lies in one line.
  // `waits`: for full/empty bits, which order it.
  void read(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask, Picoseconds now,
            bool waits = false);
  void write(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask, Picoseconds now,
             bool waits = false);
  // An access of a kernel that synchronises.
  void synchronise(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask, bool reads,
                   bool writes);
  void empty(PhysicalAddress address, const ByteMask& mask, Picoseconds now);

  // The races whose writes the command made, in the order of their readers; they are forgotten here.
  std::vector<Race> take(std::uint64_t writer);
  // All that are left.
  std::vector<Race> take_all();
  // After take(): other conflicts of the command with those that are complete, then (0) all that are left.
  std::vector<Conflict> take_conflicts(std::uint64_t command);

 private:
  // What one command has read of a line. Bytes read at `recent_ps` are apart, so that the order of events of
  // one time cannot be observed.
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
