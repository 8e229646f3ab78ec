// Accesses of a core to pages that no cache holds (rv64::MemoryType): they go to memory, through the
// directory.
//
//   uncached load     sent as soon as its address is there, beside others; looked at again when answered
//   uncached store    leaves the store buffer in order, into a write-combining buffer
//   device access     one request, made when all earlier instructions have retired (device_unit.h)
//
// Guarantee: accesses of one line are sent in program order; others in any order: fences order them.
// uncached.md has the rules, faults, sources and omissions.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "cpu/core_state.h"
#include "cpu/write_combining.h"

namespace duet::cpu {

class BackEnd;
class LoadUnit;

class UncachedUnit {
 public:
  UncachedUnit(CoreState& state, LoadUnit& loads, BackEnd& back_end)
      : state_(state), loads_(loads), back_end_(back_end), combining_(state.config.write_combining) {}

  void connect(memory::RequestPool& pool) { pool_.emplace(&pool); }
  memory::Request& request(memory::RequestHandle handle) { return (*pool_)[handle]; }
  // Of an access to `piece`.
  memory::RequestHandle make_request(memory::Operation operation, const Piece& piece);
  // A request of a device access is sent in `at`, behind earlier ones to its line.
  void send_device(Cycle at, memory::RequestHandle request) { send(at, {request, 0, Kind::Device}); }
  // It has been answered. The caller gives it back.
  void answered(memory::RequestHandle handle);
  void release(memory::RequestHandle handle) { pool_->release(handle); }
  bool is_empty() const { return sent_.empty(); }

  // ---- loads ----
  // The bytes of a load at this moment.
  std::uint64_t read(const Access& access);
  // A load's address and translation are there, and no store of its bytes is in the store buffer.
  void perform(std::uint64_t sequence, Cycle cycle);
  // A fence may have retired.
  void retry_waiting() {
    if (!waiting_.empty()) perform_waiting();
  }
  // Loads from number `next` on are squashed.
  void forget_loads(std::uint64_t next);

  // ---- fences ----
  // A fence in the window.
  void note_fence(std::uint64_t sequence);
  // The last fence of loads.
  std::uint64_t load_fence() const { return load_fence_; }
  // Whether there was a fence of stores since the last store, which has it from now on.
  bool take_store_fence() { return std::exchange(store_fence_, false); }
  void undo_fence(const Store& squashed) { store_fence_ |= squashed.fenced; }

  // ---- stores ----
  const WriteCombining& combining() const { return combining_; }
  // Moves a store whose turn it is to buffers; false where it has to wait for one.
  bool combine(Access& store, Cycle cycle);
  void send_all_combined(Cycle cycle);
  // Sends buffers without a store for long enough by `limit`.
  void send_idle(Cycle limit);
  // When the last write of combined stores was answered.
  Cycle combined_done() const { return combined_done_; }

 private:
  enum class Kind : std::uint8_t { Load, Combined, Device };
  // An access on its way.
  struct Sent {
    memory::RequestHandle request = memory::kNoRequest;
    Cycle sent = 0;
    Kind kind = Kind::Device;
    std::uint64_t load = 0;  // the waiting load; 0: none, or it is gone
    unsigned at = 0;         // its bytes among the load's
  };
  void put_combined_over(const Piece& piece, std::byte* to);
  bool may_be_sent(const WindowEntry& load, std::uint64_t sequence, Cycle& cycle);
  void write_asked_for(const Piece& piece, Cycle& cycle);
  void perform_waiting();
  void load_answered(const Sent& done);
  WriteCombining::Buffer* buffer_for(std::uint64_t block, Cycle cycle);
  void remove_front(Access& access, unsigned bytes);
  void send_combined(WriteCombining::Buffer& buffer, Cycle cycle);
  void send(Cycle at, const Sent& access);

  CoreState& state_;
  LoadUnit& loads_;
  BackEnd& back_end_;
  std::optional<memory::RequestPool> pool_;
  WriteCombining combining_;
  std::vector<Sent> sent_;              // in the order of their making
  unsigned loads_sent_ = 0;             // requests of loads among these
  std::vector<std::uint64_t> waiting_;  // loads not to be sent yet
  Cycle combined_done_ = 0;
  std::uint64_t load_fence_ = 0;
  bool store_fence_ = false;
};

}  // namespace duet::cpu
