#include "opencl/compiler/kernel_info.h"

#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string_view>

namespace duet::opencl {

namespace {

using Nodes = std::map<unsigned long, std::string>;  // "!{i32 16, i32 4}" by number

// The node that `line` has for `kind`; empty: none.
std::string node_of(const Nodes& nodes, const std::string& line, const std::string& kind) {
  const std::size_t at = line.find(" !" + kind + " !");
  if (at == std::string::npos) return {};
  const auto node = nodes.find(std::strtoul(line.c_str() + at + kind.size() + 4, nullptr, 10));
  return node == nodes.end() ? std::string() : node->second;
}

// A quoted text from `at`, behind its first quote, on; a byte that cannot be printed is \ and two digits.
std::string quoted_text(const std::string& text, std::size_t& at) {
  std::string result;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] != '\\') {
      result += text[at];
      continue;
    }
    result += static_cast<char>(std::strtoul(text.substr(at + 1, 2).c_str(), nullptr, 16));
    at += 2;
  }
  ++at;
  return result;
}

std::vector<std::string> texts_of(const std::string& node) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; (at = node.find("!\"", at)) != std::string::npos;) {
    at += 2;
    texts.push_back(quoted_text(node, at));
  }
  return texts;
}

std::vector<std::uint32_t> numbers_of(const std::string& node) {
  std::vector<std::uint32_t> numbers;
  for (std::size_t at = 0; (at = node.find("i32 ", at)) != std::string::npos; at += 4)
    numbers.push_back(static_cast<std::uint32_t>(std::strtoul(node.c_str() + at + 4, nullptr, 10)));
  return numbers;
}

std::array<std::uint32_t, 3> size_of(const std::string& node) {
  std::array<std::uint32_t, 3> size{};
  const auto numbers = numbers_of(node);
  for (std::size_t i = 0; i < numbers.size() && i < 3; ++i) size[i] = numbers[i];
  return size;
}

// "!{<4 x float> undef, i32 0}" -> "float4"; the number is 1 for integers with a sign.
std::string vector_type_of(const std::string& node) {
  static const std::map<std::string, std::string> kNames = {{"i8", "char"},     {"i16", "short"},
                                                            {"i32", "int"},     {"i64", "long"},
                                                            {"float", "float"}, {"double", "double"}};
  if (node.size() < 3) return {};
  std::string element = node.substr(2, node.find(" undef") - 2), count;
  if (element.starts_with('<')) {
    const std::size_t times = element.find(" x ");
    count = element.substr(1, times - 1);
    element = element.substr(times + 3, element.size() - times - 4);
  }
  const auto name = kNames.find(element);
  if (name == kNames.end()) return {};
  const bool without_sign = element[0] == 'i' && node.ends_with("i32 0}");
  return (without_sign ? "u" : "") + name->second + count;
}

KernelInfo kernel_of(const Nodes& nodes, const std::string& line) {
  KernelInfo kernel;
  std::size_t at = line.find('@') + 1;
  if (line[at] == '"')
    kernel.name = quoted_text(line, ++at);
  else
    kernel.name = line.substr(at, line.find('(', at) - at);
  kernel.required_group = size_of(node_of(nodes, line, "reqd_work_group_size"));
  kernel.group_hint = size_of(node_of(nodes, line, "work_group_size_hint"));
  kernel.vector_hint = vector_type_of(node_of(nodes, line, "vec_type_hint"));
  const auto spaces = numbers_of(node_of(nodes, line, "kernel_arg_addr_space"));
  const auto names = texts_of(node_of(nodes, line, "kernel_arg_name"));
  const auto types = texts_of(node_of(nodes, line, "kernel_arg_type"));
  const auto access = texts_of(node_of(nodes, line, "kernel_arg_access_qual"));
  const auto qualifiers = texts_of(node_of(nodes, line, "kernel_arg_type_qual"));
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    const auto of = [&](const std::vector<std::string>& texts) { return i < texts.size() ? texts[i] : ""; };
    kernel.arguments.push_back({of(names), of(types), of(access), of(qualifiers), spaces[i]});
  }
  return kernel;
}

}  // namespace

std::vector<KernelInfo> kernels_of(const std::string& intermediate) {
  Nodes nodes;
  std::vector<std::string> definitions;
  std::stringstream lines{intermediate};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("define ") && line.find(" spir_kernel ") != std::string::npos) {
      definitions.push_back(line);
    } else if (line.size() > 1 && line[0] == '!' && std::isdigit(static_cast<unsigned char>(line[1])) != 0) {
      const std::size_t begin = line.find('!', line.find(" = "));
      if (begin != std::string::npos) nodes[std::strtoul(line.c_str() + 1, nullptr, 10)] = line.substr(begin);
    }
  }
  std::vector<KernelInfo> kernels;
  for (const std::string& line : definitions) kernels.push_back(kernel_of(nodes, line));
  return kernels;
}

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
