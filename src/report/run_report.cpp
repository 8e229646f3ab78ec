#include "report/run_report.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace duet::report {

namespace {
Mark mark_of(const JournalHeader& header, const std::byte* record, std::size_t bytes, std::string_view name) {
  Mark mark;
  mark.name = name;
  mark.time_ps = record_as<MarkRecord>(record, sizeof(MarkRecord)).time_ps;
  const std::size_t values = (bytes - sizeof(MarkRecord)) / sizeof(std::uint64_t);
  for (std::size_t i = 0; i < values; ++i) {
    const Counter& counter = header.counters[i];
    const auto value = record_as<std::uint64_t>(record + sizeof(MarkRecord) + i * sizeof(std::uint64_t),
                                                sizeof(std::uint64_t));
    (counter.state != 0 ? mark.states : mark.counters).emplace_back(counter.name, value);
  }
  return mark;
}
// Of what grew during a kernel.
Counters increase_of(const JournalHeader& header, const std::byte* values, std::size_t bytes) {
  Counters result;
  for (std::size_t i = 0; i * sizeof(std::uint64_t) < bytes; ++i) {
    const auto value = record_as<std::uint64_t>(values + i * sizeof(std::uint64_t), sizeof(std::uint64_t));
    if (value != 0) result.emplace_back(header.counters[i].name, value);
  }
  return result;
}

void add_components(RunReport& report, const JournalHeader& header, const ComponentValues& found) {
  report.components_ps = found.time_ps;
  for (const ComponentDescription& described : found.components) {
    ComponentResult& component = report.components.emplace_back();
    component.name = described.name;
    component.role = described.role;
    component.level = described.level;
    if (described.parent != ComponentDescription::kNoParent)
      component.parent = found.components.at(described.parent).name;
    for (std::uint32_t i = described.first_value; i < described.first_value + described.value_count; ++i) {
      const std::string name = header.counters[found.counter_of_value.at(i)].name;
      if (component.kind.empty()) component.kind = name.substr(0, name.find('.'));
      if (found.values[i] != 0) component.counters.emplace_back(name, found.values[i]);
    }
  }
}

// Picoseconds in at least one of the intervals.
Picoseconds covered(std::vector<std::pair<Picoseconds, Picoseconds>>& intervals) {
  std::sort(intervals.begin(), intervals.end());
  Picoseconds busy = 0, reached = 0;
  for (const auto& [start, end] : intervals) {
    const Picoseconds from = std::max(start, reached);
    if (end > from) busy += end - from;
    reached = std::max(reached, end);
  }
  return busy;
}

void add_kernels(RunReport& report) {
  std::vector<std::pair<Picoseconds, Picoseconds>> intervals;
  report.for_each_kernel([&](const KernelResult& kernel) {
    ++report.kernels;
    report.warp_instructions += kernel.warp_instructions;
    report.thread_instructions += kernel.thread_instructions;
    const bool goes_on = !intervals.empty() && kernel.start_ps >= intervals.back().first &&
                         kernel.start_ps <= intervals.back().second;
    if (goes_on)
      intervals.back().second = std::max(intervals.back().second, kernel.end_ps);
    else
      intervals.emplace_back(kernel.start_ps, kernel.end_ps);
  });
  report.gpu_cycles = static_cast<std::uint64_t>(static_cast<unsigned __int128>(covered(intervals)) *
                                                 report.core_clock_khz / 1'000'000'000);
}
}  // namespace

void RunReport::for_each_running_kernel(const std::function<void(const KernelResult&)>& f) const {
  if (!cut_off) return;
  const Progress progress = journal->progress();
  for (std::uint32_t i = 0; i < progress.kernel_count; ++i)
    f({progress.kernels[i].record, progress.kernels[i].name});
}

void RunReport::for_each_kernel(const std::function<void(const KernelResult&)>& f) const {
  journal->for_each([&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
    if (type == RecordType::Kernel) f({record_as<KernelRecord>(record, bytes), std::string(text)});
  });
  for_each_running_kernel(f);
}

// A kernel's counters come after its record; one that was skipped after a fault has none.
void RunReport::for_each_kernel_with_counters(const std::function<void(const KernelResult&)>& f) const {
  struct Waiting {
    KernelResult kernel;
    bool counted = false;
  };
  std::deque<Waiting> waiting;
  std::uint64_t done = 0;
  journal->for_each([&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
    if (type == RecordType::Kernel)
      waiting.push_back({{record_as<KernelRecord>(record, bytes), std::string(text)}});
    if (type != RecordType::KernelStatistics) return;
    constexpr std::size_t kOwn = sizeof(KernelStatisticsRecord);
    const auto number = record_as<KernelStatisticsRecord>(record, kOwn).kernel;
    waiting.at(number - done).kernel.counters = increase_of(journal->header(), record + kOwn, bytes - kOwn);
    waiting.at(number - done).counted = true;
    for (; !waiting.empty() && waiting.front().counted; ++done, waiting.pop_front())
      f(waiting.front().kernel);
  });
  for (const Waiting& last : waiting) f(last.kernel);
  for_each_running_kernel(f);
}

void RunReport::for_each_copy(const std::function<void(const CopyRecord&)>& f) const {
  journal->for_each([&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view) {
    if (type == RecordType::Copy) f(record_as<CopyRecord>(record, bytes));
  });
}

RunReport read_report(const JournalReader& journal, const std::string& machine, double wall_seconds,
                      bool cut_off) {
  RunReport report;
  const JournalHeader& header = journal.header();
  report.journal = &journal;
  report.cut_off = cut_off;
  report.machine = machine;
  report.command.assign(header.command, strnlen(header.command, sizeof header.command));
  report.wall_seconds = wall_seconds;
  report.deterministic = header.deterministic != 0;
  report.simulated_ps = header.simulated_ps;
  report.core_clock_khz = header.core_clock_khz;
  report.lost_records = header.lost_records;
  report.lost_because = header.lost_because;
  for (std::uint32_t i = 0; i < header.counter_count; ++i)
    if (header.counters[i].state == 0)
      report.counters.emplace_back(header.counters[i].name, header.counters[i].value);
  journal.for_each([&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
    switch (type) {
      case RecordType::Components:
        add_components(report, header, component_values(record, bytes));
        break;
      case RecordType::Mark:
        report.marks.push_back(mark_of(header, record, bytes, text));
        break;
      case RecordType::Fault:
        report.faults.emplace_back(text);
        break;
      case RecordType::Race: {
        const std::size_t end = text.find('\n');
        report.races.push_back({record_as<RaceRecord>(record, bytes), std::string(text.substr(0, end)),
                                std::string(text.substr(end + 1))});
        break;
      }
      default:  // what stays in the journal, and what another version has added
        break;
    }
  });
  add_kernels(report);
  const std::uint32_t apis = header.api_count;
  for (std::uint32_t i = 0; i < apis; ++i)
    report.api.push_back({header.api[i].name, header.api[i].calls, header.api[i].total_ps});
  return report;
}

}  // namespace duet::report
