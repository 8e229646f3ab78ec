#include "config/setting.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace duet::config {

const ResolvedValue& setting(const std::vector<ResolvedValue>& values, std::string_view key) {
  return *std::find_if(values.begin(), values.end(),
                       [key](const ResolvedValue& value) { return value.key == key; });
}

void refuse(const std::vector<ResolvedValue>& values, std::string_view key, const std::string& what) {
  const ResolvedValue& value = setting(values, key);
  throw Error(fmt::format("{}: {} = {} {}", value.where, key, value.text, what));
}

}  // namespace duet::config
