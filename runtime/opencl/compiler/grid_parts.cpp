#include "opencl/compiler/grid_parts.h"

#include <fmt/format.h>

#include <regex>
#include <sstream>

namespace duet::opencl {

namespace {

bool reads_grid(const std::string& line) {
  for (const char* name : {"%ctaid", "%nctaid", "%envreg3", "%envreg4", "%envreg5"})
    if (line.find(name) != std::string::npos) return true;
  return false;
}

// Whole instructions, with registers of their own.
std::string of_part(const std::string& to, const std::string& from, int dimension) {
  const int before = 7 + dimension, groups = 10 + dimension, full_group = 13 + dimension;
  if (from[1] == 'n') return fmt::format("mov.u32 {}, %envreg{};", to, groups);
  if (from[1] == 'c')
    return fmt::format("mov.u32 {0}, {1}; {{ .reg .u32 %b; mov.u32 %b, %envreg{2}; add.u32 {0}, {0}, %b; }}",
                       to, from, before);
  return fmt::format(
      "mov.u32 {0}, {1}; {{ .reg .u32 %b, %f; mov.u32 %b, %envreg{2}; mov.u32 %f, %envreg{3}; "
      "mul.lo.u32 %b, %b, %f; sub.u32 {0}, {0}, %b; }}",
      to, from, before, full_group);
}

}  // namespace

std::optional<std::string> with_grid_parts(const std::string& ptx) {
  static const std::regex kMove(
      R"(\s*mov\.[bsu]32\s+(%\w+),\s*(%n?ctaid\.([xyz])|%envreg([345]));\s*(//.*)?)");
  std::string changed;
  std::stringstream lines{ptx};
  for (std::string line; std::getline(lines, line); changed += line + "\n") {
    std::smatch move;
    if (!reads_grid(line)) continue;
    if (!std::regex_match(line, move, kMove)) return std::nullopt;
    const int dimension = move[3].matched ? move[3].str()[0] - 'x' : move[4].str()[0] - '3';
    line = "\t" + of_part(move[1], move[2], dimension);
  }
  return changed;
}

}  // namespace duet::opencl
