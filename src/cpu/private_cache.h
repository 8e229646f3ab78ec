// A core's private cache: its lines, and their states. The bytes of a line lie with the directory
// (memory/coherence/directory.h). Least recently used lines go first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/address.h"
#include "base/error.h"
#include "base/units.h"
#include "config/machine.h"

namespace duet::cpu {

struct PrivateLine {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t line = kNone;  // address of its first byte
  std::byte* bytes = nullptr;
  std::uint64_t used = 0;
  bool exclusive = false;  // may be written
  bool dirty = false;
  bool prefetched = false;  // and not used since
  Picoseconds brought = 0;  // when it came from the directory
};

class PrivateCache {
 public:
  PrivateCache(const config::Cpu::Cache& config, Bytes line_bytes)
      : ways_(config.ways),
        line_shift_(static_cast<unsigned>(std::countr_zero(line_bytes))),
        mask_(config.sets - 1) {
    if (config.sets == 0) return;
    if (!std::has_single_bit(config.sets)) throw Error("a private cache's sets must be a power of two");
    lines_.resize(config.sets * config.ways);
  }

  bool exists() const { return !lines_.empty(); }
  // Null: it is not held.
  PrivateLine* find(std::uint64_t line) {
    PrivateLine* const set = set_of(line);
    for (std::uint64_t way = 0; way < ways_; ++way)
      if (set[way].line == line) return &set[way];
    return nullptr;
  }
  void use(PrivateLine& line) { line.used = ++uses_; }
  // A place for a new line, and its victim.
  PrivateLine& insert(std::uint64_t line, std::optional<PrivateLine>& victim) {
    PrivateLine* const set = set_of(line);
    PrivateLine* chosen = set;
    for (std::uint64_t way = 1; way < ways_; ++way)
      if (set[way].used < chosen->used) chosen = &set[way];
    if (chosen->line != PrivateLine::kNone) victim = *chosen;
    *chosen = {};
    chosen->line = line;
    use(*chosen);
    return *chosen;
  }
  void remove(PrivateLine& line) { line = {}; }
  const std::vector<PrivateLine>& lines() const { return lines_; }

 private:
  PrivateLine* set_of(std::uint64_t line) { return &lines_[(line >> line_shift_ & mask_) * ways_]; }

  std::uint64_t ways_;
  unsigned line_shift_;
  std::uint64_t mask_;
  std::uint64_t uses_ = 0;
  std::vector<PrivateLine> lines_;
};

}  // namespace duet::cpu
