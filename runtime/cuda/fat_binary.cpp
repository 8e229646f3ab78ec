#include "fat_binary.h"

#include <fmt/format.h>
#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "base/error.h"
#include "ptx_link.h"

namespace duet::cuda {

namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243B1;
constexpr std::uint32_t kRelocatableVersion = 2;
constexpr std::uint32_t kContainerMagic = 0xBA55ED50;
constexpr std::uint16_t kKindPtx = 1;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;

template <typename T>
T field(const std::byte* base, std::size_t offset) {
  T value;
  std::memcpy(&value, base + offset, sizeof value);
  return value;
}

struct Entry {
  std::uint16_t kind;
  std::uint32_t header_bytes;
  std::uint64_t payload_bytes;     // padded
  std::uint32_t compressed_bytes;  // 0: not compressed
  std::uint32_t architecture;      // 75
  std::uint64_t flags;
  std::uint64_t uncompressed_bytes;
  const std::byte* payload;

  explicit Entry(const std::byte* at)
      : kind(field<std::uint16_t>(at, 0)),
        header_bytes(field<std::uint32_t>(at, 4)),
        payload_bytes(field<std::uint64_t>(at, 8)),
        compressed_bytes(field<std::uint32_t>(at, 16)),
        architecture(field<std::uint32_t>(at, 28)),
        flags(field<std::uint64_t>(at, 40)),
        uncompressed_bytes(field<std::uint64_t>(at, 56)),
        payload(at + header_bytes) {}
};

std::string text_of(const Entry& entry, const std::string& name) {
  const char* data = reinterpret_cast<const char*>(entry.payload);
  std::string text;
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

// The PTX entry of a container that suits the device best; nothing when it has none. `machine_code` gets what
// else is there.
std::optional<std::string> best_ptx(const std::byte* data, unsigned compute_capability,
                                    const std::string& name, std::string& machine_code) {
  const std::byte* at = data + field<std::uint16_t>(data, 6);
  const std::byte* const end = at + field<std::uint64_t>(data, 8);
  const std::byte* best = nullptr;
  unsigned best_architecture = 0;
  while (at < end) {
    const Entry entry(at);
    if (entry.kind == kKindPtx) {
      const bool fits = entry.architecture <= compute_capability;
      const bool best_fits = best != nullptr && best_architecture <= compute_capability;
      if (best == nullptr || (fits && (!best_fits || entry.architecture > best_architecture)) ||
          (!fits && !best_fits && entry.architecture < best_architecture)) {
        best = at;
        best_architecture = entry.architecture;
      }
    } else {
      machine_code += fmt::format("{}sm_{}", machine_code.empty() ? "" : ", ", entry.architecture);
    }
    at += entry.header_bytes + entry.payload_bytes;
  }
  if (best == nullptr) return std::nullopt;
  return text_of(Entry(best), name);
}

// What nvcc -rdc=true linked: the wrapper points to the containers of the object files, ended by null; the
// container that was linked of them has machine code alone.
std::string relocatable_ptx(const std::byte* wrapper, unsigned compute_capability, const std::string& name) {
  std::vector<std::string> texts;
  const auto* containers = field<const std::byte* const*>(wrapper, 16);
  for (; containers != nullptr && *containers != nullptr; ++containers) {
    std::string machine_code;
    auto text = best_ptx(*containers, compute_capability, name, machine_code);
    if (!text)
      throw Error(
          fmt::format("{}: relocatable device code (nvcc -rdc=true) of which one object file holds only "
                      "machine code ({}), no "
                      "PTX: build all of them with nvcc -arch=sm_75",
                      name, machine_code));
    texts.push_back(std::move(*text));
  }
  if (texts.empty())
    throw Error(name + ": relocatable device code (nvcc -rdc=true) without the PTX of its object files");
  return link_ptx(texts);
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
  if (field<std::uint32_t>(data, 0) != kContainerMagic)
    return reinterpret_cast<const char*>(data);  // PTX text, ends with a zero

  std::string machine_code;
  auto text = best_ptx(data, compute_capability, name, machine_code);
  if (!text)
    throw Error(fmt::format(
        "{}: the program holds only machine code ({}), no PTX: build it with nvcc -arch=sm_75 or -gencode "
        "arch=compute_75,code=compute_75",
        name, machine_code));
  return std::move(*text);
}

}  // namespace duet::cuda
