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

class Stack {
 public:
  Stack(Memory& memory, std::uint64_t top) : memory_(memory), pointer_(top) {}

  std::uint64_t push(std::span<const std::byte> bytes) {
    pointer_ -= bytes.size();
    memory_.write(VirtualAddress(pointer_), bytes);
    return pointer_;
  }
  std::uint64_t push(const std::string& text) {
    return push(std::as_bytes(std::span(text.c_str(), text.size() + 1)));
  }
  void align(std::uint64_t bytes) { pointer_ &= ~(bytes - 1); }

 private:
  Memory& memory_;
  std::uint64_t pointer_;
};

}  // namespace

std::uint64_t write_initial_stack(Memory& memory, std::uint64_t top, std::uint64_t most_bytes,
                                  const ElfFile& file, const LoadedImage& image,
                                  const std::vector<std::string>& arguments,
                                  const std::vector<std::string>& environment) {
  std::uint64_t bytes = 4096;
  for (const auto* list : {&arguments, &environment})
    for (const std::string& text : *list) bytes += text.size() + 1 + 2 * sizeof(std::uint64_t);
  if (bytes > most_bytes)
    throw Error(fmt::format("{}: its arguments and environment take {} bytes; at most {} fit", file.path,
                            bytes, most_bytes));
  Stack stack(memory, top - 16);
  const std::uint64_t name = stack.push(arguments.at(0));
  const std::uint64_t platform = stack.push("riscv64");
  stack.align(16);
  std::vector<std::byte> random(16);
  RandomBytes(0).fill(random);
  const std::uint64_t random_bytes = stack.push(random);
  std::vector<std::uint64_t> words{arguments.size()};
  for (const auto* list : {&arguments, &environment}) {
    for (const std::string& text : *list) words.push_back(stack.push(text));
    words.push_back(0);
  }
  const std::uint64_t vector[][2] = {{AT_PHDR, image.program_headers},
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
  stack.align(16);
  if (words.size() % 2 != 0) stack.push(std::as_bytes(std::span("\0\0\0\0\0\0\0", 8)));
  return stack.push(std::as_bytes(std::span(words)));
}

}  // namespace duet::rv64
