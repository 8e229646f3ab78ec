// Accesses to memory with full/empty bits: trigger, action and class of each request, which of one warp are
// on their way together, and where naming bits is a fault.
#include "load_store_fixture.h"

namespace duet::gpu::test {
namespace {

using memory::Action;
using memory::Operation;
using memory::TrafficClass;
using memory::Trigger;
using ptx::BitAction;
using ptx::BitTrigger;
using ptx::Kind;
using ptx::StateSpace;
using ptx::Type;

constexpr unsigned kLanes = 32;
constexpr std::uint64_t kAll = LaneMask::first(kLanes).bits();

config::Gpu tracked_gpu() {
  config::Gpu gpu = test_gpu();
  gpu.full_empty.granule_bytes = 4;
  gpu.full_empty.atomic = "full-fill";
  gpu.full_empty.class_credits = true;
  gpu.full_empty.program_order = true;
  gpu.full_empty.merge_by_trigger = true;
  return gpu;
}

struct TrackedAccess : testing::Test {
  Machine<kLanes> machine{tracked_gpu()};
  Registers<kLanes> registers;
  const memory::Allocation* tracked =
      machine.space.allocate_device(16_KiB, memory::AllocationKind::Device, 0, true);
  const memory::Allocation* plain = machine.space.allocate_device(16_KiB, memory::AllocationKind::Device);

  void addresses(Address base, std::uint64_t stride) {
    for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = base + stride * i;
  }
};

ptx::MicroOp op_of(Kind kind, BitTrigger trigger = BitTrigger::Implied, BitAction action = BitAction::None,
                   StateSpace space = StateSpace::Global, Type type = Type::U32, unsigned elements = 1) {
  ptx::MicroOp op = memory_op(kind, space, type, elements);
  op.bit_trigger = trigger;
  op.bit_action = action;
  return op;
}

TEST_F(TrackedAccess, RequestsCarryWhatIsNamed) {
  constexpr std::pair<BitTrigger, Trigger> kTriggers[] = {{BitTrigger::None, Trigger::None},
                                                          {BitTrigger::Full, Trigger::Full},
                                                          {BitTrigger::Empty, Trigger::Empty}};
  constexpr std::pair<BitAction, Action> kActions[] = {
      {BitAction::None, Action::None}, {BitAction::Fill, Action::Fill}, {BitAction::Empty, Action::Empty}};
  addresses(tracked->base.value(), 4);
  for (const Kind kind : {Kind::Load, Kind::Store})
    for (const auto& [named, trigger] : kTriggers)
      for (const auto& [named_action, action] : kActions) {
        machine.seen.clear();
        machine.run(registers.warp, op_of(kind, named, named_action));
        for (const Seen& seen : machine.seen) {
          EXPECT_TRUE(seen.request.tracked);
          EXPECT_EQ(seen.request.operation, kind == Kind::Load ? Operation::Read : Operation::Write);
          EXPECT_EQ(seen.request.trigger, trigger);
          EXPECT_EQ(seen.request.action, action);
          EXPECT_EQ(seen.traffic_class,
                    trigger == Trigger::None ? TrafficClass::NonTriggered : TrafficClass::TriggeredGpu);
        }
        EXPECT_EQ(machine.seen.size(), 1u) << "one line";
      }
}

TEST_F(TrackedAccess, WhatNamesNothingIsAsEver) {
  addresses(tracked->base.value(), 4);
  machine.run(registers.warp, op_of(Kind::Load));
  EXPECT_EQ(machine.seen.back().request.trigger, Trigger::Full);
  EXPECT_EQ(machine.seen.back().request.action, Action::None);
  machine.run(registers.warp, op_of(Kind::Store));
  EXPECT_EQ(machine.seen.back().request.trigger, Trigger::None);
  EXPECT_EQ(machine.seen.back().request.action, Action::Fill);
  EXPECT_EQ(machine.seen.back().traffic_class, TrafficClass::NonTriggered);
  machine.run(registers.warp, atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, false));
  EXPECT_EQ(machine.seen.back().request.trigger, Trigger::Full);
  EXPECT_EQ(machine.seen.back().request.action, Action::Fill);
  EXPECT_EQ(machine.seen.back().traffic_class, TrafficClass::TriggeredGpu);
}

TEST_F(TrackedAccess, ATakeNamesTheBytesOfItsLanesAlone) {
  addresses(tracked->base.value(), 8);
  machine.run(registers.warp, op_of(Kind::Load, BitTrigger::Full, BitAction::Empty), 0xf0f);
  ASSERT_EQ(machine.seen.size(), 1u);
  EXPECT_EQ(machine.seen[0].request.bytes, 96u) << "up to the last segment that a lane touches";
  EXPECT_EQ(machine.seen[0].request.mask.bits, (std::array<std::uint64_t, 2>{0x0f0f'0f0fu, 0x0f0f'0f0fu}));
  machine.seen.clear();
  machine.run(registers.warp, op_of(Kind::Load, BitTrigger::Full, BitAction::Empty), 0xf000);
  ASSERT_EQ(machine.seen.size(), 1u);
  EXPECT_EQ(machine.seen[0].request.address % 128, 96u);
  EXPECT_EQ(machine.seen[0].request.bytes, 32u);
  machine.seen.clear();
  addresses(tracked->base.value(), 16);
  machine.run(registers.warp,
              op_of(Kind::Load, BitTrigger::Full, BitAction::Empty, StateSpace::Generic, Type::U32, 2), kAll);
  ASSERT_EQ(machine.seen.size(), 4u);
  for (const Seen& seen : machine.seen)
    for (const std::uint64_t half : seen.request.mask.bits) EXPECT_EQ(half, 0x00ff'00ff'00ff'00ffu);
}

TEST_F(TrackedAccess, OnlyWhatIsReadTheUsualWayMayBeKeptInL1) {
  config::Gpu gpu = tracked_gpu();
  gpu.full_empty.loads_in_l1 = true;
  Machine<kLanes> own(gpu);
  const memory::Allocation* memory =
      own.space.allocate_device(16_KiB, memory::AllocationKind::Device, 0, true);
  addresses(memory->base.value(), 4);
  for (const auto trigger : {BitTrigger::Implied, BitTrigger::None, BitTrigger::Full, BitTrigger::Empty})
    for (const auto action : {BitAction::None, BitAction::Fill, BitAction::Empty}) {
      if (trigger == BitTrigger::Implied && action != BitAction::None) continue;
      own.run(registers.warp, op_of(Kind::Load, trigger, action));
      EXPECT_EQ(own.seen.back().request.cacheability.gpu_l1,
                action == BitAction::None && (trigger == BitTrigger::Implied || trigger == BitTrigger::Full));
    }
}

// Which of two accesses of a warp may be on their way together.
TEST_F(TrackedAccess, ProgramOrder) {
  const auto load = [](BitTrigger trigger, BitAction action) { return op_of(Kind::Load, trigger, action); };
  const auto store = [](BitTrigger trigger, BitAction action) { return op_of(Kind::Store, trigger, action); };
  const std::pair<ptx::MicroOp, unsigned> accesses[] = {
      // The number says which go together; 0: with none, not even the same.
      {load(BitTrigger::Implied, BitAction::None), 1},
      {load(BitTrigger::Full, BitAction::None), 1},
      {load(BitTrigger::None, BitAction::None), 2},
      {load(BitTrigger::Empty, BitAction::None), 3},
      {store(BitTrigger::Implied, BitAction::None), 4},
      {store(BitTrigger::None, BitAction::Fill), 4},
      {store(BitTrigger::None, BitAction::None), 5},
      {load(BitTrigger::Full, BitAction::Empty), 0},
      {load(BitTrigger::None, BitAction::Empty), 0},
      {load(BitTrigger::Full, BitAction::Fill), 0},
      {store(BitTrigger::Empty, BitAction::Fill), 0},
      {store(BitTrigger::Empty, BitAction::None), 0},
      {store(BitTrigger::None, BitAction::Empty), 0},
      {atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, true), 0},
      {atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, false), 0},
  };
  addresses(tracked->base.value(), 4);
  machine.holds = [](const memory::Request&) { return true; };
  for (const auto& [first, first_number] : accesses)
    for (const auto& [second, second_number] : accesses) {
      ASSERT_TRUE(machine.issue(registers.warp, first));
      const bool together = first_number != 0 && first_number == second_number;
      for (int i = 0; i < 10; ++i) machine.step();
      EXPECT_EQ(machine.issue(registers.warp, second), together) << &first - &accesses->first;
      // Another warp's are its own matter, and so is memory without bits.
      ASSERT_TRUE(machine.issue(registers.warp, second, kAll, 1));
      for (int i = 0; i < 10; ++i) machine.step();
      machine.holds = {};
      machine.release();
      machine.run();
      machine.holds = [](const memory::Request&) { return true; };
      // Once it is complete the other may go.
      ASSERT_TRUE(machine.issue(registers.warp, second));
      for (int i = 0; i < 10; ++i) machine.step();
      machine.release();
      machine.run();
    }
}

// By which grain an access waits for its warp's earlier ones.
struct Grain {
  const char* name;
  Bytes granule;
  std::uint64_t entries;
  Bytes apart;  // two words so far from each other, from a multiple of it on, go together; 0: never
};

// Whether loads, stores and atomics of a word go beside one another of the word `distance` bytes before.
std::vector<bool> together(const Grain& grain, Bytes distance, std::uint32_t other_warp = 0) {
  config::Gpu gpu = tracked_gpu();
  gpu.full_empty.order_grain = grain.name;
  gpu.full_empty.granule_bytes = grain.granule;
  gpu.full_empty.order_entries = grain.entries;
  const std::pair<Kind, Kind> kinds[] = {{Kind::Load, Kind::Store},
                                         {Kind::Store, Kind::Load},
                                         {Kind::Load, Kind::Atomic},
                                         {Kind::Atomic, Kind::Load},
                                         {Kind::Atomic, Kind::Atomic}};
  std::vector<bool> result;
  for (const auto& [first, second] : kinds) {
    Machine<kLanes> machine(gpu);
    Registers<kLanes> before, after;
    const memory::Allocation* memory =
        machine.space.allocate_device(16_KiB, memory::AllocationKind::Device, 0, true);
    before.address(0) = memory->base.value();
    after.address(0) = memory->base.value() + distance;
    const auto op = [](Kind kind) {
      return kind == Kind::Atomic ? atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, true)
                                  : op_of(kind);
    };
    const ptx::MicroOp first_op = op(first), second_op = op(second);
    machine.holds = [](const memory::Request&) { return true; };
    EXPECT_TRUE(machine.issue(before.warp, first_op, 1));
    for (int i = 0; i < 10; ++i) machine.step();
    result.push_back(machine.issue(after.warp, second_op, 1, other_warp));
    for (int i = 0; i < 10; ++i) machine.step();
    machine.holds = {};
    machine.release();
    machine.run();
    EXPECT_TRUE(machine.issue(after.warp, second_op, 1));
    machine.run();
  }
  return result;
}

TEST_F(TrackedAccess, ProgramOrderKeepsApartWhatItsGrainSays) {
  const Grain grains[] = {{"granule", 4, 64, 4},     {"granule", 16, 64, 16}, {"granule", 128, 64, 128},
                          {"granule", 256, 64, 256}, {"line", 4, 64, 128},    {"line", 64, 64, 128},
                          {"line", 1024, 64, 1024},  {"warp", 4, 64, 0},      {"line", 4, 0, 0},
                          {"granule", 4, 0, 0}};
  for (const Grain& grain : grains)
    for (const Bytes distance : {0, 4, 8, 12, 16, 60, 64, 124, 128, 252, 256, 1020, 1024, 2048}) {
      const bool go = grain.apart != 0 && distance >= grain.apart;
      EXPECT_EQ(together(grain, distance), std::vector<bool>(5, go))
          << grain.name << ", granules of " << grain.granule << " bytes, " << distance << " bytes on";
      EXPECT_EQ(together(grain, distance, 1), std::vector<bool>(5, true)) << "of another warp";
    }
}

// Lanes that touch many lines find no place in a short table; then the warp waits as without one.
TEST_F(TrackedAccess, WhatFindsNoPlaceInTheTableIsKeptApartByWarp) {
  config::Gpu gpu = tracked_gpu();
  gpu.full_empty.order_grain = "line";
  gpu.full_empty.order_entries = 40;
  Machine<kLanes> own(gpu);
  const memory::Allocation* memory =
      own.space.allocate_device(256_KiB, memory::AllocationKind::Device, 0, true);
  const ptx::MicroOp load = op_of(Kind::Load), store = op_of(Kind::Store);
  const auto issue = [&](const ptx::MicroOp& op, std::uint32_t warp, Address from, std::uint64_t stride) {
    own.holds = [](const memory::Request&) { return true; };
    for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = memory->base.value() + from + stride * i;
    const bool taken = own.issue(registers.warp, op, kAll, warp);
    for (int i = 0; i < 50; ++i) own.step();
    return taken;
  };
  const auto complete = [&] {
    own.holds = {};
    own.release();
    own.run();
  };
  ASSERT_TRUE(issue(load, 0, 0, 128));       // 32 lines
  EXPECT_TRUE(issue(store, 0, 64_KiB, 4));   // one line, another
  ASSERT_TRUE(issue(load, 1, 0, 128));       // 32 more do not fit
  EXPECT_FALSE(issue(store, 1, 64_KiB, 4));  // so this warp waits for all of them
  EXPECT_TRUE(issue(load, 1, 32_KiB, 4));    // but for what goes with them anyway
  EXPECT_TRUE(issue(store, 2, 64_KiB, 4));   // other warps go on
  EXPECT_FALSE(issue(load, 0, 64_KiB, 4));   // the line that its store is on its way to
  EXPECT_FALSE(issue(store, 0, 1024, 4));    // one of those that its load is
  complete();
  ASSERT_TRUE(issue(load, 1, 0, 128));  // all places are free again
  EXPECT_TRUE(issue(store, 1, 64_KiB, 4));
  complete();
}

// A barrier, a fence of the block or a release comes after the warp's accesses to tracked memory.
TEST_F(TrackedAccess, WhoReleasesWaitsForItsWarp) {
  machine.holds = [](const memory::Request& request) { return request.tracked; };
  const ptx::MicroOp store = op_of(Kind::Store);
  ptx::MicroOp release = op_of(Kind::Store);
  release.semantics = ptx::MemorySemantics::Release;
  EXPECT_FALSE(machine.unit.orders_tracked(0));
  addresses(tracked->base.value(), 4);
  ASSERT_TRUE(machine.issue(registers.warp, store));
  for (int i = 0; i < 10; ++i) machine.step();
  EXPECT_TRUE(machine.unit.orders_tracked(0));
  EXPECT_FALSE(machine.unit.orders_tracked(1));
  addresses(plain->base.value(), 4);
  EXPECT_FALSE(machine.issue(registers.warp, release));
  EXPECT_TRUE(machine.issue(registers.warp, release, kAll, 1));
  EXPECT_TRUE(machine.issue(registers.warp, store));
  for (int i = 0; i < 10; ++i) machine.step();
  machine.release();
  machine.run();
  EXPECT_FALSE(machine.unit.orders_tracked(0));
  EXPECT_TRUE(machine.issue(registers.warp, release));
  machine.run();
}

// A store that waits keeps nobody else from L1, and leaves the last place of the table to others.
TEST_F(TrackedAccess, AStoreThatWaitsKeepsToItself) {
  machine.holds = [](const memory::Request& request) { return request.trigger != Trigger::None; };
  addresses(tracked->base.value(), 4);
  const ptx::MicroOp give = op_of(Kind::Store, BitTrigger::Empty, BitAction::Fill);
  unsigned taken = 0;
  while (machine.issue(registers.warp, give, kAll, taken)) {
    ++taken;
    for (int i = 0; i < 5; ++i) machine.step();
  }
  EXPECT_EQ(taken, 15u);  // of 16
  addresses(plain->base.value(), 4);
  const ptx::MicroOp load = op_of(Kind::Load);
  ASSERT_TRUE(machine.issue(registers.warp, load, kAll, 20));
  for (int i = 0; i < 20; ++i) machine.step();
  ASSERT_EQ(machine.unit.completions().size(), 1u);
  EXPECT_EQ(machine.unit.completions()[0].warp, 20u);
  machine.unit.clear_completions();
  machine.release();
  machine.run();
  EXPECT_EQ(machine.completed.size(), 15u);
}

// An instruction that finds no room in L1 keeps those that may wait for bits from nothing.
TEST_F(TrackedAccess, AFullClassStopsNoOther) {
  machine.refused = TrafficClass::NonTriggered;
  addresses(plain->base.value(), 128);
  const ptx::MicroOp store = op_of(Kind::Store), load = op_of(Kind::Load);
  ASSERT_TRUE(machine.issue(registers.warp, store, kAll, 0));
  for (int i = 0; i < 20; ++i) machine.step();
  EXPECT_TRUE(machine.seen.empty());
  addresses(tracked->base.value(), 128);
  ASSERT_TRUE(machine.issue(registers.warp, load, kAll, 1));
  for (int i = 0; i < 60; ++i) machine.step();
  EXPECT_EQ(machine.seen.size(), kLanes);
  for (const Seen& seen : machine.seen) EXPECT_EQ(seen.traffic_class, TrafficClass::TriggeredGpu);
  ASSERT_EQ(machine.unit.completions().size(), 1u);
  EXPECT_EQ(machine.unit.completions()[0].warp, 1u);
  machine.unit.clear_completions();
  machine.refused.reset();
  machine.run();
  EXPECT_EQ(machine.completed.size(), 1u);
}

TEST_F(TrackedAccess, NamingBitsOfMemoryWithoutThemIsAFault) {
  using Issue = LoadStoreUnit<kLanes>::Issue;
  const auto issue = [&](const ptx::MicroOp& op) {
    return machine.unit.issue(0, registers.warp, op, kAll, machine.memory);
  };
  addresses(tracked->base.value(), 4);
  registers.address(9) = plain->base.value() + 8;
  for (const Kind kind : {Kind::Load, Kind::Store})
    for (const auto& [trigger, action] :
         {std::pair{BitTrigger::Full, BitAction::None}, std::pair{BitTrigger::Empty, BitAction::None},
          std::pair{BitTrigger::None, BitAction::Fill}, std::pair{BitTrigger::Full, BitAction::Empty}}) {
      ASSERT_EQ(issue(op_of(kind, trigger, action, StateSpace::Generic)), Issue::Faulted);
      const AccessFault& fault = machine.unit.fault();
      EXPECT_EQ(fault.kind, FaultKind::IllegalAddress);
      EXPECT_TRUE(fault.untracked);
      EXPECT_EQ(fault.lane, 9u);
      EXPECT_EQ(fault.address, plain->base.value() + 8);
      EXPECT_EQ(fault.space, StateSpace::Global);
    }
  for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = ptx::kSharedWindow + 4 * i;
  ASSERT_EQ(issue(op_of(Kind::Load, BitTrigger::Full, BitAction::None, StateSpace::Generic)), Issue::Faulted);
  EXPECT_EQ(machine.unit.fault().space, StateSpace::Shared);
  EXPECT_TRUE(machine.unit.fault().untracked);
  // An address that nobody has is that fault, and one that names neither wait nor change is a plain access.
  addresses(0, 4);
  ASSERT_EQ(issue(op_of(Kind::Load, BitTrigger::Full)), Issue::Faulted);
  EXPECT_FALSE(machine.unit.fault().untracked);
  addresses(plain->base.value(), 4);
  machine.seen.clear();
  machine.run(registers.warp, op_of(Kind::Load, BitTrigger::None));
  ASSERT_EQ(machine.seen.size(), 1u);
  EXPECT_FALSE(machine.seen[0].request.tracked);
  EXPECT_EQ(machine.seen[0].traffic_class, TrafficClass::NonTriggered);
}

}  // namespace
}  // namespace duet::gpu::test
