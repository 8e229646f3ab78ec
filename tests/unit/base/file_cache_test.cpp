#include "base/file_cache.h"

#include <fstream>

#include "../own_folder.h"

namespace duet {
namespace {

class FileCacheTest : public test::OwnFolder {
 protected:
  std::filesystem::path cache_folder() const { return folder_ / "deep/cache"; }
  FileCache cache() const { return FileCache::in(cache_folder()); }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(cache_folder())) ++count;
    return count;
  }
};

TEST_F(FileCacheTest, GivesBackWhatWasKept) {
  const std::string elf("\177ELF\0\n7", 7);
  EXPECT_FALSE(cache().recall("a\nprogram"));
  cache().keep("a\nprogram", elf);
  EXPECT_EQ(files(), 1u);
  EXPECT_EQ(cache().recall("a\nprogram"), elf);
  EXPECT_FALSE(cache().recall("a\nprogram2"));
  EXPECT_FALSE(cache().recall("a\nprogra"));
}

TEST_F(FileCacheTest, WhatIsNotOfTheKeyIsNoHit) {
  cache().keep("one", "elf");
  // Another key with the same name, and a file that was cut off.
  for (const char* text : {"3\ntwoelf", "3\non", "3\none", ""}) {
    for (const auto& entry : std::filesystem::directory_iterator(cache_folder()))
      std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << text;
    EXPECT_FALSE(cache().recall("one")) << text;
  }
}

TEST_F(FileCacheTest, TheLeastRecentlyUsedGo) {
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (std::size_t i = 0; i < FileCache::kMostFiles; ++i) cache().keep("old" + std::to_string(i), "elf");
  for (const auto& entry : std::filesystem::directory_iterator(cache_folder()))
    std::filesystem::last_write_time(entry.path(), long_ago);
  ASSERT_TRUE(cache().recall("old7"));  // and so it is used again
  for (std::size_t i = 0; i + 1 < FileCache::kMostFiles; ++i) cache().keep("new" + std::to_string(i), "elf");
  EXPECT_EQ(files(), FileCache::kMostFiles);
  EXPECT_TRUE(cache().recall("old7"));
  EXPECT_FALSE(cache().recall("old8"));
}

TEST_F(FileCacheTest, WithoutAFolderNothingIsKept) {
  std::ofstream(folder_ / "from") << "elf";
  const FileCache none = FileCache::in({}), below_a_file = FileCache::in(folder_ / "from/cache");
  for (const FileCache* cache : {&none, &below_a_file}) {
    cache->keep("one", "elf");
    EXPECT_FALSE(cache->recall("one"));
  }
}

}  // namespace
}  // namespace duet
