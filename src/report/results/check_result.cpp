#include "report/results/check_result.h"

#include <fmt/format.h>

#include <algorithm>

namespace duet::report {

namespace {

// Memory that a pool or a graph keeps for the program is not its own.
bool of_pool(std::string_view call) {
  for (const std::string_view word : {"Async", "Pool", "Graph"})
    if (call.find(word) != call.npos) return true;
  return false;
}

}  // namespace

bool CheckResult::has(std::string_view check) const {
  return (',' + checks + ',').find(',' + std::string(check) + ',') != std::string::npos;
}

void CheckResult::add(const FindingRecord& record, std::string_view text) {
  CheckFinding finding;
  finding.count = record.count;
  std::vector<std::string> lines;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.emplace_back(text.substr(from, end - from));
    from = end + 1;
  }
  lines.resize(std::max<std::size_t>(lines.size(), 3));
  finding.check = lines[0];
  finding.kind = lines[1];
  finding.text = lines[2];
  finding.facts.assign(lines.begin() + 3, lines.end());
  recorded_[record.number] = std::move(finding);
}

// A released resource is found by its address; the resource made there is gone then, whatever call made it.
void CheckResult::add(const ResourceRecord& record, std::string_view call) {
  const std::string kind = record.bytes == 0 ? std::string(call) : std::string();
  if (record.made == 0) {
    held_.erase({kind, record.id});
    names_.erase({kind, record.id});
    return;
  }
  if (record.bytes != 0 && of_pool(call)) return;
  held_[{kind, record.id}] = record;
  names_[{kind, record.id}] = call;
}

void CheckResult::add_leaks() {
  for (auto& [number, finding] : recorded_) findings.push_back(std::move(finding));
  recorded_.clear();
  struct Leak {
    std::uint64_t count = 0;
    Bytes bytes = 0;
    std::vector<std::string> facts;
  };
  std::map<std::string, Leak> leaks;
  for (const auto& [key, record] : held_) {
    const std::string& call = names_[key];
    Leak& leak = leaks[call];
    ++leak.count;
    leak.bytes += record.bytes;
    leak.facts.push_back(record.bytes == 0 ? fmt::format("{} #{}", call, record.number)
                                           : fmt::format("{} #{} ({} bytes at {:#x})", call, record.number,
                                                         record.bytes, record.id));
  }
  for (auto& [call, leak] : leaks)
    findings.push_back(
        {"leaks", "leak",
         leak.bytes == 0 ? fmt::format("{} of {} not released at the program's end", leak.count, call)
                         : fmt::format("{} bytes of {} not released at the program's end", leak.bytes, call),
         std::move(leak.facts), leak.count});
}

}  // namespace duet::report
