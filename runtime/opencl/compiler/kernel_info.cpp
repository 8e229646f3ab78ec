#include "opencl/compiler/kernel_info.h"

#include <cctype>
#include <cstdlib>
#include <map>
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

std::vector<std::string> undefined_in(const std::string& intermediate) {
  std::vector<std::string> names;
  std::stringstream lines{intermediate};
  for (std::string line; std::getline(lines, line);) {
    const bool function = line.starts_with("declare ");
    if (!function && !(line.starts_with('@') && line.find(" = external ") != std::string::npos)) continue;
    const std::size_t begin = line.find('@') + 1;
    const std::string name = line.substr(begin, line.find_first_of("( ", begin) - begin);
    if (!name.starts_with("llvm.") && name != "printf") names.push_back(name);
  }
  return names;
}

}  // namespace duet::opencl
