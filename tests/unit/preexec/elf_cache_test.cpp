#include "preexec/elf_cache.h"

#include <fstream>

#include "../own_folder.h"
#include "base/file.h"

namespace duet::preexec {
namespace {

class ElfCacheTest : public test::OwnFolder {
 protected:
  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::filesystem::path cache_folder() const { return folder_ / "deep/cache"; }
  ElfCache cache() const { return ElfCache(cache_folder()); }
  std::size_t files() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(cache_folder())) ++count;
    return count;
  }
};

TEST_F(ElfCacheTest, GivesBackWhatWasKept) {
  const std::string elf("\177ELF\0\n7", 7), to = folder_ / "to";
  EXPECT_FALSE(cache().recall("a\nprogram", to));
  EXPECT_FALSE(std::filesystem::exists(to));
  cache().keep("a\nprogram", write("from", elf));
  EXPECT_EQ(files(), 1u);
  ASSERT_TRUE(cache().recall("a\nprogram", to));
  EXPECT_EQ(read_file(to), elf);
  EXPECT_FALSE(cache().recall("a\nprogram2", to));
  EXPECT_FALSE(cache().recall("a\nprogra", to));
}

TEST_F(ElfCacheTest, WhatIsNotOfTheKeyIsNoHit) {
  cache().keep("one", write("from", "elf"));
  // Another key with the same name, and a file that was cut off.
  for (const char* text : {"3\ntwoelf", "3\non", "3\none", ""}) {
    for (const auto& entry : std::filesystem::directory_iterator(cache_folder()))
      std::ofstream(entry.path(), std::ios::binary | std::ios::trunc) << text;
    EXPECT_FALSE(cache().recall("one", folder_ / "to")) << text;
  }
}

TEST_F(ElfCacheTest, TheLeastRecentlyUsedGo) {
  const std::string elf = write("from", "elf"), to = folder_ / "to";
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (std::size_t i = 0; i < ElfCache::kMostFiles; ++i) cache().keep("old" + std::to_string(i), elf);
  for (const auto& entry : std::filesystem::directory_iterator(cache_folder()))
    std::filesystem::last_write_time(entry.path(), long_ago);
  ASSERT_TRUE(cache().recall("old7", to));  // and so it is used again
  for (std::size_t i = 0; i + 1 < ElfCache::kMostFiles; ++i) cache().keep("new" + std::to_string(i), elf);
  EXPECT_EQ(files(), ElfCache::kMostFiles);
  EXPECT_TRUE(cache().recall("old7", to));
  EXPECT_FALSE(cache().recall("old8", to));
}

TEST_F(ElfCacheTest, WithoutAFolderNothingIsKept) {
  const std::string elf = write("from", "elf");
  const ElfCache none{std::filesystem::path()}, below_a_file{folder_ / "from/cache"};
  for (const ElfCache* cache : {&none, &below_a_file}) {
    cache->keep("one", elf);
    EXPECT_FALSE(cache->recall("one", folder_ / "to"));
  }
}

}  // namespace
}  // namespace duet::preexec
