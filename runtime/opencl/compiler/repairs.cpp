#include "opencl/compiler/repairs.h"

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <string_view>

namespace duet::opencl {

namespace {

// The length of an operand at the front: "%8", "zeroinitializer", "<i16 1, i16 -2>".
std::size_t operand_end(std::string_view text) {
  return text.starts_with('<') ? text.find('>') + 1 : std::min(text.find(','), text.size());
}

}  // namespace

void separate_called_kernels(std::string& intermediate) {
  static constexpr std::string_view kCall = "call spir_kernel void @", kKernel = " spir_kernel void @";
  if (intermediate.find(kCall) == std::string::npos) return;
  std::set<std::string> called;
  std::string changed, copies, copy;
  std::stringstream lines{intermediate};
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t at = line.find(kCall); at != std::string::npos) {
      const std::size_t begin = at + kCall.size(), end = line.find('(', begin);
      called.insert(line.substr(begin, end - begin));
      line.insert(end, ".body");
      line.replace(at, kCall.size(), "call spir_func void @");
    }
    changed += line + "\n";
  }
  bool inside = false;
  std::stringstream again{changed};
  for (std::string line; std::getline(again, line);) {
    const std::size_t at = line.find(kKernel);
    if (line.starts_with("define ") && at != std::string::npos) {
      const std::size_t begin = at + kKernel.size(), end = line.find('(', begin);
      inside = called.contains(line.substr(begin, end - begin));
      if (inside) {
        line.insert(end, ".body");
        line.replace(0, begin, "define internal spir_func void @");
        if (const std::size_t lines_of = line.find(" !dbg !"); lines_of != std::string::npos)
          line.erase(lines_of, line.find_first_of(" {", lines_of + 7) - lines_of);
      }
    }
    if (inside) copies += line + "\n";
    inside &= line != "}";
  }
  intermediate = changed + copies;
}

void separate_pair_comparisons(std::string& intermediate) {
  constexpr std::string_view kCompare = " = icmp ", kPair = " <2 x i16> ";
  if (intermediate.find(kPair) == std::string::npos) return;
  std::string changed;
  std::size_t pairs = 0;
  std::stringstream lines{intermediate};
  for (std::string line; std::getline(lines, line); changed += line + "\n") {
    const std::size_t compare = line.find(kCompare), pair = line.find(kPair, compare);
    if (compare == std::string::npos || pair == std::string::npos) continue;
    // %11 = icmp slt <2 x i16> %8, %10, !dbg !47
    const std::string result = line.substr(0, compare),
                      how = line.substr(compare + kCompare.size(), pair - compare - kCompare.size());
    const std::string_view operands = std::string_view(line).substr(pair + kPair.size());
    const std::string_view left = operands.substr(0, operand_end(operands)),
                           behind = operands.substr(left.size() + 2),
                           right = behind.substr(0, operand_end(behind)), rest = behind.substr(right.size());
    const std::string name = fmt::format("%pair.{}", ++pairs);
    for (int i = 0; i < 2; ++i)
      changed += fmt::format(
          "  {0}.l{1} = extractelement <2 x i16> {3}, i64 {1}{5}\n"
          "  {0}.r{1} = extractelement <2 x i16> {4}, i64 {1}{5}\n"
          "  {0}.is{1} = icmp {2} i16 {0}.l{1}, {0}.r{1}{5}\n",
          name, i, how, left, right, rest);
    changed += fmt::format("  {0}.first = insertelement <2 x i1> poison, i1 {0}.is0, i64 0{1}\n", name, rest);
    line = fmt::format("{0} = insertelement <2 x i1> {1}.first, i1 {1}.is1, i64 1{2}", result, name, rest);
  }
  if (pairs != 0) intermediate = std::move(changed);
}

void repair_byte_pairs(std::string& ptx) {
  std::set<std::string> pairs;
  std::string changed;
  std::stringstream lines{ptx};
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kPair = ".param .align 2 .b8 ", kLoad = "\tld.param.u32 \t";
    if (const std::size_t at = line.find(kPair); at != std::string::npos)
      if (const std::size_t end = line.find("[2]", at); end != std::string::npos)
        pairs.insert(line.substr(at + kPair.size(), end - at - kPair.size()));
    if (line.starts_with(kLoad) && line.ends_with("];")) {
      const std::size_t comma = line.find(", ["), open = comma + 3;
      const std::string to = line.substr(kLoad.size(), comma - kLoad.size()),
                        from = line.substr(open, line.size() - 2 - open);
      if (pairs.contains(from))
        line = "\t{ .reg .b16 %lo, %hi; ld.param.v2.u8 {%lo, %hi}, [" + from + "]; mov.b32 " + to +
               ", {%lo, %hi}; }";
    }
    changed += line + "\n";
  }
  if (!pairs.empty()) ptx = std::move(changed);
}

void add_required_groups(std::string& ptx, const std::vector<KernelInfo>& kernels) {
  for (const KernelInfo& kernel : kernels) {
    const auto& [x, y, z] = kernel.required_group;
    const std::size_t entry = ptx.find(".entry " + kernel.name + "(");
    if (x == 0 || entry == std::string::npos) continue;
    ptx.insert(ptx.find("\n{", entry),
               "\n.reqntid " + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z));
  }
}

}  // namespace duet::opencl
