// Values, order, faults and time of the load-store unit's instructions, against formulas of the lane number.
#include <set>

#include "load_store_fixture.h"

namespace duet::gpu::test {
namespace {

using ptx::Kind;
using ptx::StateSpace;
using ptx::Type;

constexpr unsigned kLanes = 32;
constexpr std::uint64_t kAll = LaneMask::first(kLanes).bits();

class LoadStore : public testing::Test {
 protected:
  Machine<kLanes> machine;
  Registers<kLanes> registers;
  const memory::Allocation* allocation =
      machine.space.allocate_device(16_KiB, memory::AllocationKind::Device);

  void addresses(std::uint64_t first, std::uint64_t stride) {
    for (unsigned i = 0; i < kLanes; ++i)
      registers.address(i) = allocation->base.value() + first + stride * i;
  }
  std::uint32_t word(Bytes offset) const {
    std::uint32_t value;
    std::memcpy(&value, machine.space.bytes(allocation->base) + offset, 4);
    return value;
  }
};

TEST_F(LoadStore, SignExtension) {
  for (unsigned i = 0; i < kLanes; ++i) {
    const auto byte = static_cast<std::int8_t>(i * 8);  // 0 to 248: negative from lane 16 on
    machine.space.bytes(allocation->base)[i] = std::byte(byte);
    const auto half = static_cast<std::int16_t>(i * 2048);
    std::memcpy(machine.space.bytes(allocation->base) + 64 + 2 * i, &half, 2);
  }
  addresses(0, 1);
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Global, Type::S8));
  for (unsigned i = 0; i < kLanes; ++i)
    EXPECT_EQ(registers.word(kDestinationSlot, i), i < 16 ? i * 8 : i * 8 - 256);
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Global, Type::U8));
  for (unsigned i = 0; i < kLanes; ++i) EXPECT_EQ(registers.word(kDestinationSlot, i), i * 8);
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Global, Type::S8, 1, true));
  for (unsigned i = 0; i < kLanes; ++i)
    EXPECT_EQ(registers.wide(kDestinationSlot, i), i < 16 ? i * 8ull : i * 8ull - 256);
  addresses(64, 2);
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Global, Type::S16));
  for (unsigned i = 0; i < kLanes; ++i)
    EXPECT_EQ(registers.word(kDestinationSlot, i), i < 16 ? i * 2048 : i * 2048 - 65536);
}

TEST_F(LoadStore, LanesThatTakeNoPartKeepTheirValues) {
  addresses(0, 4);
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t value = 500 + i;
    std::memcpy(machine.space.bytes(allocation->base) + 4 * i, &value, 4);
    registers.word(kDestinationSlot, i) = 9;
  }
  registers.address(3) = 0;  // and are not looked at
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Global, Type::U32), 0xfff0);
  for (unsigned i = 0; i < kLanes; ++i)
    EXPECT_EQ(registers.word(kDestinationSlot, i), i >= 4 && i < 16 ? 500 + i : 9);
  ASSERT_EQ(machine.seen.size(), 1u);
  EXPECT_EQ(machine.seen[0].request.mask.bits[0], 0xffff'ffff'ffff'0000u);
  EXPECT_EQ(machine.seen[0].request.mask.bits[1], 0u);
}

TEST_F(LoadStore, TheHighestLaneWins) {
  for (unsigned i = 0; i < kLanes; ++i) {
    registers.address(i) = allocation->base.value() + i % 4 * 4;
    registers.word(kSourceSlot, i) = 70 + i;
  }
  machine.run(registers.warp, memory_op(Kind::Store, StateSpace::Global, Type::U32));
  ASSERT_EQ(machine.seen.size(), 1u);
  EXPECT_EQ(machine.seen[0].payload_bytes, 16);
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(word(4 * i), 98 + i);
}

TEST_F(LoadStore, StoresTakeTheirValuesAtIssue) {
  addresses(0, 4);
  for (unsigned i = 0; i < kLanes; ++i) registers.word(kSourceSlot, i) = i;
  const ptx::MicroOp op = memory_op(Kind::Store, StateSpace::Global, Type::U32);
  ASSERT_TRUE(machine.issue(registers.warp, op));
  for (unsigned i = 0; i < kLanes; ++i) registers.word(kSourceSlot, i) = registers.address(i) = 0;
  EXPECT_EQ(machine.unit.outstanding_writes(0), 1u);
  EXPECT_EQ(machine.unit.outstanding_reads(0), 0u);
  machine.run();
  EXPECT_EQ(machine.unit.outstanding_writes(0), 0u);
  for (unsigned i = 0; i < kLanes; ++i) EXPECT_EQ(word(4 * i), i);
}

// Multiplicity of an address is the number of requests that its line gets.
TEST_F(LoadStore, AtomicsOfOneAddressGoOneAfterAnother) {
  for (unsigned multiplicity : {1u, 2u, 5u, 32u}) {
    machine.seen.clear();
    std::memset(machine.space.bytes(allocation->base), 0, 128);
    for (unsigned i = 0; i < kLanes; ++i) {
      registers.address(i) = allocation->base.value() + i / multiplicity * 4;
      registers.word(kSourceSlot, i) = 1;
    }
    const ptx::MicroOp op = atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, true);
    machine.run(registers.warp, op);
    EXPECT_EQ(machine.seen.size(), multiplicity);
    for (unsigned i = 0; i < kLanes; ++i) EXPECT_EQ(registers.word(kDestinationSlot, i), i % multiplicity);
    unsigned bytes = 0;
    for (const Seen& seen : machine.seen) {
      EXPECT_EQ(seen.request.operation, memory::Operation::Atomic);
      EXPECT_EQ(seen.payload_bytes, seen.masked());
      bytes += seen.masked();
    }
    EXPECT_EQ(bytes, 4 * kLanes);
  }
}

TEST_F(LoadStore, CompareAndSwapCarriesBothOperands) {
  std::memset(machine.space.bytes(allocation->base), 0, 256);
  addresses(0, 8);
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint64_t value = i % 2;
    std::memcpy(machine.space.bytes(allocation->base) + 8 * i, &value, 8);
    registers.wide(kSourceSlot, i) = 1;
    registers.wide(kSourceSlot + 2, i) = 100 + i;
  }
  machine.run(registers.warp, atomic_op(AtomicOperation::CompareAndSwap, AtomicType::B64, Type::B64, true));
  ASSERT_EQ(machine.seen.size(), 2u);
  for (const Seen& seen : machine.seen) EXPECT_EQ(seen.payload_bytes, 256);
  for (unsigned i = 0; i < kLanes; ++i) {
    EXPECT_EQ(registers.wide(kDestinationSlot, i), i % 2);
    EXPECT_EQ(word(8 * i), i % 2 ? 100 + i : 0);
  }
}

TEST_F(LoadStore, ReductionsCompleteAsWrites) {
  addresses(0, 4);
  for (unsigned i = 0; i < kLanes; ++i) registers.word(kSourceSlot, i) = i;
  const ptx::MicroOp op = atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, false);
  ASSERT_TRUE(machine.issue(registers.warp, op));
  EXPECT_EQ(machine.unit.outstanding_writes(0), 1u);
  machine.run();
  for (unsigned i = 0; i < kLanes; ++i) EXPECT_EQ(word(4 * i), i);
  EXPECT_EQ(machine.unit.statistics().atomics, 1u);
}

// Word k of lane i lies at (k * 32 + i) * 4: one line for each word that the lanes have in common.
TEST_F(LoadStore, LocalMemoryIsInterleaved) {
  const memory::Allocation* local = machine.space.allocate_device(64_KiB, memory::AllocationKind::Device);
  machine.memory.local_physical = machine.space.physical(local->base) + 4096;
  machine.memory.local_bytes = 64;
  for (unsigned i = 0; i < kLanes; ++i) {
    registers.address(i) = 16;
    registers.word(kSourceSlot, i) = 10 * i;
    registers.word(kSourceSlot + 1, i) = 10 * i + 1;
  }
  machine.run(registers.warp, memory_op(Kind::Store, StateSpace::Local, Type::U32, 2));
  ASSERT_EQ(machine.seen.size(), 2u);
  for (unsigned k = 0; k < 2; ++k) {
    EXPECT_EQ(machine.seen[k].request.address, machine.memory.local_physical + (4 + k) * 128);
    EXPECT_EQ(machine.seen[k].masked(), 128u);
    EXPECT_TRUE(machine.seen[k].request.cacheability.gpu_l1);
    for (unsigned i = 0; i < kLanes; ++i) {
      std::uint32_t value;
      std::memcpy(&value, machine.space.bytes(local->base) + 4096 + ((4 + k) * 32 + i) * 4, 4);
      EXPECT_EQ(value, 10 * i + k);
    }
  }
  // Byte 1 of the second word, of two lanes that look elsewhere: 10 * i + 1 < 256 has none, the first has.
  for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = i < 2 ? 20 : 16;
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Local, Type::U8));
  EXPECT_EQ(machine.seen.size(), 4u);
  for (unsigned i = 0; i < kLanes; ++i)
    EXPECT_EQ(registers.word(kDestinationSlot, i), (10 * i + (i < 2)) % 256);
  EXPECT_EQ(machine.unit.statistics().local_stores, 1u);
  EXPECT_EQ(machine.unit.statistics().local_loads, 1u);
}

TEST_F(LoadStore, GenericAddressesOfSeveralSpacesInOneInstruction) {
  for (unsigned i = 0; i < kLanes; ++i) {
    const std::uint32_t value = 1000 + i;
    std::memcpy(machine.space.bytes(allocation->base) + 4 * i, &value, 4);
    std::memcpy(machine.shared.data() + 4 * i, &value, 4);
    registers.address(i) = (i % 2 ? ptx::kSharedWindow : allocation->base.value()) + 4 * i;
  }
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Generic, Type::U32));
  for (unsigned i = 0; i < kLanes; ++i) EXPECT_EQ(registers.word(kDestinationSlot, i), 1000 + i);
  EXPECT_EQ(machine.seen.size(), 1u);
  EXPECT_EQ(machine.completed.size(), 1u);
  EXPECT_EQ(machine.unit.statistics().global_loads, 1u);
  EXPECT_EQ(machine.unit.statistics().shared_accesses, 1u);
}

TEST_F(LoadStore, ParametersTakeTheConstantCachesTime) {
  for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = 8;
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Param, Type::U8));
  EXPECT_EQ(registers.word(kDestinationSlot, 31), 8u * 5 + 1);
  EXPECT_EQ(machine.completed.at(0).ready, 100u + 4 + 1);
  EXPECT_TRUE(machine.seen.empty());
}

TEST_F(LoadStore, Faults) {
  struct {
    Kind kind;
    StateSpace space;
    std::uint64_t address;
    FaultKind fault;
    std::uint64_t reported;
  } const cases[] = {
      {Kind::Load, StateSpace::Global, allocation->base.value() + 2, FaultKind::MisalignedAddress,
       allocation->base.value() + 2},
      {Kind::Store, StateSpace::Global, allocation->base.value() + 16_KiB, FaultKind::IllegalAddress,
       allocation->base.value() + 16_KiB},
      {Kind::Load, StateSpace::Shared, 4096, FaultKind::IllegalAddress, 4096},
      {Kind::Load, StateSpace::Generic, ptx::kSharedWindow + 4096, FaultKind::IllegalAddress, 4096},
      {Kind::Store, StateSpace::Generic, ptx::kParamWindow, FaultKind::IllegalAddress, 0},
      {Kind::Load, StateSpace::Generic, 0, FaultKind::IllegalAddress, 0},
      {Kind::Load, StateSpace::Local, 0, FaultKind::IllegalAddress, 0},
  };
  MemoryUnit<kLanes> functional(machine.space);
  const BlockMemory block{machine.shared.data(),     machine.shared.size(),    nullptr, 0,
                          machine.parameters.data(), machine.parameters.size()};
  for (const auto& c : cases) {
    const ptx::MicroOp op = memory_op(c.kind, c.space, Type::U32);
    addresses(0, 4);
    if (c.space == StateSpace::Shared || c.space == StateSpace::Local)
      for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = c.space == StateSpace::Shared ? 4 * i : 0;
    registers.address(9) = c.address;
    const std::uint64_t lanes = c.space == StateSpace::Local ? 1 << 9 : kAll;
    EXPECT_FALSE(machine.issue(registers.warp, op, lanes));
    const AccessFault& fault = machine.unit.fault();
    EXPECT_EQ(fault.kind, c.fault);
    EXPECT_EQ(fault.lane, 9u);
    EXPECT_EQ(fault.address, c.reported);
    EXPECT_FALSE(functional.execute(registers.warp, op, lanes, block));
    EXPECT_EQ(functional.fault().kind, fault.kind);
    EXPECT_EQ(functional.fault().lane, fault.lane);
    EXPECT_EQ(functional.fault().address, fault.address);
    EXPECT_EQ(functional.fault().space, fault.space);
    EXPECT_TRUE(machine.unit.idle()) << "nothing has happened";
  }
  EXPECT_TRUE(machine.seen.empty());
}

TEST_F(LoadStore, PagePermissions) {
  alignas(4096) static std::byte host[8192];
  memory::PageAttributes page = memory::host_pages({}, memory::AllocatingCall::Registered);
  page.writable = false;
  const memory::Allocation* mapped =
      machine.space.map_host(host, sizeof host, memory::AllocationKind::Registered, page);
  for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = mapped->base.value() + 4 * i;
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Global, Type::U32));
  EXPECT_FALSE(machine.issue(registers.warp, memory_op(Kind::Store, StateSpace::Global, Type::U32)));
  EXPECT_EQ(machine.unit.fault().kind, FaultKind::IllegalAddress);
  EXPECT_EQ(machine.unit.fault().lane, 0u);
}

TEST_F(LoadStore, AnAllocationThatWasReleasedIsForgotten) {
  addresses(0, 4);
  const ptx::MicroOp op = memory_op(Kind::Load, StateSpace::Global, Type::U32);
  machine.run(registers.warp, op);
  machine.space.release(allocation->base);
  EXPECT_FALSE(machine.issue(registers.warp, op));
}

TEST_F(LoadStore, LimitsOfQueueAndTable) {
  config::Gpu gpu = test_gpu();
  gpu.sm.load_store_queue = 2;
  gpu.sm.pending_instructions = 3;
  Machine<kLanes> small(gpu, 1, 1, 1);
  const memory::Allocation* memory = small.space.allocate_device(4096, memory::AllocationKind::Device);
  for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = memory->base.value() + 4 * i;
  const ptx::MicroOp op = memory_op(Kind::Load, StateSpace::Global, Type::U32);
  ASSERT_TRUE(small.issue(registers.warp, op));
  ASSERT_TRUE(small.unit.can_issue());
  ASSERT_TRUE(small.issue(registers.warp, op));
  EXPECT_FALSE(small.unit.can_issue()) << "the queue is full";
  small.unit.tick(small.cycle * 1000, small.cycle);
  ASSERT_TRUE(small.unit.can_issue()) << "one has been sent";
  ASSERT_TRUE(small.issue(registers.warp, op));
  // L1's queue has one place: the second cannot be sent, and says so.
  EXPECT_EQ(small.unit.tick((small.cycle + 1) * 1000, small.cycle + 1), kNever);
  EXPECT_EQ(small.unit.waits_for(), "room for the request of PTX line 77 in L1");
  small.cycle += 2;
  small.step();
  EXPECT_FALSE(small.unit.can_issue()) << "three are pending";
  small.run();
  EXPECT_TRUE(small.unit.can_issue());
  EXPECT_EQ(small.completed.size(), 3u);
}

// Sent at `start`, answered by memory one cycle later, dependents issue in the cycle after the answer's.
TEST_F(LoadStore, CompletionFollowsTheAnswer) {
  addresses(0, 4);
  const ptx::MicroOp op = memory_op(Kind::Load, StateSpace::Global, Type::U32);
  const Cycle start = machine.cycle + 3;
  ASSERT_EQ(machine.unit.issue(0, registers.warp, op, kAll, machine.memory), LoadStoreUnit<32>::Issue::Taken);
  machine.unit.start_at(start);
  machine.run();
  ASSERT_EQ(machine.seen.size(), 1u);
  EXPECT_EQ(machine.seen[0].cycle, start);
  // The memory of the test pushes its answer at start + 1, so it is visible at start + 2.
  EXPECT_EQ(machine.completed.at(0).ready, start + 3);
}

// A load of so many lines, on a machine whose L1 answers nothing by itself.
struct Held {
  explicit Held(const config::Gpu& gpu) : machine(gpu, 1, 1, 64) {
    machine.holds = [](const memory::Request&) { return true; };
    base = machine.space.allocate_device(8192, memory::AllocationKind::Device)->base;
  }
  void issue(const ptx::MicroOp& op, unsigned lines) {
    for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = base.value() + 128 * (i % lines) + 4 * i;
    ASSERT_TRUE(machine.issue(registers.warp, op));
  }
  void steps(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      machine.step();
      for (const auto& completion : machine.unit.completions()) machine.completed.push_back(completion);
      machine.unit.clear_completions();
    }
  }
  void finish() {
    for (unsigned i = 0; i < 50; ++i) {
      machine.release();
      steps(4);
    }
    EXPECT_TRUE(machine.unit.idle());
  }
  Machine<kLanes> machine;
  Registers<kLanes> registers;
  VirtualAddress base;
};

const ptx::MicroOp kLoadWord = memory_op(Kind::Load, StateSpace::Global, Type::U32);
const ptx::MicroOp kStoreWord = memory_op(Kind::Store, StateSpace::Global, Type::U32);

TEST(LoadStoreRequests, AsManyAsAllowedAreOnTheirWay) {
  const ptx::MicroOp atomic = atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, true);
  for (const ptx::MicroOp& op : {kLoadWord, atomic})
    for (const unsigned n : {1u, 2u, 3u}) {
      config::Gpu gpu = test_gpu();
      gpu.sm.memory_requests = n;
      Held held(gpu);
      Machine<kLanes>& machine = held.machine;
      held.issue(op, 4);
      held.steps(20);
      ASSERT_EQ(machine.seen.size(), n);
      EXPECT_EQ(machine.seen[n - 1].cycle, machine.seen[0].cycle + n - 1) << "one a cycle";
      EXPECT_EQ(machine.unit.waits_for(),
                std::to_string(n) + " answers from memory, among them for PTX line 77");
      // An answer is pushed in the cycle behind this one, seen in the next, and leaves room in the one
      // behind.
      const Cycle now = machine.cycle;
      machine.release();
      held.steps(4);
      ASSERT_EQ(machine.seen.size(), n + 1);
      EXPECT_EQ(machine.seen[n].cycle, now + 3);
      EXPECT_EQ(machine.unit.statistics().blocked_cycles, now + 3 - (machine.seen[n - 1].cycle + 1));
      held.steps(20);
      EXPECT_EQ(machine.seen.size(), std::min(2 * n, 4u));
      held.finish();
      EXPECT_EQ(machine.seen.size(), 4u);
      for (unsigned i = 1; i < machine.seen.size(); ++i)
        EXPECT_GT(machine.seen[i].cycle, machine.seen[i - 1].cycle);
    }
}

TEST(LoadStoreRequests, OthersThanLoadsAreNotCounted) {
  config::Gpu gpu = test_gpu();
  gpu.sm.memory_requests = 2;
  const ptx::MicroOp reduction = atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, false);
  Held held(gpu);
  held.issue(kLoadWord, 2);
  held.issue(kStoreWord, 8);
  held.issue(reduction, 4);
  held.steps(40);
  EXPECT_EQ(held.machine.seen.size(), 14u);
  held.issue(kLoadWord, 1);
  held.steps(10);
  EXPECT_EQ(held.machine.seen.size(), 14u) << "two loads are on their way";
  held.finish();
  EXPECT_EQ(held.machine.seen.size(), 15u);
}

// With blocking issue a store says when its last request has left; its completion is the acknowledgement's.
TEST(LoadStoreRequests, AStoreSaysThatItHasLeft) {
  for (const bool blocking : {false, true}) {
    config::Gpu gpu = test_gpu();
    gpu.sm.blocking_issue = blocking;
    Held held(gpu);
    held.issue(kStoreWord, 3);
    held.issue(kLoadWord, 2);
    held.steps(20);
    ASSERT_EQ(held.machine.seen.size(), 5u);
    ASSERT_EQ(held.machine.completed.size(), blocking ? 1u : 0u);
    if (blocking) {
      EXPECT_EQ(held.machine.completed[0].op, nullptr);
      EXPECT_EQ(held.machine.completed[0].ready, held.machine.seen[2].cycle + 1);
    }
    held.finish();
    EXPECT_EQ(held.machine.completed.size(), blocking ? 3u : 2u);
  }
}

TEST_F(LoadStore, NoLanes) {
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Global, Type::U32), 0);
  EXPECT_EQ(machine.completed.size(), 1u);
  EXPECT_TRUE(machine.seen.empty());
}

}  // namespace
}  // namespace duet::gpu::test
