// The journal's file: chunks, and what a reader makes of files that are not as they should be.
#include "report/journal/journal.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "unit/own_folder.h"

namespace duet::report {
namespace {

constexpr std::size_t kHead = sizeof(JournalRecordHeader);
constexpr std::size_t kRoom = JournalChunk::kBytes - sizeof(JournalChunk);  // of a chunk, for records

class JournalFile : public test::OwnFolder {
 protected:
  void SetUp() override {
    OwnFolder::SetUp();
    writer_.emplace(folder_);
    path_ = journals_in(folder_).at(0);
  }
  void TearDown() override {
    writer_.reset();
    OwnFolder::TearDown();
  }

  // A record that is `bytes` long in the file; what it holds begins with `number`.
  void append(std::size_t bytes, std::uint64_t number) {
    std::vector<std::byte> record(bytes - kHead, static_cast<std::byte>(number));
    std::memcpy(record.data(), &number, sizeof number);
    writer_->append(RecordType::Fault, record.data(), record.size());
  }
  std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> result;
    JournalReader(path_).for_each(
        [&](RecordType, const std::byte* record, std::size_t bytes, std::string_view) {
          std::memcpy(&result.emplace_back(), record, sizeof result[0]);
          for (std::size_t i = sizeof result[0]; i < bytes; ++i)
            ASSERT_EQ(record[i], static_cast<std::byte>(result.back()));
        });
    return result;
  }

  struct Chunk {
    std::size_t at;
    std::uint64_t bytes, used;
    bool operator==(const Chunk&) const = default;
  };
  // As they lie in the file, by their sizes alone.
  std::vector<Chunk> chunks() {
    std::vector<Chunk> result;
    std::ifstream file(path_, std::ios::binary);
    for (std::size_t at = writer_->header().start.header_bytes; at < std::filesystem::file_size(path_);
         at += result.back().bytes) {
      std::uint64_t words[4];
      file.seekg(static_cast<std::streamoff>(at));
      file.read(reinterpret_cast<char*>(words), sizeof words);
      EXPECT_EQ(words[0], JournalChunk::kMagic);
      EXPECT_EQ(words[3], result.size());
      result.push_back({at, words[1], words[2]});
    }
    return result;
  }
  template <typename Value>
  void overwrite(std::size_t at, const Value& value) {
    std::fstream file(path_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
    ASSERT_TRUE(file.flush());
  }
  std::string refusal() const {
    try {
      numbers();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  std::optional<JournalWriter> writer_;
  std::string path_;
};

TEST_F(JournalFile, ARecordThatDoesNotFitGoesToTheNextChunk) {
  append(kRoom - 64, 1);
  append(64, 2);  // what is left, exactly
  ASSERT_EQ(chunks().size(), 1u);
  EXPECT_EQ(chunks()[0].used, JournalChunk::kBytes);
  append(kRoom - 64, 3);
  append(64 + 8, 4);  // 8 bytes more than what is left
  append(64, 5);
  const auto found = chunks();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].used, JournalChunk::kBytes - 64);
  EXPECT_EQ(found[2].used, sizeof(JournalChunk) + 72 + 64);
  EXPECT_EQ(numbers(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST_F(JournalFile, ARecordLongerThanAChunkGetsOneOfItsLength) {
  append(64, 1);
  append(3 * JournalChunk::kBytes, 2);
  append(64, 3);
  const auto found = chunks();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].bytes, JournalChunk::kBytes);
  EXPECT_EQ(found[1].bytes, 3 * JournalChunk::kBytes + 4096);  // whole pages: the next record lies in them
  EXPECT_EQ(numbers(), (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST_F(JournalFile, ManyChunksAreReadInOrder) {
  std::vector<std::uint64_t> written(2000);
  std::iota(written.begin(), written.end(), 1);
  for (const std::uint64_t number : written) append(2048 + 8 * (number % 100), number);
  EXPECT_EQ(chunks().size(), 5u);
  EXPECT_EQ(numbers(), written);
}

// Records that are written again stay where they are, until there are more threads than they have room for.
TEST_F(JournalFile, ThreadsAreAsTheyWerePublishedLast) {
  const auto threads = [&]() -> std::pair<std::size_t, std::vector<ThreadDescription>> {
    std::pair<std::size_t, std::vector<ThreadDescription>> result;
    JournalReader(path_).for_each(
        [&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view) {
          if (type != RecordType::Threads) return;
          ++result.first;
          if (const auto found = thread_descriptions(record, bytes)) result.second = *found;
        });
    return result;
  };
  std::vector<ThreadDescription> written;
  std::size_t records = 0;
  for (std::size_t count = 0; count < 100; ++count) {
    if (count != 0) written.push_back({1000 + count, "a name", 0, 0});
    for (ThreadDescription& thread : written) thread.core_time_ps += thread.id;
    writer_->publish_threads(written);
    append(JournalChunk::kBytes / 4, 7);  // which lies in other chunks soon
    const auto [found, last] = threads();
    records = found;
    ASSERT_EQ(last.size(), written.size());
    for (std::size_t i = 0; i < last.size(); ++i) {
      EXPECT_EQ(last[i].id, written[i].id);
      EXPECT_EQ(last[i].core_time_ps, written[i].core_time_ps);
      EXPECT_STREQ(last[i].name, "a name");
    }
  }
  EXPECT_EQ(records, 5u);  // for 8, 16, 32, 64 and 128
}

// The process was ended while it wrote.
TEST_F(JournalFile, WhatIsNotCompleteIsNotRead) {
  append(128, 1);
  append(kRoom - 128 - 256, 2);
  const Chunk first = chunks().at(0);
  // A record's header is there, and what it holds is not: the chunk does not count it yet.
  overwrite(first.at + first.used, JournalRecordHeader{5, 200, 0, 216});
  EXPECT_EQ(numbers(), (std::vector<std::uint64_t>{1, 2}));
  append(512, 3);
  const Chunk second = chunks().at(1);
  EXPECT_EQ(numbers(), (std::vector<std::uint64_t>{1, 2, 3}));
  // Of the chunk all is there but its magic number, which comes last.
  overwrite(second.at, std::uint64_t{0});
  EXPECT_EQ(numbers(), (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(JournalFile, DamageIsNamed) {
  append(128, 1);
  const Chunk chunk = chunks().at(0);
  overwrite(chunk.at + sizeof(JournalChunk) + offsetof(JournalRecordHeader, total_bytes), std::uint32_t{200});
  EXPECT_NE(refusal().find("a record of chunk 0 is not what it should be"), std::string::npos) << refusal();
  overwrite(chunk.at + sizeof(JournalChunk) + offsetof(JournalRecordHeader, total_bytes), std::uint32_t{128});
  EXPECT_EQ(refusal(), "");
  std::filesystem::resize_file(path_, chunk.at + 4096);
  EXPECT_NE(refusal().find("chunk 0 is not what it should be"), std::string::npos) << refusal();
}

TEST_F(JournalFile, AnotherVersionIsNamed) {
  append(128, 1);
  overwrite(offsetof(JournalHeader::Start, version), JournalHeader::kVersion + 1);
  const std::string known = std::to_string(JournalHeader::kVersion);
  const std::string next = std::to_string(JournalHeader::kVersion + 1);
  EXPECT_NE(
      refusal().find("is a journal of version " + next + ", and this duet reads version " + known + ": "),
      std::string::npos)
      << refusal();
  EXPECT_EQ(refusal().find('\n'), std::string::npos);
  overwrite(0, std::uint64_t{0x324a'5445'5544'0a0dull});  // what journals began with before they had versions
  EXPECT_NE(refusal().find("is no journal"), std::string::npos) << refusal();
}

// Whoever knows the type can read it, and nobody else stumbles over it.
TEST_F(JournalFile, AnyTypeOfRecordIsCarried) {
  append(128, 1);
  writer_->append(static_cast<RecordType>(999), std::array<std::uint64_t, 5>{2}, "of a later version");
  append(64, 3);
  std::vector<std::tuple<unsigned, std::size_t, std::string>> found;
  JournalReader(path_).for_each(
      [&](RecordType type, const std::byte*, std::size_t bytes, std::string_view text) {
        found.emplace_back(static_cast<unsigned>(type), bytes, text);
      });
  const decltype(found) expected = {
      {5, 128 - kHead, ""}, {999, 40, "of a later version"}, {5, 64 - kHead, ""}};
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace duet::report
