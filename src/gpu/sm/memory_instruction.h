// A memory instruction between issue and completion: the places of its lanes, by parts with the same path,
// and its bytes. Entries are reused; nothing is allocated for an instruction.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/sm/load_store_unit.h"
#include "memory/request.h"

namespace duet::gpu {

inline constexpr unsigned kMaxLaneBytes = 32;  // of one access: four 64-bit elements
// Of payload: an atomic on local memory has the old value, both operands, 16 bytes each.
inline constexpr unsigned kMaxPayloadBytes = 48;

// LocalAtomic: an atomic of several words on a lane's own memory. L1 and L2 see its reads, then its writes.
enum class MemoryPath : std::uint8_t { L1, LocalAtomic, ConstantCache, Shared, Parameters };

// Lanes with the same path and the same attributes. An address is base + offset of the lane.
struct MemoryPart {
  std::uint64_t lanes = 0;
  PhysicalAddress base;  // physical and a multiple of kLineBytes; 0 in shared and parameter space
  MemoryPath path = MemoryPath::L1;
  bool local = false;
  bool tracked = false;  // memory with full/empty bits
  memory::Translation translation = memory::Translation::None;
  memory::Cacheability cacheability;
  std::uint32_t request_bytes = 0;  // a line or a segment
  std::uint32_t group_mask = 0;     // lanes whose offsets agree in these bits may share a request
  // An access to local memory wider than a word is several words of the lane, each `step_bytes` on.
  std::uint32_t steps = 1, step_bytes = 0;
};

// Accesses to tracked memory of one company travel in one class and leave the bits as they are, or fill
// without waiting, or (atomics) do both after a wait. None: something else.
enum class Company : std::uint8_t { None, LoadsNow, LoadsFull, LoadsEmpty, StoresNow, StoresFill, Atomics };

// The place of an access to tracked memory: words of a line, or a granule of several lines (tracked_order.h).
struct TouchedPlace {
  std::uint64_t unit;
  std::uint32_t words;
};

template <unsigned W>
struct MemoryInstruction {
  bool waits() const { return tracked && trigger != memory::Trigger::None; }

  const ptx::MicroOp* op = nullptr;
  ptx::Warp<W>* registers = nullptr;
  std::uint64_t lanes = 0;
  Cycle start = 0;
  Cycle ready = 0;                          // of the serviced lanes
  std::uint32_t lowest = 0, highest = ~0u;  // of the offsets, where they are known
  std::uint32_t warp = 0;
  std::uint32_t answers = 0;  // on their way
  bool sent = false;
  bool returns = false;      // has destination registers
  bool takes_data = false;   // answers bring bytes: it returns something, or reads in a LocalAtomic part
  bool writes_own = false;   // the LocalAtomic part at hand writes what it has computed
  bool wide = false;         // its registers have 64 bits
  bool consecutive = false;  // all lanes, one part, 32-bit words one after the other
  bool tracked = false;      // some part is
  bool texel = false;        // a part of a texture's or a surface's access
  // The action of its accesses to tracked memory.
  memory::Trigger trigger = memory::Trigger::None;
  memory::Action action = memory::Action::None;
  // For the order of its warp's accesses to tracked memory.
  Company company = Company::None;
  bool listed = false;  // `places` are in the SM's table
  unsigned place_count = 0;
  std::uint32_t next_of_warp = 0;  // entry
  std::uint64_t place_hash = 0;    // one bit set for each place
  bool apart = false;              // not among the pending instructions (LoadStoreUnit)
  bool packed = false;             // payload: lane after lane; otherwise a copy of the source registers
  unsigned element_bytes = 0;
  unsigned bytes = 0;   // of one lane
  unsigned stride = 0;  // of packed payload: atomics may carry two operands a lane
  // The next request.
  unsigned part = 0, step = 0;
  std::uint64_t remaining = 0;  // unsent lanes of this part and step
  const WarpMemory* memory = nullptr;
  InstructionCounts* counts = nullptr;  // of the instruction; null: not asked for
  unsigned part_count = 0;
  // Offsets of lanes outside the instruction are undefined.
  alignas(64) std::array<std::uint32_t, W> offsets;
  alignas(64) std::array<std::byte, W * kMaxPayloadBytes> payload;
  std::array<MemoryPart, W> parts;
  std::array<TouchedPlace, W> places;
};

}  // namespace duet::gpu
