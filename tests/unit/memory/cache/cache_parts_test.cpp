// The parts of a cache that can be asked without one.
#include <gtest/gtest.h>

#include "memory/cache/access_rules.h"
#include "memory/cache/lookup_pipeline.h"
#include "memory/cache/port_below.h"
#include "memory/cache/recent_atomics.h"
#include "memory/cache/transits.h"

namespace duet::memory {
namespace {

constexpr PhysicalAddress kLine{0x1000}, kOtherLine{0x2000};
constexpr auto kPlain = TrafficClass::NonTriggered;

config::FullEmpty look_ahead_of(std::uint64_t requests) {
  config::FullEmpty full_empty;
  full_empty.look_ahead = requests;
  return full_empty;
}

std::vector<PhysicalAddress> lines_of(const Transits& transits) {
  std::vector<PhysicalAddress> lines;
  transits.for_each([&](const Transit& transit) { lines.push_back(transit.line); });
  return lines;
}

TEST(Transits, StayInTheOrderOfSendingWhenOneIsReleased) {
  Transits transits(look_ahead_of(1));
  transits.add(kLine, kPlain);
  const std::uint32_t second = transits.add(kOtherLine, kPlain);
  transits.add(PhysicalAddress(0x3000), kPlain);
  transits.release(second);
  EXPECT_EQ(lines_of(transits), (std::vector{kLine, PhysicalAddress(0x3000)}));
  transits.add(PhysicalAddress(0x4000), kPlain);  // in the place of the released one
  EXPECT_EQ(lines_of(transits), (std::vector{kLine, PhysicalAddress(0x3000), PhysicalAddress(0x4000)}));
  EXPECT_EQ(transits.size(), 3u);
}

TEST(Transits, AnotherClassMayOvertakeARequestOfTheLine) {
  Transits transits(look_ahead_of(1));
  const std::uint32_t index = transits.add(kLine, TrafficClass::TriggeredGpu);
  EXPECT_TRUE(transits.overtaken_by(kPlain, kLine));
  EXPECT_FALSE(transits.overtaken_by(kPlain, kOtherLine));
  EXPECT_FALSE(transits.overtaken_by(TrafficClass::TriggeredGpu, kLine));
  transits.release(index);
  EXPECT_FALSE(transits.overtaken_by(kPlain, kLine));
}

TEST(Transits, OneClassOvertakesItselfWhereQueuesBelowAreLookedInto) {
  Transits transits(look_ahead_of(4));
  transits.add(kLine, TrafficClass::TriggeredGpu);
  EXPECT_TRUE(transits.overtaken_by(TrafficClass::TriggeredGpu, kLine));
}

TEST(Transits, AWriteBackHasARequestOfItsOwn) {
  Transits transits(look_ahead_of(1));
  const std::uint32_t passes = transits.add(kLine, kPlain);
  EXPECT_TRUE(transits.of_line(kLine));
  EXPECT_FALSE(transits.writing_back(kLine));
  transits[passes].own = 7;
  EXPECT_TRUE(transits.writing_back(kLine));
}

TEST(ReturnAddress, ComesBackFromAPacket) {
  for (const auto kind :
       {ReturnAddress::Kind::Fetch, ReturnAddress::Kind::WriteBack, ReturnAddress::Kind::PassedOn}) {
    Packet packet;
    packet.argument = ReturnAddress{kind, 0xffff'fffeu}.pack();
    EXPECT_EQ(ReturnAddress::of(packet).kind, kind);
    EXPECT_EQ(ReturnAddress::of(packet).index, 0xffff'fffeu);
  }
}

TEST(LookupPipeline, IsFullAtItsDepthAndGoesAround) {
  constexpr std::size_t kDepth = 2;
  LookupPipeline pipeline;
  EXPECT_EQ(pipeline.front_ready(), kNever);
  const auto push = [&](std::uint32_t client, Picoseconds ready) {
    LookupPipeline::Stage& stage = pipeline.next(kDepth);
    stage.entry.client = client;
    stage.ready = ready;
    return pipeline.pushed(stage);
  };
  EXPECT_TRUE(push(0, 10));
  EXPECT_FALSE(push(1, 20));
  EXPECT_TRUE(pipeline.full(kDepth));
  for (std::uint32_t client = 2; client < 6; ++client) {
    EXPECT_EQ(pipeline.front().entry.client, client - 2);
    EXPECT_EQ(pipeline.front_ready(), 10 * (client - 1));
    pipeline.pop();
    EXPECT_FALSE(push(client, 10 * (client + 1)));
  }
}

TEST(RecentAtomics, AWordIsFreeAtTheEdgeAfterItsAtomic) {
  const sim::ClockCursor clock(1'000'000'000);  // 1,000 ps
  RecentAtomics recent;
  recent.performed(kLine, ByteMask::first(4), 3000);
  EXPECT_EQ(recent.free_at(1000, kLine, ByteMask::first(4), clock), 4000u);
  EXPECT_EQ(recent.free_at(1000, kLine, moved_up(ByteMask::first(4), 4), clock), 0u);
  EXPECT_EQ(recent.free_at(1000, kOtherLine, ByteMask::first(4), clock), 0u);
  EXPECT_EQ(recent.free_at(3001, kLine, ByteMask::first(4), clock), 0u);
}

struct Rules {
  config::Cache cache;
  config::FullEmpty full_empty;
  Request request;
  Rules() {
    cache.line_bytes = 128;
    cache.sector_bytes = 32;
    request.address = kLine + 40;
    request.bytes = 8;
    request.mask = ByteMask::first(8);
  }
  AccessRules rules() const { return AccessRules(cache, full_empty); }
};

bool same(const ByteMask& a, const ByteMask& b) { return within(a, b) && within(b, a); }

TEST(AccessRules, WholeSectorsAreFetchedButNoByteThatIsHere) {
  Rules given;
  const AccessRules rules = given.rules();
  const LineAccess access = rules.access(given.request);
  EXPECT_EQ(access.line, kLine);
  EXPECT_EQ(access.offset, 40u);
  EXPECT_PRED2(same, rules.bytes_to_fetch(access, {}, {}), moved_up(ByteMask::first(32), 32));
  const ByteMask here = moved_up(ByteMask::first(8), 32);
  EXPECT_PRED2(same, rules.bytes_to_fetch(access, here, {}), moved_up(ByteMask::first(32), 32) & ~here);
  EXPECT_PRED2(same, rules.bytes_to_fetch(access, access.mask, {}), ByteMask{});
  EXPECT_PRED2(same, rules.bytes_to_fetch(access, {}, access.mask), ByteMask{});
}

TEST(AccessRules, AWriteKeepsTheGranulesThatItFills) {
  Rules given;
  given.full_empty.granule_bytes = 16;
  given.full_empty.valid_masks = true;
  given.request.address = kLine + 8;
  given.request.bytes = 24;
  given.request.mask = ByteMask::first(24);
  EXPECT_PRED2(same, given.rules().kept_of_write(given.rules().access(given.request)),
               moved_up(ByteMask::first(24), 8));
  given.request.tracked = true;
  EXPECT_PRED2(same, given.rules().kept_of_write(given.rules().access(given.request)),
               moved_up(ByteMask::first(16), 16));
}

TEST(AccessRules, ARequestThatLeavesItsLineIsImpossible) {
  Rules given;
  EXPECT_TRUE(given.rules().possible(given.rules().access(given.request)));
  given.request.address = kLine + 124;
  EXPECT_FALSE(given.rules().possible(given.rules().access(given.request)));
}

}  // namespace
}  // namespace duet::memory
