#include "gpu/functional/memory_unit.h"

#include <bit>
#include <cstring>

#include "base/atomic_operation.h"
#include "ptx/state_spaces.h"

namespace duet::gpu {

using ptx::MicroOp;
using ptx::StateSpace;

namespace {

constexpr unsigned kMaxLaneBytes = 32;

template <unsigned W>
constexpr std::uint64_t kAll = LaneMask::first(W).bits();

struct Window {
  StateSpace space;
  Address base;
};
constexpr Window kWindows[] = {{StateSpace::Shared, ptx::kSharedWindow},
                               {StateSpace::Local, ptx::kLocalWindow},
                               {StateSpace::Param, ptx::kParamWindow}};

Window window_of(Address generic) {
  for (const Window& window : kWindows)
    if (generic - window.base < ptx::kWindowBytes) return window;
  return {StateSpace::Global, 0};
}

template <typename F>
inline void for_lanes(std::uint64_t lanes, F&& f) {
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1)
    f(static_cast<unsigned>(std::countr_zero(rest)));
}

// Whether lane i's address is the first lane's plus i * step, for all lanes. The last lane mostly decides.
template <unsigned W>
inline bool arithmetic(const std::uint64_t* addresses, std::uint64_t step) {
  std::uint64_t expected = addresses[0], difference = 0;
  if (addresses[W - 1] != expected + (W - 1) * step) return false;
  for (unsigned i = 0; i < W; ++i, expected += step) difference |= addresses[i] ^ expected;
  return difference == 0;
}

inline void copy_lane(std::byte* to, const std::byte* from, unsigned bytes) {
  switch (bytes) {
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    case 16:
      std::memcpy(to, from, 16);
      break;
    default:
      std::memcpy(to, from, bytes);
      break;
  }
}

// One 32-bit or 64-bit value a lane, moved between memory and a lane array of the same element.
inline bool is_word(const MicroOp& op) {
  const unsigned bytes = ptx::type_bytes(op.type);
  return op.vector_elements == 1 && (bytes == 4 || bytes == 8) &&
         (op.source_type == ptx::Type::None || ptx::type_bytes(op.source_type) == bytes);
}

}  // namespace

template <unsigned W>
MemoryUnit<W>::MemoryUnit(const memory::AddressSpace& address_space)
    : address_space_(address_space),
      page_shift_(static_cast<unsigned>(std::countr_zero(address_space.page_bytes()))),
      generation_(address_space.generation()) {}

template <unsigned W>
bool MemoryUnit<W>::fail(FaultKind kind, const Access& access, unsigned lane) {
  fault_ = {kind, lane, access.addresses[lane], access.space};
  return false;
}

template <unsigned W>
typename MemoryUnit<W>::Region MemoryUnit<W>::region_of(const Access& access, Address address) {
  switch (access.space) {
    case StateSpace::Shared:
      return {0, access.block.shared_bytes, access.block.shared, nullptr};
    case StateSpace::Local:
      return {0, access.block.local_bytes, access.block.local, nullptr};
    case StateSpace::Param:
      // Parameters are read only; permitted() refuses to write them.
      return {0, access.block.parameter_bytes, const_cast<std::byte*>(access.block.parameters), nullptr};
    default:
      break;
  }
  if (generation_ != address_space_.generation()) {
    recent_.fill({});
    generation_ = address_space_.generation();
  }
  Region& region = recent_[(reinterpret_cast<std::uintptr_t>(&access.op) / sizeof(MicroOp)) % recent_.size()];
  if (address - region.base >= region.bytes) {
    const memory::Allocation* allocation = address_space_.find(address);
    if (allocation == nullptr) return {};
    region = {allocation->base, allocation->mapped_bytes, allocation->backing, allocation};
  }
  return region;
}

template <unsigned W>
bool MemoryUnit<W>::permitted(const Region& region, Bytes offset, Bytes bytes, bool writes) const {
  if (region.allocation == nullptr) return true;
  for (std::uint64_t page = offset >> page_shift_; page <= (offset + bytes - 1) >> page_shift_; ++page) {
    const memory::PageEntry& entry = region.allocation->pages[page];
    if (!(writes ? entry.writable : entry.readable)) return false;
  }
  return true;
}

// The byte that each lane reaches, or a fault.
template <unsigned W>
bool MemoryUnit<W>::resolve(const Access& access, std::byte** where) {
  std::uint64_t checked_page = ~0ull;
  const unsigned first = static_cast<unsigned>(std::countr_zero(access.lanes));
  Region region = region_of(access, access.addresses[first]);
  const std::uint64_t misaligned = access.alignment - 1;
  const bool local = access.space == StateSpace::Local;
  // Memory without pages: one test for all lanes; the loop below finds the lane at fault.
  if (region.allocation == nullptr && !local && region.bytes >= access.bytes) {
    const Bytes limit = region.bytes - access.bytes;
    bool refused = false;
    for_lanes(access.lanes, [&](unsigned lane) {
      const Bytes offset = access.addresses[lane] - region.base;
      refused |= offset > limit || (access.addresses[lane] & misaligned) != 0;
      where[lane] = region.backing + offset;
    });
    if (!refused) return true;
  }
  for (std::uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Address address = access.addresses[lane];
    if (address & misaligned) return fail(FaultKind::MisalignedAddress, access, lane);
    Bytes offset = address - region.base;
    if (offset >= region.bytes || region.bytes - offset < access.bytes) {
      region = region_of(access, address);
      checked_page = ~0ull;
      offset = address - region.base;
      if (offset >= region.bytes || region.bytes - offset < access.bytes)
        return fail(FaultKind::IllegalAddress, access, lane);
    }
    if (region.allocation != nullptr) {  // an aligned access lies within one page
      const std::uint64_t page = offset >> page_shift_;
      if (page != checked_page && !permitted(region, offset, access.bytes, access.writes))
        return fail(FaultKind::IllegalAddress, access, lane);
      checked_page = page;
    }
    where[lane] = region.backing + offset + (local ? lane * access.block.local_bytes : 0);
  }
  return true;
}

// All lanes read or write consecutive words, or read one word. False: not of that kind (or to be refused,
// which the general path then does).
template <unsigned W>
bool MemoryUnit<W>::access_run(Access& access, const Region& region) {
  const MicroOp& op = access.op;
  const Address first = access.addresses[0];
  const Bytes offset = first - region.base;
  if (region.backing == nullptr || (first & (access.alignment - 1)) != 0 || offset >= region.bytes)
    return false;
  const bool load = op.kind == ptx::Kind::Load;
  if (arithmetic<W>(access.addresses, access.bytes)) {
    const Bytes run = Bytes{W} * access.bytes;
    if (region.bytes - offset < run || !permitted(region, offset, run, access.writes)) return false;
    std::byte* memory = region.backing + offset;
    if (load) {
      if (op.destinations[0] != ptx::kNoRegister)
        std::memcpy(access.warp.destination32(op.destinations[0]), memory, run);
    } else {
      std::memcpy(memory, access.warp.lanes32(op.sources[1]), run);
    }
    return true;
  }
  if (load && arithmetic<W>(access.addresses, 0)) {
    if (region.bytes - offset < access.bytes || !permitted(region, offset, access.bytes, false)) return false;
    if (op.destinations[0] == ptx::kNoRegister) return true;
    if (access.bytes == 4) {
      std::uint32_t value;
      std::memcpy(&value, region.backing + offset, 4);
      std::uint32_t* to = access.warp.destination32(op.destinations[0]);
      for (unsigned i = 0; i < W; ++i) to[i] = value;
    } else {
      std::uint64_t value;
      std::memcpy(&value, region.backing + offset, 8);
      std::uint64_t* to = access.warp.destination64(op.destinations[0]);
      for (unsigned i = 0; i < W; ++i) to[i] = value;
    }
    return true;
  }
  return scattered(access, region);
}

// Any words of one region, when all lanes are in bounds, aligned and within few pages.
template <unsigned W>
bool MemoryUnit<W>::scattered(Access& access, const Region& region) {
  constexpr Bytes kMaxSpan = 1_MiB;  // of pages that are looked at
  if (region.bytes < access.bytes || region.bytes > 4_GiB) return false;
  std::uint64_t beyond = 0;  // bits above the 32 of an offset
  std::uint32_t lowest = ~0u, highest = 0, merged = 0;
  alignas(64) std::uint32_t offsets[W];
  for (unsigned i = 0; i < W; ++i) {
    const Bytes offset = access.addresses[i] - region.base;
    beyond |= offset >> 32;
    offsets[i] = static_cast<std::uint32_t>(offset);
  }
  for (unsigned i = 0; i < W; ++i) {
    merged |= offsets[i];
    lowest = offsets[i] < lowest ? offsets[i] : lowest;
    highest = offsets[i] > highest ? offsets[i] : highest;
  }
  // The base may be unaligned where host memory was registered; an address is aligned by itself.
  const std::uint64_t misaligned = (merged | region.base) & (access.alignment - 1);
  if (beyond != 0 || highest > region.bytes - access.bytes || misaligned != 0) return false;
  if (region.allocation != nullptr &&
      (highest - lowest > kMaxSpan ||
       !permitted(region, lowest, Bytes{highest} - lowest + access.bytes, access.writes)))
    return false;
  const MicroOp& op = access.op;
  std::byte* const backing = region.backing;
  const auto move_words = [&]<typename Word>(Word* lanes, bool load) {
    if (load)
      for (unsigned i = 0; i < W; ++i) std::memcpy(lanes + i, backing + offsets[i], sizeof(Word));
    else
      for (unsigned i = 0; i < W; ++i) std::memcpy(backing + offsets[i], lanes + i, sizeof(Word));
  };
  if (op.kind == ptx::Kind::Load) {
    if (op.destinations[0] == ptx::kNoRegister) return true;
    if (access.bytes == 4)
      move_words(access.warp.destination32(op.destinations[0]), true);
    else
      move_words(access.warp.destination64(op.destinations[0]), true);
  } else if (access.bytes == 4) {
    move_words(const_cast<std::uint32_t*>(access.warp.lanes32(op.sources[1])), false);
  } else {
    move_words(const_cast<std::uint64_t*>(access.warp.lanes64(op.sources[1])), false);
  }
  return true;
}

template <unsigned W>
void MemoryUnit<W>::load(Access& access, std::byte** where) {
  const MicroOp& op = access.op;
  if (is_word(op) && op.destinations[0] != ptx::kNoRegister) {
    if (access.bytes == 4) {
      std::uint32_t* to = access.warp.destination32(op.destinations[0]);
      for_lanes(access.lanes, [&](unsigned i) { std::memcpy(to + i, where[i], 4); });
    } else {
      std::uint64_t* to = access.warp.destination64(op.destinations[0]);
      for_lanes(access.lanes, [&](unsigned i) { std::memcpy(to + i, where[i], 8); });
    }
    return;
  }
  std::byte payload[W * kMaxLaneBytes];
  for_lanes(access.lanes, [&](unsigned i) { copy_lane(payload + i * access.bytes, where[i], access.bytes); });
  ptx::write_back(access.warp, op, access.lanes, payload, access.bytes);
}

template <unsigned W>
void MemoryUnit<W>::store(Access& access, std::byte** where) {
  const MicroOp& op = access.op;
  if (is_word(op) && access.bytes == 4) {
    const std::uint32_t* from = access.warp.lanes32(op.sources[1]);
    for_lanes(access.lanes, [&](unsigned i) { std::memcpy(where[i], from + i, 4); });
    return;
  }
  std::byte payload[W * kMaxLaneBytes];
  ptx::read_store_values(access.warp, op, access.lanes, payload, access.bytes);
  for_lanes(access.lanes, [&](unsigned i) { copy_lane(where[i], payload + i * access.bytes, access.bytes); });
}

template <unsigned W>
void MemoryUnit<W>::atomic(Access& access, std::byte** where) {
  const MicroOp& op = access.op;
  const bool returns = op.destination_count != 0 && op.destinations[0] != ptx::kNoRegister;
  const unsigned element = atomic_type_bytes(op.atomic_type);
  if (op.atomic_operation == AtomicOperation::Add && op.vector_elements == 1 &&
      (op.atomic_type == AtomicType::U32 || op.atomic_type == AtomicType::S32)) {
    const std::uint32_t* add = access.warp.lanes32(op.sources[1]);
    std::uint32_t old[W];
    for_lanes(access.lanes, [&](unsigned i) {
      std::memcpy(&old[i], where[i], 4);
      const std::uint32_t sum = old[i] + add[i];
      std::memcpy(where[i], &sum, 4);
    });
    if (returns) {
      std::uint32_t* to = access.warp.destination32(op.destinations[0]);
      for_lanes(access.lanes, [&](unsigned i) { to[i] = old[i]; });
    }
    return;
  }
  // PTX: f32 additions flush subnormal numbers in global memory and keep them in shared memory.
  const bool flush = access.space != StateSpace::Shared;
  constexpr unsigned kStride = kMaxLaneBytes;
  alignas(8) std::byte operands[W * kStride];
  alignas(8) std::byte old[W * kStride];
  ptx::read_store_values(access.warp, op, access.lanes, operands, kStride);
  for_lanes(access.lanes, [&](unsigned i) {
    const std::byte* b = operands + std::size_t{i} * kStride;
    for (unsigned e = 0; e < op.vector_elements; ++e)
      perform_atomic(op.atomic_operation, op.atomic_type, flush, where[i] + e * element, b + e * element,
                     b + op.vector_elements * element, old + std::size_t{i} * kStride + e * element);
  });
  if (returns) ptx::write_back(access.warp, op, access.lanes, old, kStride);
}

template <unsigned W>
bool MemoryUnit<W>::execute_in(Access& access) {
  if (access.lanes == kAll<W> && is_word(access.op) && access.op.kind != ptx::Kind::Atomic &&
      access.space != StateSpace::Local && access_run(access, region_of(access, access.addresses[0])))
    return true;
  std::byte* where[W];
  if (access.space == StateSpace::Param && access.writes)
    return fail(FaultKind::IllegalAddress, access, static_cast<unsigned>(std::countr_zero(access.lanes)));
  if (!resolve(access, where)) return false;
  switch (access.op.kind) {
    case ptx::Kind::Load:
      load(access, where);
      break;
    case ptx::Kind::Store:
      store(access, where);
      break;
    default:
      atomic(access, where);
      break;
  }
  return true;
}

template <unsigned W>
bool MemoryUnit<W>::execute(ptx::Warp<W>& warp, const MicroOp& op, std::uint64_t lanes,
                            const BlockMemory& block) {
  alignas(64) std::uint64_t addresses[W];
  ptx::generate_addresses(warp, op, lanes, addresses);
  const bool atomic = op.kind == ptx::Kind::Atomic;
  const unsigned bytes =
      atomic ? atomic_type_bytes(op.atomic_type) * op.vector_elements : ptx::access_bytes(op);
  Access access{warp, op, block, op.space, lanes, bytes, bytes, op.kind != ptx::Kind::Load, addresses};
  if (op.space != StateSpace::Generic) return execute_in(access);

  // Each lane's window decides; mostly they agree.
  for (std::uint64_t rest = lanes; rest != 0;) {
    const Window window = window_of(addresses[std::countr_zero(rest)]);
    std::uint64_t same = 0;
    for_lanes(rest,
              [&](unsigned i) { same |= std::uint64_t{window_of(addresses[i]).base == window.base} << i; });
    if (window.base != 0) for_lanes(same, [&](unsigned i) { addresses[i] -= window.base; });
    access.space = window.space;
    access.lanes = same;
    if (!execute_in(access)) return false;
    rest &= ~same;
  }
  return true;
}

template <unsigned W>
bool MemoryUnit<W>::read_bytes(Address address, std::byte* to, Bytes bytes, unsigned lane,
                               const BlockMemory& block) {
  const Window window = window_of(address);
  address -= window.base;
  const auto inside = [&](Bytes size) { return address < size && size - address >= bytes; };
  switch (window.space) {
    case StateSpace::Shared:
      if (!inside(block.shared_bytes)) return false;
      std::memcpy(to, block.shared + address, bytes);
      return true;
    case StateSpace::Local:
      if (!inside(block.local_bytes)) return false;
      std::memcpy(to, block.local + lane * block.local_bytes + address, bytes);
      return true;
    case StateSpace::Param:
      if (!inside(block.parameter_bytes)) return false;
      std::memcpy(to, block.parameters + address, bytes);
      return true;
    default: {
      const memory::Allocation* allocation = address_space_.find(address);
      if (allocation == nullptr || allocation->end() - address < bytes) return false;
      std::memcpy(to, allocation->backing + (address - allocation->base), bytes);
      return true;
    }
  }
}

template class MemoryUnit<32>;
template class MemoryUnit<64>;

}  // namespace duet::gpu
