// What a journal keeps of instructions, in place, and what becomes of it by line.
#include "report/results/hot_lines.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "unit/own_folder.h"

namespace duet::report {
namespace {

using Kind = LineInstruction::Kind;

class HotLines : public test::OwnFolder {
 protected:
  void SetUp() override {
    OwnFolder::SetUp();
    writer_.emplace(folder_);
  }
  void TearDown() override {
    writer_.reset();
    OwnFolder::TearDown();
  }
  static InstructionCounts counts(std::uint64_t issued, std::uint64_t memory, std::uint64_t requests) {
    InstructionCounts result{};
    result[static_cast<std::size_t>(IssueSlot::Issued)] = issued;
    result[static_cast<std::size_t>(IssueSlot::Memory)] = memory;
    count_of(result, InstructionCount::Requests) = requests;
    return result;
  }
  LinesResult read() const {
    LinesResult result;
    JournalReader(journals_in(folder_).at(0))
        .for_each([&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
          if (type == RecordType::Lines) result.add(record, bytes, text);
        });
    result.finish();
    return result;
  }
  std::string source(const std::string& text) const {
    const std::string path = std::string(folder_) + "/a.cu";
    std::ofstream(path) << text;
    return path;
  }

  std::optional<JournalWriter> writer_;
};

TEST_F(HotLines, InstructionsOfALineAreAddedUp) {
  const std::string file = source("one\n  two\t= 2; \nthree\n");
  const auto kernel = writer_->describe_lines({{10, 0, 1, Kind::Load},
                                               {11, 1, 2, Kind::Other},
                                               {12, 0, 0, Kind::Atomic},
                                               {13, LineInstruction::kNoPlace, 1, Kind::Other}},
                                              "k\nk.ptx\n" + file + "\t2\t\t0\n" + file + "\t3\theader.h\t7");
  ASSERT_TRUE(kernel);
  EXPECT_TRUE(read().kernels.at(0).lines.empty());
  // What is published first does not count, nor what comes in between.
  writer_->publish_lines(*kernel, 1, 9, {4, counts(1, 1, 1)});
  const std::vector<std::byte> large(JournalChunk::kBytes);
  writer_->append(RecordType::Fault, large.data(), large.size());
  writer_->publish_lines(*kernel, 2, 5,
                         {counts(4, 100, 8), counts(6, 20, 0), counts(3, 0, 2), counts(1, 0, 0)});
  const LinesResult result = read();
  ASSERT_EQ(result.kernels.size(), 1u);
  const KernelLines& found = result.kernels[0];
  EXPECT_EQ(found.launches, 2u);
  EXPECT_EQ(found.slots(), 4 + 100 + 6 + 20 + 3 + 1 + 5u);
  ASSERT_EQ(found.lines.size(), 3u);
  EXPECT_EQ(found.lines[0].line, 2u);
  EXPECT_EQ(found.lines[0].text, "two = 2;");
  EXPECT_EQ(found.lines[0].slots(), 107u);
  EXPECT_EQ(found.lines[0].ptx_line, 10u);
  EXPECT_EQ(found.lines[0].instructions, 4u);  // the atomic comes with its successor
  EXPECT_EQ(found.lines[0].l1_misses, 8u);
  EXPECT_EQ(found.lines[0].atomics, 2u);
  EXPECT_EQ(found.lines[1].line, 3u);  // where the header's text was inlined
  EXPECT_EQ(found.lines[1].file, file);
  EXPECT_EQ(found.lines[1].inlined, "header.h:7");
  EXPECT_EQ(found.lines[0].inlined, "");
  EXPECT_EQ(found.lines[2].file, "k.ptx");
  EXPECT_EQ(found.lines[2].line, 13u);
}

TEST_F(HotLines, WhatIsInlinedFromTheSameFileHasItsOwnLine) {
  const auto kernel = writer_->describe_lines({{10, 0, 1, Kind::Other}}, "k\nk.ptx\na.cu\t20\ta.cu\t5");
  writer_->publish_lines(*kernel, 1, 0, {counts(1, 0, 0)});
  EXPECT_EQ(read().kernels.at(0).lines.at(0).line, 5u);
}

// One kernel that two modules have, beside a hotter one.
TEST_F(HotLines, KernelsOfOneNameAreOne) {
  for (const std::uint64_t issued : {3, 4}) {
    const auto kernel = writer_->describe_lines({{10, 0, 1, Kind::Other}}, "k\nk.ptx\na.cu\t20\t\t0");
    writer_->publish_lines(*kernel, issued, 1, {counts(issued, 0, 0)});
  }
  const auto hot = writer_->describe_lines({{10, 0, 1, Kind::Other}}, "hot\nk.ptx\na.cu\t1\t\t0");
  writer_->publish_lines(*hot, 1, 0, {counts(100, 0, 0)});
  const LinesResult result = read();
  ASSERT_EQ(result.kernels.size(), 2u);
  EXPECT_EQ(result.kernels[0].kernel, "hot");
  EXPECT_EQ(result.kernels[1].launches, 7u);
  EXPECT_EQ(result.kernels[1].no_warp_slots, 2u);
  EXPECT_EQ(result.kernels[1].lines.at(0).counts[0], 7u);
}

// A constant is made before the loop, a function is inlined twice, a division is many machine instructions.
TEST_F(HotLines, OperationsAreThoseOfExecutions) {
  const std::string ptx = std::string(folder_) + "/k.ptx";
  std::ofstream(ptx) << ".func f(.param .b32 p)\nadd.f32 %f1, %f2, %f3;\n.visible .entry k(\n"
                        "fma.rn.f32 %f1, %f2, %f3, 2;\ndiv.rn.f64 %d1, %d2, %d3;\n";
  const auto lanes = [](std::uint64_t count) {
    InstructionCounts result{};
    result[0] = 1;
    count_of(result, InstructionCount::ThreadInstructions) = count;
    return result;
  };
  constexpr auto kNone = LineInstruction::kNoPlace;
  const auto kernel = writer_->describe_lines({{4, kNone, 1, Kind::Other},
                                               {2, kNone, 1, Kind::Other},
                                               {4, kNone, 1, Kind::Other},
                                               {2, kNone, 1, Kind::Other},
                                               {5, kNone, 8, Kind::Other}},
                                              "k\n" + ptx);
  writer_->publish_lines(*kernel, 1, 0, {lanes(32), lanes(32), lanes(320), lanes(32), lanes(8 * 32)});
  const LinesResult result = read();
  ASSERT_TRUE(result.kernels.at(0).flops);
  EXPECT_EQ(result.kernels[0].flops->single, 32u + 32u + 2 * 320u);
  EXPECT_EQ(result.kernels[0].flops->wide, 32u);
  EXPECT_EQ(result.kernels[0].flops->half, 0u);
}

TEST_F(HotLines, ThePageKeepsTheHottestAndTheSum) {
  std::vector<LineInstruction> instructions;
  std::vector<InstructionCounts> all;
  for (std::uint32_t i = 1; i <= 20; ++i) {
    instructions.push_back({i, LineInstruction::kNoPlace, 1, Kind::Load});
    all.push_back(counts(i, 0, i));
  }
  const auto kernel = writer_->describe_lines(instructions, "k\nk.ptx");
  writer_->publish_lines(*kernel, 1, 0, all);
  LinesResult result = read();
  const std::uint64_t before = result.kernels.at(0).slots();
  result.keep_hottest(1, 4);
  const std::vector<HotLine>& lines = result.kernels.at(0).lines;
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].line, 20u);
  EXPECT_EQ(lines[4].line, 0u);
  EXPECT_EQ(lines[4].l1_misses, 16 * 17 / 2u);
  EXPECT_EQ(result.kernels[0].slots(), before);
}

TEST_F(HotLines, TextIsNotCutWithinACharacter) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("ab\xc3\xa9", 3), "ab");
  EXPECT_EQ(cut_text("ab\xc3\xa9", 4), "ab\xc3\xa9");
  const auto kernel = writer_->describe_lines({{1, 0, 1, Kind::Other}},
                                              "k\nk.ptx\n" + source(std::string(500, 'x')) + "\t1\t\t0");
  writer_->publish_lines(*kernel, 1, 0, {counts(1, 0, 0)});
  EXPECT_EQ(read().kernels.at(0).lines.at(0).text, std::string(200, 'x'));
}

TEST_F(HotLines, ARecordOfAnotherSizeIsRefused) {
  std::vector<std::byte> bytes(sizeof(LinesRecord));
  EXPECT_THROW(lines_of_kernel(bytes.data(), bytes.size() - 1), Error);
  auto& record = *reinterpret_cast<LinesRecord*>(bytes.data());
  record.columns = kInstructionCounts;
  record.instructions = 1;
  EXPECT_THROW(lines_of_kernel(bytes.data(), bytes.size()), Error);
}

}  // namespace
}  // namespace duet::report
