// The blocks decoded from a memory. All of them are dropped when the page of one changes; the block in
// execution is left before.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "rv64/block.h"

namespace duet::rv64 {

// The 16 or 32 bits of the instruction at `pc`; nothing when they cannot be fetched: hart.port.fault() says
// why.
std::optional<std::uint32_t> fetch_instruction(std::uint64_t pc, Hart& hart);

class BlockCache {
 public:
  static constexpr unsigned kMaximumInstructions = 64;

  BlockCache() : targets_(Run::kTargets) {}

  // The block at an address; nullptr when its first instruction cannot be fetched: hart.port.fault() says
  // why.
  Block* find_or_decode(std::uint64_t pc, Hart& hart);
  // A block of `instructions` at most, valid until the next call.
  Block* decode_part(std::uint64_t pc, Hart& hart, unsigned instructions);
  void clear();

  Block** targets() { return targets_.data(); }

 private:
  using Storage = std::unique_ptr<std::byte[]>;
  Storage decode_block(std::uint64_t pc, Hart& hart, unsigned limit);

  std::unordered_map<std::uint64_t, Storage> blocks_;
  std::vector<Block*> targets_;
  Storage part_;
  std::vector<MicroOp> ops_;  // of the block being decoded
};

}  // namespace duet::rv64
