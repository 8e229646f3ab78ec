#include "base/readable_name.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>

namespace duet {

std::string whole_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0) return name;
  std::string result = text.get();
  const std::string anonymous = "(anonymous namespace)::";
  for (auto at = result.find(anonymous); at != std::string::npos; at = result.find(anonymous))
    result.erase(at, anonymous.size());
  if (result.starts_with("void ")) result.erase(0, 5);
  return result;
}

namespace {

constexpr std::string_view kMark = "...";

// Where the parameters begin: parentheses in template arguments do not count.
std::size_t parameters_of(const std::string& name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>') --depth;
    if (name[i] == '(' && depth == 0) return i;
  }
  return std::string::npos;
}

// Groups of equal ones, by their numbers.
std::map<std::string, std::vector<std::size_t>> groups(const std::vector<std::string>& labels) {
  std::map<std::string, std::vector<std::size_t>> result;
  for (std::size_t i = 0; i < labels.size(); ++i) result[labels[i]].push_back(i);
  return result;
}

std::string cut(const std::string& label, std::size_t width) {
  if (label.size() <= width) return label;
  return label.substr(0, width - kMark.size()).append(kMark);
}

void number(std::vector<std::string>& labels, std::size_t width) {
  for (const auto& [label, members] : groups(labels))
    for (std::size_t k = 0; members.size() > 1 && k < members.size(); ++k) {
      const std::string mark = " #" + std::to_string(k + 1);
      labels[members[k]] = cut(label, width - mark.size()) + mark;
    }
}

// For names with a common beginning: a part of the beginning, and the part from where the first two differ.
std::string cut_in_the_middle(const std::string& label, std::size_t same, std::size_t width) {
  const std::size_t head = width / 3, tail = width - head - kMark.size();
  const std::size_t from = std::max(head, std::min(same, label.size() - std::min(label.size(), tail)));
  return label.substr(0, head).append(kMark) + cut(label.substr(from), tail);
}

std::size_t length_in_common(const std::vector<std::string>& labels,
                             const std::vector<std::size_t>& members) {
  const std::string& first = labels[members[0]];
  std::size_t same = first.size();
  for (const std::size_t member : members) {
    const std::string& other = labels[member];
    const std::size_t most = std::min(same, other.size());
    same = static_cast<std::size_t>(
        std::mismatch(first.begin(), first.begin() + static_cast<std::ptrdiff_t>(most), other.begin()).first -
        first.begin());
  }
  return same;
}

}  // namespace

std::string readable_name(const std::string& name) {
  const std::string whole = whole_name(name);
  return whole == name ? name : whole.substr(0, parameters_of(whole));
}

std::vector<std::string> short_names(const std::vector<std::string>& names, std::size_t width) {
  std::vector<std::string> labels;
  for (const std::string& name : names) labels.push_back(readable_name(name));
  for (const auto& [label, members] : groups(labels))  // overloads
    for (const std::size_t member : members)
      if (members.size() > 1) labels[member] = whole_name(names[member]);
  std::vector<std::string> result;
  for (const std::string& label : labels) result.push_back(cut(label, width));
  for (const auto& [label, members] : groups(result)) {
    if (members.size() == 1) continue;
    const std::size_t same = length_in_common(labels, members);
    for (const std::size_t member : members)
      if (labels[member].size() > width) result[member] = cut_in_the_middle(labels[member], same, width);
  }
  number(result, width);
  return result;
}

}  // namespace duet
