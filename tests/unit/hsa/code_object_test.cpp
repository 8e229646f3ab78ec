// The format of code objects: what is written is read again, and damaged files are refused with a line.
#include "hsa/code_object/code_object.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "base/error.h"

namespace duet::hsa {
namespace {

CodeObject example() {
  return {
      .kernels = {{"copy", "&__OpenCL_copy_kernel", 48, 64, 16, 1024, 8}, {"add", "add", 0, 24, 32, 0, 0}},
      .variables = {{"table", "&table", 12, 4, true}},
      .ptx = ".version 7.0\n"};
}

std::string refusal(std::string_view bytes) {
  try {
    static_cast<void>(read_code_object(bytes));
    return {};
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(CodeObject, IsReadAsItWasWritten) {
  const CodeObject read = read_code_object(write_code_object(example()));
  EXPECT_EQ(read.ptx, ".version 7.0\n");
  ASSERT_EQ(read.kernels.size(), 2u);
  const CodeKernel& copy = read.kernels[0];
  EXPECT_EQ(copy.name, "copy");
  EXPECT_EQ(copy.symbol, "&__OpenCL_copy_kernel");
  EXPECT_EQ(copy.hidden_bytes, 48u);
  EXPECT_EQ(copy.kernarg_bytes, 64u);
  EXPECT_EQ(copy.kernarg_alignment, 16u);
  EXPECT_EQ(copy.group_bytes, 1024u);
  EXPECT_EQ(copy.private_bytes, 8u);
  EXPECT_EQ(read.kernels[1].symbol, "add");
  EXPECT_EQ(read.kernels[1].kernarg_alignment, 32u);
  ASSERT_EQ(read.variables.size(), 1u);
  EXPECT_EQ(read.variables[0].name, "table");
  EXPECT_EQ(read.variables[0].symbol, "&table");
  EXPECT_EQ(read.variables[0].bytes, 12u);
  EXPECT_EQ(read.variables[0].alignment, 4u);
  EXPECT_TRUE(read.variables[0].constant);
}

TEST(CodeObject, HasNoKernels) {
  EXPECT_TRUE(
      read_code_object(write_code_object({.kernels = {}, .variables = {}, .ptx = ""})).kernels.empty());
}

TEST(CodeObject, OfOthersIsRefusedByName) {
  EXPECT_NE(refusal("HSA BRIG and more").find("BRIG, and there is no finalizer"), std::string::npos);
  EXPECT_NE(refusal("").find("no ELF"), std::string::npos);
  EXPECT_NE(refusal("\177ELF").find("damaged: it ends before byte"), std::string::npos);
  std::string bytes = write_code_object(example());
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  header.e_machine = EM_AMDGPU;
  std::memcpy(bytes.data(), &header, sizeof header);
  EXPECT_NE(refusal(bytes).find("machine code for AMD's GPUs"), std::string::npos);
  header.e_machine = EM_X86_64;
  std::memcpy(bytes.data(), &header, sizeof header);
  EXPECT_NE(refusal(bytes).find("an ELF for machine 62"), std::string::npos);
}

// Whatever is missing or changed, it is read or refused: sanitizers see what goes past the end.
TEST(CodeObject, DamagedIsReadOrRefused) {
  const std::string whole = write_code_object(example());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(refusal(std::string(whole.substr(0, size))), "") << size;
  unsigned refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\377', '\177'}) {
      std::string bytes = whole;
      bytes[at] = value;
      refused += refusal(bytes).empty() ? 0 : 1;
    }
  EXPECT_GT(refused, 100u);
}

TEST(CodeObject, OfWrongNumbersIsRefused) {
  CodeObject object = example();
  object.kernels[1].kernarg_alignment = 24;  // no power of two
  EXPECT_NE(refusal(write_code_object(object)).find("damaged: its note has the line 'kernel add add 0 24 24"),
            std::string::npos);
  object = example();
  object.kernels[1].hidden_bytes = 32;  // more than all of them
  EXPECT_NE(refusal(write_code_object(object)), "");
}

}  // namespace
}  // namespace duet::hsa
