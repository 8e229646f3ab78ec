#include "check/grid_shadow.h"

#include <algorithm>

namespace duet::check {

using memory::kLineBytes;

GridShadow::Line& GridShadow::line_of(std::uint64_t address, const GridAccess& access) {
  const std::size_t number = address / kLineBytes - first_line_;
  if (number / kPage >= pages_.size()) pages_.resize(number / kPage + 1);
  std::unique_ptr<Line[]>& page = pages_[number / kPage];
  if (page == nullptr) page = std::make_unique<Line[]>(kPage);
  Line& line = page[number % kPage];
  if (line.launch != access.launch || line.shift != access.shift) {
    if (line.shift != access.shift) line.pieces.reset();
    line.launch = access.launch;
    line.shift = static_cast<std::uint8_t>(access.shift);
    line.in_pieces = false;
    line.writer = line.reader = {};
  }
  return line;
}

// Whether each byte of the line stays with one thread.
bool GridShadow::as_run(Line& line, const GridAccess& access, const Run& run) {
  const auto fits = [&](const Run& other) { return other.bytes == 0 || other == run; };
  if (!fits(line.writer) || !fits(line.reader)) return false;
  (access.writes ? line.writer : line.reader) = run;
  return true;
}

void GridShadow::keep_values(Line& line, const GridAccess& access, const Run& run, unsigned lane) {
  if (line.values == nullptr) line.values = std::make_unique<Values>();
  std::copy_n(access.values + std::size_t{lane} * run.bytes, std::size_t{run.lanes} * run.bytes,
              line.values->begin() + run.begin);
}

void GridShadow::read(Piece& piece, const Touch& own, std::uint32_t block) {
  const bool of_another_block = piece.reader_block != block;
  if (piece.reader.bits() != 0 &&
      (of_another_block || (piece.reader.thread() != own.thread() && piece.other_block == block))) {
    piece.other_reader = piece.reader;
    piece.other_block = piece.reader_block;
  }
  piece.reader = own;
  piece.reader_block = block;
}

// False: too many lines are so.
bool GridShadow::into_pieces(Line& line) {
  const std::size_t count = kLineBytes >> line.shift;
  if (line.pieces == nullptr) {
    if (lines_in_pieces_ == kMostLines) return false;
    ++lines_in_pieces_;
    line.pieces = std::make_unique<Piece[]>(count);
  } else {
    std::fill_n(line.pieces.get(), count, Piece{});
  }
  line.in_pieces = true;
  for (const Run* const run : {&line.writer, &line.reader})
    for (unsigned at = 0; at < unsigned{run->lanes} * run->bytes; at += 1u << line.shift) {
      Piece& piece = line.pieces[(run->begin + at) >> line.shift];
      const Touch touch = run->first.with_lane(at / run->bytes);
      if (run == &line.reader) {
        read(piece, touch, run->block);
        continue;
      }
      piece.writer = touch;
      piece.writer_block = run->block;
      if (line.values != nullptr)
        std::copy_n(line.values->begin() + run->begin + at,
                    std::min<std::size_t>(1u << line.shift, sizeof piece.value),
                    reinterpret_cast<std::byte*>(&piece.value));
    }
  return true;
}

}  // namespace duet::check
