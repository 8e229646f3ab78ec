#include "predict/servers.h"

#include <gtest/gtest.h>

namespace duet::predict {
namespace {

TEST(Server, TakesOneAfterTheOther) {
  Server server;
  EXPECT_EQ(server.take(100, 8), 100);
  EXPECT_EQ(server.take(20, 8), 108);
}

// An answer that is there early does not wait for one that was asked for before it and comes later.
TEST(OpenServer, WhoIsThereEarlierGoesFirst) {
  OpenServer server;
  EXPECT_EQ(server.take(800, 8), 800);
  EXPECT_EQ(server.take(80, 4), 80);
  EXPECT_EQ(server.take(80, 4), 84);
  EXPECT_EQ(server.take(80, 4), 88);
  EXPECT_EQ(server.busy, 20);
}

TEST(OpenServer, ServesNoMoreThanItCan) {
  OpenServer server;
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(server.take(0, 4), 4 * i);
  EXPECT_EQ(server.take(0, 40), 4000);  // more than a bucket
  EXPECT_EQ(server.take(5000, 4), 5000);
  EXPECT_EQ(server.take(100, 4), 4040);
}

}  // namespace
}  // namespace duet::predict
