#include "cuda/modules/fat_binary.h"

#include <fmt/format.h>
#include <link.h>
#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "core/ptx_link.h"
#include "core/status.h"

namespace duet::cuda {

namespace {

constexpr std::uint32_t kRelocatableVersion = 2;
constexpr std::uint16_t kKindPtx = 1;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;

// More PTX than any program has; a larger size is wrong.
constexpr std::uint64_t kMostPtxBytes = 1u << 28;

[[noreturn]] void corrupt(const std::string& name, const std::string& what) {
  throw Error(
      fmt::format("{}: the program's fat binary is corrupt ({}): build the program again", name, what));
}

template <typename T>
T field(const std::byte* base, std::size_t offset) {
  T value;
  std::memcpy(&value, base + offset, sizeof value);
  return value;
}

struct Entry {
  static constexpr std::size_t kFieldBytes = 64;

  std::uint16_t kind;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;     // padded
  std::uint32_t compressed_bytes;  // 0: not compressed
  std::uint32_t architecture;      // 75
  std::uint64_t flags;
  std::uint64_t uncompressed_bytes;
  const std::byte* payload;

  // `rest` is the container from this entry on.
  Entry(std::span<const std::byte> rest, const std::string& name) {
    if (rest.size() < kFieldBytes) corrupt(name, "an entry is cut off");
    const std::byte* const at = rest.data();
    kind = field<std::uint16_t>(at, 0);
    header_bytes = field<std::uint32_t>(at, 4);
    payload_bytes = field<std::uint64_t>(at, 8);
    compressed_bytes = field<std::uint32_t>(at, 16);
    architecture = field<std::uint32_t>(at, 28);
    flags = field<std::uint64_t>(at, 40);
    uncompressed_bytes = field<std::uint64_t>(at, 56);
    if (header_bytes < kFieldBytes || header_bytes > rest.size() ||
        payload_bytes > rest.size() - header_bytes || compressed_bytes > payload_bytes)
      corrupt(name, "an entry is longer than what holds it");
    payload = at + header_bytes;
  }
};

std::string text_of(const Entry& entry, const std::string& name) {
  const char* data = reinterpret_cast<const char*>(entry.payload);
  std::string text;
  const bool compressed = (entry.flags & (kFlagZstd | kFlagLz4)) != 0;
  if (compressed && entry.uncompressed_bytes > kMostPtxBytes)
    corrupt(name, fmt::format("{} bytes of PTX", entry.uncompressed_bytes));
  if (entry.flags & kFlagZstd) {
    text.resize(entry.uncompressed_bytes);
    const std::size_t got = ZSTD_decompress(text.data(), text.size(), data, entry.compressed_bytes);
    if (ZSTD_isError(got))
      throw Error(fmt::format("{}: zstd-compressed PTX cannot be read: {}", name, ZSTD_getErrorName(got)));
    text.resize(got);
  } else if (entry.flags & kFlagLz4) {
    text.resize(entry.uncompressed_bytes);
    const int got = LZ4_decompress_safe(data, text.data(), static_cast<int>(entry.compressed_bytes),
                                        static_cast<int>(text.size()));
    if (got < 0) throw Error(fmt::format("{}: LZ4-compressed PTX cannot be read", name));
    text.resize(static_cast<std::size_t>(got));
  } else if (entry.compressed_bytes != 0) {
    throw Error(
        fmt::format("{}: PTX is compressed in an unknown way (flags {:#x}): build with nvcc --no-compress",
                    name, entry.flags));
  } else {
    text.assign(data, entry.payload_bytes);
  }
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

// From the pointer to the end of its segment of the program, or of a library; all of memory when it lies in
// none.
std::size_t bytes_from(const std::byte* pointer) {
  struct Search {
    std::uintptr_t pointer;
    std::size_t bytes = SIZE_MAX;
  } search{reinterpret_cast<std::uintptr_t>(pointer)};
  const auto look = [](dl_phdr_info* object, std::size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
      const auto& segment = object->dlpi_phdr[i];
      const std::uintptr_t base = object->dlpi_addr + segment.p_vaddr;
      if (segment.p_type != PT_LOAD || search.pointer - base >= segment.p_memsz) continue;
      search.bytes = segment.p_memsz - (search.pointer - base);
      return 1;
    }
    return 0;
  };
  dl_iterate_phdr(look, &search);
  return search.bytes;
}

}  // namespace

std::string ptx_of_container(std::span<const std::byte> bytes, unsigned compute_capability,
                             const std::string& name) {
  constexpr std::size_t kHeaderBytes = 16;
  if (bytes.size() < kHeaderBytes || field<std::uint32_t>(bytes.data(), 0) != kContainerMagic)
    corrupt(name, "no header");
  const std::size_t header_bytes = field<std::uint16_t>(bytes.data(), 6);
  const std::uint64_t size = field<std::uint64_t>(bytes.data(), 8);
  if (header_bytes < kHeaderBytes) corrupt(name, "no header");
  if (header_bytes > bytes.size() || size > bytes.size() - header_bytes)
    corrupt(name, "it is longer than what holds it");
  std::span<const std::byte> rest = bytes.subspan(header_bytes, size), best;
  unsigned best_architecture = 0;
  std::string machine_code;
  while (!rest.empty()) {
    const Entry entry(rest, name);
    if (entry.kind == kKindPtx) {
      const bool fits = entry.architecture <= compute_capability;
      const bool best_fits = !best.empty() && best_architecture <= compute_capability;
      if (best.empty() || (fits && (!best_fits || entry.architecture > best_architecture)) ||
          (!fits && !best_fits && entry.architecture < best_architecture)) {
        best = rest;
        best_architecture = entry.architecture;
      }
    } else {
      machine_code += fmt::format("{}sm_{}", machine_code.empty() ? "" : ", ", entry.architecture);
    }
    rest = rest.subspan(entry.header_bytes + entry.payload_bytes);
  }
  if (best.empty())
    throw core::MachineCodeOnly(fmt::format(
        "{}: the program holds only machine code ({}), no PTX: build it with nvcc -arch=sm_75 or -gencode "
        "arch=compute_75,code=compute_75",
        name, machine_code));
  return text_of(Entry(best, name), name);
}

namespace {

// The output of nvcc -rdc=true: the wrapper points to the containers of the object files, ended by null; the
// linked container has machine code alone.
std::string relocatable_ptx(const std::byte* wrapper, unsigned compute_capability, const std::string& name) {
  std::vector<std::string> texts;
  const auto* containers = field<const std::byte* const*>(wrapper, 16);
  for (; containers != nullptr && *containers != nullptr; ++containers)
    texts.push_back(ptx_of_container({*containers, bytes_from(*containers)}, compute_capability,
                                     name + " (of nvcc -rdc=true)"));
  if (texts.empty())
    throw Error(name + ": relocatable device code (nvcc -rdc=true) without the PTX of its object files");
  return core::link_ptx(texts);
}

}  // namespace

std::string ptx_of_fat_binary(const void* wrapper_pointer, unsigned compute_capability,
                              const std::string& name) {
  const auto* wrapper = static_cast<const std::byte*>(wrapper_pointer);
  if (field<std::uint32_t>(wrapper, 0) != kWrapperMagic)
    throw Error(name + ": the program registers GPU code in an unknown form");
  if (field<std::uint32_t>(wrapper, 4) == kRelocatableVersion)
    return relocatable_ptx(wrapper, compute_capability, name);
  const auto* data = field<const std::byte*>(wrapper, 8);
  const std::size_t bytes = bytes_from(data);
  if (bytes < sizeof kContainerMagic || field<std::uint32_t>(data, 0) != kContainerMagic) {
    const auto* const text = reinterpret_cast<const char*>(data);  // PTX, ends with a zero
    return {text, strnlen(text, bytes)};
  }
  return ptx_of_container({data, bytes}, compute_capability, name);
}

}  // namespace duet::cuda
