#include "report/results/shares.h"

#include <algorithm>
#include <utility>

namespace duet::report {

std::vector<std::uint64_t> tenths_of_percent(const std::vector<std::uint64_t>& parts) {
  std::uint64_t whole = 0;
  for (const std::uint64_t part : parts) whole += part;
  std::vector<std::uint64_t> result(parts.size());
  if (whole == 0) return result;
  std::vector<std::pair<std::uint64_t, std::size_t>> lost;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto exact = static_cast<unsigned __int128>(parts[i]) * 1000;
    sum += result[i] = static_cast<std::uint64_t>(exact / whole);
    lost.emplace_back(static_cast<std::uint64_t>(exact % whole), i);
  }
  std::stable_sort(lost.begin(), lost.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; sum < 1000; ++i, ++sum) ++result[lost[i].second];
  return result;
}

}  // namespace duet::report
