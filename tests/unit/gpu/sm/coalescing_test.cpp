// Into how many requests, of which bytes, the lanes of one instruction go. Expected values come from the set
// of lines that formulas of the lane number name.
#include <functional>
#include <set>

#include "load_store_fixture.h"

namespace duet::gpu::test {
namespace {

using ptx::Kind;
using ptx::StateSpace;
using ptx::Type;

constexpr unsigned kLanes = 32;

struct Case {
  const char* name;
  Type type;
  unsigned elements;
  std::function<std::uint64_t(unsigned)> offset;  // of a lane
  unsigned requests;                              // of 128-byte lines
  unsigned segments;                              // of 32 bytes, for loads that bypass L1
};

const Case kCases[] = {
    {"consecutive", Type::U32, 1, [](unsigned i) { return 4 * i; }, 1, 4},
    {"reversed", Type::U32, 1, [](unsigned i) { return 4 * (31 - i); }, 1, 4},
    {"permuted", Type::U32, 1, [](unsigned i) { return 4 * (i * 5 % 32); }, 1, 4},
    {"misaligned by 4", Type::U32, 1, [](unsigned i) { return 4 * i + 4; }, 2, 5},
    {"misaligned by 64", Type::U32, 1, [](unsigned i) { return 4 * i + 64; }, 2, 4},
    {"stride 2", Type::U32, 1, [](unsigned i) { return 8 * i; }, 2, 8},
    {"stride 32", Type::U32, 1, [](unsigned i) { return 128 * i; }, 32, 32},
    {"stride 33", Type::U32, 1, [](unsigned i) { return 132 * i; }, 32, 32},
    {"one word", Type::U32, 1, [](unsigned) { return 64; }, 1, 1},
    {"two lines", Type::U32, 1, [](unsigned i) { return 4096 * (i % 2) + 4 * i; }, 2, 8},
    {"bytes", Type::U8, 1, [](unsigned i) { return i; }, 1, 1},
    {"halves", Type::S16, 1, [](unsigned i) { return 2 * i; }, 1, 2},
    {"doubles", Type::F64, 1, [](unsigned i) { return 8 * i; }, 2, 8},
    {"vec4", Type::F32, 4, [](unsigned i) { return 16 * i; }, 4, 16},
    {"vec4 of doubles", Type::F64, 4, [](unsigned i) { return 32 * i; }, 8, 32},
    {"vec2, every other", Type::U32, 2, [](unsigned i) { return 16 * i; }, 4, 16},
};

class Coalescing : public testing::TestWithParam<std::tuple<int, Kind, bool>> {};

TEST_P(Coalescing, RequestsAreTheLinesThatLanesTouch) {
  const auto& [index, kind, global] = GetParam();
  const Case& c = kCases[index];
  const bool bypass = global && kind == Kind::Load;  // stores go by lines: L1 writes through
  Machine<kLanes> machine;
  const memory::Allocation* allocation =
      machine.space.allocate_device(64_KiB, memory::AllocationKind::Device);
  ASSERT_NE(allocation, nullptr);
  Registers<kLanes> registers;
  const unsigned bytes = ptx::type_bytes(c.type) * c.elements;
  const unsigned line = bypass ? 32 : 128;
  std::map<Address, std::set<unsigned>> expected;  // bytes of each line
  for (unsigned i = 0; i < kLanes; ++i) {
    registers.address(i) = allocation->base.value() + c.offset(i);
    for (unsigned b = 0; b < bytes; ++b) {
      const Address at = machine.space.physical(allocation->base).value() + c.offset(i) + b;
      expected[at / line * line].insert(static_cast<unsigned>(at % line));
    }
  }
  ptx::MicroOp op = memory_op(kind, StateSpace::Global, c.type, c.elements);
  if (global) op.cache = ptx::CacheOperator::CacheGlobal;
  machine.run(registers.warp, op);

  EXPECT_EQ(machine.seen.size(), bypass ? c.segments : c.requests);
  EXPECT_EQ(machine.seen.size(), expected.size());
  EXPECT_EQ(machine.unit.statistics().transactions, expected.size());
  Cycle before = 0;
  for (const Seen& seen : machine.seen) {
    ASSERT_TRUE(expected.contains(seen.request.address.value()));
    EXPECT_EQ(seen.request.bytes, line);
    for (unsigned b = 0; b < 128; ++b)
      EXPECT_EQ(seen.request.mask.test(b), expected[seen.request.address.value()].contains(b))
          << "byte " << b;
    EXPECT_EQ(seen.payload_bytes, kind == Kind::Store ? seen.masked() : 0);
    EXPECT_EQ(seen.request.cacheability.gpu_l1, !bypass);
    EXPECT_TRUE(seen.request.cacheability.gpu_l2);
    EXPECT_EQ(seen.request.pc, 77u);
    EXPECT_GT(seen.cycle, before) << "one transaction a cycle";
    before = seen.cycle;
    expected.erase(seen.request.address.value());
  }
}

std::string name_of(const testing::TestParamInfo<std::tuple<int, Kind, bool>>& info) {
  std::string name = kCases[std::get<0>(info.param)].name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name + (std::get<1>(info.param) == Kind::Load ? "_load" : "_store") +
         (std::get<2>(info.param) ? "_cg" : "");
}
INSTANTIATE_TEST_SUITE_P(Patterns, Coalescing,
                         testing::Combine(testing::Range(0, static_cast<int>(std::size(kCases))),
                                          testing::Values(Kind::Load, Kind::Store), testing::Bool()),
                         name_of);

// Which loads ask L1 to keep out of it.
struct Bypass {
  const char* name;
  bool bypasses;
  bool global_in_l1;
  ptx::CacheOperator cache = ptx::CacheOperator::Default;
  ptx::MemorySemantics semantics = ptx::MemorySemantics::Weak;
  ptx::MemoryScope scope = ptx::MemoryScope::None;
};
TEST(Coalescing, LoadsThatBypassL1) {
  using enum ptx::MemorySemantics;
  using ptx::CacheOperator;
  using ptx::MemoryScope;
  const Bypass cases[] = {
      {"ld", false, true},
      {"ld on a machine whose L1 does not hold global memory", true, false},
      {"ld.ca", false, true, CacheOperator::CacheAll},
      {"ld.cg", true, true, CacheOperator::CacheGlobal},
      {"ld.cv", true, true, CacheOperator::Volatile},
      {"ld.volatile", true, true, CacheOperator::Default, Volatile},
      {"ld.relaxed.cta", false, true, CacheOperator::Default, Relaxed, MemoryScope::Cta},
      {"ld.relaxed.gpu", true, true, CacheOperator::Default, Relaxed, MemoryScope::Gpu},
      {"ld.acquire.sys", true, true, CacheOperator::Default, Acquire, MemoryScope::System},
  };
  for (const Bypass& c : cases) {
    config::Gpu gpu = test_gpu();
    gpu.sm.global_in_l1 = c.global_in_l1;
    Machine<kLanes> machine(gpu);
    const memory::Allocation* allocation =
        machine.space.allocate_device(4096, memory::AllocationKind::Device);
    Registers<kLanes> registers;
    for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = allocation->base.value() + 4 * i;
    ptx::MicroOp op = memory_op(Kind::Load, StateSpace::Global, Type::U32);
    op.cache = c.cache;
    op.semantics = c.semantics;
    op.scope = c.scope;
    machine.run(registers.warp, op);
    EXPECT_EQ(machine.seen.size(), c.bypasses ? 4u : 1u) << c.name;
    EXPECT_EQ(machine.seen.at(0).request.cacheability.gpu_l1, !c.bypasses) << c.name;
  }
}

TEST(Coalescing, MappedHostMemoryIsNotCached) {
  Machine<kLanes> machine;
  alignas(4096) static std::byte host[4096];
  const memory::Allocation* allocation =
      machine.space.map_host(host, sizeof host, memory::AllocationKind::Pinned,
                             memory::host_pages({}, memory::AllocatingCall::Pinned));
  const memory::Allocation* device = machine.space.allocate_device(4096, memory::AllocationKind::Device);
  Registers<kLanes> registers;
  // Half of the lanes in each memory.
  for (unsigned i = 0; i < kLanes; ++i)
    registers.address(i) = (i % 2 ? allocation : device)->base.value() + 4 * i;
  machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Generic, Type::U32));
  ASSERT_EQ(machine.seen.size(), 5u);
  for (const Seen& seen : machine.seen) {
    const bool is_host = !machine.physical.map().is_at(memory::Home::DeviceDram, seen.request.address);
    EXPECT_EQ(seen.request.bytes, is_host ? 32 : 128);
    EXPECT_EQ(seen.request.cacheability.gpu_l1, !is_host);
    EXPECT_EQ(seen.request.cacheability.gpu_l2, !is_host);
    EXPECT_EQ(seen.masked(), is_host ? 16u : 64u);
  }
}

// Where pages say so, lanes share a request only at one address.
TEST(Coalescing, OfPagesWithoutItEachAddressIsARequest) {
  for (const bool coalesced : {true, false})
    for (const unsigned stride : {0u, 4u, 8u}) {
      Machine<kLanes> machine;
      alignas(4096) static std::byte host[4096];
      memory::PageAttributes pages = memory::host_pages({}, memory::AllocatingCall::Pinned);
      pages.coalesced = coalesced;
      const memory::Allocation* allocation =
          machine.space.map_host(host, sizeof host, memory::AllocationKind::Pinned, pages);
      Registers<kLanes> registers;
      for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = allocation->base.value() + stride * i;
      machine.run(registers.warp, memory_op(Kind::Load, StateSpace::Global, Type::U32));
      const std::size_t addresses = stride == 0 ? 1 : kLanes;
      EXPECT_EQ(machine.seen.size(), coalesced ? std::max(stride, 1u) : addresses) << stride;
      machine.seen.clear();
      machine.run(registers.warp, memory_op(Kind::Store, StateSpace::Global, Type::U32));
      EXPECT_EQ(machine.seen.size(), coalesced ? std::max(stride / 4, 1u) : addresses) << stride;
    }
}

TEST(Coalescing, ConstantCacheTakesOneAddressAtATime) {
  Machine<kLanes> machine;
  const memory::Allocation* allocation = machine.space.allocate_device(4096, memory::AllocationKind::Module);
  for (unsigned i = 0; i < 1024; ++i) std::memcpy(machine.space.bytes(allocation->base) + 4 * i, &i, 4);
  Registers<kLanes> registers;
  const ptx::MicroOp op = memory_op(Kind::Load, StateSpace::Const, Type::U32);
  for (unsigned distinct : {1u, 2u, 32u}) {
    machine.seen.clear();
    for (unsigned i = 0; i < kLanes; ++i)
      registers.address(i) = allocation->base.value() + 100 + 4 * (i % distinct);
    machine.run(registers.warp, op);
    EXPECT_EQ(machine.seen.size(), distinct);
    for (const Seen& seen : machine.seen) {
      EXPECT_TRUE(seen.constant);
      EXPECT_EQ(seen.request.bytes, 64);
      EXPECT_EQ(seen.masked(), 4u);
    }
    for (unsigned i = 0; i < kLanes; ++i) EXPECT_EQ(registers.word(kDestinationSlot, i), 25 + i % distinct);
  }
  EXPECT_EQ(machine.unit.statistics().transactions, 0u);
  EXPECT_EQ(machine.unit.statistics().constant_loads, 3u);
}

// gpu.sm.coalesced_threads: bytes of each request, in their order.
std::vector<unsigned> requested(unsigned threads, const ptx::MicroOp& op,
                                const std::function<std::uint64_t(unsigned)>& offset) {
  config::Gpu gpu = test_gpu();
  gpu.sm.coalesced_threads = threads;
  Machine<kLanes> machine(gpu);
  const memory::Allocation* allocation =
      machine.space.allocate_device(64_KiB, memory::AllocationKind::Device);
  machine.memory.local_physical = machine.space.physical(allocation->base);
  machine.memory.local_bytes = 64;
  const Address base =
      op.space == StateSpace::Global || op.space == StateSpace::Const ? allocation->base.value() : Address{0};
  Registers<kLanes> registers;
  for (unsigned i = 0; i < kLanes; ++i) registers.address(i) = base + offset(i);
  machine.run(registers.warp, op);
  std::vector<unsigned> bytes;
  for (const Seen& seen : machine.seen) bytes.push_back(seen.masked());
  return bytes;
}

TEST(CoalescedThreads, GroupsDoNotShareRequests) {
  using Bytes = std::vector<unsigned>;
  const auto words = [](unsigned i) { return 4 * i; };
  const auto reversed = [](unsigned i) { return 4 * (31 - i); };
  const auto one_word = [](unsigned) { return 64u; };
  const auto moved = [](unsigned i) { return 4 * i + 64; };
  const ptx::MicroOp load = memory_op(Kind::Load, StateSpace::Global, Type::U32);
  const ptx::MicroOp store = memory_op(Kind::Store, StateSpace::Global, Type::U32);
  const ptx::MicroOp local = memory_op(Kind::Load, StateSpace::Local, Type::U32);
  const ptx::MicroOp atomic = atomic_op(AtomicOperation::Add, AtomicType::U32, Type::U32, true);
  for (const ptx::MicroOp& op : {load, store, atomic}) {
    EXPECT_EQ(requested(0, op, words), Bytes{128});
    EXPECT_EQ(requested(32, op, words), Bytes{128});
    EXPECT_EQ(requested(16, op, words), (Bytes{64, 64}));
    EXPECT_EQ(requested(8, op, words), (Bytes{32, 32, 32, 32}));
    EXPECT_EQ(requested(16, op, reversed), (Bytes{64, 64}));
    EXPECT_EQ(requested(16, op, moved), (Bytes{64, 64})) << "each half in a line of its own";
    EXPECT_EQ(requested(0, op, moved), (Bytes{64, 64}));
  }
  EXPECT_EQ(requested(0, load, one_word), Bytes{4});
  EXPECT_EQ(requested(16, load, one_word), (Bytes{4, 4}));
  EXPECT_EQ(requested(16, local, [](unsigned) { return 8u; }), (Bytes{64, 64}));
  EXPECT_EQ(requested(0, local, [](unsigned) { return 8u; }), Bytes{128});
  // Two elements a lane; and segments of 32 bytes, which half a warp does not share.
  const ptx::MicroOp pairs = memory_op(Kind::Load, StateSpace::Global, Type::U32, 2);
  EXPECT_EQ(requested(16, pairs, [](unsigned i) { return 8 * i; }), (Bytes{128, 128}));
  ptx::MicroOp past = load;
  past.cache = ptx::CacheOperator::CacheGlobal;
  EXPECT_EQ(requested(16, past, words), (Bytes{32, 32, 32, 32}));
  EXPECT_EQ(requested(16, past, [](unsigned i) { return 4 * i + 16; }), (Bytes{16, 32, 16, 16, 32, 16}));
  EXPECT_EQ(requested(0, past, [](unsigned i) { return 4 * i + 16; }), (Bytes{16, 32, 32, 32, 16}));
  // Constants and shared memory know no groups.
  EXPECT_EQ(requested(16, memory_op(Kind::Load, StateSpace::Const, Type::U32), one_word), Bytes{4});
  EXPECT_EQ(requested(16, memory_op(Kind::Load, StateSpace::Shared, Type::U32), words), Bytes{});
}

}  // namespace
}  // namespace duet::gpu::test
