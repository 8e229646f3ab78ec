#include "base/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace duet {
namespace {

TEST(File, AllItsBytesAreRead) {
  const std::string path = testing::TempDir() + "duet-file-" + std::to_string(getpid());
  std::string bytes(50'000, 'a');
  bytes[20'000] = '\0';
  bytes += "\r\n\xff";
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(read_file(path), bytes);
  std::ofstream(path, std::ios::trunc);
  EXPECT_EQ(read_file(path), "");
  std::remove(path.c_str());
}

TEST(File, WhatIsMissingOrAFolderCannotBeRead) {
  EXPECT_FALSE(read_file(testing::TempDir() + "duet-file-missing/missing"));
  EXPECT_FALSE(read_file(testing::TempDir()));
}

}  // namespace
}  // namespace duet
