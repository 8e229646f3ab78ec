// A load-store unit with a warp's registers and memory at its ports that binds values in order of arrival and
// answers after a while, in any order.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "gpu/sm/load_store_unit.h"
#include "ptx/state_spaces.h"

namespace duet::gpu::test {

inline constexpr unsigned kRegisterSlots = 40;
inline constexpr unsigned kAddressSlot = 0, kDestinationSlot = 2, kSourceSlot = 20;

template <unsigned W>
struct Registers {
  alignas(64) std::array<std::byte, kRegisterSlots * W * 4> bytes{};
  ptx::Warp<W> warp;
  explicit Registers(unsigned width = W) {
    warp.registers = bytes.data();
    for (auto& bank : warp.banks) bank = bytes.data();
    warp.width = width;
  }
  Registers(const Registers& other) : bytes(other.bytes), warp(other.warp) {
    warp.registers = bytes.data();
    for (auto& bank : warp.banks) bank = bytes.data();
  }
  Registers& operator=(const Registers&) = delete;
  std::uint32_t& word(unsigned slot, unsigned lane) {
    return reinterpret_cast<std::uint32_t*>(bytes.data() + slot * W * 4)[lane];
  }
  std::uint64_t& wide(unsigned slot, unsigned lane) {
    return reinterpret_cast<std::uint64_t*>(bytes.data() + slot * W * 4)[lane];
  }
  std::uint64_t& address(unsigned lane) { return wide(kAddressSlot, lane); }
};

// Registers of an element: narrow ones take a slot, 64-bit ones two, 128-bit ones four.
inline unsigned slots_of(ptx::Type type, bool wide) {
  return ptx::type_bytes(type) == 16 ? 4 : wide || ptx::type_bytes(type) == 8 ? 2 : 1;
}
inline ptx::MicroOp memory_op(ptx::Kind kind, ptx::StateSpace space, ptx::Type type, unsigned elements = 1,
                              bool wide = false) {
  ptx::MicroOp op;
  op.kind = kind;
  op.space = space;
  op.type = type;
  op.ptx_line = 77;
  op.vector_elements = static_cast<std::uint8_t>(elements);
  if (wide && ptx::type_bytes(type) < 8) op.source_type = ptx::Type::B64;
  op.sources[0].slot = kAddressSlot;
  op.source_count = 1;
  const unsigned slots = slots_of(type, wide);
  if (kind == ptx::Kind::Load) {
    op.opcode = ptx::Opcode::Load;
    op.destination_count = static_cast<std::uint8_t>(elements);
    for (unsigned e = 0; e < elements; ++e)
      op.destinations[e] = static_cast<std::uint16_t>(kDestinationSlot + e * slots);
  } else {
    op.opcode = ptx::Opcode::Store;
    op.source_count = static_cast<std::uint8_t>(1 + elements);
    for (unsigned e = 0; e < elements; ++e) op.sources[1 + e].slot = kSourceSlot + e * slots;
  }
  return op;
}
inline ptx::MicroOp atomic_op(AtomicOperation operation, AtomicType atomic_type, ptx::Type type, bool returns,
                              ptx::StateSpace space = ptx::StateSpace::Global) {
  ptx::MicroOp op = memory_op(ptx::Kind::Store, space, type);
  op.kind = ptx::Kind::Atomic;
  op.opcode = returns ? ptx::Opcode::Atom : ptx::Opcode::Red;
  op.atomic_operation = operation;
  op.atomic_type = atomic_type;
  op.semantics = ptx::MemorySemantics::Relaxed;
  op.scope = ptx::MemoryScope::Gpu;
  if (operation == AtomicOperation::CompareAndSwap) {
    op.source_count = 3;
    op.sources[2].slot = kSourceSlot + 2;
  }
  if (returns) {
    op.destination_count = 1;
    op.destinations[0] = kDestinationSlot;
  }
  return op;
}

inline config::Gpu test_gpu() {
  config::Gpu gpu;
  gpu.core_clock_khz = 1'000'000;
  gpu.sm.max_warps = 48;
  gpu.sm.load_store_queue = 8;
  gpu.sm.pending_instructions = 16;
  gpu.sm.shared_latency_cycles = 26;
  gpu.sm.shared_banks = 32;
  gpu.sm.global_in_l1 = true;
  gpu.l1.line_bytes = 128;
  gpu.constant_cache.line_bytes = 64;
  gpu.constant_cache.latency_cycles = 4;
  return gpu;
}

struct Seen {  // a request on its arrival
  bool constant = false;
  Cycle cycle = 0;
  std::uint16_t payload_bytes = 0;
  memory::TrafficClass traffic_class = memory::TrafficClass::NonTriggered;  // of the packet
  memory::Request request;
  unsigned masked() const {
    unsigned bytes = 0;
    for (const std::uint64_t bits : request.mask.bits) bytes += static_cast<unsigned>(std::popcount(bits));
    return bytes;
  }
};

template <unsigned W>
class Machine {
 public:
  explicit Machine(const config::Gpu& config = test_gpu(), std::uint64_t seed = 1, unsigned longest_delay = 1,
                   std::size_t room = 4)
      : physical(64_MiB, 4096),
        space(physical, memory::device_pages(config)),
        unit(config, 3, pool, space),
        random_(seed),
        longest_delay_(longest_delay),
        to_l1_(room, nullptr, nullptr),
        to_constant_(room, nullptr, nullptr),
        from_l1_(1024, nullptr, nullptr),
        from_constant_(1024, nullptr, nullptr) {
    unit.connect({&to_l1_, &from_l1_, &to_constant_, &from_constant_});
    shared.resize(4096);
    parameters.resize(256);
    for (std::size_t i = 0; i < shared.size(); ++i) shared[i] = std::byte(i * 7 + 3);
    for (std::size_t i = 0; i < parameters.size(); ++i) parameters[i] = std::byte(i * 5 + 1);
    memory.shared = shared.data();
    memory.shared_bytes = shared.size();
    memory.parameters = parameters.data();
    memory.parameter_bytes = parameters.size();
  }

  bool issue(ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes = LaneMask::first(W).bits(),
             std::uint32_t slot = 0) {
    if (unit.issue(slot, warp, op, lanes, memory) != LoadStoreUnit<W>::Issue::Taken) return false;
    unit.start_at(cycle);
    return true;
  }
  // One core cycle: the unit, then the memory.
  Cycle step() {
    const Picoseconds now = (cycle + 1) * 1000;
    const Cycle next = unit.tick(now, cycle);
    EXPECT_GT(next, cycle);
    serve(to_l1_, false, now);
    serve(to_constant_, true, now);
    for (bool constant : {false, true}) {
      auto& waiting = waiting_[constant];
      while (!waiting.empty() && waiting.begin()->first <= cycle) {
        (constant ? from_constant_ : from_l1_).push(now, waiting.begin()->second);
        waiting.erase(waiting.begin());
      }
    }
    ++cycle;
    return next;
  }
  void run() {
    for (unsigned i = 0; !unit.idle(); ++i) {
      ASSERT_LT(i, 1'000'000u) << unit.waits_for();
      step();
      for (const auto& completion : unit.completions()) completed.push_back(completion);
      unit.clear_completions();
    }
    EXPECT_EQ(pool.in_use(), 0u);
  }
  void run(ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes = LaneMask::first(W).bits()) {
    ASSERT_TRUE(issue(warp, op, lanes));
    run();
  }

  memory::PhysicalMemory physical;
  memory::AddressSpace space;
  memory::RequestPool pool;
  LoadStoreUnit<W> unit;
  std::vector<std::byte> shared, parameters;
  WarpMemory memory;
  Cycle cycle = 100;
  std::vector<Seen> seen;
  std::vector<typename LoadStoreUnit<W>::Completion> completed;
  // Requests to L1 that are answered only by release().
  std::function<bool(const memory::Request&)> holds;
  // A class of which L1 takes nothing.
  std::optional<memory::TrafficClass> refused;
  void release() {
    for (const memory::Packet& packet : held_) answer(packet, false);
    held_.clear();
  }

 private:
  void serve(memory::Channel& channel, bool constant, Picoseconds now) {
    if (longest_delay_ > 1 && random_() % 4 == 0) return;  // the unit meets a full queue, too
    for (unsigned c = 0; c < memory::kTrafficClasses; ++c) {
      auto& queue = channel.of(c);
      if (!queue.can_pop(now + 1) || (!constant && refused == static_cast<memory::TrafficClass>(c))) continue;
      const memory::Packet packet = queue.pop(now + 1);
      const memory::Request& request = pool[packet.request];
      seen.push_back({constant, cycle, packet.payload_bytes, packet.traffic_class, request});
      EXPECT_EQ(static_cast<unsigned>(packet.traffic_class), c);
      EXPECT_EQ(packet.traffic_class, request.traffic_class);
      EXPECT_EQ(request.address % request.bytes, 0u);
      EXPECT_EQ(request.unit, 3u);
      EXPECT_NE(request.mask.bits[0] | request.mask.bits[1], 0u);
      if (holds && holds(request))
        held_.push_back(packet);
      else
        answer(packet, constant);
    }
  }
  void answer(memory::Packet packet, bool constant) {
    memory::Request& request = pool[packet.request];
    if (request.operation == memory::Operation::Atomic) {
      atomic(request);
    } else {
      const bool read = request.operation == memory::Operation::Read;
      for (unsigned i = 0; i < memory::kLineBytes; ++i) {
        if (request.mask.test(i)) {
          EXPECT_LT(i, request.bytes);
          std::byte* at = space.memory().bytes(request.address + i);
          if (read)
            request.data[i] = *at;
          else
            *at = request.data[i];
        } else if (read) {
          request.data[i] = std::byte{0xcd};  // nobody asked for it
        }
      }
    }
    packet.kind = memory::PacketKind::Response;
    waiting_[constant].emplace(cycle + 1 + random_() % longest_delay_, packet);
  }
  void atomic(memory::Request& request) {
    const unsigned bytes = atomic_type_bytes(request.atomic_type);
    std::byte* second =
        request.second == memory::kNoRequest ? request.data.data() : pool[request.second].data.data();
    for (unsigned i = 0; i < request.bytes; i += bytes) {
      if (!request.mask.test(i)) continue;
      std::byte old[8];
      perform_atomic(request.atomic_operation, request.atomic_type, true,
                     space.memory().bytes(request.address + i), request.data.data() + i, second + i, old);
      std::memcpy(request.data.data() + i, old, bytes);
    }
  }

  std::mt19937_64 random_;
  unsigned longest_delay_;
  memory::Channel to_l1_, to_constant_;
  sim::Queue<memory::Packet> from_l1_, from_constant_;
  std::multimap<Cycle, memory::Packet> waiting_[2];
  std::vector<memory::Packet> held_;
};

}  // namespace duet::gpu::test
