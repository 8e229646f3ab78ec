// Random memory instructions, several in flight, against the functional model on the same memory: registers,
// memory and faults agree.
#include <deque>

#include "load_store_fixture.h"

namespace duet::gpu::test {
namespace {

using ptx::Kind;
using ptx::StateSpace;
using ptx::Type;

constexpr Bytes kGlobalBytes = 16_KiB, kLocalBytes = 64, kSharedBytes = 2048;

struct Tried {  // an instruction that was issued
  ptx::MicroOp op;
  std::uint64_t lanes = 0;
};

template <unsigned W>
class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, unsigned width, const config::Gpu& gpu)
      : random_(seed), width_(width), machine_(gpu, seed, 40, 2), functional_(machine_.space) {
    global_ = machine_.space.allocate_device(kGlobalBytes, memory::AllocationKind::Device);
    second_ = machine_.space.allocate_device(8192, memory::AllocationKind::Managed);
    constants_ = machine_.space.allocate_device(4096, memory::AllocationKind::Module);
    const memory::Allocation* local =
        machine_.space.allocate_device(kLocalBytes * W + 4096, memory::AllocationKind::Device);
    for (const memory::Allocation* a : {global_, second_, constants_, local})
      randomize(machine_.space.bytes(a->base), a->mapped_bytes);
    machine_.shared.resize(kSharedBytes);
    machine_.memory.shared = machine_.shared.data();
    machine_.memory.shared_bytes = kSharedBytes;
    machine_.memory.local_physical = machine_.space.physical(local->base) + 128 * (random_() % 4);
    machine_.memory.local_bytes = kLocalBytes;
    local_.resize(kLocalBytes * W);
    for (unsigned lane = 0; lane < width_; ++lane)
      for (unsigned b = 0; b < kLocalBytes; ++b) local_[lane * kLocalBytes + b] = local_byte(lane, b);
  }

  void run(unsigned instructions) {
    const std::vector<std::byte> global(machine_.space.bytes(global_->base),
                                        machine_.space.bytes(global_->base) + kGlobalBytes);
    const std::vector<std::byte> second(machine_.space.bytes(second_->base),
                                        machine_.space.bytes(second_->base) + 8192);
    std::vector<std::byte> shared = machine_.shared;
    std::vector<std::unique_ptr<Registers<W>>> before, after;
    std::deque<Tried> tried;  // micro-ops stay where they are
    AccessFault fault;
    while (tried.size() < instructions) {
      while (!machine_.unit.can_issue()) machine_.step();
      auto registers = std::make_unique<Registers<W>>(width_);
      randomize(registers->bytes.data(), registers->bytes.size());
      tried.push_back({random_op(), random_lanes()});
      random_addresses(*registers, tried.back());
      before.push_back(std::make_unique<Registers<W>>(*registers));
      after.push_back(std::move(registers));
      const auto start = machine_.cycle + random_() % 3;
      if (machine_.unit.issue(static_cast<std::uint32_t>(tried.size() % 48), after.back()->warp,
                              tried.back().op, tried.back().lanes,
                              machine_.memory) != LoadStoreUnit<W>::Issue::Taken) {
        fault = machine_.unit.fault();
        break;
      }
      machine_.unit.start_at(start);
      // What is stored has been copied.
      if (tried.back().op.kind == Kind::Store)
        randomize(after.back()->bytes.data() + kSourceSlot * W * 4, 16 * W * 4);
      if (random_() % 2) machine_.step();
    }
    machine_.run();
    for (unsigned i = 0; i < 48; ++i)
      EXPECT_EQ(machine_.unit.outstanding_reads(i) + machine_.unit.outstanding_writes(i), 0u);
    EXPECT_EQ(machine_.unit.waits_for(), "");

    // The same once more, by the functional model, from the same memory.
    const std::vector<std::byte> global_after(machine_.space.bytes(global_->base),
                                              machine_.space.bytes(global_->base) + kGlobalBytes);
    const std::vector<std::byte> second_after(machine_.space.bytes(second_->base),
                                              machine_.space.bytes(second_->base) + 8192);
    std::copy(global.begin(), global.end(), machine_.space.bytes(global_->base));
    std::copy(second.begin(), second.end(), machine_.space.bytes(second_->base));
    const BlockMemory block{shared.data(),
                            kSharedBytes,
                            local_.data(),
                            kLocalBytes,
                            machine_.memory.parameters,
                            machine_.memory.parameter_bytes};
    for (std::size_t i = 0; i < tried.size(); ++i) {
      const bool ok = functional_.execute(before[i]->warp, tried[i].op, tried[i].lanes, block);
      const bool last_faulted = i + 1 == tried.size() && fault.kind != FaultKind::None;
      ASSERT_EQ(ok, !last_faulted) << "instruction " << i << " kind "
                                   << static_cast<int>(functional_.fault().kind);
      if (!ok) {
        ++faults;
        EXPECT_EQ(fault.kind, functional_.fault().kind);
        EXPECT_EQ(fault.lane, functional_.fault().lane);
        EXPECT_EQ(fault.address, functional_.fault().address);
        EXPECT_EQ(fault.space, functional_.fault().space);
        // An instruction that faults in one window may have acted in another, in the functional model.
        if (tried[i].op.space == StateSpace::Generic) return;
      }
      if (std::memcmp(after[i]->bytes.data(), before[i]->bytes.data(), kSourceSlot * W * 4) == 0) continue;
      for (unsigned slot = 0; slot < kSourceSlot; ++slot)
        for (unsigned lane = 0; lane < W; ++lane)
          ASSERT_EQ(after[i]->word(slot, lane), before[i]->word(slot, lane))
              << "instruction " << i << " slot " << slot << " lane " << lane << " type "
              << ptx::type_name(tried[i].op.type) << " space " << static_cast<int>(tried[i].op.space)
              << " kind " << static_cast<int>(tried[i].op.kind);
    }
    EXPECT_EQ(std::memcmp(global_after.data(), machine_.space.bytes(global_->base), kGlobalBytes), 0);
    EXPECT_EQ(std::memcmp(second_after.data(), machine_.space.bytes(second_->base), 8192), 0);
    ASSERT_EQ(machine_.shared, shared);
    for (unsigned lane = 0; lane < width_; ++lane)
      for (unsigned b = 0; b < kLocalBytes; ++b)
        ASSERT_EQ(local_[lane * kLocalBytes + b], local_byte(lane, b)) << "local " << lane << " " << b;
  }
  unsigned faults = 0;

 private:
  std::byte local_byte(unsigned lane, unsigned b) {
    return *machine_.space.memory().bytes(machine_.memory.local_physical + (b / 4 * width_ + lane) * 4 +
                                          b % 4);
  }
  void randomize(std::byte* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 8) {
      const std::uint64_t value = random_();
      std::memcpy(bytes + i, &value, 8);
    }
  }
  template <typename T, std::size_t N>
  T pick(const T (&from)[N]) {
    return from[random_() % N];
  }

  ptx::MicroOp random_op() {
    static constexpr StateSpace kSpaces[] = {StateSpace::Generic, StateSpace::Global, StateSpace::Global,
                                             StateSpace::Shared,  StateSpace::Local,  StateSpace::Param,
                                             StateSpace::Const,   StateSpace::Generic};
    StateSpace space = pick(kSpaces);
    if (random_() % 4 == 0) return random_atomic();
    const Kind kind = random_() % 2 ? Kind::Load : Kind::Store;
    if (kind == Kind::Store && space == StateSpace::Const) space = StateSpace::Global;
    if (kind == Kind::Store && space == StateSpace::Param && random_() % 16) space = StateSpace::Global;
    static constexpr Type kTypes[] = {Type::U8,  Type::S8,  Type::B16, Type::S16, Type::U16,
                                      Type::U32, Type::S32, Type::F32, Type::B32, Type::U64,
                                      Type::S64, Type::F64, Type::B128};
    const Type type = pick(kTypes);
    const unsigned elements = type == Type::B128 ? 1 : 1u << random_() % 3;
    ptx::MicroOp op = memory_op(kind, space, type, elements, type != Type::B128 && random_() % 3 == 0);
    if (kind == Kind::Load && random_() % 8 == 0) op.destinations[random_() % elements] = ptx::kNoRegister;
    static constexpr ptx::CacheOperator kCaches[] = {
        ptx::CacheOperator::Default, ptx::CacheOperator::CacheGlobal, ptx::CacheOperator::CacheAll};
    op.cache = pick(kCaches);
    return op;
  }
  ptx::MicroOp random_atomic() {
    struct Choice {
      AtomicType atomic;
      Type type;
    };
    static constexpr Choice kInteger[] = {{AtomicType::U32, Type::U32}, {AtomicType::S32, Type::S32},
                                          {AtomicType::U64, Type::U64}, {AtomicType::S64, Type::S64},
                                          {AtomicType::B32, Type::B32}, {AtomicType::B64, Type::B64}};
    static constexpr Choice kFloat[] = {{AtomicType::F32, Type::F32},   {AtomicType::F64, Type::F64},
                                        {AtomicType::F16, Type::F16},   {AtomicType::F16x2, Type::F16x2},
                                        {AtomicType::BF16, Type::BF16}, {AtomicType::BF16x2, Type::BF16x2}};
    static constexpr AtomicOperation kIntegerOperations[] = {
        AtomicOperation::Exchange, AtomicOperation::Add,     AtomicOperation::Increment,
        AtomicOperation::Minimum,  AtomicOperation::Maximum, AtomicOperation::Xor};
    static constexpr StateSpace kSpaces[] = {StateSpace::Global, StateSpace::Shared, StateSpace::Generic};
    const bool returns = random_() % 2;
    const StateSpace space = pick(kSpaces);
    switch (random_() % 3) {
      case 0: {
        const Choice c = pick(kInteger);
        return atomic_op(pick(kIntegerOperations), c.atomic, c.type, returns, space);
      }
      case 1: {
        static constexpr Choice kSwap[] = {
            {AtomicType::B16, Type::B16}, {AtomicType::B32, Type::B32}, {AtomicType::B64, Type::B64}};
        const Choice c = pick(kSwap);
        return atomic_op(AtomicOperation::CompareAndSwap, c.atomic, c.type, returns, space);
      }
      default: {
        const Choice c = pick(kFloat);
        return atomic_op(random_() % 2 ? AtomicOperation::Add : AtomicOperation::Maximum, c.atomic, c.type,
                         returns, space);
      }
    }
  }
  std::uint64_t random_lanes() {
    const std::uint64_t all = LaneMask::first(width_).bits();
    std::uint64_t lanes = all;
    if (random_() % 2) lanes &= random_() | random_();
    if (random_() % 8 == 0) lanes &= random_() & random_();
    return lanes == 0 ? all : lanes;
  }

  // Base and size of the window that a lane's address lies in.
  std::pair<Address, Bytes> window(const ptx::MicroOp& op) {
    switch (op.space) {
      case StateSpace::Shared:
        return {0, kSharedBytes};
      case StateSpace::Local:
        return {0, kLocalBytes};
      case StateSpace::Param:
        return {0, machine_.memory.parameter_bytes};
      case StateSpace::Const:
        return {constants_->base.value(), 4096};
      case StateSpace::Generic:
        switch (random_() % 6) {
          case 0:
            return {ptx::kSharedWindow, kSharedBytes};
          case 1:
            if (op.kind == Kind::Atomic && ptx::type_bytes(op.type) == 8) break;
            return {ptx::kLocalWindow, kLocalBytes};
          case 2:
            if (op.kind != Kind::Load) break;
            return {ptx::kParamWindow, machine_.memory.parameter_bytes};
          default:
            break;
        }
        [[fallthrough]];
      default:
        return random_() % 4 ? std::pair{global_->base.value(), kGlobalBytes}
                             : std::pair{second_->base.value(), Bytes{8192}};
    }
  }
  void random_addresses(Registers<W>& registers, Tried& tried) {
    const unsigned bytes = ptx::access_bytes(tried.op);
    const auto [base, size] = window(tried.op);
    const Bytes places = size / bytes;
    const std::uint64_t from = random_() % places, stride = random_() % 5 ? random_() % 4 : random_() % 40;
    const unsigned shape = static_cast<unsigned>(random_() % 4);
    const Bytes few = 1 + random_() % std::min<Bytes>(places, 24);
    for (unsigned i = 0; i < W; ++i) {
      if (shape == 3) {  // each lane on its own
        const auto [b, s] = window(tried.op);
        registers.address(i) = b + random_() % (s / bytes) * bytes;
      } else {
        const std::uint64_t place = shape == 0   ? from + i * stride
                                    : shape == 1 ? from + random_() % few
                                                 : from + i;
        registers.address(i) = base + place % places * bytes;
      }
    }
    const auto lane = LaneMask(tried.lanes).lowest() + static_cast<unsigned>(random_() % 3);
    if (lane < W && random_() % 60 == 0) registers.address(lane) += bytes / 2;
    if (lane < W && random_() % 60 == 0) registers.address(lane) += 1_MiB;
    if (random_() % 4 == 0) {
      tried.op.address_offset = random_() % 2 ? 48 : -112;
      for (unsigned i = 0; i < W; ++i)
        registers.address(i) -= static_cast<std::uint64_t>(tried.op.address_offset);
    } else if (tried.op.space == StateSpace::Shared && random_() % 2) {
      tried.op.address_is_64_bit = false;
      for (unsigned i = 0; i < W; ++i) {
        const auto narrow = static_cast<std::uint32_t>(registers.address(i));
        registers.word(kAddressSlot + 19, i) = narrow;
      }
      tried.op.sources[0].slot = kAddressSlot + 19;
    }
  }

  std::mt19937_64 random_;
  unsigned width_;
  Machine<W> machine_;
  MemoryUnit<W> functional_;
  const memory::Allocation *global_, *second_, *constants_;
  std::vector<std::byte> local_;
};

template <unsigned W>
void agree(unsigned width, std::uint64_t programs, const config::Gpu& gpu = test_gpu()) {
  unsigned faults = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomProgram<W> program(seed, width, gpu);
    program.run(24);
    if (testing::Test::HasFailure()) return;
    faults += program.faults;
  }
  EXPECT_GT(faults, programs / 10) << "faults are hardly met";
  EXPECT_LT(faults, programs) << "hardly anything but faults is met";
}

TEST(LoadStoreRandom, AgreesWithTheFunctionalModel) { agree<32>(32, 800); }
TEST(LoadStoreRandom, AgreesWithTheFunctionalModelInWideWarps) { agree<64>(64, 400); }
TEST(LoadStoreRandom, AgreesWithTheFunctionalModelInNarrowWarps) {
  agree<32>(8, 200);
  agree<32>(19, 200);
}
TEST(LoadStoreRandom, AgreesWithTheFunctionalModelWithGroupsOfThreadsAndFewRequests) {
  config::Gpu gpu = test_gpu();
  for (const auto& [threads, requests] : {std::pair(8u, 1u), {16u, 3u}, {16u, 0u}, {0u, 2u}}) {
    gpu.sm.coalesced_threads = threads;
    gpu.sm.memory_requests = requests;
    gpu.sm.blocking_issue = requests == 1;
    agree<32>(32, 150, gpu);
    agree<64>(64, 50, gpu);
  }
}

}  // namespace
}  // namespace duet::gpu::test
