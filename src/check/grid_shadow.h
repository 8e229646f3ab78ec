// The last accesses of one kernel's threads to each piece of an allocation: the last writer, and two readers,
// of different blocks where there are two. A piece is as many bytes as the kernel's smallest access. Accesses
// of other kernels are forgotten when this one comes: the order of commands is line_uses.h's.
//   shadow.access({launch, block, first, address, ...}, race);    race(address, lane, earlier, earlier
//   writes)
// A line whose bytes were each touched by one thread, by one run of lanes, is kept as that run. Left out: a
// reader between the last ones; a line beyond the first kMostLines that need their pieces.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/address.h"
#include "check/shared_shadow.h"
#include "memory/cache/byte_masks.h"

namespace duet::check {

struct GridTouch {
  Touch touch;
  std::uint32_t block = 0;
};

// Lanes of a warp in a row: one address for all, or one behind the other.
struct GridAccess {
  std::uint32_t launch = 0, block = 0;
  Touch first;  // of lane 0
  std::uint64_t address = 0;
  unsigned lane = 0, lanes = 1;  // the first, and how many
  unsigned bytes = 0;            // of a lane
  bool one_address = false, writes = false;
  unsigned shift = 2;                 // a piece has 2^shift bytes
  const std::byte* values = nullptr;  // of a store: lane i's at + i * bytes
};

class GridShadow {
 public:
  explicit GridShadow(std::uint64_t first_line) : first_line_(first_line) {}

  // `races(now, earlier)` says whether nothing orders the two; `found(address, lane, earlier)`.
  template <typename Races, typename Found>
  void access(const GridAccess& access, const Races& races, const Found& found) {
    for (unsigned done = 0; done < access.lanes;) {
      const std::uint64_t at = access.address + (access.one_address ? 0 : Bytes{done} * access.bytes);
      const Bytes room = memory::kLineBytes - at % memory::kLineBytes;
      const unsigned here =
          access.one_address
              ? access.lanes
              : std::min<unsigned>(access.lanes - done, std::max<unsigned>(room / access.bytes, 1));
      part(access, at, access.lane + done, here, races, found);
      done += here;
    }
  }

 private:
  static constexpr std::size_t kPage = 256, kMostLines = std::size_t{1} << 20;
  using Values = std::array<std::byte, memory::kLineBytes>;
  struct Piece {
    Touch writer, reader, other_reader;
    std::uint32_t writer_block = 0, reader_block = 0, other_block = 0;
    std::uint64_t value = 0;
  };
  struct Run {  // of a line; bytes 0: none
    Touch first;
    std::uint32_t block = 0;
    std::uint8_t begin = 0, lanes = 0, bytes = 0;
    bool operator==(const Run& other) const {
      return first.thread() == other.first.thread() && block == other.block && begin == other.begin &&
             lanes == other.lanes && bytes == other.bytes;
    }
  };
  struct Line {
    std::uint32_t launch = 0;
    std::uint8_t shift = 0;
    bool in_pieces = false;
    Run writer, reader;
    std::unique_ptr<Values> values;   // of the writer's run
    std::unique_ptr<Piece[]> pieces;  // made when first needed, and kept
  };
  Line& line_of(std::uint64_t address, const GridAccess& access);
  static bool as_run(Line& line, const GridAccess& access, const Run& run);
  bool into_pieces(Line& line);
  static void read(Piece& piece, const Touch& own, std::uint32_t block);

  template <typename Races, typename Found>
  void part(const GridAccess& access, std::uint64_t at, unsigned lane, unsigned lanes, const Races& races,
            const Found& found) {
    Line& line = line_of(at, access);
    if (!line.in_pieces) {
      const Run run{access.first.with_lane(lane), access.block,
                    static_cast<std::uint8_t>(at % memory::kLineBytes), static_cast<std::uint8_t>(lanes),
                    static_cast<std::uint8_t>(access.bytes)};
      if ((lanes == 1 || !access.one_address) && as_run(line, access, run)) {
        if (access.writes && access.values != nullptr) keep_values(line, access, run, lane);
        return;
      }
      if (!into_pieces(line)) return;
    }
    for (unsigned i = 0; i < lanes; ++i) {
      if (!access.writes && access.one_address && i != 0 && i + 1 != lanes) continue;
      each_piece(line, access, at + (access.one_address ? 0 : Bytes{i} * access.bytes), lane + i, races,
                 found);
    }
  }
  static void keep_values(Line& line, const GridAccess& access, const Run& run, unsigned lane);

  template <typename Races, typename Found>
  void each_piece(Line& line, const GridAccess& access, std::uint64_t address, unsigned lane,
                  const Races& races, const Found& found) {
    const GridTouch own{access.first.with_lane(lane), access.block};
    const unsigned count = std::max(access.bytes >> line.shift, 1u);
    const unsigned size = std::min(access.bytes, 1u << line.shift);
    const std::size_t first = address % memory::kLineBytes >> line.shift;
    for (unsigned i = 0; i < count && first + i < memory::kLineBytes >> line.shift; ++i) {
      Piece& piece = line.pieces[first + i];
      std::uint64_t value = 0;
      if (access.values != nullptr)
        __builtin_memcpy(&value, access.values + std::size_t{lane} * access.bytes + i * size,
                         std::min<std::size_t>(size, sizeof value));
      const bool same = access.values != nullptr && value == piece.value && !piece.writer.synchronises();
      const auto against = [&](const Touch& touch, std::uint32_t block) {
        if (touch.bits() == 0 || !races(own, GridTouch{touch, block}, lane)) return false;
        found(address + (Bytes{i} << line.shift), lane, GridTouch{touch, block});
        return true;
      };
      if (!same) against(piece.writer, piece.writer_block);
      if (access.writes) {
        if (!against(piece.reader, piece.reader_block)) against(piece.other_reader, piece.other_block);
        piece.writer = own.touch;
        piece.writer_block = own.block;
        piece.value = value;
      } else {
        read(piece, own.touch, own.block);
      }
    }
  }

  const std::uint64_t first_line_;
  std::vector<std::unique_ptr<Line[]>> pages_;
  static inline std::size_t lines_in_pieces_ = 0;
};

}  // namespace duet::check
