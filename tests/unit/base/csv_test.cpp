#include "base/csv.h"

#include <gtest/gtest.h>

namespace duet {
namespace {

TEST(CsvLine, QuotesWhatWouldEndACell) {
  EXPECT_EQ(csv_line({"a", "", "1.5"}), "a,,1.5\n");
  EXPECT_EQ(csv_line({"b,c", "say \"d\"", "two\nlines", "e\r"}),
            "\"b,c\",\"say \"\"d\"\"\",\"two\nlines\",\"e\r\"\n");
  EXPECT_EQ(csv_line({}), "\n");
}

}  // namespace
}  // namespace duet
