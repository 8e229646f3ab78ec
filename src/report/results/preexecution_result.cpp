#include "report/results/preexecution_result.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace duet::report {

namespace {

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

}  // namespace

void PreexecutionResult::add_settings(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view line = next_line(lines);
    const std::size_t equals = line.find('=');
    if (equals != std::string_view::npos)
      settings.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
}

void PreexecutionResult::add(const std::byte* record, std::size_t bytes, std::string_view text) {
  PreexecutionOfLaunch launch{};
  if (bytes < sizeof(PreexecutionRecord)) throw Error("journal record of an unknown size");
  std::memcpy(static_cast<PreexecutionRecord*>(&launch), record, sizeof(PreexecutionRecord));
  if (bytes != sizeof(PreexecutionRecord) + launch.samples * sizeof(SkipFactorSample))
    throw Error("journal record of an unknown size");
  launch.skip_factors.resize(launch.samples);
  if (launch.samples != 0)
    std::memcpy(launch.skip_factors.data(), record + sizeof(PreexecutionRecord),
                launch.samples * sizeof(SkipFactorSample));
  programs += launch.started;
  instructions += launch.instructions;
  loads += launch.loads;
  suppressed_loads += launch.suppressed_loads;
  if (launches.size() == kLaunches) return;
  launch.reason = next_line(text);
  while (!text.empty()) launch.not_prefetched.emplace_back(next_line(text));
  launches.emplace(launch.command, std::move(launch));
}

}  // namespace duet::report
