// Accesses by lines: their pieces, their faults, and answers that are kept.
#include "cpu/address_translation.h"

#include <gtest/gtest.h>

namespace duet::cpu {
namespace {

constexpr std::uint64_t kData = 0x40000;
constexpr Bytes kPage = rv64::kPageBytes;

// Pages of memory at physical addresses in the opposite order.
class Pages final : public MemoryView {
 public:
  Pages() { memory.map(VirtualAddress(kData), 2 * kPage, {true, true, false}); }
  void peek(PhysicalAddress, unsigned, std::byte*, unsigned) override {}
  void about_to_write(PhysicalAddress, unsigned, const std::byte*, unsigned) override {}
  rv64::Page page_of(VirtualAddress address, rv64::Access access, unsigned) override {
    ++asked;
    last = address;
    return memory.find_page(address, access);
  }
  PhysicalAddress physical_of(const std::byte*) override {
    return PhysicalAddress(0x9000 - last.aligned_down(kPage).value() % (2 * kPage));
  }
  PhysicalAddress page_table_entry(VirtualAddress, unsigned, unsigned) override { return {}; }

  rv64::PagedMemory memory;
  VirtualAddress last;
  int asked = 0;
};

struct AddressTranslationTest : testing::Test {
  bool load(std::uint64_t address, unsigned bytes) {
    return translation.translate(address, bytes, rv64::Access::Load, access);
  }
  Pages pages;
  AddressTranslation translation{pages, 0, 64};
  Access access;
};

TEST_F(AddressTranslationTest, AnAccessOverTheEndOfALineHasTwoPieces) {
  ASSERT_TRUE(load(kData + 0x3c, 8));
  ASSERT_EQ(access.count, 2u);
  EXPECT_EQ(access.pieces[0].physical, 0x903cu);
  EXPECT_EQ(access.pieces[0].bytes, 4u);
  EXPECT_EQ(access.pieces[1].physical, 0x9040u);
  EXPECT_EQ(access.pieces[1].bytes, 4u);
  ASSERT_TRUE(load(kData + 0x38, 8));
  EXPECT_EQ(access.count, 1u);
  EXPECT_EQ(pages.asked, 1);
}

TEST_F(AddressTranslationTest, TheNextPageLiesElsewhere) {
  ASSERT_TRUE(load(kData + kPage - 2, 4));
  EXPECT_EQ(access.pieces[0].physical, 0x9ffeu);
  EXPECT_EQ(access.pieces[1].physical, 0x8000u);
}

TEST_F(AddressTranslationTest, AFaultNamesTheFirstUnreachableByte) {
  EXPECT_FALSE(load(kData + 2 * kPage - 2, 4));
  EXPECT_EQ(translation.fault().address, kData + 2 * kPage);
  EXPECT_FALSE(translation.fault().mapped);
  EXPECT_FALSE(translation.translate(kData, 4, rv64::Access::Fetch, access));
  EXPECT_TRUE(translation.fault().mapped);
}

TEST_F(AddressTranslationTest, PagesOfTwoTypesFault) {
  pages.memory.set_type(VirtualAddress(kData + kPage), kPage, rv64::MemoryType::Uncached);
  EXPECT_FALSE(load(kData + kPage - 2, 4));
  EXPECT_TRUE(translation.fault().mapped);
  EXPECT_TRUE(load(kData + kPage, 4));
  EXPECT_EQ(access.type, rv64::MemoryType::Uncached);
}

TEST_F(AddressTranslationTest, AnswersAreKeptUntilTheyAreForgotten) {
  ASSERT_TRUE(load(kData, 4));
  pages.memory.unmap(VirtualAddress(kData), kPage);
  EXPECT_TRUE(load(kData, 4));
  translation.forget();
  EXPECT_FALSE(load(kData, 4));
}

}  // namespace
}  // namespace duet::cpu
