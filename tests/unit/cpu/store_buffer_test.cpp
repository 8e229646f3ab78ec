// The store buffer and the load queue of a core: their places, and bytes that are not in L1 yet.
#include "cpu/store_buffer.h"

#include <gtest/gtest.h>

#include <cstring>

#include "cpu/load_queue.h"

namespace duet::cpu {
namespace {

Access store_of(std::uint64_t physical, unsigned bytes, std::uint64_t value) {
  Access access;
  access.pieces[0] = {physical, bytes};
  access.count = 1;
  access.address = physical;
  access.bytes = bytes;
  access.value = value;
  return access;
}

std::uint64_t over(StoreBuffer& stores, std::uint64_t physical, std::uint64_t before) {
  std::uint64_t value = 0;
  std::byte bytes[8] = {};
  stores.put_over({physical, 8}, bytes, before);
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

TEST(StoreBuffer, ALoadTakesTheBytesOfOlderStores) {
  StoreBuffer stores(4);
  stores.add(1, store_of(0x1000, 8, 0x1111111111111111));
  stores.add(2, store_of(0x1002, 2, 0x2222));
  stores.add(3, store_of(0x1007, 1, 0x33));
  EXPECT_EQ(over(stores, 0x1000, 2), 0x1111111122221111u);
  EXPECT_EQ(over(stores, 0x1000, 3), 0x3311111122221111u);
  EXPECT_EQ(over(stores, 0x1004, 3), 0x33111111u);
}

TEST(StoreBuffer, APieceOfTheNextLineHasItsOwnBytes) {
  StoreBuffer stores(4);
  Access access = store_of(0x103c, 4, 0x8877665544332211);
  access.pieces[1] = {0x5000, 4};  // the next page lies elsewhere
  access.count = 2;
  access.bytes = 8;
  stores.add(1, access);
  EXPECT_EQ(over(stores, 0x5000, 1), 0x88776655u);
}

TEST(StoreBuffer, GranulesAreThoseOfTheStoresInIt) {
  StoreBuffer stores(4);
  const Piece piece{0x1006, 4};  // in two granules
  EXPECT_FALSE(stores.may_hold(piece));
  stores.add(1, store_of(0x1008, 4, 0));
  EXPECT_TRUE(stores.may_hold(piece));
  stores.add(2, store_of(0x1008, 4, 0));
  stores.remove_last();
  EXPECT_TRUE(stores.may_hold(piece));
  stores.replace(stores.at(0).access, store_of(0x2000, 1, 0));
  EXPECT_FALSE(stores.may_hold(piece));
  EXPECT_TRUE(stores.may_hold({0x2000, 1}));
  stores.drained(20);
  EXPECT_FALSE(stores.may_hold({0x2000, 1}));
  EXPECT_TRUE(stores.is_empty());
  EXPECT_EQ(stores.last_drain(), 20u);
}

TEST(StoreBuffer, ARetiredStoreMakesItDue) {
  StoreBuffer stores(2);
  EXPECT_EQ(stores.last_before_room(), kNoStore);
  stores.add(1, store_of(0x1000, 4, 0));
  stores.add(2, store_of(0x1004, 4, 0));
  EXPECT_EQ(stores.last_before_room(), 0u);
  EXPECT_EQ(stores.due(), kUnknown);
  stores.retired(0, 30);
  stores.retired(1, 31);
  EXPECT_EQ(stores.due(), 30u);
  EXPECT_EQ(stores.at(1).senior, 31u);
}

TEST(LoadQueue, TheLastLoadsInOrder) {
  LoadQueue loads(2);
  EXPECT_EQ(loads.last_before_room(), 0u);
  for (const std::uint64_t sequence : {3u, 5u, 8u}) loads.add(sequence);
  EXPECT_EQ(loads.last_before_room(), 5u);
  std::vector<std::uint64_t> seen;
  const auto look = [&](std::uint64_t sequence) {
    seen.push_back(sequence);
    return true;
  };
  loads.for_each(look);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{5, 8}));
  loads.remove_last();
  seen.clear();
  loads.for_each(look);
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{3, 5}));
}

TEST(LoadQueue, SquashedLoadsDoNotWait) {
  LoadQueue loads(4);
  for (const std::uint64_t sequence : {3u, 5u, 8u}) {
    loads.wait_for_miss(sequence);
    loads.wait_for_stores(sequence);
  }
  loads.forget_waiting(5);
  EXPECT_EQ(loads.waiting_for_miss().size(), 1u);
  EXPECT_EQ(loads.take_waiting_for_stores(), (std::vector<std::uint64_t>{3}));
  EXPECT_EQ(loads.waiting_for_stores(), 0u);
}

}  // namespace
}  // namespace duet::cpu
