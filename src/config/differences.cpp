#include "config/differences.h"

#include <map>
#include <string_view>

namespace duet::config {

namespace {

std::map<std::string_view, const ResolvedValue*> by_key(const std::vector<ResolvedValue>& values) {
  std::map<std::string_view, const ResolvedValue*> result;
  for (const ResolvedValue& value : values) result[value.key] = &value;
  return result;
}

}  // namespace

std::vector<Difference> differences(const std::vector<ResolvedValue>& first,
                                    const std::vector<ResolvedValue>& second) {
  const auto of_first = by_key(first), of_second = by_key(second);
  std::vector<Difference> result;
  for (const ResolvedValue& value : first) {
    const auto other = of_second.find(value.key);
    if (other == of_second.end())
      result.push_back({value.key, value.unit, value.text, std::nullopt});
    else if (other->second->text != value.text)
      result.push_back({value.key, value.unit, value.text, other->second->text});
  }
  for (const ResolvedValue& value : second)
    if (!of_first.contains(value.key)) result.push_back({value.key, value.unit, std::nullopt, value.text});
  return result;
}

}  // namespace duet::config
