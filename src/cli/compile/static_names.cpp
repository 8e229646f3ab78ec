#include "cli/compile/static_names.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>

namespace duet::cli {

namespace {

constexpr std::string_view kLocal = "_ZL";

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

}  // namespace

std::string without_unused_constants(const std::string& ptx) {
  std::map<std::string, unsigned, std::less<>> uses;  // of names with the beginning of a C++ name
  for (std::size_t at = 0; (at = ptx.find("_Z", at)) != std::string::npos;) {
    const std::string_view name = name_at(ptx, at);
    if (at == 0 || !in_name(ptx[at - 1])) ++uses[std::string(name)];
    at += name.size();
  }
  std::string result;
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    const bool of_template = line.starts_with(".weak .const ") || line.starts_with(".weak .global ");
    const bool shared = line.starts_with(".shared ") || line.starts_with(".weak .shared ");
    const bool constant = line.starts_with(".const ") && line.find(" = ") != std::string::npos;
    const std::size_t at = of_template || shared || constant ? line.find(" _Z") : std::string::npos;
    const std::string_view name = at != std::string::npos ? name_at(line, at + 1) : std::string_view();
    if (!name.empty() && uses.find(name)->second == 1 && (!constant || name.starts_with(kLocal))) continue;
    result += line + "\n";
  }
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
