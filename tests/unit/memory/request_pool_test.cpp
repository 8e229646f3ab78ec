#include <gtest/gtest.h>

#include <set>

#include "memory/request.h"

namespace duet::memory {
namespace {

TEST(RequestPool, AHandleNamesARequestInAllParts) {
  RequestPool first;
  RequestPool second(&first), third(&second);
  std::set<RequestHandle> handles;
  for (unsigned i = 0; i < 300; ++i)
    for (RequestPool* part : {&first, &second, &third}) {
      const RequestHandle handle = part->allocate();
      (*part)[handle].tag = handle;
      EXPECT_EQ(&first.part_of(handle), part);
      EXPECT_TRUE(handles.insert(handle).second);
    }
  for (const RequestHandle handle : handles) EXPECT_EQ(third[handle].tag, handle);
  EXPECT_EQ(first.in_use(), 900u);
  EXPECT_EQ(third.in_use(), 900u);
}

TEST(RequestPool, APartTakesAgainOnlyWhatItGaveBack) {
  RequestPool first;
  RequestPool second(&first);
  const RequestHandle own = first.allocate(), others = second.allocate();
  first[own].tag = 7;
  first.part_of(own).release(own);
  std::set<RequestHandle> seen;
  second.for_each_in_use([&](RequestHandle handle, const Request&) { seen.insert(handle); });
  EXPECT_EQ(seen, std::set<RequestHandle>{others});
  EXPECT_NE(second.allocate(), own);
  EXPECT_EQ(first.allocate(), own);
  EXPECT_EQ(first[own].tag, 0u);
}

}  // namespace
}  // namespace duet::memory
