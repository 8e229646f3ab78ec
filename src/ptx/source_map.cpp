#include "ptx/source_map.h"

#include <algorithm>

namespace duet::ptx {

void SourceMap::function(std::uint32_t ptx_line) { marks_.push_back({ptx_line, {}, {}, true}); }

void SourceMap::location(std::uint32_t ptx_line, SourceLine at, SourceLine inlined_at) {
  marks_.push_back({ptx_line, at, inlined_at, false});
}

std::string SourceMap::text(SourceLine place) const {
  const auto file = files_.find(place.file);
  if (place.line == 0 || file == files_.end()) return {};
  return file->second + ":" + std::to_string(place.line);
}

// A function's own file is that of its last location, its end. Where the compiler does not say into what it
// has inlined, the call is at the last location in that file before.
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

std::string SourceMap::place_of(std::uint32_t ptx_line) const {
  const auto behind =
      std::upper_bound(marks_.begin(), marks_.end(), ptx_line,
                       [](std::uint32_t line, const Mark& mark) { return line < mark.ptx_line; });
  if (behind == marks_.begin()) return {};
  const auto mark = behind - 1;
  if (mark->function || mark->at.line == 0) return {};
  const SourceLine own = mark->inlined_at.line != 0 ? mark->inlined_at : in_own_file(mark);
  const std::string inner = text(mark->at), outer = text(own);
  if (outer.empty() || outer == inner) return inner;
  return outer + " (in " + inner + ")";
}

}  // namespace duet::ptx
