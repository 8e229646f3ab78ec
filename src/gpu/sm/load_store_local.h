// Atomics of several words on local memory, which lies there word by word: nobody else reaches it, so each is
// reads and then writes. Whatever the warp does next waits behind it in the queue, until the writes are sent.
// load_store_unit.cpp includes it.
#pragma once

#include <cstring>

#include "base/atomic_operation.h"
#include "gpu/sm/coalescer.h"
#include "gpu/sm/load_store_lines.h"

namespace duet::gpu {

template <unsigned W>
[[gnu::noinline]] bool LoadStoreUnit<W>::State::go_on_alone(Picoseconds now, Cycle cycle,
                                                            Instruction& instruction, unsigned index) {
  const MemoryPart& part = instruction.parts[instruction.part];
  if (reads_own(instruction)) return true;  // its answers are on their way
  if (most_requests != 0 && !instruction.writes_own && no_request_left(instruction, now)) return false;
  if (!ports.to_l1->can_push(now, memory::TrafficClass::NonTriggered)) return false;
  if (!instruction.writes_own && instruction.step == 0 && instruction.remaining == part.lanes)
    make_room_for_old(instruction, part);
  send_word(now, instruction, part, index);
  free_at = cycle + 1;
  if (instruction.remaining != 0) return true;
  instruction.remaining = part.lanes;
  if (++instruction.step < part.steps) return true;
  if (!instruction.writes_own) {
    free_at = kNever;
    return true;
  }
  instruction.writes_own = false;
  instruction.step = 0;
  if (++instruction.part < instruction.part_count)
    instruction.remaining = instruction.parts[instruction.part].lanes;
  return true;
}

// Payload of a lane: the old value, which has yet to come, and the operands behind it.
template <unsigned W>
void LoadStoreUnit<W>::State::make_room_for_old(Instruction& instruction, const MemoryPart& part) {
  instruction.takes_data = true;
  LaneMask(part.lanes).for_each([&](unsigned lane) {
    std::byte* const at = instruction.payload.data() + lane * instruction.stride;
    std::memmove(at + instruction.bytes, at, instruction.stride - instruction.bytes);
  });
}

// All words are there: the new values take the first operand's place.
template <unsigned W>
[[gnu::noinline]] void LoadStoreUnit<W>::State::update_own(Instruction& instruction, Cycle cycle) {
  const MicroOp& op = *instruction.op;
  const AtomicFunction update = atomic_function(op.atomic_operation, op.atomic_type, true);
  const unsigned bytes = instruction.bytes;
  LaneMask(instruction.parts[instruction.part].lanes).for_each([&](unsigned lane) {
    std::byte* const old = instruction.payload.data() + lane * instruction.stride;
    alignas(16) std::byte value[16], unused[16];
    std::memcpy(value, old, bytes);
    update(value, old + bytes, old + 2 * bytes, unused);
    std::memcpy(old + bytes, value, bytes);
  });
  instruction.writes_own = true;
  instruction.step = 0;
  free_at = cycle + 1;
}

// A word of the lanes in one line: a read of the old value, or a write of the new one.
template <unsigned W>
void LoadStoreUnit<W>::State::send_word(Picoseconds now, Instruction& instruction, const MemoryPart& part,
                                        unsigned index) {
  const std::uint32_t step = instruction.step * part.step_bytes;
  const std::uint32_t* offsets = instruction.offsets.data();
  const std::uint32_t at = offsets[std::countr_zero(instruction.remaining)] + step;
  const std::uint32_t segment = at & ~(part.request_bytes - 1);
  std::uint64_t group =
      lanes_where<W>(offsets, step, part.group_mask, at & part.group_mask) & instruction.remaining;
  if (coalesced_threads != 0) group = of_one_group(group, coalesced_threads);
  const memory::RequestHandle handle = pool.allocate();
  Request& request = pool[handle];
  request.address = part.base + segment;
  request.bytes = static_cast<std::uint16_t>(part.request_bytes);
  request.operation = instruction.writes_own ? memory::Operation::Write : memory::Operation::Read;
  request.agent = memory::Agent::Sm;
  request.scope = memory::Scope::Block;
  request.cacheability = part.cacheability;
  request.unit = sm;
  request.warp = static_cast<std::uint16_t>(instruction.warp);
  request.requester = Requester{index, instruction.step}.pack();
  request.pc = instruction.op->ptx_line;
  request.tag = group;
  request.mask = touched_bytes(offsets, step - segment, group, 4);
  if (instruction.writes_own)
    LaneMask(group).for_each([&](unsigned lane) {
      std::memcpy(
          request.data.data() + (offsets[lane] + step - segment),
          instruction.payload.data() + lane * instruction.stride + instruction.bytes + instruction.step * 4,
          4);
    });
  const auto used_bytes =
      static_cast<unsigned>(std::popcount(request.mask.bits[0]) + std::popcount(request.mask.bits[1]));
  memory::Packet packet;
  packet.request = handle;
  packet.payload_bytes = static_cast<std::uint16_t>(instruction.writes_own ? used_bytes : 0);
  ports.to_l1->push(now, packet);
  count_request(instruction, request.bytes, used_bytes);
  if (most_requests != 0 && !instruction.writes_own && is_limited(instruction)) ++limited_requests;
  ++instruction.answers;
  instruction.remaining &= ~group;
}

}  // namespace duet::gpu
