// The source line of a line of PTX, by its .loc and .file directives (PTX ISA 11.5). Compilers write them on
// request (nvcc -lineinfo, -G); `duet cc` always asks.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace duet::ptx {

struct SourceLine {
  std::uint32_t file = 0, line = 0;  // 0: none
};

class SourceMap {
 public:
  // Told in the order of the text.
  void function(std::uint32_t ptx_line);  // its lines are unknown until a location comes
  void location(std::uint32_t ptx_line, SourceLine at, SourceLine inlined_at);
  void file(std::uint32_t number, std::string path) { files_[number] = std::move(path); }

  // Where an instruction is in the file of its function; and its place in the text of the function inlined
  // there, if any (`inner`).
  struct Place {
    std::string file, inner_file;
    std::uint32_t line = 0, inner_line = 0;
  };
  std::optional<Place> find(std::uint32_t ptx_line) const;
  // "a.cu:12", or for an instruction of an inlined function of another file "a.cu:12 (in b.h:40)". Empty when
  // it is not known.
  std::string place_of(std::uint32_t ptx_line) const;

 private:
  struct Mark {
    std::uint32_t ptx_line;
    SourceLine at, inlined_at;
    bool function;
  };
  using Marks = std::vector<Mark>;
  SourceLine in_own_file(Marks::const_iterator mark) const;

  Marks marks_;
  std::map<std::uint32_t, std::string> files_;
};

}  // namespace duet::ptx
