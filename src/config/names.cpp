#include "config/names.h"

#include <algorithm>

#include "base/error.h"

namespace duet::config {

std::string unknown_name(std::string_view key, std::string_view name, Names known) {
  std::string text = std::string(key) + " = \"" + std::string(name) + "\" is not known: known are ";
  for (const std::string_view other : known) {
    if (other != known.front()) text += ", ";
    text += other;
  }
  return text;
}

std::size_t place_of(std::string_view key, std::string_view name, Names known) {
  const auto place = std::find(known.begin(), known.end(), name);
  if (place == known.end()) throw Error(unknown_name(key, name, known));
  return static_cast<std::size_t>(place - known.begin());
}

}  // namespace duet::config
