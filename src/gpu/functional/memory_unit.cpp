#include "gpu/functional/memory_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/atomic_operation.h"
#include "ptx/state_spaces.h"

namespace duet::gpu {

using ptx::MicroOp;
using ptx::StateSpace;

namespace {

constexpr unsigned kMaxLaneBytes = 32;

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

}  // namespace

template <unsigned W>
MemoryUnit<W>::MemoryUnit(const memory::AddressSpace& address_space)
    : address_space_(address_space),
      page_shift_(static_cast<unsigned>(std::countr_zero(address_space.page_bytes()))),
      generation_(address_space.generation()),
      words_(ptx::word_lanes<W>()) {}

template <unsigned W>
bool MemoryUnit<W>::fail(FaultKind kind, const Access& access, unsigned lane) {
  fault_ = {kind, lane, access.addresses[lane], access.space};
  return false;
}

// Null backing: nothing lies at this address.
template <unsigned W>
typename MemoryUnit<W>::Region& MemoryUnit<W>::region_of(const Access& access, Address address) {
  Region& block = block_region_;
  switch (access.space) {
    case StateSpace::Shared:
      block.bytes = access.block.shared_bytes;
      block.backing = access.block.shared;
      return block;
    case StateSpace::Local:
      block.bytes = access.block.local_bytes;
      block.backing = access.block.local;
      return block;
    case StateSpace::Param:
      // Parameters are read only; writes are refused before they come here.
      block.bytes = access.block.parameter_bytes;
      block.backing = const_cast<std::byte*>(access.block.parameters);
      return block;
    default:
      break;
  }
  if (generation_ != address_space_.generation()) {
    recent_.fill({});
    generation_ = address_space_.generation();
  }
  const std::size_t op = reinterpret_cast<std::uintptr_t>(&access.op) / sizeof(MicroOp);
  Region& region = recent_[(op * 2 + access.writes) % recent_.size()];
  if (address - region.base >= region.bytes) {
    region = {};
    if (const memory::Allocation* allocation = address_space_.find(address))
      region = {allocation->base, allocation->mapped_bytes, allocation->backing, allocation, 0, 0};
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

// The same for the bytes from `from` to `to`, remembering what was found. Page permissions never change while
// an allocation lives.
template <unsigned W>
bool MemoryUnit<W>::permitted_range(Region& region, Bytes from, Bytes to, bool writes) const {
  if (region.allocation == nullptr || (from >= region.permitted_from && to <= region.permitted_to))
    return true;
  const Bytes page = Bytes{1} << page_shift_;
  if (region.permitted_from == region.permitted_to)
    region.permitted_from = region.permitted_to = from & ~(page - 1);
  if (from < region.permitted_from) {
    if (!permitted(region, from, region.permitted_from - from, writes)) return false;
    region.permitted_from = from & ~(page - 1);
  }
  if (to > region.permitted_to) {
    if (!permitted(region, region.permitted_to, to - region.permitted_to, writes)) return false;
    region.permitted_to = (to + page - 1) & ~(page - 1);
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

// Between memory and the registers, element after element of a vector.
template <unsigned W>
void MemoryUnit<W>::move(const Access& access, std::byte* memory, const std::uint32_t* offsets) {
  const MicroOp& op = access.op;
  const unsigned bytes = access.element_bytes;
  const bool wide = bytes == 8 || (op.source_type != ptx::Type::None && ptx::type_bytes(op.source_type) == 8);
  if (op.kind == ptx::Kind::Load) {
    const bool sign_extend =
        op.type == ptx::Type::S8 || op.type == ptx::Type::S16 || op.type == ptx::Type::S32;
    const auto load = words_.load[ptx::load_index(bytes, wide, sign_extend)];
    for (unsigned e = 0; e < op.vector_elements; ++e, memory += bytes)
      if (op.destinations[e] != ptx::kNoRegister)
        load(memory, offsets, access.lanes, access.warp.destination32(op.destinations[e]));
  } else {
    const auto store = words_.store[ptx::store_index(bytes, wide)];
    for (unsigned e = 0; e < op.vector_elements; ++e, memory += bytes)
      store(memory, offsets, access.lanes, access.warp.lanes32(op.sources[e + 1]));
  }
}

template <unsigned W>
void MemoryUnit<W>::load(Access& access, std::byte** where) {
  const MicroOp& op = access.op;
  std::byte payload[W * kMaxLaneBytes];
  for_lanes(access.lanes, [&](unsigned i) { copy_lane(payload + i * access.bytes, where[i], access.bytes); });
  ptx::write_back(access.warp, op, access.lanes, payload, access.bytes);
}

template <unsigned W>
void MemoryUnit<W>::store(Access& access, std::byte** where) {
  const MicroOp& op = access.op;
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
  const AtomicFunction update =
      atomic_function(op.atomic_operation, op.atomic_type, access.space != StateSpace::Shared);
  constexpr unsigned kStride = kMaxLaneBytes;
  alignas(8) std::byte operands[W * kStride];
  alignas(8) std::byte old[W * kStride];
  ptx::read_store_values(access.warp, op, access.lanes, operands, kStride);
  for_lanes(access.lanes, [&](unsigned i) {
    const std::byte* b = operands + std::size_t{i} * kStride;
    for (unsigned e = 0; e < op.vector_elements; ++e)
      update(where[i] + e * element, b + e * element, b + op.vector_elements * element,
             old + std::size_t{i} * kStride + e * element);
  });
  if (returns) ptx::write_back(access.warp, op, access.lanes, old, kStride);
}

template <unsigned W>
void MemoryUnit<W>::perform(Access& access, std::byte** where) {
  switch (access.op.kind) {
    case ptx::Kind::Load:
      return load(access, where);
    case ptx::Kind::Store:
      return store(access, where);
    default:
      return atomic(access, where);
  }
}

// All lanes at once, when each is aligned, in bounds and permitted, and all lie in what holds the first
// lane's address. False: nothing was done, and lane by lane it will be seen why.
template <unsigned W>
bool MemoryUnit<W>::execute_together(Access& access) {
  constexpr Bytes kReach = 1_GiB;  // either way from the first lane: offsets keep within 31 bits
  const MicroOp& op = access.op;
  const unsigned first = LaneMask(access.lanes).lowest();
  Address add = static_cast<Address>(op.address_offset);
  Address address = add + (op.address_is_64_bit ? access.warp.lanes64(op.sources[0])[first]
                                                : access.warp.lanes32(op.sources[0])[first]);
  if (access.space == StateSpace::Generic) {
    const Window window = window_of(address);
    access.space = window.space;
    address -= window.base;
    add -= window.base;
  }
  if (access.space == StateSpace::Param && access.writes) return false;
  Region& region = region_of(access, address);
  if (address - region.base >= region.bytes) return false;
  Bytes origin = 0, bytes = region.bytes;
  if (bytes > kReach) {
    const Bytes offset = address - region.base;
    origin = offset > kReach ? offset - kReach : 0;
    bytes = std::min(bytes - origin, 2 * kReach);
  }
  ptx::LaneOffsets<W>& offsets = offsets_;
  add -= region.base + origin;
  if (op.address_is_64_bit)
    words_.locate64(access.warp.lanes64(op.sources[0]), add, access.lanes, offsets);
  else
    words_.locate32(access.warp.lanes32(op.sources[0]), add, access.lanes, offsets);
  // The base may be unaligned where host memory was registered; an address is aligned by itself.
  if (offsets.beyond || bytes < access.bytes || offsets.highest > bytes - access.bytes ||
      ((offsets.merged | (region.base + origin)) & (access.alignment - 1)) != 0 ||
      !permitted_range(region, origin + offsets.lowest, origin + offsets.highest + access.bytes,
                       access.writes))
    return false;
  if (access.space == StateSpace::Local) {
    if (region.bytes * W > kReach) return false;
    const auto stride = static_cast<std::uint32_t>(region.bytes);
    for (unsigned i = 0; i < W; ++i) offsets.of[i] += (access.lanes >> i & 1 ? i : first) * stride;
  }
  std::byte* const memory = region.backing + origin;
  if (op.kind != ptx::Kind::Atomic && access.element_bytes <= 8) {
    move(access, memory, offsets.of);
  } else {
    std::byte* where[W];
    for (unsigned i = 0; i < W; ++i) where[i] = memory + offsets.of[i];
    perform(access, where);
  }
  return true;
}

template <unsigned W>
bool MemoryUnit<W>::execute_in(Access& access) {
  std::byte* where[W];
  if (access.space == StateSpace::Param && access.writes)
    return fail(FaultKind::IllegalAddress, access, static_cast<unsigned>(std::countr_zero(access.lanes)));
  if (!resolve(access, where)) return false;
  perform(access, where);
  return true;
}

template <unsigned W>
bool MemoryUnit<W>::execute(ptx::Warp<W>& warp, const MicroOp& op, std::uint64_t lanes,
                            const BlockMemory& block) {
  const unsigned element =
      op.kind == ptx::Kind::Atomic ? atomic_type_bytes(op.atomic_type) : ptx::type_bytes(op.type);
  const unsigned bytes = element * op.vector_elements;
  Access access{warp, op, block, op.space, lanes, element, bytes, bytes, op.kind != ptx::Kind::Load, nullptr};
  if (execute_together(access)) return true;

  alignas(64) std::uint64_t addresses[W];
  ptx::generate_addresses(warp, op, lanes, addresses);
  access.addresses = addresses;
  access.space = op.space;
  if (op.space != StateSpace::Generic) return execute_in(access);
  // Each lane's window decides.
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
