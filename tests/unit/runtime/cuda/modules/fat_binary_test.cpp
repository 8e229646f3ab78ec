// Fat binaries as compilers register them: which of several PTX texts is taken, how it is unpacked, and what
// is said about sizes that contradict each other.
#include "cuda/modules/fat_binary.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <functional>
#include <vector>

#include "base/error.h"

namespace duet::cuda {
namespace {

using Bytes = std::vector<std::byte>;

template <typename T>
void put(Bytes& to, std::size_t offset, T value) {
  std::memcpy(to.data() + offset, &value, sizeof value);
}

constexpr std::size_t kContainerHeader = 16, kEntryHeader = 64;
constexpr std::uint16_t kPtx = 1, kMachineCode = 2;
// Places of an entry's fields.
constexpr std::size_t kHeaderBytes = 4, kPayloadBytes = 8, kCompressedBytes = 16, kArchitecture = 28,
                      kFlags = 40, kUncompressedBytes = 56;

Bytes entry(std::uint16_t kind, std::uint32_t architecture, const std::string& payload,
            std::uint64_t flags = 0, std::uint64_t uncompressed = 0) {
  Bytes bytes(kEntryHeader + payload.size());
  put<std::uint16_t>(bytes, 0, kind);
  put<std::uint32_t>(bytes, kHeaderBytes, kEntryHeader);
  put<std::uint64_t>(bytes, kPayloadBytes, payload.size());
  put<std::uint32_t>(bytes, kCompressedBytes, flags == 0 ? 0 : static_cast<std::uint32_t>(payload.size()));
  put<std::uint32_t>(bytes, kArchitecture, architecture);
  put<std::uint64_t>(bytes, kFlags, flags);
  put<std::uint64_t>(bytes, kUncompressedBytes, uncompressed);
  std::memcpy(bytes.data() + kEntryHeader, payload.data(), payload.size());
  return bytes;
}

Bytes container(const std::vector<Bytes>& entries) {
  Bytes bytes(kContainerHeader);
  for (const Bytes& one : entries) bytes.insert(bytes.end(), one.begin(), one.end());
  put<std::uint32_t>(bytes, 0, kContainerMagic);
  put<std::uint16_t>(bytes, 4, 1);
  put<std::uint16_t>(bytes, 6, kContainerHeader);
  put<std::uint64_t>(bytes, 8, bytes.size() - kContainerHeader);
  return bytes;
}

std::string taken(const Bytes& bytes, unsigned capability) {
  return ptx_of_container(bytes, capability, "program");
}

// What is said about the bytes; "" when they are taken.
std::string complaint(const Bytes& bytes) {
  try {
    taken(bytes, 75);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

void expect_said(const Bytes& bytes, const std::string& what) {
  EXPECT_NE(complaint(bytes).find(what), std::string::npos) << complaint(bytes);
}

TEST(FatBinary, TheNewestPtxThatTheDeviceHasIsTaken) {
  const Bytes bytes =
      container({entry(kPtx, 60, "six"), entry(kPtx, 75, "seven and a half"), entry(kMachineCode, 70, "code"),
                 entry(kPtx, 70, "seven"), entry(kPtx, 90, "nine")});
  EXPECT_EQ(taken(bytes, 75), "seven and a half");
  EXPECT_EQ(taken(bytes, 74), "seven");
  EXPECT_EQ(taken(bytes, 100), "nine");
}

TEST(FatBinary, WhereNoneFitsTheOldestIsTaken) {
  EXPECT_EQ(
      taken(container({entry(kPtx, 90, "nine"), entry(kPtx, 75, "seven"), entry(kPtx, 80, "eight")}), 20),
      "seven");
}

TEST(FatBinary, ZerosBehindTheTextAreNoPartOfIt) {
  EXPECT_EQ(taken(container({entry(kPtx, 75, std::string("text\0\0\0\0", 8))}), 75), "text");
}

TEST(FatBinary, CompressedTextsAreUnpacked) {
  std::string text;
  for (int i = 0; i < 500; ++i) text += "add.u32 %r" + std::to_string(i % 7) + ";\n";
  std::string zstd(ZSTD_compressBound(text.size()), '\0');
  zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), text.data(), text.size(), 3));
  EXPECT_EQ(taken(container({entry(kPtx, 75, zstd, 0x8000, text.size())}), 75), text);
  std::string lz4(static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(text.size()))), '\0');
  lz4.resize(static_cast<std::size_t>(LZ4_compress_default(
      text.data(), lz4.data(), static_cast<int>(text.size()), static_cast<int>(lz4.size()))));
  EXPECT_EQ(taken(container({entry(kPtx, 75, lz4, 0x2000, text.size())}), 75), text);
}

TEST(FatBinary, DamagedCompressionIsTold) {
  const std::string noise(40, '\x5a');
  expect_said(container({entry(kPtx, 75, noise, 0x8000, 100)}), "zstd-compressed PTX cannot be read");
  expect_said(container({entry(kPtx, 75, noise, 0x2000, 10)}), "LZ4-compressed PTX cannot be read");
  expect_said(container({entry(kPtx, 75, noise, 0x10, 100)}), "unknown way (flags 0x10)");
}

TEST(FatBinary, MachineCodeAloneIsRefusedWithWhatToDo) {
  expect_said(container({entry(kMachineCode, 75, "a"), entry(kMachineCode, 86, "b")}),
              "only machine code (sm_75, sm_86), no PTX: build it with");
}

TEST(FatBinary, SizesThatContradictEachOtherAreTold) {
  const Bytes good = container({entry(kPtx, 75, "text")});
  ASSERT_EQ(complaint(good), "");
  const auto changed = [&](const std::function<void(Bytes&)>& change) {
    Bytes bytes = good;
    change(bytes);
    return bytes;
  };
  const std::size_t first = kContainerHeader;
  expect_said(changed([](Bytes& b) { put<std::uint32_t>(b, 0, 1); }), "no header");
  expect_said(changed([](Bytes& b) { b.resize(15); }), "no header");
  expect_said(changed([](Bytes& b) { put<std::uint16_t>(b, 6, 15); }), "no header");
  expect_said(changed([](Bytes& b) { put<std::uint16_t>(b, 6, 1000); }), "longer than what holds it");
  expect_said(changed([](Bytes& b) { b.pop_back(); }), "longer than what holds it");
  expect_said(changed([](Bytes& b) { put<std::uint64_t>(b, 8, ~std::uint64_t{0}); }),
              "longer than what holds it");
  expect_said(changed([](Bytes& b) { put<std::uint64_t>(b, 8, 63); }), "an entry is cut off");
  const std::string longer = "an entry is longer than what holds it";
  expect_said(changed([&](Bytes& b) { put<std::uint32_t>(b, first + kHeaderBytes, 63); }), longer);
  expect_said(changed([&](Bytes& b) { put<std::uint32_t>(b, first + kHeaderBytes, ~0u); }), longer);
  expect_said(changed([&](Bytes& b) { put<std::uint64_t>(b, first + kPayloadBytes, 5); }), longer);
  expect_said(changed([&](Bytes& b) { put<std::uint64_t>(b, first + kPayloadBytes, ~std::uint64_t{0}); }),
              longer);
  expect_said(changed([&](Bytes& b) { put<std::uint32_t>(b, first + kCompressedBytes, 5); }), longer);
}

// Else a size in a damaged file would have the process take all of memory.
TEST(FatBinary, MorePtxThanAnyProgramHasIsCorrupt) {
  const std::uint64_t most = std::uint64_t{1} << 28;
  expect_said(container({entry(kPtx, 75, "text", 0x8000, most + 1)}), "268435457 bytes of PTX");
  expect_said(container({entry(kPtx, 75, "text", 0x2000, most + 1)}), "268435457 bytes of PTX");
}

struct Wrapper {
  std::uint32_t magic = kWrapperMagic, version = 1;
  const void* data = nullptr;
  const void* objects = nullptr;
};

std::string wrapped(const Wrapper& wrapper) { return ptx_of_fat_binary(&wrapper, 75, "program"); }

TEST(FatBinary, AWrapperHoldsPlainPtxOrAContainer) {
  EXPECT_EQ(wrapped({.data = ".version 9.0 // plain"}), ".version 9.0 // plain");
  const Bytes bytes = container({entry(kPtx, 75, "packed")});
  EXPECT_EQ(wrapped({.data = bytes.data()}), "packed");
}

TEST(FatBinary, AnUnknownWrapperIsTold) {
  EXPECT_THROW(wrapped({.magic = kWrapperMagic + 1, .data = ".version 9.0"}), Error);
}

TEST(FatBinary, RelocatableCodeIsLinkedOfItsObjectFiles) {
  const std::string header = ".version 9.0\n.target sm_75\n.address_size 64\n";
  const Bytes one = container({entry(kPtx, 75, header + ".visible .func f() { ret; }\n")});
  const Bytes other = container({entry(kPtx, 75, header + ".visible .func g() { ret; }\n")});
  const void* const objects[] = {one.data(), other.data(), nullptr};
  const std::string linked = wrapped({.version = 2, .objects = objects});
  EXPECT_NE(linked.find(".func f()"), std::string::npos);
  EXPECT_NE(linked.find(".func g()"), std::string::npos);
  EXPECT_EQ(linked.find(".version"), linked.rfind(".version"));
}

TEST(FatBinary, RelocatableCodeWithoutObjectFilesIsTold) {
  const void* const none[] = {nullptr};
  EXPECT_THROW(wrapped({.version = 2, .objects = none}), Error);
  EXPECT_THROW(wrapped({.version = 2}), Error);
}

}  // namespace
}  // namespace duet::cuda
