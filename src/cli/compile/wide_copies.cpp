#include "cli/compile/wide_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string_view>

namespace duet::cli {

namespace {

constexpr unsigned kVectorBytes = 16, kMostBytes = 128;

// One line's copy, or the line as it is where it has none.
std::string wide(const std::string& line, unsigned& count) {
  static const std::regex copy(
      R"(^(\s*)(?:tail )?call void @llvm\.memcpy\.p\d+\.p\d+\.i64\()"
      R"((ptr(?: addrspace\(\d+\))?) [^%@]*align (\d+) [^%@]*([%@][\w.$]+), )"
      R"((ptr(?: addrspace\(\d+\))?) [^%@]*align (\d+) [^%@]*([%@][\w.$]+), i64 (\d+), i1 false\)(.*)$)");
  static const std::regex place(R"(, !dbg !\d+)");
  std::smatch part, found;
  if (!std::regex_match(line, part, copy)) return line;
  const std::string indent = part[1], to_type = part[2], to = part[4], from_type = part[5], from = part[7];
  const unsigned long bytes = std::stoul(part[8]), to_alignment = std::stoul(part[3]),
                      from_alignment = std::stoul(part[6]);
  if (bytes == 0 || bytes > kMostBytes || bytes % kVectorBytes != 0 || to_alignment % kVectorBytes != 0 ||
      from_alignment % kVectorBytes != 0)
    return line;
  const std::string rest = part[9];
  const std::string debug = std::regex_search(rest, found, place) ? found[0].str() : "";
  std::string loads, stores;
  const auto at = [&](std::string& text, const std::string& type, const std::string& base, unsigned offset,
                      const char* side) {
    if (offset == 0) return base;
    const std::string name = fmt::format("%wide{}.{}", count, side);
    text +=
        fmt::format("{}{} = getelementptr i8, {} {}, i64 {}{}\n", indent, name, type, base, offset, debug);
    return name;
  };
  for (unsigned offset = 0; offset < bytes; offset += kVectorBytes, ++count) {
    const std::string source = at(loads, from_type, from, offset, "from");
    loads += fmt::format("{}%wide{} = load <4 x i32>, {} {}, align {}{}\n", indent, count, from_type, source,
                         kVectorBytes, debug);
    const std::string target = at(stores, to_type, to, offset, "to");
    stores += fmt::format("{}store <4 x i32> %wide{}, {} {}, align {}{}\n", indent, count, to_type, target,
                          kVectorBytes, debug);
  }
  std::string text = loads + stores;
  text.pop_back();  // the line's own end follows
  return text;
}

}  // namespace

std::string with_wide_copies(const std::string& ir) {
  constexpr std::string_view kCopy = "call void @llvm.memcpy.";
  std::string result;
  unsigned count = 0;
  std::size_t done = 0;
  for (std::size_t at = ir.find(kCopy); at != ir.npos; at = ir.find(kCopy, done)) {
    const std::size_t before = ir.rfind('\n', at), end = std::min(ir.find('\n', at), ir.size());
    const std::size_t begin = before == ir.npos ? 0 : before + 1;
    result.append(ir, done, begin - done);
    result += wide(ir.substr(begin, end - begin), count);
    done = end;
  }
  return result.append(ir, done);
}

}  // namespace duet::cli
