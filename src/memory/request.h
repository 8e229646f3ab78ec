// The requests between SMs, copy engines, front end and memory. Data travels with its request: a value is
// bound where and when the request is serviced. Requests and their payload lie in a pool; queues move
// handles. Trigger and action belong to full/empty bits (lustig2013 §4.1); without tracked memory both are
// None.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/address.h"
#include "base/atomic_operation.h"

namespace duet::memory {

inline constexpr unsigned kLineBytes = 128;  // the longest request; one line of the GPU's caches

enum class Agent : std::uint8_t { Host, Sm, CopyEngine, FrontEnd };
enum class RequestKind : std::uint8_t { Demand, Copy, WriteBack };
// SetBits: the action alone, for the granules of `mask`; no data moves.
enum class Operation : std::uint8_t { Read, Write, Atomic, Clean, Invalidate, SetBits };
// Every buffer between a requester and DRAM has credits per class, and class NonTriggered always progresses
// (lustig2013 §4.3).
enum class TrafficClass : std::uint8_t { NonTriggered, TriggeredCpu, TriggeredGpu };
enum class Trigger : std::uint8_t { None, Full, Empty };
enum class Action : std::uint8_t { None, Fill, Empty };
enum class Scope : std::uint8_t { Block, Gpu, System };
// Who walks for the page of a request when no TLB has it (config::Translation), as in config::kTranslations.
enum class Translation : std::uint8_t { None, Table, Iommu };

// Page attributes: one bit per kind of cache that may hold the bytes.
struct Cacheability {
  bool gpu_l1 = true;
  bool gpu_constant = true;
  bool gpu_l2 = true;
  bool cpu = true;  // caches between a processor's directory and its memory
  friend bool operator==(const Cacheability&, const Cacheability&) = default;
};

struct ByteMask {  // one bit per byte of a line, relative to Request::address
  std::array<std::uint64_t, kLineBytes / 64> bits{};
  static ByteMask first(unsigned bytes) {
    ByteMask mask;
    for (unsigned i = 0; i < mask.bits.size(); ++i) {
      const unsigned below = bytes > 64 * i ? bytes - 64 * i : 0;
      mask.bits[i] = below >= 64 ? ~0ull : (1ull << below) - 1;
    }
    return mask;
  }
  bool test(unsigned byte) const { return (bits[byte / 64] >> (byte % 64)) & 1; }
};

using RequestHandle = std::uint32_t;
inline constexpr RequestHandle kNoRequest = ~RequestHandle{0};

struct RequestFields {
  PhysicalAddress address;  // physical, of the first byte; the request stays within one line
  std::uint16_t bytes = 0;
  Operation operation = Operation::Read;
  RequestKind kind = RequestKind::Demand;
  Agent agent = Agent::Host;
  TrafficClass traffic_class = TrafficClass::NonTriggered;
  Trigger trigger = Trigger::None;
  Action action = Action::None;
  Scope scope = Scope::Gpu;
  Translation translation = Translation::None;
  Cacheability cacheability;
  AtomicOperation atomic_operation = AtomicOperation::Exchange;
  AtomicType atomic_type = AtomicType::U32;
  bool wants_result = true;     // of an atomic: its old value travels back
  bool released = false;        // by an override: no cache keeps its bytes
  bool was_held = false;        // of a read: the answering cache had all of it
  std::uint16_t refusals = 0;   // PacketKind::Nack so far
  bool tracked = false;         // lies in memory with full/empty bits (PageAttributes::tracked)
  bool begins = false;          // of an SM's: the first of its instruction
  std::uint16_t unit = 0;       // SM or copy engine number
  std::uint32_t requester = 0;  // warp slot, or copy number: whoever waits for the answer
  std::uint32_t pc = 0;   // of an SM's the PTX line; of a copy engine's the driver's number of the command
  std::uint64_t tag = 0;  // the requester's own
  // Compare-and-swap has two operands: `data` holds the compared value, the data of this second request the
  // value to store, at the same positions. Its allocator releases it, with the first.
  RequestHandle second = kNoRequest;
  std::uint16_t warp = 0;  // of an SM's: the warp's slot
  ByteMask mask;
  // Of a read with a trigger that also takes other full bytes along: the bytes of the trigger, where they are
  // not all of `mask`. The answer's mask names the bytes read.
  ByteMask required;
};
struct Request : RequestFields {
  // Written bytes, an atomic's operands, or the bytes read; bytes outside `mask` are undefined.
  std::array<std::byte, kLineBytes> data;

  // A read or write of more than a line, for SimpleMemory alone: `data` has a pointer to its bytes.
  bool is_block() const { return bytes > kLineBytes; }
  void set_block(std::byte* block) { std::memcpy(data.data(), &block, sizeof block); }
  std::byte* block() const {
    std::byte* place;
    std::memcpy(&place, data.data(), sizeof place);
    return place;
  }
};

// A machine's requests, and one owner's part of them. A handle names a request in all parts. Each component
// that makes requests takes them from a part of its own and gives them back there, so no two components share
// a list. The component with a request's packet reads and writes the request.
class RequestPool {
 public:
  RequestPool();
  // Another part of `other`'s requests; where it is null, a part of new requests.
  explicit RequestPool(RequestPool* other);
  ~RequestPool();
  RequestPool(const RequestPool&) = delete;
  RequestPool& operator=(const RequestPool&) = delete;

  // All but `data` as if made anew: clearing a line's bytes would take longer than all else.
  RequestHandle allocate() {
    if (free_.empty()) grow();
    const RequestHandle handle = free_.back();
    free_.pop_back();
    static_cast<RequestFields&>((*this)[handle]) = {};
    return handle;
  }
  // The request was allocated by this part.
  void release(RequestHandle handle) { free_.push_back(handle); }
  // The part of a request. Components other than its owner may use it between ticks alone
  // (sim::Engine::after_ticks).
  RequestPool& part_of(RequestHandle handle) { return *directory_->owners[handle / kChunk]; }
  Request& operator[](RequestHandle handle) const { return chunks_[handle / kChunk][handle % kChunk]; }

  // For reports, of all parts: calls f(handle, request) for every allocated request.
  template <typename F>
  void for_each_in_use(F f) {
    std::vector<bool> free(directory_->chunks.size() * kChunk);
    for (const RequestPool* part : directory_->parts)
      for (const RequestHandle handle : part->free_) free[handle] = true;
    for (RequestHandle handle = 0; handle < free.size(); ++handle)
      if (!free[handle]) f(handle, (*this)[handle]);
  }
  std::size_t in_use() const {
    std::size_t held = directory_->chunks.size() * kChunk;
    for (const RequestPool* part : directory_->parts) held -= part->free_.size();
    return held;
  }

 private:
  static constexpr std::size_t kChunk = 32;  // most parts need few
  static constexpr std::size_t kMostChunks = std::size_t{1} << 17;
  // Its vectors never move, so one part may grow while others look up their requests.
  struct Directory {
    Directory() {
      chunks.reserve(kMostChunks);
      owners.reserve(kMostChunks);
    }
    std::mutex growing;
    std::vector<std::unique_ptr<Request[]>> chunks;
    std::vector<RequestPool*> owners;  // of the chunks
    std::vector<RequestPool*> parts;
  };
  explicit RequestPool(std::shared_ptr<Directory> directory);
  void grow();

  std::shared_ptr<Directory> directory_;
  const std::unique_ptr<Request[]>* chunks_;
  std::vector<RequestHandle> free_;
};

}  // namespace duet::memory
