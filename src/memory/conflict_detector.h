// Finds bytes touched by two commands without an order between them, one of them writing: two kernels, or a
// kernel and a copy or fill. It does not matter which came first in this run, or whether it went wrong. Part
// of --check-races; race_detector.h finds the bytes read too early by a kernel.
//
// Left out: accesses that synchronise (volatile, atomic, scoped). Two commands are no pair where one of them
// reads, in such an access, bytes written by the other in one. Where ordered commands touch the same bytes,
// the later may stand for the earlier. The order of events of one time cannot be observed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/address.h"
#include "base/units.h"
#include "memory/cache/byte_masks.h"

namespace duet::memory {

struct Conflict {
  struct Side {
    std::uint64_t command = 0;
    bool kernel = false, writes = false;
    std::uint32_t ptx_line = 0;  // of a kernel: the first in its text of the accesses found
  };
  Side first, second;  // by command
  PhysicalAddress lowest, highest;
  Bytes bytes = 0;
};

class ConflictDetector {
 public:
  using Before = std::function<bool(std::uint64_t earlier, std::uint64_t later)>;
  explicit ConflictDetector(Before before) : before_(std::move(before)) {}

  // `mask` is relative to `address`; all of it lies in one line. An access that waits for full/empty bits is
  // ordered by them: all later accesses of its command, and of later commands, come after all earlier
  // accesses to these bytes, and after all commands before the writers of these bytes.
  void access(const Conflict::Side& side, PhysicalAddress address, const ByteMask& mask, Picoseconds now,
              bool waits = false);
  void synchronise(std::uint64_t command, PhysicalAddress address, const ByteMask& mask, bool reads,
                   bool writes);
  // Of this pair more is known already: it is not told here.
  void leave_out(std::uint64_t one, std::uint64_t other) { left_out_.insert(std::minmax(one, other)); }

  // The command is complete: returns its conflicts with complete commands.
  std::vector<Conflict> take(std::uint64_t command);
  std::vector<Conflict> take_all();

 private:
  using Pair = std::pair<std::uint64_t, std::uint64_t>;  // ascending
  struct Access {
    Conflict::Side side;
    bool waits = false;
    ByteMask bytes = {};
  };
  // The accesses to a line: before the time of the last access, and at it.
  struct Line {
    std::vector<Access> earlier, recent;
    Picoseconds recent_ps = 0;
  };
  struct Found {
    Conflict conflict;
    std::unordered_map<std::uint64_t, ByteMask> lines;
  };
  struct Synchronised {
    std::uint64_t command;
    ByteMask bytes;
  };
  void found(const Conflict::Side& one, const Conflict::Side& other, std::uint64_t line,
             const ByteMask& bytes);
  bool is_complete(std::uint64_t command) const { return command < complete_.size() && complete_[command]; }
  static void add(std::vector<Access>& to, const Access& access);
  void settle(Line& line) const;
  void has_waited(std::uint64_t command, const ByteMask& bytes, const Line& line, Picoseconds now);
  bool comes_after(std::uint64_t command, std::uint64_t other, Picoseconds now) const;
  static Conflict finished(const Found& found);

  Before before_;
  std::unordered_map<std::uint64_t, Line> lines_;
  std::unordered_map<std::uint64_t, std::vector<Synchronised>> written_to_synchronise_;
  std::set<Pair> left_out_;  // synchronising pairs, too
  std::map<Pair, Found> pairs_;
  // By command: for whose writes it has waited, and since when.
  std::unordered_map<std::uint64_t, std::map<std::uint64_t, Picoseconds>> waited_;
  std::vector<bool> complete_;  // by command
};

}  // namespace duet::memory
