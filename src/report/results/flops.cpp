#include "report/results/flops.h"

#include <algorithm>
#include <array>

namespace duet::report {

namespace {

std::string_view up_to(std::string_view text, char end) { return text.substr(0, text.find(end)); }

// Behind labels, opening braces and a guard: "$L1: { @!%p1 add.f32 ..." is "add.f32".
std::string_view opcode_of(std::string_view statement) {
  const auto next_word = [&] {
    const std::size_t begin = std::min(statement.find_first_not_of(" \t{}"), statement.size());
    statement.remove_prefix(begin);
    const std::size_t end = std::min(statement.find_first_of(" \t{}"), statement.size());
    const std::string_view word = statement.substr(0, end);
    statement.remove_prefix(end);
    return word;
  };
  std::string_view word = next_word();
  while (!word.empty() && (word.back() == ':' || word.front() == '@')) word = next_word();
  return word;
}

Flops flops_of_opcode(std::string_view opcode) {
  static constexpr std::array<std::string_view, 12> kOne = {"add",   "sub", "mul", "div", "rcp", "sqrt",
                                                            "rsqrt", "sin", "cos", "lg2", "ex2", "tanh"};
  const std::string_view name = up_to(opcode, '.');
  const std::uint64_t each = name == "fma" || name == "mad"                            ? 2
                             : std::find(kOne.begin(), kOne.end(), name) != kOne.end() ? 1
                                                                                       : 0;
  if (each == 0) return {};
  // The first type is that of the result.
  for (std::string_view rest = opcode; !rest.empty();) {
    const std::string_view part = up_to(rest, '.');
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    if (part == "f16" || part == "bf16") return {each, 0, 0};
    if (part == "f16x2" || part == "bf16x2") return {2 * each, 0, 0};
    if (part == "f32") return {0, each, 0};
    if (part == "f32x2") return {0, 2 * each, 0};
    if (part == "f64") return {0, 0, each};
  }
  return {};
}

}  // namespace

Flops flops_of(std::string_view line) {
  line = line.substr(0, line.find("//"));
  Flops sum;
  while (!line.empty()) {
    const std::string_view statement = up_to(line, ';');
    line.remove_prefix(std::min(statement.size() + 1, line.size()));
    sum += flops_of_opcode(opcode_of(statement));
  }
  return sum;
}

}  // namespace duet::report
