#include "gpu/sm/address_check.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/error.h"
#include "gpu/outside_accesses.h"
#include "gpu/sm/coalescer.h"
#include "ptx/state_spaces.h"

namespace duet::gpu {

using ptx::CacheOperator;
using ptx::MemorySemantics;
using ptx::MicroOp;
using ptx::StateSpace;

namespace {

constexpr std::uint32_t kSegmentBytes = 32;
constexpr Bytes kReach = 1_GiB;  // either way from the first lane: offsets keep within 32 bits

struct Window {
  StateSpace space;
  Address base;
};
Window window_of(Address generic) {
  static constexpr Window kWindows[] = {{StateSpace::Shared, ptx::kSharedWindow},
                                        {StateSpace::Local, ptx::kLocalWindow},
                                        {StateSpace::Param, ptx::kParamWindow}};
  for (const Window& window : kWindows)
    if (generic - window.base < ptx::kWindowBytes) return window;
  return {StateSpace::Global, 0};
}

bool is_paged(StateSpace space) {
  return space != StateSpace::Shared && space != StateSpace::Local && space != StateSpace::Param;
}

Bytes block_bytes(const WarpMemory& memory, StateSpace space) {
  switch (space) {
    case StateSpace::Shared:
      return memory.shared_bytes;
    case StateSpace::Local:
      return memory.local_bytes;
    default:
      return memory.parameter_bytes;
  }
}

// Accesses that other SMs, or the host, must see or take part in, and accesses with an operator for it.
bool bypasses_l1(const MicroOp& op) {
  if (op.cache == CacheOperator::CacheGlobal || op.cache == CacheOperator::Volatile ||
      op.cache == CacheOperator::WriteThrough)
    return true;
  if (op.semantics == MemorySemantics::Weak) return false;
  return op.semantics == MemorySemantics::Volatile || op.scope != ptx::MemoryScope::Cta;
}

}  // namespace

template <unsigned W>
AddressCheck<W>::AddressCheck(const config::Gpu& config, const memory::AddressSpace& address_space)
    : address_space_(address_space),
      translator_(address_space.pages()),
      line_bytes_(static_cast<std::uint32_t>(config.l1.line_bytes)),
      constant_line_bytes_(static_cast<std::uint32_t>(config.constant_cache.line_bytes)),
      l1_keeps_writes_(config.l1.write_back),
      words_(ptx::word_lanes<W>()) {
  const auto check_line = [](const char* key, std::uint32_t bytes) {
    if (!std::has_single_bit(bytes) || bytes < kMaxLaneBytes || bytes > memory::kLineBytes)
      throw Error(std::string(key) + " is " + std::to_string(bytes) +
                  ": an SM's lines have 32, 64 or 128 bytes");
  };
  check_line("gpu.l1.line_bytes", line_bytes_);
  check_line("gpu.constant_cache.line_bytes", constant_line_bytes_);
  if (address_space.page_bytes() < memory::kLineBytes)
    throw Error("gpu.dram.page_bytes is " + std::to_string(address_space.page_bytes()) +
                ": a page holds at least one line of " + std::to_string(memory::kLineBytes) + " bytes");
}

// The pages around an address. An instruction mostly stays within one run of them.
template <unsigned W>
const memory::PageRun& AddressCheck<W>::run_of(const MicroOp& op, VirtualAddress address) {
  return translator_.translate(address, reinterpret_cast<std::uintptr_t>(&op) / sizeof(MicroOp));
}

template <unsigned W>
MemoryPart AddressCheck<W>::global_part(const MicroOp& op, const memory::PageAttributes& page) const {
  MemoryPart part;
  part.cacheability = page.cacheability;
  part.translation = page.translation;
  part.request_bytes = line_bytes_;
  part.tracked = page.tracked;
  if (op.space == StateSpace::Const && op.kind == ptx::Kind::Load) {
    // The constant cache broadcasts one address at a time.
    part.path = MemoryPath::ConstantCache;
    part.request_bytes = constant_line_bytes_;
    part.group_mask = ~0u;
    return part;
  }
  // A store reaches L2 in any case where L1 writes through.
  if (op.kind == ptx::Kind::Load || (l1_keeps_writes_ && op.kind == ptx::Kind::Store))
    part.cacheability.gpu_l1 &= !bypasses_l1(op);
  // L1 keeps the bytes of a load that waits for full, but of no other access that names bits.
  const bool as_usual =
      !op.names_bits() || (op.bit_trigger == ptx::BitTrigger::Full && op.bit_action == ptx::BitAction::None);
  if (op.kind == ptx::Kind::Load) part.cacheability.gpu_l1 &= !part.tracked || as_usual;
  // Of tracked memory a line's segments go together (load_store_unit.cpp).
  if (op.kind == ptx::Kind::Load && !part.cacheability.gpu_l1 && !part.tracked)
    part.request_bytes = kSegmentBytes;
  part.group_mask = page.coalesced ? ~(part.request_bytes - 1) : ~0u;
  return part;
}

template <unsigned W>
MemoryPart AddressCheck<W>::block_part(const MemoryInstruction<W>& instruction, StateSpace space) const {
  MemoryPart part;
  switch (space) {
    case StateSpace::Shared:
      part.path = MemoryPath::Shared;
      break;
    case StateSpace::Param:
      part.path = MemoryPath::Parameters;
      break;
    default:
      part.local = true;
      part.base = instruction.memory->local_physical.aligned_down(memory::kLineBytes);
      part.request_bytes = line_bytes_;
      part.group_mask = ~(line_bytes_ - 1);
      part.steps = std::max(instruction.bytes / 4, 1u);
      part.step_bytes = instruction.registers->width * 4;
      if (part.steps > 1 && instruction.op->kind == ptx::Kind::Atomic) part.path = MemoryPath::LocalAtomic;
      break;
  }
  return part;
}

// From a thread's own addresses to places in the warp's local memory.
template <unsigned W>
void AddressCheck<W>::interleave(MemoryInstruction<W>& instruction, std::uint64_t lanes,
                                 const MemoryPart& part) const {
  const auto first = static_cast<std::uint32_t>(instruction.memory->local_physical - part.base);
  const std::uint32_t row = part.step_bytes;
  for (unsigned i = 0; i < W; ++i) {
    const std::uint32_t offset = instruction.offsets[i];
    const std::uint32_t place = first + (offset / 4) * row + i * 4 + offset % 4;
    instruction.offsets[i] = (lanes >> i & 1) != 0 ? place : offset;
  }
}

// All lanes at once, when each is aligned, in bounds and permitted, and all lie in the first lane's range.
// False: nothing is decided yet.
template <unsigned W>
bool AddressCheck<W>::resolve_together(MemoryInstruction<W>& instruction) {
  const MicroOp& op = *instruction.op;
  const ptx::Warp<W>& warp = *instruction.registers;
  const auto first = static_cast<unsigned>(std::countr_zero(instruction.lanes));
  auto add = static_cast<Address>(op.address_offset);
  Address address =
      add + (op.address_is_64_bit ? warp.lanes64(op.sources[0])[first] : warp.lanes32(op.sources[0])[first]);
  StateSpace space = op.space;
  if (space == StateSpace::Generic) {
    const Window window = window_of(address);
    space = window.space;
    address -= window.base;
    add -= window.base;
  }
  ptx::LaneSpread located;
  const auto locate = [&](Address addend) {
    std::uint32_t* const offsets = instruction.offsets.data();
    located = op.address_is_64_bit
                  ? words_.spread64(warp.lanes64(op.sources[0]), addend, instruction.lanes, offsets)
                  : words_.spread32(warp.lanes32(op.sources[0]), addend, instruction.lanes, offsets);
  };
  const Bytes bytes = instruction.bytes;
  MemoryPart& part = instruction.parts[0];
  if (is_paged(space)) {
    const memory::PageRun& run = run_of(op, VirtualAddress(address));
    const Bytes at = VirtualAddress(address) - run.first;
    if (at >= run.bytes || !(op.kind == ptx::Kind::Load ? run.attributes.readable : run.attributes.writable))
      return false;
    const Bytes origin = at > kReach ? at - kReach : 0;
    const Bytes reach = std::min(run.bytes - origin, 2 * kReach);
    const PhysicalAddress physical = run.physical + origin;
    const Bytes before = physical % memory::kLineBytes;  // bytes of the first line before the run
    locate(add - run.first.value() - origin + before);
    if (located.beyond || located.lowest < before || reach < bytes ||
        located.highest > before + reach - bytes || (located.merged & (bytes - 1)) != 0)
      return false;
    part = global_part(op, run.attributes);
    part.base = physical - before;
  } else {
    if (space == StateSpace::Param && op.kind != ptx::Kind::Load) return false;
    const Bytes size = block_bytes(*instruction.memory, space);
    locate(add);
    if (located.beyond || size < bytes || located.highest > size - bytes ||
        (located.merged & (bytes - 1)) != 0)
      return false;
    part = block_part(instruction, space);
  }
  part.lanes = instruction.lanes;
  if (part.local)
    interleave(instruction, instruction.lanes, part);
  else if (bytes == 4 && op.vector_elements == 1 && !instruction.wide && op.kind != ptx::Kind::Atomic &&
           part.path != MemoryPath::ConstantCache &&
           (op.kind == ptx::Kind::Store || op.destinations[0] != ptx::kNoRegister) &&
           instruction.lanes == LaneMask::first(W).bits() && located.highest - located.lowest == 4 * (W - 1))
    instruction.consecutive = words_are_consecutive<W>(instruction.offsets.data());
  instruction.lowest = located.lowest;
  instruction.highest = located.highest;
  instruction.part_count = 1;
  return true;
}

// The page beside the allocations, where an access to it is no fault.
template <unsigned W>
memory::PageRun AddressCheck<W>::spare_page(StateSpace space, VirtualAddress address) {
  if (!lets_outside_ || space != StateSpace::Global) return {};
  const memory::PageRun run = address_space_.spare_page(address);
  if (run.bytes != 0) outside_.push_back(address);
  return run;
}

template <unsigned W>
void AddressCheck<W>::tell_outside(const MemoryInstruction<W>& instruction, OutsideAccesses& to) {
  for (const VirtualAddress address : outside_) to.add(*instruction.memory->grid, *instruction.op, address);
  outside_.clear();
}

template <unsigned W>
bool AddressCheck<W>::check_lane(const MemoryInstruction<W>& instruction, StateSpace space, Address address,
                                 FaultKind& kind, memory::PageRun& run) {
  const Bytes bytes = instruction.bytes;
  kind = FaultKind::MisalignedAddress;
  if ((address & (bytes - 1)) != 0) return false;
  kind = FaultKind::IllegalAddress;
  if (!is_paged(space)) {
    const Bytes size = block_bytes(*instruction.memory, space);
    return address < size && size - address >= bytes;
  }
  run = run_of(*instruction.op, VirtualAddress(address));
  if (run.bytes == 0) run = spare_page(space, VirtualAddress(address));
  const Bytes offset = VirtualAddress(address) - run.first;
  if (offset >= run.bytes || run.bytes - offset < bytes) return false;
  return instruction.op->kind == ptx::Kind::Load ? run.attributes.readable : run.attributes.writable;
}

// Lane by lane, window after window in the order of their first lanes.
template <unsigned W>
bool AddressCheck<W>::resolve_each(MemoryInstruction<W>& instruction) {
  const MicroOp& op = *instruction.op;
  alignas(64) std::uint64_t addresses[W];
  ptx::generate_addresses(*instruction.registers, op, instruction.lanes, addresses);
  instruction.part_count = 0;
  outside_.clear();
  instruction.lowest = 0;
  instruction.highest = ~0u;
  const auto join = [&](const MemoryPart& like, PhysicalAddress physical, unsigned lane) {
    const PhysicalAddress base =
        like.path == MemoryPath::Shared || like.path == MemoryPath::Parameters || like.local
            ? like.base
            : physical.aligned_down(2 * kReach);
    MemoryPart* part = instruction.parts.data();
    MemoryPart* const end = part + instruction.part_count;
    while (part != end && !(part->base == base && part->path == like.path && part->local == like.local &&
                            part->tracked == like.tracked && part->translation == like.translation &&
                            part->cacheability == like.cacheability && part->group_mask == like.group_mask))
      ++part;
    if (part == end) {
      *part = like;
      part->base = base;
      ++instruction.part_count;
    }
    part->lanes |= std::uint64_t{1} << lane;
    instruction.offsets[lane] = static_cast<std::uint32_t>(physical - base);
  };
  instruction.offsets.fill(0);
  for (std::uint64_t rest = instruction.lanes; rest != 0;) {
    const unsigned first = LaneMask(rest).lowest();
    const Window window = op.space == StateSpace::Generic ? window_of(addresses[first]) : Window{op.space, 0};
    const auto fail = [&](FaultKind kind, unsigned lane) {
      const Bytes room = is_paged(window.space) ? 0 : block_bytes(*instruction.memory, window.space);
      fault_ = {kind, lane, addresses[lane] - window.base, window.space, false, nullptr, room};
      return false;
    };
    if (window.space == StateSpace::Param && op.kind != ptx::Kind::Load)
      return fail(FaultKind::IllegalAddress, first);
    for (std::uint64_t left = rest; left != 0; left &= left - 1) {
      const unsigned lane = LaneMask(left).lowest();
      if (op.space == StateSpace::Generic && window_of(addresses[lane]).base != window.base) continue;
      const Address address = addresses[lane] - window.base;
      FaultKind kind;
      memory::PageRun run;
      if (!check_lane(instruction, window.space, address, kind, run)) return fail(kind, lane);
      if (is_paged(window.space)) {
        join(global_part(op, run.attributes), run[VirtualAddress(address)], lane);
      } else {
        MemoryPart part = block_part(instruction, window.space);
        join(part, part.base + address, lane);
      }
      rest &= ~(std::uint64_t{1} << lane);
    }
  }
  for (unsigned i = 0; i < instruction.part_count; ++i)
    if (instruction.parts[i].local) interleave(instruction, instruction.parts[i].lanes, instruction.parts[i]);
  return true;
}

// An instruction with a wait for bits, or a change, is a fault on memory without bits.
template <unsigned W>
bool AddressCheck<W>::has_named_bits(const MemoryInstruction<W>& instruction) {
  const MicroOp& op = *instruction.op;
  if (op.bit_trigger == ptx::BitTrigger::None && op.bit_action == ptx::BitAction::None) return true;
  std::uint64_t untracked = 0;
  for (unsigned i = 0; i < instruction.part_count; ++i)
    if (!instruction.parts[i].tracked) untracked |= instruction.parts[i].lanes;
  if (untracked == 0) return true;
  const unsigned lane = LaneMask(untracked).lowest();
  alignas(64) std::uint64_t addresses[W];
  ptx::generate_addresses(*instruction.registers, op, std::uint64_t{1} << lane, addresses);
  const Window window = op.space == StateSpace::Generic ? window_of(addresses[lane]) : Window{op.space, 0};
  fault_ = {FaultKind::IllegalAddress, lane, addresses[lane] - window.base, window.space, true};
  return false;
}

template <unsigned W>
bool AddressCheck<W>::resolve(MemoryInstruction<W>& instruction) {
  instruction.consecutive = false;
  if (!resolve_together(instruction) && !resolve_each(instruction)) {
    forget_outside();
    return false;
  }
  instruction.tracked = false;
  for (unsigned i = 0; i < instruction.part_count; ++i) instruction.tracked |= instruction.parts[i].tracked;
  if (!instruction.op->names_bits() || has_named_bits(instruction)) return true;
  forget_outside();
  return false;
}

template class AddressCheck<32>;
template class AddressCheck<64>;

}  // namespace duet::gpu
