#include "cli/compile/static_names.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

namespace duet::cli {

namespace {

constexpr std::string_view kLocal = "_ZL";
constexpr const char* kDropped = "\n";  // in place of a line

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }

// The name at this place of a line.
std::string_view name_at(std::string_view line, std::size_t at) {
  std::size_t end = at;
  while (end < line.size() && in_name(line[end])) ++end;
  return line.substr(at, end - at);
}

// _ZL5scale -> scale: empty where more follows than the name's own length says.
std::string plain_name(std::string_view mangled) {
  const std::string rest(mangled.substr(kLocal.size()));
  char* end = nullptr;
  const unsigned long length = std::strtoul(rest.c_str(), &end, 10);
  const std::string name = end;
  return length != 0 && name.size() == length ? name : "";
}

// The name of a variable that nvcc would not have without a use, or that nobody could find by nvcc's name for
// it, with a number of the file in it (_ZN: in a namespace); empty for other lines.
std::string_view droppable(std::string_view line) {
  const bool of_template = line.starts_with(".weak .const ") || line.starts_with(".weak .global ");
  const bool shared = line.starts_with(".shared ") || line.starts_with(".weak .shared ");
  const bool constant = line.starts_with(".const "), global = line.starts_with(".global ");
  if (!of_template && !shared && !constant && !global) return {};
  const std::size_t end = std::min({line.find('['), line.find(" = "), line.find(';'), line.size()});
  const std::size_t before = line.rfind(' ', end - 1);
  const std::string_view name = line.substr(before + 1, end - 1 - before);
  const bool initialized = constant && line.find(" = ") != line.npos, text = name.starts_with("_$_");
  return of_template || shared || initialized || text || name.starts_with("_ZN") ? name : std::string_view();
}

}  // namespace

std::string without_unused_constants(const std::string& ptx) {
  std::map<std::string, unsigned, std::less<>> uses;  // of names
  const auto count = [&](std::string_view line, int sign) {
    for (std::size_t at = 0; at < line.size();) {
      const std::string_view name = name_at(line, at);
      if (!name.empty()) uses[std::string(name)] += static_cast<unsigned>(sign);
      at += std::max<std::size_t>(name.size(), 1);
    }
  };
  std::vector<std::string> lines;
  std::istringstream text(ptx);
  for (std::string line; std::getline(text, line); count(lines.back(), 1)) lines.push_back(line);
  for (bool changed = true; changed;) {  // one may be named by another
    changed = false;
    for (std::string& line : lines) {
      const std::string_view name = droppable(line);
      if (name.empty() || uses.find(name)->second != 1) continue;
      count(line, -1);
      line = kDropped;
      changed = true;
    }
  }
  std::string result;
  for (const std::string& line : lines)
    if (line != kDropped) result += line + "\n";
  return result;
}

std::string with_names_of_nvcc(const std::string& ptx) {
  if (ptx.find(kLocal) == std::string::npos) return ptx;
  std::map<std::string, std::string, std::less<>> names;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(kLocal);
    if (at == std::string::npos || at == 0 || line[at - 1] != ' ') continue;
    const std::string_view name = name_at(line, at);
    if (line.find(".entry ") < at)
      names.emplace(name, "_Z" + std::string(name.substr(kLocal.size())));
    else if (line.starts_with(".global ") || line.starts_with(".const ") || line.starts_with(".shared "))
      if (const std::string plain = plain_name(name); !plain.empty()) names.emplace(name, plain);
  }
  std::string result;
  result.reserve(ptx.size());
  for (std::size_t at = 0; at < ptx.size();) {
    const std::size_t next = ptx.find(kLocal, at);
    if (next == std::string::npos) return result += ptx.substr(at);
    result.append(ptx, at, next - at);
    const std::string_view name = name_at(ptx, next);
    const auto found = next == 0 || !in_name(ptx[next - 1]) ? names.find(name) : names.end();
    result += found != names.end() ? std::string_view(found->second) : name;
    at = next + name.size();
  }
  return result;
}

}  // namespace duet::cli
