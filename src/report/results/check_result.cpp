#include "report/results/check_result.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/results/host_lines.h"

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

// The first line is the call, the second where it was called.
// A released resource is found by its address; the resource made there is gone then, whatever call made it.
void CheckResult::add(const ResourceRecord& record, std::string_view text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view call = text.substr(0, end);
  const bool of_memory = record.bytes != 0 || record.in_stream != 0;
  const std::string kind = record.in_stream != 0 ? "in stream" : of_memory ? "" : std::string(call);
  if (record.made == 0) {
    held_.erase({"", record.id});
    held_.erase({kind, record.id});
    names_.erase({kind, record.id});
    return;
  }
  if (of_memory && record.in_stream == 0 && of_pool(call)) return;
  held_[{kind, record.id}] = record;
  names_[{kind, record.id}] = call;
  frames_[{kind, record.id}] = text.substr(std::min(end + 1, text.size()));
}

void CheckResult::add_failure(std::string_view text) {
  const std::size_t frames = text.rfind('\n');
  failed_at_.try_emplace(std::string(text.substr(0, frames)), text.substr(frames + 1));
}

std::string CheckResult::failure_frames(const std::string& call, const std::string& error) const {
  const auto found = failed_at_.find(call + '\n' + error);
  return found == failed_at_.end() ? std::string() : found->second;
}

void CheckResult::name_host_lines() {
  std::vector<std::string*> facts;
  for (CheckFinding& finding : findings)
    for (std::string& fact : finding.facts)
      if (fact.find('@') != fact.npos) facts.push_back(&fact);
  resolve_host_lines(facts);
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
    if (const std::string& frames = frames_[key]; !frames.empty())
      leak.facts.back() += ", called at " + frames;
  }
  for (auto& [call, leak] : leaks)
    findings.push_back(
        {"leaks", "leak",
         leak.bytes == 0 ? fmt::format("{} of {} not released at the program's end", leak.count, call)
                         : fmt::format("{} bytes of {} not released at the program's end", leak.bytes, call),
         std::move(leak.facts), leak.count});
}

}  // namespace duet::report
