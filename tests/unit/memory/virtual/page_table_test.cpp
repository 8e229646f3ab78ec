// Page tables: what an address means, pages that move, several tables and several pages of a frame.
#include "memory/virtual/page_table.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "memory/virtual/translator.h"

namespace duet::memory {
namespace {

constexpr Bytes kPage = 4096;
constexpr VirtualAddress kFirst{0x10'0000};
constexpr PhysicalAddress kFrames{0x8000};

PageRun pages(unsigned count, PageAttributes attributes = {}) {
  return {kFirst, count * kPage, kFrames, attributes};
}

TEST(PageTable, AnAddressLiesWhereItsPageSays) {
  PageTable table(kPage);
  table.map(pages(3));
  EXPECT_EQ(table.find(kFirst - 1).bytes, 0u);
  EXPECT_EQ(table.find(kFirst)[kFirst], kFrames);
  const VirtualAddress last = kFirst + 3 * kPage - 1;
  EXPECT_EQ(table.find(last)[last], kFrames + 3 * kPage - 1);
  EXPECT_EQ(table.find(last + 1).bytes, 0u);
  EXPECT_EQ(table.virtual_of(kFrames + 5000), kFirst + 5000);
  EXPECT_FALSE(table.virtual_of(kFrames - 1));
}

TEST(PageTable, AMovedPageLiesElsewhereAndItsNeighboursDoNot) {
  PageTable table(kPage);
  table.map(pages(3));
  const auto generation = table.generation();
  table.remap(kFirst + kPage + 17, PhysicalAddress(0x40'0000));
  EXPECT_NE(table.generation(), generation);
  const VirtualAddress moved = kFirst + kPage + 100;
  EXPECT_EQ(table.find(moved)[moved], PhysicalAddress(0x40'0000 + 100));
  EXPECT_EQ(table.find(moved).bytes, kPage);
  EXPECT_EQ(table.find(kFirst).bytes, kPage);
  const VirtualAddress third = kFirst + 2 * kPage;
  EXPECT_EQ(table.find(third)[third], kFrames + 2 * kPage);
  table.unmap(kFirst, 3 * kPage);
  for (unsigned i = 0; i < 3; ++i) EXPECT_EQ(table.find(kFirst + i * kPage).bytes, 0u) << i;
}

TEST(PageTable, WhatIsUnmappedInTheMiddleLeavesBothSides) {
  PageTable table(kPage);
  table.map(pages(3));
  table.unmap(kFirst + kPage, kPage);
  EXPECT_EQ(table.find(kFirst + kPage).bytes, 0u);
  EXPECT_EQ(table.find(kFirst).end(), kFirst + kPage);
  const VirtualAddress third = kFirst + 2 * kPage;
  EXPECT_EQ(table.find(third)[third + 5], kFrames + 2 * kPage + 5);
  EXPECT_THROW(table.map(pages(1)), Error);
  EXPECT_THROW(table.map(pages(2)), Error);
}

TEST(PageTable, EachPageHasPermissionsOfItsOwn) {
  PageTable table(kPage);
  PageAttributes read_only;
  read_only.writable = false;
  table.map(pages(1));
  table.map({kFirst + kPage, kPage, kFrames + kPage, read_only});
  EXPECT_TRUE(table.find(kFirst + kPage - 1).attributes.writable);
  EXPECT_FALSE(table.find(kFirst + kPage).attributes.writable);
  EXPECT_TRUE(table.find(kFirst + kPage).attributes.readable);
}

TEST(PageTable, AFrameMayHaveSeveralPagesInSeveralTables) {
  PageTable one(kPage), other(kPage);
  PageAttributes uncached;
  uncached.cacheability.gpu_l2 = false;
  one.map(pages(1));
  one.map({kFirst + 16 * kPage, kPage, kFrames, uncached});
  other.map({kFirst, kPage, kFrames + 8 * kPage, {}});
  const VirtualAddress second = kFirst + 16 * kPage;
  EXPECT_EQ(one.find(second)[second], one.find(kFirst)[kFirst]);
  EXPECT_NE(one.find(second).attributes, one.find(kFirst).attributes);
  EXPECT_EQ(other.find(kFirst)[kFirst], kFrames + 8 * kPage);
}

TEST(PageTable, APageMayHoldPartsThatBeginAnywhere) {
  PageTable table(kPage);
  table.map({kFirst + 100, 200, kFrames + 100, {}});
  table.map({kFirst + 300, 50, kFrames + 4 * kPage + 300, {}});
  EXPECT_EQ(table.find(kFirst + 99).bytes, 0u);
  EXPECT_EQ(table.find(kFirst + 299)[kFirst + 299], kFrames + 299);
  EXPECT_EQ(table.find(kFirst + 300)[kFirst + 300], kFrames + 4 * kPage + 300);
  EXPECT_EQ(table.find(kFirst + 350).bytes, 0u);
  EXPECT_THROW(table.map({kFirst + 1000, 8, kFrames + 1004, {}}), Error);
}

TEST(Translator, WhatItKeepsDiesWithTheTableAsItWas) {
  PageTable table(kPage);
  table.map(pages(2));
  Translator translator(table);
  EXPECT_EQ(translator.translate(kFirst, 3)[kFirst], kFrames);
  EXPECT_EQ(translator.translate(kFirst - 1, 3).bytes, 0u);
  table.map({kFirst - kPage, kPage, kFrames + 8 * kPage, {}});
  EXPECT_EQ(translator.translate(kFirst - 1, 3)[kFirst - 1], kFrames + 9 * kPage - 1);
  EXPECT_EQ(translator.translate(kFirst, 4)[kFirst], kFrames);
  table.remap(kFirst, kFrames + 16 * kPage);
  EXPECT_EQ(translator.translate(kFirst, 4)[kFirst], kFrames + 16 * kPage);
  table.unmap(kFirst, kPage);
  EXPECT_EQ(translator.translate(kFirst, 4).bytes, 0u);
}

}  // namespace
}  // namespace duet::memory
