// Random programs of several cores with small caches. Cores own words of the same lines, so lines go from
// core to core all the time, and nobody's values change for it: each core ends as an interpreter alone does.
#include <random>

#include "core_rig.h"
#include "rv64/interpreter.h"

namespace duet::test {
namespace {

using namespace rv;

constexpr unsigned kCores = 3;
constexpr std::uint64_t kRandomData = CoreRig::kData;
constexpr unsigned kShared = s3, kOwn = s4, kPlace = s5;  // bases, and an address that is computed

// Core i has 16 bytes of each of 8 lines from kRandomData + 16 i on, and 512 bytes for itself.
class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {}
  Words make() {
    Words words = loop(s0, body());
    words.push_back(kFence);
    words.push_back(kEcall);
    return words;
  }

 private:
  unsigned below(unsigned end) { return static_cast<unsigned>(random_() >> 8) % end; }
  unsigned value() { return 5 + below(3); }                            // t0 to t2
  unsigned more() { return below(2) == 0 ? value() : a0 + below(7); }  // a0 to a6 too
  int own_line() { return static_cast<int>(64 * below(8)); }
  // Sizes and offsets that stay in 16 bytes.
  void access(Words& words, unsigned base, int offset, unsigned reach) {
    const unsigned size = below(4);
    const int at = offset + static_cast<int>(below(reach - (1u << size) + 1));
    words.push_back(below(2) == 0 ? load(size | (size < 3 ? below(2) << 2 : 0), more(), at, base)
                                  : store(size, more(), at, base));
  }
  Words body() {
    Words words;
    while (words.size() < 90) one(words);
    return words;
  }
  void one(Words& words) {
    switch (below(12)) {
      case 0:
      case 1:
      case 2:
        return access(words, kShared, own_line(), 16);
      case 3:
        return access(words, kOwn, static_cast<int>(below(480)), 32);  // over the ends of lines too
      case 4: {                                                        // an address that follows from a value
        words.insert(words.end(), {andi(kPlace, more(), 7 * 64), add(kPlace, kPlace, kShared)});
        return access(words, kPlace, 0, 16);
      }
      case 5: {
        words.push_back(addi(kPlace, kShared, own_line() + 8 * static_cast<int>(below(2))));
        words.push_back(below(3) != 0 ? amoadd(more(), more(), kPlace) : lr(more(), kPlace));
        return;
      }
      case 6: {  // over some of what follows
        const int skipped = 1 + static_cast<int>(below(3));
        words.push_back(branch(below(2) == 0 ? below(2) : 4 + below(4), more(), more(), 4 * (skipped + 1)));
        for (int i = 0; i < skipped; ++i) words.push_back(addi(more(), more(), static_cast<int>(below(100))));
        return;
      }
      case 7:
        return words.push_back(muldiv(below(8), more(), more(), more()));
      case 8:
        return words.push_back(below(8) == 0 ? kFence : kNop);
      default:
        return words.push_back(below(2) == 0 ? add(more(), more(), more()) : sub(more(), more(), more()));
    }
  }
  std::minstd_rand random_;
};

struct CoreKind {
  const char* name;
  std::vector<std::string> sets;
};
const std::vector<CoreKind> kKinds{
    {"the machine file's", {}},
    {"small caches",
     {"cpu.l1.sets=1", "cpu.l1.ways=2", "cpu.l2.sets=1", "cpu.l2.ways=4", "cpu.l3.sets=2", "cpu.l3.ways=2"}},
    {"no L2, no L3",
     {"cpu.l1.sets=2", "cpu.l1.ways=2", "cpu.l2.sets=0", "cpu.l3.sets=0", "cpu.instruction_cache.sets=1",
      "cpu.instruction_cache.ways=2"}},
    {"one of everything",
     {"cpu.fetch_width=1", "cpu.dispatch_width=1", "cpu.issue_width=1", "cpu.retire_width=1",
      "cpu.rob_entries=4", "cpu.scheduler_entries=2", "cpu.load_entries=1", "cpu.store_entries=1",
      "cpu.l1.misses=1", "cpu.store_prefetches=0", "cpu.from_directory_cycles=1", "cpu.l2.sets=1",
      "cpu.l2.ways=3", "cpu.l1.sets=1"}},
    {"far from the directory",
     {"cpu.to_directory_cycles=30", "cpu.from_directory_cycles=70", "cpu.l2.sets=2", "cpu.l2.ways=2",
      "cpu.l1.sets=1", "cpu.l1.ways=1"}},
    {"many prefetches in a small cache",
     {"cpu.l2.sets=4", "cpu.l2.ways=4", "cpu.l1.sets=1", "cpu.l1.ways=1", "cpu.l2.prefetch_lines=7"}}};

void prepare(rv64::Registers& registers, unsigned core, unsigned seed) {
  std::minstd_rand random(seed * 31 + core + 1);
  for (unsigned number = 5; number < 18; ++number) registers.x[number] = std::uint64_t{random()} * random();
  registers.x[s0] = 25;
  registers.x[kShared] = kRandomData + 16 * core;
  registers.x[kOwn] = kRandomData + 4096 * (core + 1) - 256;  // over the end of a page
  registers.x[kPlace] = 0;
}

TEST(RandomCores, EndAsAnInterpreterAloneDoes) {
  for (const CoreKind& kind : kKinds)
    for (unsigned seed = 1; seed <= 12; ++seed) {
      SCOPED_TRACE(std::string(kind.name) + ", seed " + std::to_string(seed));
      CoreRig rig(kind.sets, kCores, seed % 3);
      rv64::PagedMemory flat;
      flat.map(VirtualAddress(CoreRig::kCode), CoreRig::kCodeStep * kCores, {true, true, true});
      flat.map(VirtualAddress(kRandomData), CoreRig::kDataBytes, {true, true, false});
      rv64::Interpreter interpreter(flat);
      std::deque<rv64::Hart> harts;
      for (unsigned core = 0; core < kCores; ++core) {
        const Words words = Program(seed * kCores + core + 1).make();
        rig.program(core, words);
        const std::uint64_t code = CoreRig::kCode + core * CoreRig::kCodeStep;
        ASSERT_FALSE(flat.write(VirtualAddress(code), std::as_bytes(std::span(words))));
        prepare(rig.registers[core], core, seed);
        rv64::Hart& hart = harts.emplace_back(flat, core);
        static_cast<rv64::Registers&>(hart) = rig.registers[core];
        ASSERT_EQ(interpreter.run(hart, 1'000'000).cause, rv64::TrapCause::SystemCall);
      }
      rig.run();
      for (unsigned core = 0; core < kCores; ++core) {
        if (!rig.traps[core]) continue;  // said already
        EXPECT_EQ(rig.traps[core]->cause, rv64::TrapCause::SystemCall)
            << "core " << core << ", pc " << std::hex << rig.registers[core].pc << ", instruction "
            << rig.traps[core]->instruction << ", address " << rig.traps[core]->fault.address;
        for (unsigned number = 1; number < 32; ++number)
          EXPECT_EQ(rig.x(number, core), harts[core].x[number]) << "core " << core << ", x" << number;
        EXPECT_EQ(rig.registers[core].pc, harts[core].pc);
        EXPECT_EQ(rig.cores[core].statistics().instructions, harts[core].retired);
      }
      std::vector<std::byte> ours(CoreRig::kDataBytes), theirs(CoreRig::kDataBytes);
      ASSERT_FALSE(rig.memory.read(VirtualAddress(kRandomData), ours));
      ASSERT_FALSE(flat.read(VirtualAddress(kRandomData), theirs));
      EXPECT_TRUE(ours == theirs);
      if (HasFailure()) return;
    }
}

}  // namespace
}  // namespace duet::test
