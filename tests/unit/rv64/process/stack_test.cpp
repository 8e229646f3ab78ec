// The stack of a starting program: what is on it, and that its place does not depend on the environment.
#include "rv64/process/stack.h"

#include <gtest/gtest.h>

#include <span>

#include "base/error.h"

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kTop = 0x40000000, kBytes = 8 << 20, kRoom = 64 << 10, kOffset = 2048;

struct Started {
  explicit Started(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
    memory.map(VirtualAddress(kTop - kBytes), kBytes, {true, true, false});
    ElfFile file;
    file.path = arguments[0];
    pointer = write_initial_stack(memory, kTop, kBytes / 4, file, {}, arguments, environment);
  }
  std::uint64_t word(std::uint64_t address) {
    std::uint64_t value = 0;
    EXPECT_FALSE(memory.read(VirtualAddress(address), std::as_writable_bytes(std::span(&value, 1))));
    return value;
  }
  std::string text(std::uint64_t address) {
    std::string text;
    for (;; ++address) {
      char letter = 0;
      EXPECT_FALSE(memory.read(VirtualAddress(address), std::as_writable_bytes(std::span(&letter, 1))));
      if (letter == 0) return text;
      text += letter;
    }
  }
  // From the one at `at` up to the null; `at` is then behind it.
  std::vector<std::string> texts(std::uint64_t& at) {
    std::vector<std::string> all;
    for (std::uint64_t address; (address = word(at)) != 0; at += 8) all.push_back(text(address));
    at += 8;
    return all;
  }

  PagedMemory memory;
  std::uint64_t pointer = 0;
};

TEST(RvInitialStack, HasArgumentsAndEnvironment) {
  const std::vector<std::string> arguments{"program", "", "two words"}, environment{"A=1", "EMPTY=", "B=2"};
  Started started(arguments, environment);
  EXPECT_EQ(started.word(started.pointer), 3u);
  std::uint64_t at = started.pointer + 8;
  EXPECT_EQ(started.texts(at), arguments);
  EXPECT_EQ(started.texts(at), environment);
}

TEST(RvInitialStack, LiesAtOnePlace) {
  const std::uint64_t place = Started({"program"}, {}).pointer;
  EXPECT_EQ(place, kTop - kRoom + kOffset);
  for (std::size_t variables = 1; variables < 200; variables += 7)
    EXPECT_EQ(Started({"program", "argument"},
                      std::vector<std::string>(variables, "NAME=" + std::string(variables, 'x')))
                  .pointer,
              place)
        << variables;
}

// 4,096 bytes are kept for all else, and the name once more; a text takes its bytes, a null and two words.
TEST(RvInitialStack, TakesAnotherRoomWhereTextsDoNotFit) {
  const std::vector<std::string> arguments{"p"};
  const std::size_t left = kRoom - kOffset - 4096 - 1 - (1 + 1 + 16) - (1 + 16);
  EXPECT_EQ(Started(arguments, {std::string(left, 'x')}).pointer, kTop - kRoom + kOffset);
  Started started(arguments, {std::string(left + 1, 'x')});
  EXPECT_EQ(started.pointer, kTop - 2 * kRoom + kOffset);
  std::uint64_t at = started.pointer + 8;
  EXPECT_EQ(started.texts(at), arguments);
  EXPECT_EQ(started.texts(at).at(0).size(), left + 1);
  EXPECT_THROW(Started(arguments, {std::string(kBytes / 4, 'x')}), Error);
}

}  // namespace
}  // namespace duet::rv64
