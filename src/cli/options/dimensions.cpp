#include "cli/options/dimensions.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "base/error.h"

namespace duet::cli {

gpu::Dim3 dimensions(const std::string& text, const char* option) {
  gpu::Dim3 d;
  std::uint32_t* const part[3] = {&d.x, &d.y, &d.z};
  std::istringstream in(text);
  std::string item;
  unsigned count = 0;
  while (std::getline(in, item, ',')) {
    if (count == 3) throw Error(fmt::format("{} {}: at most three numbers X,Y,Z", option, text));
    const auto result = std::from_chars(item.data(), item.data() + item.size(), *part[count]);
    if (result.ec != std::errc() || result.ptr != item.data() + item.size() || *part[count] == 0)
      throw Error(fmt::format("{} {}: write X,Y,Z with numbers from 1", option, text));
    ++count;
  }
  if (count == 0) throw Error(fmt::format("{} needs X,Y,Z", option));
  return d;
}

}  // namespace duet::cli
