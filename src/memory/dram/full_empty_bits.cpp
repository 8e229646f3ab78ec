#include "memory/dram/full_empty_bits.h"

#include <algorithm>
#include <bit>

#include "base/error.h"

namespace duet::memory {

FullEmptyBits::FullEmptyBits(const config::FullEmpty& config, const AddressMap& map, unsigned channel)
    : granule_(config.granule_bytes), reads_per_fill_(config.reads_per_fill), map_(map), channel_(channel) {
  if (granule_ != 0 && (granule_ < kWordBytes || !std::has_single_bit(granule_)))
    throw Error("gpu.full_empty.granule_bytes is " + std::to_string(granule_) +
                ": one bit tracks a power of two of bytes, at least 4");
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

FullEmptyBits::LineBits& FullEmptyBits::slot(std::uint64_t line) {
  const std::uint64_t chunk = line / kChunkLines;
  if (chunk >= chunks_.size()) chunks_.resize(chunk + 1);
  if (chunks_[chunk] == nullptr) chunks_[chunk] = std::make_unique<Chunk>(kChunkLines);
  return (*chunks_[chunk])[line % kChunkLines];
}

template <typename F>
void FullEmptyBits::for_lines_of_granule(std::uint64_t line, F f) const {
  const std::uint64_t lines = granule_ / kLineBytes, first = line / lines * lines;
  for (std::uint64_t i = first; i < first + lines; ++i)
    if (map_.place(PhysicalAddress(i * kLineBytes)).channel == channel_) f(i);
}

bool FullEmptyBits::all(PhysicalAddress address, const ByteMask& bytes, bool empty) const {
  const std::uint32_t words = words_of(moved_up(bytes, static_cast<unsigned>(address % kLineBytes)));
  const std::uint32_t are_empty = line_bits(address / kLineBytes).empty;
  return (words & (empty ? ~are_empty : are_empty)) == 0;
}

ByteMask FullEmptyBits::full(PhysicalAddress address, const ByteMask& bytes) const {
  const std::uint32_t empty = line_bits(address / kLineBytes).empty;
  if (empty == 0) return bytes;
  return bytes & ~moved_down(bytes_of(empty), static_cast<unsigned>(address % kLineBytes));
}

void FullEmptyBits::move(PhysicalAddress address, const ByteMask& bytes, bool to_empty) {
  const std::uint64_t line = address / kLineBytes;
  const std::uint32_t words = words_of(moved_up(bytes, static_cast<unsigned>(address % kLineBytes)));
  if (!to_empty) {
    const LineBits now = line_bits(line);
    if (now.empty == 0 && now.moved == 0) return;
  }
  if (granule_ > kLineBytes) return move_wide(line, words, to_empty);
  LineBits& own = slot(line);
  const std::uint32_t others = to_empty ? ~own.empty : own.empty;  // not yet as this leaves them
  own.moved = (own.moved | (words & others)) & ~(words & ~others);
  const std::uint32_t changed = ~granules_of(~(own.moved & others), granule_);
  own.empty ^= changed;
  own.moved &= ~changed;
}

void FullEmptyBits::forget_reads(PhysicalAddress address, const ByteMask& bytes) {
  const auto counts = reads_.find(address / kLineBytes);
  if (counts == reads_.end()) return;
  const std::uint32_t words = words_of(moved_up(bytes, static_cast<unsigned>(address % kLineBytes)));
  for (unsigned i = 0; i < kLineWords; ++i)
    if ((words >> i & 1) != 0) counts->second[i] = 0;
}

void FullEmptyBits::take(PhysicalAddress address, const ByteMask& bytes) {
  if (reads_per_fill_ <= 1) return empty(address, bytes);
  const auto offset = static_cast<unsigned>(address % kLineBytes);
  auto& counts = reads_.try_emplace(address / kLineBytes).first->second;
  std::uint32_t words = words_of(moved_up(bytes, offset));
  for (unsigned i = 0; i < kLineWords; ++i) {
    const std::uint32_t bit = 1u << i;
    if ((words & bit) == 0) continue;
    if (++counts[i] < reads_per_fill_)
      words &= ~bit;
    else
      counts[i] = 0;
  }
  if (words != 0) empty(address, moved_down(bytes_of(words), offset));
}

void FullEmptyBits::move_wide(std::uint64_t line, std::uint32_t words, bool to_empty) {
  LineBits& own = slot(line);
  if ((own.empty != 0) == to_empty) {
    own.moved &= ~words;
    return;
  }
  own.moved |= words;
  bool complete = true;
  for_lines_of_granule(line, [&](std::uint64_t i) { complete &= line_bits(i).moved == ~0u; });
  if (complete) for_lines_of_granule(line, [&](std::uint64_t i) { slot(i) = {to_empty ? ~0u : 0, 0}; });
}

ByteMask FullEmptyBits::whole_words(PhysicalAddress address, const ByteMask& bytes) {
  const auto offset = static_cast<unsigned>(address % kLineBytes);
  const ByteMask there = moved_up(bytes, offset);
  return moved_down(bytes_of(words_of(there) & ~words_of(bytes_of(words_of(there)) & ~there)), offset);
}

void FullEmptyBits::reset(PhysicalAddress base, Bytes bytes) {
  if (!reads_.empty())
    std::erase_if(reads_, [&](const auto& counts) {
      return PhysicalAddress(counts.first * kLineBytes) - base < bytes;
    });
  for (std::uint64_t line = base / kLineBytes; PhysicalAddress(line * kLineBytes) < base + bytes; ++line)
    if (const LineBits now = line_bits(line); now.empty != 0 || now.moved != 0) slot(line) = {};
}

}  // namespace duet::memory
