// Write-combining buffers: stores to uncached pages that are not on their way yet. Stores to the same block
// of memory are put together, byte by byte, in a request. uncached_unit.h decides when it is sent. So eight
// stores of eight bytes to a block of 64 make one request; two bytes at its ends make one too, with a mask.
//
// A buffer is in use until its write is answered. Source: Intel 64 and IA-32 Architectures Optimization
// Reference Manual, "Write Combining"; Software Developer's Manual, volume 3, "Write Combining (WC) Memory
// Type".
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "config/machine.h"
#include "memory/request.h"

namespace duet::cpu {

class WriteCombining {
 public:
  struct Buffer {
    std::uint64_t block = 0;  // physical address of its first byte
    memory::RequestHandle request = memory::kNoRequest;
    unsigned filled = 0;  // bytes
    Cycle written = 0;    // when its last store came
  };

  explicit WriteCombining(const config::Cpu::WriteCombining& config)
      : config_(config), block_mask_(config.bytes - 1) {}

  std::uint64_t block_of(std::uint64_t physical) const { return physical & ~block_mask_; }
  Bytes bytes() const { return config_.bytes; }
  // From `physical` to the end of its block.
  unsigned room_from(std::uint64_t physical) const {
    return static_cast<unsigned>(config_.bytes - (physical & block_mask_));
  }
  // It is sent then, where nothing more comes.
  Cycle deadline(const Buffer& buffer) const { return buffer.written + config_.idle_cycles; }

  std::vector<Buffer>& open() { return open_; }
  const std::vector<Buffer>& open() const { return open_; }
  bool any_open() const { return !open_.empty(); }
  // Open, or sent and not answered.
  unsigned in_use() const { return static_cast<unsigned>(open_.size()) + sent_; }
  bool has_free() const { return in_use() < config_.buffers; }

  Buffer* find(std::uint64_t block) {
    for (Buffer& buffer : open_)
      if (buffer.block == block) return &buffer;
    return nullptr;
  }
  Buffer& take(std::uint64_t block, memory::RequestHandle request) {
    return open_.emplace_back(Buffer{block, request, 0, 0});
  }
  bool any_sent() const { return sent_ != 0; }
  void sent(const Buffer& buffer) {
    open_.erase(open_.begin() + (&buffer - open_.data()));
    ++sent_;
  }
  void answered() { --sent_; }

 private:
  const config::Cpu::WriteCombining config_;
  const std::uint64_t block_mask_;
  std::vector<Buffer> open_;  // in the order of their opening
  unsigned sent_ = 0;
};

}  // namespace duet::cpu
