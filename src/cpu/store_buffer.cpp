#include "cpu/store_buffer.h"

#include <cstring>

namespace duet::cpu {

Store& StoreBuffer::add(std::uint64_t sequence, const Access& access) {
  Store& made = at(next_++);
  made.sequence = sequence;
  made.access = access;
  made.senior = made.drained = kUnknown;
  made.ready = 0;
  count_granules(access, 1);
  return made;
}

void StoreBuffer::count_granules(const Access& access, int by) {
  for (unsigned i = 0; i < access.count; ++i) {
    const Piece& piece = access.pieces[i];
    const unsigned first = granule_of(piece.physical), last = granule_of(piece.physical + piece.bytes - 1);
    granules_[first] = static_cast<std::uint16_t>(granules_[first] + by);
    if (last != first) granules_[last] = static_cast<std::uint16_t>(granules_[last] + by);
  }
}

void StoreBuffer::put_over(const Piece& piece, std::byte* to, std::uint64_t before) {
  for (std::uint64_t place = oldest_; place < before; ++place) {
    const Access& older = at(place).access;
    unsigned done = 0;
    for (unsigned i = 0; i < older.count; ++i) {
      const Piece& part = older.pieces[i];
      const std::uint64_t first = std::max(part.physical, piece.physical);
      const std::uint64_t end = std::min(part.physical + part.bytes, piece.physical + piece.bytes);
      std::byte value[8];
      std::memcpy(value, &older.value, sizeof value);
      if (first < end)
        std::memcpy(to + (first - piece.physical), value + done + (first - part.physical), end - first);
      done += part.bytes;
    }
  }
}

}  // namespace duet::cpu
