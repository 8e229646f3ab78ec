#include "report/terminal/table_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace duet::report {

std::string duration(Picoseconds ps) {
  const double us = static_cast<double>(ps) * 1e-6;
  if (us < 1000) return fmt::format("{:.3f} us", us);
  if (us < 1e6) return fmt::format("{:.3f} ms", us * 1e-3);
  return fmt::format("{:.3f} s", us * 1e-6);
}

std::string wrapped(const std::string& text, std::size_t width) {
  constexpr std::size_t kNarrowest = 50;
  if (width == 0) return text;
  width = std::max(width, kNarrowest);
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) indent = 0;
    std::size_t number = line.find_first_not_of("0123456789", indent);
    if (number != std::string::npos && number > indent && line.compare(number, 2, ". ") == 0)
      indent = number + 2;
    while (line.size() > width) {
      std::size_t cut = line.rfind(' ', width);
      if (cut == std::string::npos || cut < indent) cut = line.find(' ', width);
      if (cut == std::string::npos) break;
      out += line.substr(0, cut) + '\n';
      line = std::string(indent, ' ') + line.substr(cut + 1);
    }
    out += line + '\n';
  }
  return out;
}

}  // namespace duet::report
