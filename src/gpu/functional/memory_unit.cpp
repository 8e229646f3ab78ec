#include "gpu/functional/memory_unit.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/atomic_operation.h"
#include "gpu/outside_accesses.h"
#include "gpu/warp/image_access.h"
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

// Whether the register loaded or stored has 64 bits.
bool wide_register(const MicroOp& op) {
  return ptx::type_bytes(op.type) == 8 ||
         (op.source_type != ptx::Type::None && ptx::type_bytes(op.source_type) == 8);
}
bool sign_extends(ptx::Type type) {
  return type == ptx::Type::S8 || type == ptx::Type::S16 || type == ptx::Type::S32;
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
MemoryUnit<W>::MemoryUnit(const memory::AddressSpace& address_space, OutsideAccesses* outside)
    : address_space_(address_space),
      outside_(outside),
      words_(ptx::word_lanes<W>()),
      translator_(address_space.pages()) {}

template <unsigned W>
MemoryUnit<W>::~MemoryUnit() = default;

template <unsigned W>
void MemoryUnit<W>::forget() {
  generation_ = address_space_.pages().generation();
  for (Plan& plan : plans_) plan.op = nullptr;
}

template <unsigned W>
bool MemoryUnit<W>::fail(FaultKind kind, const Access& access, unsigned lane) {
  const Bytes room = access.space == StateSpace::Shared  ? access.block.shared_bytes
                     : access.space == StateSpace::Local ? access.block.local_bytes
                     : access.space == StateSpace::Param ? access.block.parameter_bytes
                                                         : 0;
  fault_ = {kind, lane, access.addresses[lane], access.space, false, nullptr, room};
  return false;
}

template <unsigned W>
typename MemoryUnit<W>::Region MemoryUnit<W>::region_of(const Access& access, Address address) {
  switch (access.space) {
    case StateSpace::Shared:
      return {0, access.block.shared_bytes, access.block.shared, true};
    case StateSpace::Local:
      return {0, access.block.local_bytes, access.block.local, true};
    case StateSpace::Param:
      return {0, access.block.parameter_bytes, const_cast<std::byte*>(access.block.parameters),
              !access.writes};
    default:
      break;
  }
  const std::size_t hint = reinterpret_cast<std::uintptr_t>(&access.op) / sizeof(MicroOp);
  const memory::PageRun& run = translator_.translate(VirtualAddress(address), hint);
  if (run.bytes == 0) return {};
  return {run.first.value(), run.bytes, address_space_.memory().bytes(run.physical),
          access.writes ? run.attributes.writable : run.attributes.readable};
}

// Beside the allocations.
template <unsigned W>
typename MemoryUnit<W>::Region MemoryUnit<W>::spare_region(const Access& access, Address address) {
  if (outside_ == nullptr || access.space != StateSpace::Global) return {};
  const memory::PageRun run = address_space_.spare_page(VirtualAddress(address));
  if (run.bytes == 0) return {};
  return {run.first.value(), run.bytes, address_space_.memory().bytes(run.physical), true, true};
}

// The byte of each lane, or a fault.
template <unsigned W>
bool MemoryUnit<W>::resolve(const Access& access, std::byte** where) {
  Region region;
  const std::uint64_t misaligned = access.alignment - 1;
  const bool local = access.space == StateSpace::Local;
  for (std::uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Address address = access.addresses[lane];
    if (address & misaligned) return fail(FaultKind::MisalignedAddress, access, lane);
    const auto outside = [&] {
      const Bytes offset = address - region.base;
      return offset >= region.bytes || region.bytes - offset < access.bytes;
    };
    if (outside()) {
      region = region_of(access, address);
      if (region.bytes == 0) region = spare_region(access, address);
      if (outside() || !region.permitted) return fail(FaultKind::IllegalAddress, access, lane);
    }
    if (region.spare) outside_->add(*access.block.grid, access.op, VirtualAddress(address));
    where[lane] = region.backing + (address - region.base) + (local ? lane * access.block.local_bytes : 0);
  }
  return true;
}

// Between memory and the registers, element after element of a vector.
template <unsigned W>
void MemoryUnit<W>::move(const Access& access, std::byte* memory, const std::uint32_t* offsets) {
  const MicroOp& op = access.op;
  const unsigned bytes = access.element_bytes;
  const bool wide = wide_register(op);
  if (op.kind == ptx::Kind::Load) {
    const auto load = words_.load[ptx::load_index(bytes, wide, sign_extends(op.type))];
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

// Around the first lane's byte. False: the check lane by lane will find the reason.
template <unsigned W>
bool MemoryUnit<W>::make_plan(Plan& plan, Access& access) {
  constexpr Bytes kHalf = 1_GiB;  // either way from the first lane: offsets keep within 31 bits
  const MicroOp& op = access.op;
  plan.op = nullptr;
  const unsigned first = LaneMask(access.lanes).lowest();
  auto add = static_cast<Address>(op.address_offset);
  Address address = add + (op.address_is_64_bit ? access.warp.lanes64(op.sources[0])[first]
                                                : access.warp.lanes32(op.sources[0])[first]);
  if (access.space == StateSpace::Generic) {
    const Window window = window_of(address);
    access.space = window.space;
    address -= window.base;
    add -= window.base;
  }
  const Region region = region_of(access, address);
  const Bytes offset = address - region.base;
  if (offset >= region.bytes || !region.permitted) return false;
  Bytes origin = 0, bytes = region.bytes;
  if (bytes > kHalf) {
    origin = offset > kHalf ? offset - kHalf : 0;
    bytes = std::min(bytes - origin, 2 * kHalf);
  }
  // The base may be unaligned where host memory was registered; an address is aligned by itself.
  if (bytes < access.bytes || ((region.base + origin) & (access.alignment - 1)) != 0) return false;
  if (access.space == StateSpace::Local && bytes * W > kHalf) return false;
  plan.reach.addend = add - (region.base + origin);
  plan.reach.memory = region.backing + origin;
  plan.reach.limit = static_cast<std::uint32_t>(bytes - access.bytes);
  plan.reach.misaligned = access.alignment - 1;
  plan.space = access.space;
  const auto place = [](const ptx::Operand& operand, std::uint8_t& bank, std::uint32_t& at) {
    bank = static_cast<std::uint8_t>(operand.bank);
    at = operand.slot * ptx::Warp<W>::kSlotBytes;
  };
  place(op.sources[0], plan.address_bank, plan.address_offset);
  plan.access = nullptr;
  if (op.vector_elements == 1 && access.element_bytes <= 8 && access.space != StateSpace::Local) {
    if (op.kind == ptx::Kind::Load && op.destinations[0] != ptx::kNoRegister) {
      ptx::Operand destination;
      destination.slot = op.destinations[0];
      place(destination, plan.value_bank, plan.value_offset);
      plan.access = words_.load_at[op.address_is_64_bit][ptx::load_index(
          access.element_bytes, wide_register(op), sign_extends(op.type))];
    } else if (op.kind == ptx::Kind::Store) {
      place(op.sources[1], plan.value_bank, plan.value_offset);
      plan.access =
          words_.store_at[op.address_is_64_bit][ptx::store_index(access.element_bytes, wide_register(op))];
    }
  }
  plan.op = &op;
  return true;
}

// False: nothing was done, because some lane is not aligned or lies outside the plan.
template <unsigned W>
bool MemoryUnit<W>::execute_together(const Plan& plan, Access& access) {
  const MicroOp& op = access.op;
  alignas(64) std::uint32_t offsets[W];
  if (!words_.locate[op.address_is_64_bit](
          plan.reach, access.warp.banks[plan.address_bank] + plan.address_offset, access.lanes, offsets))
    return false;
  access.space = plan.space;
  std::byte* memory = plan.reach.memory;
  if (plan.space == StateSpace::Local) {  // of this warp's threads, one after the other
    memory = access.block.local;
    const unsigned first = LaneMask(access.lanes).lowest();
    const auto stride = static_cast<std::uint32_t>(access.block.local_bytes);
    for (unsigned i = 0; i < W; ++i) offsets[i] += (access.lanes >> i & 1 ? i : first) * stride;
  }
  if (op.kind != ptx::Kind::Atomic && access.element_bytes <= 8) {
    move(access, memory, offsets);
  } else if (op.kind == ptx::Kind::Atomic && op.atomic_operation == AtomicOperation::Add &&
             op.vector_elements == 1 &&
             (op.atomic_type == AtomicType::U32 || op.atomic_type == AtomicType::S32)) {
    const bool returns = op.destination_count != 0 && op.destinations[0] != ptx::kNoRegister;
    words_.add(memory, offsets, access.lanes, access.warp.lanes32(op.sources[1]),
               returns ? access.warp.destination32(op.destinations[0]) : nullptr);
  } else {
    std::byte* where[W];
    for (unsigned i = 0; i < W; ++i) where[i] = memory + offsets[i];
    perform(access, where);
  }
  return true;
}

template <unsigned W>
bool MemoryUnit<W>::execute_in(Access& access) {
  std::byte* where[W];
  if (!resolve(access, where)) return false;
  perform(access, where);
  return true;
}

template <unsigned W>
bool MemoryUnit<W>::execute_unplanned(ptx::Warp<W>& warp, const MicroOp& op, std::uint64_t lanes,
                                      const BlockMemory& block) {
  if (op.kind == ptx::Kind::Image) return execute_image(warp, op, lanes, block);
  const unsigned element =
      op.kind == ptx::Kind::Atomic ? atomic_type_bytes(op.atomic_type) : ptx::type_bytes(op.type);
  const unsigned bytes = element * op.vector_elements;
  Access access{warp, op, block, op.space, lanes, element, bytes, bytes, op.kind != ptx::Kind::Load, nullptr};
  Plan& plan = plans_[plan_index(op)];
  if (plan.op == &op && plan.access == nullptr && execute_together(plan, access)) return true;
  if (make_plan(plan, access) && execute_together(plan, access)) return true;

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

// Tap after tap: their instructions are made anew every time, so no plan is kept for them.
template <unsigned W>
bool MemoryUnit<W>::execute_image(ptx::Warp<W>& warp, const MicroOp& op, std::uint64_t lanes,
                                  const BlockMemory& block) {
  if (images_ == nullptr) images_ = std::make_unique<ImageAccess<W>>();
  if (!images_->start(warp, op, lanes, address_space_)) {
    fault_ = images_->fault();
    return false;
  }
  for (const auto& tap : images_->taps()) {
    alignas(64) std::uint64_t addresses[W];
    ptx::generate_addresses(images_->scratch(), tap.op, tap.lanes, addresses);
    const unsigned bytes = ptx::access_bytes(tap.op);
    Access access{images_->scratch(),
                  tap.op,
                  block,
                  tap.op.space,
                  tap.lanes,
                  ptx::type_bytes(tap.op.type),
                  bytes,
                  bytes,
                  tap.op.kind != ptx::Kind::Load,
                  addresses};
    if (!execute_in(access)) return false;
  }
  images_->finish(warp);
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
      const memory::Allocation* allocation = address_space_.find(VirtualAddress(address));
      if (allocation == nullptr || allocation->end() - VirtualAddress(address) < bytes) return false;
      address_space_.read(VirtualAddress(address), to, bytes);
      return true;
    }
  }
}

template class MemoryUnit<32>;
template class MemoryUnit<64>;

}  // namespace duet::gpu
