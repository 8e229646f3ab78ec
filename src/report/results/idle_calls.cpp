#include "report/results/idle_calls.h"

#include <algorithm>
#include <map>
#include <set>

#include "report/run_report.h"

namespace duet::report {

namespace {

constexpr std::uint32_t kCallAlone = 1u << static_cast<std::uint32_t>(Activity::Call);

struct Call {
  Picoseconds start_ps, end_ps;
  std::uint32_t api;
  bool staged;
};

std::vector<MomentStretch> stretches(const JournalReader& journal) {
  std::vector<MomentStretch> result;
  journal.for_each([&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view) {
    if (type != RecordType::MomentStretches) return;
    for (std::size_t at = 0; at + sizeof(MomentStretch) <= bytes; at += sizeof(MomentStretch)) {
      const auto one = record_as<MomentStretch>(record + at, sizeof(MomentStretch));
      if (one.moment == kCallAlone) result.push_back(one);
    }
  });
  return result;
}

// Outermost ones, in the order of their beginnings.
std::vector<Call> calls(const RunReport& report) {
  std::set<std::uint64_t> staged;
  report.for_each_copy([&](const CopyRecord& copy) {
    if (copy.pageable != 0) staged.insert(copy.call);
  });
  std::vector<Call> result;
  report.journal->for_each(
      [&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view) {
        if (type != RecordType::ApiCall || result.size() == ApiCallRecord::kCalls) return;
        const auto call = record_as<ApiCallRecord>(record, bytes);
        if (call.outer != 0) return;
        result.push_back({call.start_ps, call.end_ps, call.api, staged.contains(call.number)});
      });
  std::sort(result.begin(), result.end(),
            [](const Call& a, const Call& b) { return a.start_ps < b.start_ps; });
  return result;
}

Picoseconds common(const Call& call, const MomentStretch& stretch) {
  const Picoseconds from = std::max(call.start_ps, stretch.start_ps);
  const Picoseconds to = std::min(call.end_ps, stretch.end_ps);
  return to > from ? to - from : 0;
}

}  // namespace

std::vector<IdleCall> find_idle_calls(const RunReport& report) {
  const std::vector<Call> all = calls(report);
  std::map<std::pair<std::uint32_t, bool>, double> times;
  std::size_t first = 0;
  for (const MomentStretch& stretch : stretches(*report.journal)) {
    while (first < all.size() && all[first].end_ps <= stretch.start_ps) ++first;
    Picoseconds covered = 0;
    for (std::size_t i = first; i < all.size() && all[i].start_ps < stretch.end_ps; ++i)
      covered += common(all[i], stretch);
    if (covered == 0) continue;
    const double share = static_cast<double>(stretch.of_ps) / static_cast<double>(covered);
    for (std::size_t i = first; i < all.size() && all[i].start_ps < stretch.end_ps; ++i)
      if (const Picoseconds time = common(all[i], stretch); time != 0)
        times[{all[i].api, all[i].staged}] += share * static_cast<double>(time);
  }
  std::vector<IdleCall> result;
  for (const auto& [call, time] : times)
    result.push_back({report.journal->header().api[call.first].name +
                          std::string(call.second ? ", staging pageable memory" : ""),
                      static_cast<Picoseconds>(time)});
  std::stable_sort(result.begin(), result.end(),
                   [](const IdleCall& a, const IdleCall& b) { return a.time_ps > b.time_ps; });
  return result;
}

}  // namespace duet::report
