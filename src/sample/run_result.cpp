#include "sample/run_result.h"

#include <algorithm>
#include <cmath>

#include "report/run_report.h"
#include "sample/estimator.h"

namespace duet::sample {

namespace {

struct Launches {
  std::vector<Window> windows;
  std::vector<double> forwarded;  // work
  std::uint64_t warming = 0;
  double warming_time = 0, warming_error = 0;

  void add(const report::SampleRecord& record) {
    if (windows.size() <= record.window) windows.resize(record.window + 1);
    Window& window = windows[record.window];
    ++window.launches;
    if (record.timed != 0) {
      window.timed = true;
      window.work = static_cast<double>(record.work);
      window.time = static_cast<double>(record.time_ps);
      window.error = static_cast<double>(record.error_ps);
    } else if (record.warming != 0) {
      ++warming;
      warming_time += static_cast<double>(record.time_ps);
      warming_error += static_cast<double>(record.error_ps);
    } else {
      forwarded.push_back(static_cast<double>(record.work));
    }
  }
};

Picoseconds rounded(double time_ps) { return static_cast<Picoseconds>(std::llround(time_ps)); }

}  // namespace

std::optional<report::SamplingResult> sampling_of(const report::JournalReader& journal) {
  std::optional<report::SamplingResult> sampling;
  std::vector<Launches> launches;
  journal.for_each(
      [&](report::RecordType type, const std::byte* bytes, std::size_t size, std::string_view text) {
        if (type != report::RecordType::Sample) return;
        const auto record = report::record_as<report::SampleRecord>(bytes, size);
        if (!sampling) sampling.emplace();
        sampling->error_percent = record.error_percent;
        if (launches.size() <= record.group) {
          launches.resize(record.group + 1);
          sampling->groups.resize(record.group + 1);
        }
        report::SampledGroup& group = sampling->groups[record.group];
        if (!text.empty()) group.kernel = text;
        std::copy(std::begin(record.grid), std::end(record.grid), group.grid);
        std::copy(std::begin(record.block), std::end(record.block), group.block);
        group.dynamic_shared_bytes = record.dynamic_shared_bytes;
        if (record.failed != 0) return;
        group.overlapped += record.overlapped;
        group.partly += record.timed_blocks != 0;
        if (record.timed == 0 && record.warming == 0) group.taken_ps += record.time_ps;
        launches[record.group].add(record);
      });
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const Result result = result_of(launches[i].windows, launches[i].forwarded);
    report::SampledGroup& group = sampling->groups[i];
    group.launches = result.launches;
    group.timed = result.timed;
    group.extrapolated = result.extrapolated;
    group.warming = launches[i].warming;
    group.timed_ps = rounded(result.timed_time + launches[i].warming_time);
    group.estimated_ps = rounded(result.estimated_time);
    group.bound_ps = rounded(result.bound() + launches[i].warming_error);
  }
  return sampling;
}

}  // namespace duet::sample
