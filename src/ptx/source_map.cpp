#include "ptx/source_map.h"

#include <algorithm>

namespace duet::ptx {

void SourceMap::function(std::uint32_t ptx_line) { marks_.push_back({ptx_line, {}, {}, true}); }

void SourceMap::location(std::uint32_t ptx_line, SourceLine at, SourceLine inlined_at) {
  marks_.push_back({ptx_line, at, inlined_at, false});
}

// A function's own file is the file of its last location, its end. Where the compiler does not name the
// caller of an inlined function, the call is at the last earlier location in the own file.
SourceLine SourceMap::in_own_file(Marks::const_iterator mark) const {
  const auto in_function = [](const Mark& other) { return !other.function; };
  const auto end = std::find_if_not(mark, marks_.end(), in_function);
  const auto begin = std::find_if_not(Marks::const_reverse_iterator(mark), marks_.rend(), in_function).base();
  const auto last = std::find_if(Marks::const_reverse_iterator(end), Marks::const_reverse_iterator(begin),
                                 [](const Mark& other) { return other.at.line != 0; });
  const auto own = [&](const Mark& other) { return other.at.line != 0 && other.at.file == last->at.file; };
  const auto before =
      std::find_if(Marks::const_reverse_iterator(mark + 1), Marks::const_reverse_iterator(begin), own);
  return before != Marks::const_reverse_iterator(begin) ? before->at : std::find_if(mark, end, own)->at;
}

std::optional<SourceMap::Place> SourceMap::find(std::uint32_t ptx_line) const {
  const auto behind =
      std::upper_bound(marks_.begin(), marks_.end(), ptx_line,
                       [](std::uint32_t line, const Mark& mark) { return line < mark.ptx_line; });
  if (behind == marks_.begin()) return std::nullopt;
  const auto mark = behind - 1;
  if (mark->function || mark->at.line == 0) return std::nullopt;
  SourceLine own = mark->inlined_at.line != 0 ? mark->inlined_at : in_own_file(mark);
  const SourceLine inner = mark->at;
  if (own.line == 0 || !files_.contains(own.file)) own = inner;
  const auto file = files_.find(own.file), inner_file = files_.find(inner.file);
  if (file == files_.end()) return std::nullopt;
  Place place{file->second, {}, own.line, 0};
  if (inner_file != files_.end() && (inner.line != own.line || inner_file->second != place.file)) {
    place.inner_file = inner_file->second;
    place.inner_line = inner.line;
  }
  return place;
}

std::string SourceMap::place_of(std::uint32_t ptx_line) const {
  const auto place = find(ptx_line);
  if (!place) return {};
  const std::string text = place->file + ":" + std::to_string(place->line);
  if (place->inner_line == 0) return text;
  return text + " (in " + place->inner_file + ":" + std::to_string(place->inner_line) + ")";
}

}  // namespace duet::ptx
