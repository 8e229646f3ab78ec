#include "base/hash.h"

#include <gtest/gtest.h>

namespace duet {
namespace {

// Of the list that the authors of FNV publish.
TEST(Hash, KnownTexts) {
  EXPECT_EQ(hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(hash("foobar"), 0x85944171f73967e8u);
}

TEST(Hash, APartAfterTheOther) { EXPECT_EQ(hash("bar", hash("foo")), hash("foobar")); }

}  // namespace
}  // namespace duet
