#include "memory/dram/full_empty_bits.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace duet::memory {

FullEmptyBits::FullEmptyBits(const config::FullEmpty& config, const AddressMap& map, unsigned channel)
    : granule_(config.granule_bytes), map_(map), channel_(channel) {
  if (granule_ != 0 && (granule_ < kWordBytes || !std::has_single_bit(granule_)))
    throw Error("gpu.full_empty.granule_bytes is " + std::to_string(granule_) +
                ": one bit tracks a power of two of bytes, at least 4");
}

std::uint32_t FullEmptyBits::words_of(const ByteMask& bytes) {
  std::uint32_t words = 0;
  for (unsigned half = 0; half < 2; ++half) {
    std::uint64_t bits = bytes.bits[half];
    bits |= bits >> 1;
    bits |= bits >> 2;
    bits &= 0x1111'1111'1111'1111;  // now one bit a word, four apart
    bits = (bits | bits >> 3) & 0x0303'0303'0303'0303;
    bits = (bits | bits >> 6) & 0x000f'000f'000f'000f;
    bits = (bits | bits >> 12) & 0x0000'00ff'0000'00ff;
    words |= static_cast<std::uint32_t>((bits | bits >> 24) & 0xffff) << (16 * half);
  }
  return words;
}

ByteMask FullEmptyBits::bytes_of(std::uint32_t words) {
  ByteMask bytes;
  for (unsigned half = 0; half < 2; ++half) {
    std::uint64_t bits = words >> (16 * half) & 0xffff;
    bits = (bits | bits << 24) & 0x0000'00ff'0000'00ff;
    bits = (bits | bits << 12) & 0x000f'000f'000f'000f;
    bits = (bits | bits << 6) & 0x0303'0303'0303'0303;
    bits = (bits | bits << 3) & 0x1111'1111'1111'1111;
    bytes.bits[half] = bits * 15;
  }
  return bytes;
}

std::uint32_t& FullEmptyBits::slot(std::uint64_t line) {
  const std::uint64_t chunk = line / kChunkLines;
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  if (chunks_[chunk] == nullptr) chunks_[chunk] = std::make_unique<Chunk>(kChunkLines);
  return (*chunks_[chunk])[line % kChunkLines];
}

// All words of the granules within a line that hold one of these.
std::uint32_t FullEmptyBits::widened(std::uint32_t words) const {
  const auto width = static_cast<unsigned>(std::min<Bytes>(granule_ / kWordBytes, kWords));
  for (unsigned step = 1; step < width; step *= 2) {
    // The lower of each pair of `step` words takes the upper's, and gives its own.
    std::uint32_t low = 0;
    for (unsigned at = 0; at < kWords; at += 2 * step)
      low |= static_cast<std::uint32_t>(((std::uint64_t{1} << step) - 1) << at);
    words |= (words & low) << step | (words >> step & low);
  }
  return words;
}

template <typename F>
void FullEmptyBits::for_lines_of_granule(std::uint64_t line, F f) const {
  const std::uint64_t lines = granule_ / kLineBytes, first = line / lines * lines;
  for (std::uint64_t i = first; i < first + lines; ++i)
    if (map_.place(i * kLineBytes).channel == channel_) f(i);
}

std::uint32_t FullEmptyBits::empty_words(std::uint64_t line) const {
  if (granule_ <= kLineBytes) return widened(lacking(line));
  std::uint32_t lacks = 0;
  for_lines_of_granule(line, [&](std::uint64_t i) { lacks |= lacking(i); });
  return lacks == 0 ? 0 : ~0u;
}

bool FullEmptyBits::none_lacks(Address address, const ByteMask& bytes, bool wanted_empty) const {
  const std::uint64_t line = address / kLineBytes;
  const std::uint32_t words = words_of(moved_up(bytes, static_cast<unsigned>(address % kLineBytes)));
  const std::uint32_t empty = empty_words(line);
  return (words & (wanted_empty ? ~empty : empty)) == 0;
}

ByteMask FullEmptyBits::full(Address address, const ByteMask& bytes) const {
  const std::uint32_t empty = empty_words(address / kLineBytes);
  if (empty == 0) return bytes;
  return bytes & ~moved_down(bytes_of(empty), static_cast<unsigned>(address % kLineBytes));
}

void FullEmptyBits::fill(Address address, const ByteMask& bytes) {
  const std::uint64_t line = address / kLineBytes;
  if (lacking(line) == 0) return;
  slot(line) &= ~words_of(moved_up(bytes, static_cast<unsigned>(address % kLineBytes)));
}

void FullEmptyBits::empty(Address address, const ByteMask& bytes) {
  const std::uint64_t line = address / kLineBytes;
  if (granule_ <= kLineBytes) {
    slot(line) |= widened(words_of(moved_up(bytes, static_cast<unsigned>(address % kLineBytes))));
  } else {
    for_lines_of_granule(line, [&](std::uint64_t i) { slot(i) = ~0u; });
  }
}

ByteMask FullEmptyBits::whole_words(Address address, const ByteMask& bytes) {
  const auto offset = static_cast<unsigned>(address % kLineBytes);
  const ByteMask there = moved_up(bytes, offset);
  return moved_down(bytes_of(words_of(there) & ~words_of(bytes_of(words_of(there)) & ~there)), offset);
}

void FullEmptyBits::reset(Address base, Bytes bytes) {
  for (std::uint64_t line = base / kLineBytes; line * kLineBytes < base + bytes; ++line)
    if (lacking(line) != 0) slot(line) = 0;
}

}  // namespace duet::memory
