#include "rv64/process/stack.h"

#include <elf.h>
#include <fmt/format.h>

#include <span>

#include "base/error.h"
#include "rv64/process/random.h"

namespace duet::rv64 {
namespace {

// Letters of the extensions, as riscv's hwcap has them: bit 0 is A.
constexpr std::uint64_t extension_bits(const char* letters) {
  std::uint64_t bits = 0;
  for (; *letters != 0; ++letters) bits |= std::uint64_t{1} << (*letters - 'A');
  return bits;
}

// The program's own frames lie as far below the top, whatever its caller's variables are: where they lie in
// caches and pages changes times by some per cent. Half a page off, because arrays begin at pages, and would
// have the frames in their first sets.
constexpr std::uint64_t kRoomOfTexts = 64 << 10, kOffset = kPageBytes / 2;
constexpr std::size_t kVectorEntries = 18;

// Texts and bytes, one behind the other.
class Texts {
 public:
  Texts(Memory& memory, std::uint64_t first) : memory_(memory), next_(first) {}

  std::uint64_t add(std::span<const std::byte> bytes) {
    memory_.write(VirtualAddress(next_), bytes);
    next_ += bytes.size();
    return next_ - bytes.size();
  }
  std::uint64_t add(const std::string& text) {
    return add(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  }

 private:
  Memory& memory_;
  std::uint64_t next_;
};

}  // namespace

std::uint64_t write_initial_stack(Memory& memory, std::uint64_t top, std::uint64_t most_bytes,
                                  const ElfFile& file, const LoadedImage& image,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment) {
  std::uint64_t bytes = 4096 + arguments.at(0).size();
  for (const auto* list : {&arguments, &environment})
    for (const std::string& text : *list) bytes += text.size() + 1 + 2 * sizeof(std::uint64_t);
  if (bytes > most_bytes)
    throw Error(fmt::format("{}: its arguments and environment take {} bytes; at most {} fit", file.path,
                            bytes, most_bytes));
  const std::uint64_t pointer = top - round_up(bytes + kOffset, kRoomOfTexts) + kOffset;
  const std::size_t words_in_all = 1 + arguments.size() + 1 + environment.size() + 1 + 2 * kVectorEntries;
  Texts texts(memory, pointer + words_in_all * sizeof(std::uint64_t));
  std::vector<std::byte> random(16);
  RandomBytes(0).fill(random);
  const std::uint64_t random_bytes = texts.add(random);
  const std::uint64_t platform = texts.add("riscv64");
  std::vector<std::uint64_t> words{arguments.size()};
  for (const auto* list : {&arguments, &environment}) {
    for (const std::string& text : *list) words.push_back(texts.add(text));
    words.push_back(0);
  }
  const std::uint64_t name = texts.add(arguments.at(0));
  const std::uint64_t vector[kVectorEntries][2] = {
      {AT_PHDR, image.program_headers},
      {AT_PHENT, sizeof(Elf64_Phdr)},
      {AT_PHNUM, image.program_headers == 0 ? 0 : file.program_header_count},
      {AT_PAGESZ, kPageBytes},
      {AT_BASE, 0},
      {AT_FLAGS, 0},
      {AT_ENTRY, image.entry},
      {AT_UID, 1000},
      {AT_EUID, 1000},
      {AT_GID, 1000},
      {AT_EGID, 1000},
      {AT_SECURE, 0},
      {AT_HWCAP, extension_bits("IMAFDC")},
      {AT_CLKTCK, 100},
      {AT_RANDOM, random_bytes},
      {AT_PLATFORM, platform},
      {AT_EXECFN, name},
      {AT_NULL, 0}};
  for (const auto& entry : vector) words.insert(words.end(), entry, entry + 2);
  memory.write(VirtualAddress(pointer), std::as_bytes(std::span(words)));
  return pointer;
}

}  // namespace duet::rv64
