// How a load-store unit moves values between registers, requests and shared memory, lane by lane or all at
// once; inline, as most host time of memory instructions goes into it. It knows no time.
#pragma once

#include <cstring>

#include "base/atomic_operation.h"
#include "gpu/sm/coalescer.h"
#include "gpu/sm/load_store_state.h"

namespace duet::gpu {

// Up to here lanes are moved one by one.
inline constexpr int kFewLanes = 3;

// Registers may be written after the issue: their values of now are stored.
template <unsigned W>
inline void LoadStoreUnit<W>::State::take_values(Instruction& instruction) {
  const MicroOp& op = *instruction.op;
  if (op.kind == ptx::Kind::Load) return;
  if (instruction.packed) {
    ptx::read_store_values(*instruction.registers, op, instruction.lanes, instruction.payload.data(),
                           instruction.stride);
    return;
  }
  const std::size_t array_bytes = W * (instruction.wide ? 8 : 4);
  for (unsigned e = 0; e < op.vector_elements; ++e)
    std::memcpy(instruction.payload.data() + e * array_bytes,
                instruction.registers->lanes32(op.sources[e + 1]), array_bytes);
}

template <unsigned W>
inline void LoadStoreUnit<W>::State::load_words(Instruction& instruction, const std::byte* bytes,
                                                const std::uint32_t* offsets, std::uint64_t lanes) {
  const MicroOp& op = *instruction.op;
  const unsigned element = instruction.element_bytes;
  const bool sign_extend = op.type == ptx::Type::S8 || op.type == ptx::Type::S16 || op.type == ptx::Type::S32;
  const auto load = words.load[ptx::load_index(element, instruction.wide, sign_extend)];
  for (unsigned e = 0; e < op.vector_elements; ++e)
    if (op.destinations[e] != ptx::kNoRegister)
      load(bytes + e * element, offsets, lanes, instruction.registers->destination32(op.destinations[e]));
}

template <unsigned W>
inline void LoadStoreUnit<W>::State::store_words(const Instruction& instruction, std::byte* bytes,
                                                 const std::uint32_t* offsets, std::uint64_t lanes) {
  const unsigned element = instruction.element_bytes;
  const std::size_t array_bytes = W * (instruction.wide ? 8 : 4);
  const auto store = words.store[ptx::store_index(element, instruction.wide)];
  for (unsigned e = 0; e < instruction.op->vector_elements; ++e)
    store(bytes + e * element, offsets, lanes, instruction.payload.data() + e * array_bytes);
}

template <unsigned W>
inline void LoadStoreUnit<W>::State::fill(Request& request, Instruction& instruction, const MemoryPart& part,
                                          std::uint64_t group, std::uint32_t segment) {
  const MicroOp& op = *instruction.op;
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  std::uint32_t* const offsets = instruction.offsets.data();
  if (instruction.consecutive) {
    const unsigned at = offsets[first] - segment;
    const unsigned bytes = 4 * static_cast<unsigned>(std::popcount(group));
    request.mask = byte_range(at, bytes);
    if (op.kind == ptx::Kind::Store)
      std::memcpy(request.data.data() + at, instruction.payload.data() + 4 * first, bytes);
    return;
  }
  const unsigned piece = part.steps > 1 ? 4 : instruction.bytes;
  const std::uint32_t step = instruction.step * part.step_bytes;
  request.mask = touched_bytes(offsets, step - segment, group, piece);
  if (op.kind == ptx::Kind::Load) return;
  if (!instruction.packed) {
    alignas(64) std::uint32_t relative[W];
    for (unsigned i = 0; i < W; ++i) relative[i] = offsets[i] - segment;
    return store_words(instruction, request.data.data(), relative, group);
  }
  std::byte* second = nullptr;
  if (op.kind == ptx::Kind::Atomic && op.atomic_operation == AtomicOperation::CompareAndSwap) {
    request.second = pool.allocate();
    second = pool[request.second].data.data();
  }
  for (std::uint64_t rest = group; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::byte* from = instruction.payload.data() + lane * instruction.stride + instruction.step * 4;
    const std::uint32_t at = offsets[lane] + step - segment;
    std::memcpy(request.data.data() + at, from, piece);
    if (second != nullptr) std::memcpy(second + at, from + instruction.bytes, piece);
  }
}

template <unsigned W>
inline void LoadStoreUnit<W>::State::read_block_bytes(Instruction& instruction, const MemoryPart& part,
                                                      const std::byte* bytes, Bytes size) {
  const std::uint32_t* offsets = instruction.offsets.data();
  if (instruction.consecutive) {
    std::memcpy(instruction.registers->destination32(instruction.op->destinations[0]), bytes + offsets[0],
                W * 4);
  } else if (!instruction.packed) {
    alignas(64) std::uint32_t within[W];
    relative_offsets<W>(offsets, 0, static_cast<std::uint32_t>(size - instruction.bytes), within);
    load_words(instruction, bytes, within, part.lanes);
  } else {
    LaneMask(part.lanes).for_each([&](unsigned lane) {
      std::memcpy(instruction.payload.data() + lane * instruction.stride, bytes + offsets[lane],
                  instruction.bytes);
    });
  }
}

// Lanes in ascending order. PTX: f32 additions keep subnormal numbers in shared memory.
template <unsigned W>
inline void LoadStoreUnit<W>::State::shared_atomic(Instruction& instruction, const MemoryPart& part) {
  const MicroOp& op = *instruction.op;
  const AtomicFunction update = atomic_function(op.atomic_operation, op.atomic_type, false);
  const unsigned element = instruction.element_bytes, stride = instruction.stride;
  std::byte* const payload = instruction.payload.data();
  std::byte* const shared = instruction.memory->shared;
  const auto for_lanes = [&](auto&& keep) {
    for (std::uint64_t rest = part.lanes; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      std::byte* const b = payload + lane * stride;
      std::byte* const where = shared + instruction.offsets[lane];
      for (unsigned e = 0; e < op.vector_elements; ++e) {
        alignas(16) std::byte old[16];
        update(where + e * element, b + e * element, b + instruction.bytes, old);
        keep(b + e * element, old);
      }
    }
  };
  if (!instruction.returns)
    for_lanes([](std::byte*, const std::byte*) {});
  else if (element == 4)
    for_lanes([](std::byte* to, const std::byte* old) { std::memcpy(to, old, 4); });
  else
    for_lanes([&](std::byte* to, const std::byte* old) { std::memcpy(to, old, element); });
}

// Writes the bytes of a read, or the old values of an atomic, to the registers.
template <unsigned W>
inline void LoadStoreUnit<W>::State::deliver(Instruction& instruction, const Request& request) {
  const std::uint64_t lanes = request.tag;
  const MemoryPart* part = instruction.parts.data();
  while ((part->lanes & lanes) == 0) ++part;
  const auto segment = static_cast<std::uint32_t>(request.address - part->base);
  const std::uint32_t* offsets = instruction.offsets.data();
  const std::byte* data = request.data.data();
  if (instruction.consecutive) {
    const auto first = static_cast<unsigned>(std::countr_zero(lanes));
    std::memcpy(instruction.registers->destination32(instruction.op->destinations[0]) + first,
                data + (offsets[first] - segment), 4 * static_cast<std::size_t>(std::popcount(lanes)));
  } else if (!instruction.packed && std::popcount(lanes) <= kFewLanes) {
    std::byte values[W * kMaxLaneBytes];
    LaneMask(lanes).for_each([&](unsigned lane) {
      std::memcpy(values + lane * instruction.bytes, data + (offsets[lane] - segment), instruction.bytes);
    });
    ptx::write_back(*instruction.registers, *instruction.op, lanes, values, instruction.bytes);
  } else if (!instruction.packed) {
    alignas(64) std::uint32_t relative[W];
    relative_offsets<W>(offsets, segment, memory::kLineBytes - instruction.bytes, relative);
    load_words(instruction, data, relative, lanes);
  } else {
    if (part->steps > 1 && request.operation == memory::Operation::Write) return;  // of a LocalAtomic part
    const unsigned step = Requester::of(request.requester).step;
    const unsigned piece = part->steps > 1 ? 4 : instruction.bytes;
    const std::uint32_t from = step * part->step_bytes - segment;
    LaneMask(lanes).for_each([&](unsigned lane) {
      std::memcpy(instruction.payload.data() + lane * instruction.stride + step * 4,
                  data + (offsets[lane] + from), piece);
    });
  }
}

}  // namespace duet::gpu
