// Any bytes as an ELF program of RV64: loaded, with its symbols, or refused in one line.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "rv64/process/elf.h"

using namespace duet;
using namespace duet::rv64;

namespace {

constexpr std::uint64_t kMostLoadedBytes = 64_MiB;  // larger ones take milliseconds for their page tables

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const ElfFile& file) {
  require(!file.segments.empty());
  std::uint64_t bytes = 0;
  for (const Segment& segment : file.segments) bytes += segment.memory_bytes + 2 * kPageBytes;
  if (bytes <= kMostLoadedBytes) {
    PagedMemory memory;
    const LoadedImage image = load(file, memory);
    require(image.end % kPageBytes == 0);
    for (const Segment& segment : file.segments) {
      const VirtualAddress first(image.bias + segment.address);
      const VirtualAddress last(first.value() + segment.memory_bytes - 1);
      for (const VirtualAddress end : {first, last}) {
        const Page page = memory.find_page(end, Access::Load);
        require(page.bytes != nullptr && end.value() < image.end);
        require(!segment.rights.execute || page.rights.execute);
      }
      if (segment.file_bytes == 0) continue;
      const Page page = memory.find_page(first, Access::Load);
      require(page.bytes[first % kPageBytes] == static_cast<std::byte>(file.bytes[segment.file_offset]));
    }
    require(memory.find_page(VirtualAddress(image.entry), Access::Fetch).rights.execute);
  }
  const SymbolTable symbols(file, 0);
  symbols.describe(file.entry);
  for (const Segment& segment : file.segments) symbols.describe(segment.address + segment.memory_bytes / 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  try {
    check(parse_elf("fuzz", std::string(reinterpret_cast<const char*>(data), bytes)));
  } catch (const Error& error) {
    require(std::string(error.what()).find('\n') == std::string::npos);
  }
  return 0;
}
