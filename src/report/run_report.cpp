#include "report/run_report.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>

#include "report/results/covered_time.h"

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
void add_components_of(RunReport& report, const JournalHeader& header, const ComponentValues& found) {
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

void add_threads(ProcessorResult& processor, const std::vector<ThreadDescription>& threads) {
  processor.threads.clear();
  for (const ThreadDescription& thread : threads)
    processor.threads.push_back({thread.id, thread.name, thread.core_time_ps, thread.instructions});
}

// Kernels come in the order of their ends. The earliest start of later kernels is looked up first, for so
// many kernels at once, so past time can be dropped.
constexpr std::uint64_t kKernelsAtOnce = 4096;
std::vector<Picoseconds> earliest_starts(const RunReport& report) {
  std::vector<Picoseconds> starts;
  std::uint64_t number = 0;
  report.for_each_kernel([&](const KernelResult& kernel) {
    if (number++ % kKernelsAtOnce == 0) starts.push_back(kernel.start_ps);
    starts.back() = std::min(starts.back(), kernel.start_ps);
  });
  for (std::size_t i = starts.size(); i-- > 1;) starts[i - 1] = std::min(starts[i - 1], starts[i]);
  return starts;
}

void add_kernels(RunReport& report) {
  const std::vector<Picoseconds> starts = earliest_starts(report);
  CoveredTime covered;
  report.for_each_kernel([&](const KernelResult& kernel) {
    if (report.kernels % kKernelsAtOnce == 0) covered.none_before(starts[report.kernels / kKernelsAtOnce]);
    ++report.kernels;
    report.warp_instructions += kernel.warp_instructions;
    report.thread_instructions += kernel.thread_instructions;
    covered.add(kernel.start_ps, kernel.end_ps);
  });
  report.gpu_cycles = static_cast<std::uint64_t>(static_cast<unsigned __int128>(covered.total()) *
                                                 report.core_clock_khz / 1'000'000'000);
}

Conflict conflict_of(const ConflictRecord& record, std::string_view text) {
  Conflict conflict{record, {}, {}, {}};
  for (std::string* part :
       {&conflict.names[0], &conflict.places[0], &conflict.names[1], &conflict.places[1], &conflict.where}) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    *part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return conflict;
}

void add_outside(RunReport& report, const OutsideRecord& record, std::string_view text) {
  const std::size_t first = text.find('\n'), second = text.find('\n', first + 1);
  OutsideAccess access{record, std::string(text.substr(0, first)),
                       std::string(text.substr(first + 1, second - first - 1)),
                       std::string(text.substr(second + 1))};
  const auto known = std::find_if(
      report.outside_accesses.begin(), report.outside_accesses.end(), [&](const OutsideAccess& other) {
        return other.kernel == access.kernel && other.place == access.place && other.kind == access.kind;
      });
  if (known == report.outside_accesses.end()) {
    report.outside_accesses.push_back(std::move(access));
    return;
  }
  access.accesses += known->accesses;
  access.several |= known->several | (access.distance_bytes != known->distance_bytes);
  access.lowest = std::min(access.lowest, known->lowest);
  access.highest = std::max(access.highest, known->highest);
  if (known->distance_bytes >= access.distance_bytes) {
    access.distance_bytes = known->distance_bytes;
    access.before = known->before;
    access.allocation = known->allocation;
  }
  *known = std::move(access);
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

// A kernel's counters come after its record; the last ones may have none when the process was killed.
void RunReport::for_each_kernel_with_counters(const std::function<void(const KernelResult&)>& f) const {
  struct Waiting {
    KernelResult kernel;
    bool counted = false;
  };
  std::deque<Waiting> waiting;
  Waiting spare;  // a run may have very many: the memory of one is taken for the next one
  std::uint64_t done = 0;
  journal->for_each([&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
    if (type == RecordType::Kernel) {
      static_cast<KernelRecord&>(spare.kernel) = record_as<KernelRecord>(record, bytes);
      spare.kernel.name = text;
      spare.kernel.counters.clear();
      spare.counted = false;
      waiting.push_back(std::move(spare));
    }
    if (type != RecordType::KernelStatistics) return;
    if (bytes < sizeof(KernelStatisticsRecord)) throw Error("journal record of an unknown size");
    constexpr std::size_t kOwn = sizeof(KernelStatisticsRecord);
    const auto number = record_as<KernelStatisticsRecord>(record, kOwn).kernel;
    Waiting& its = waiting.at(number - done);
    for_each_increase(record + kOwn, bytes - kOwn, [&](std::uint32_t counter, std::uint64_t value) {
      its.kernel.counters.push_back({counter, value});
    });
    its.counted = true;
    for (; !waiting.empty() && waiting.front().counted; ++done, waiting.pop_front()) {
      f(waiting.front().kernel);
      spare = std::move(waiting.front());
    }
  });
  for (const Waiting& last : waiting) f(last.kernel);
  for_each_running_kernel(f);
}

void RunReport::for_each_copy(const std::function<void(const CopyRecord&)>& f) const {
  journal->for_each([&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view) {
    if (type == RecordType::Copy) f(record_as<CopyRecord>(record, bytes));
  });
}

bool RunReport::anything_ran() const {
  bool copied = false;
  for_each_copy([&](const CopyRecord&) { copied = true; });
  return copied || kernels != 0 || !marks.empty() || (processor && processor->instructions() != 0);
}

namespace {

// Failed calls whose error the program did not read before the end, or before another error took its place.
void add_unasked(RunReport& report) {
  for (const Failure& failure : report.failures) {
    if (failure.unasked == 0) continue;
    CheckFinding finding{"api",
                         "api_error",
                         failure.call + " failed with " + failure.error + ", and the program never asked",
                         {},
                         failure.unasked};
    if (!failure.kernel.empty()) finding.facts.push_back("kernel '" + readable_name(failure.kernel) + "'");
    if (const std::string frames = report.check.failure_frames(failure.call, failure.error); !frames.empty())
      finding.facts.push_back("called at " + frames);
    report.check.findings.push_back(std::move(finding));
  }
}

}  // namespace

RunReport read_report(const JournalReader& journal, const std::string& machine, double wall_seconds,
                      bool cut_off) {
  RunReport report;
  const JournalHeader& header = journal.header();
  report.journal = &journal;
  report.cut_off = cut_off;
  report.machine = machine;
  report.command.assign(header.command, strnlen(header.command, sizeof header.command));
  report.wall_seconds = wall_seconds;
  report.program_seconds =
      std::max(wall_seconds - static_cast<double>(header.inside_calls_ns.load()) * 1e-9, 0.0);
  report.deterministic = header.deterministic != 0;
  report.account = journal.account();
  report.simulated_ps = std::max(header.simulated_ps.load(), report.account.time_ps);
  report.core_clock_khz = header.core_clock_khz;
  report.lost_records = header.lost_records;
  report.lost_because = header.lost_because;
  for (std::size_t i = 0; i < std::size(header.incomplete); ++i)
    if (const std::uint64_t count = header.incomplete[i]; count != 0)
      report.incomplete.emplace_back(stream_command_name(static_cast<StreamCommand>(i)), count);
  report.ended_by_duet = static_cast<int>(header.failure);
  for (std::uint32_t i = 0; i < header.failed_call_count; ++i) {
    const FailedCall& failed = header.failed_calls[i];
    report.failures.push_back({failed.call, failed.error, failed.kernel, failed.launch != 0, failed.calls,
                               failed.unasked, failed.first_ps});
  }
  for (std::uint32_t i = 0; i < header.counter_count; ++i)
    if (header.counters[i].state == 0)
      report.counters.emplace_back(header.counters[i].name, header.counters[i].value);
  if (header.processor.clock_khz != 0) {
    report.processor.emplace();
    report.processor->clock_khz = header.processor.clock_khz;
    report.processor->has_l2 = header.processor.has_l2 != 0;
    report.processor->has_l3 = header.processor.has_l3 != 0;
    if (header.processor.ended != 0)
      report.processor->end = {header.processor.status, header.processor.signal};
    // Its exit status alone may look as if a signal had ended it.
    if (report.processor->end && report.processor->end->signal == 0) report.cut_off = false;
  }
  journal.for_each([&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
    switch (type) {
      case RecordType::Components:
        add_components_of(report, header, component_values(record, bytes));
        break;
      case RecordType::Threads:
        if (const auto threads = thread_descriptions(record, bytes); threads && report.processor)
          add_threads(*report.processor, *threads);
        break;
      case RecordType::HostStack:
        if (report.processor) {
          const auto stack = record_as<HostStackRecord>(record, bytes);
          StackResult& result = report.processor->stacks.emplace_back(StackResult{std::string(text), {}});
          std::copy(std::begin(stack.samples), std::end(stack.samples), result.samples.slots.begin());
          report.processor->profile_period_ps = stack.period_ps;
        }
        break;
      case RecordType::Mark:
        report.marks.push_back(mark_of(header, record, bytes, text));
        break;
      case RecordType::Fault:
        report.faults.emplace_back(text);
        break;
      case RecordType::Race: {
        const std::size_t first = text.find('\n'), second = text.find('\n', first + 1);
        report.races.push_back({record_as<RaceRecord>(record, bytes), std::string(text.substr(0, first)),
                                std::string(text.substr(first + 1, second - first - 1)),
                                std::string(text.substr(second + 1))});
        break;
      }
      case RecordType::Conflict:
        report.conflicts.push_back(conflict_of(record_as<ConflictRecord>(record, bytes), text));
        break;
      case RecordType::Checks:
        report.check.checks = text;
        break;
      case RecordType::Finding:
        report.check.add(record_as<FindingRecord>(record, bytes), text);
        break;
      case RecordType::CheckNote:
        report.check.note = text;
        break;
      case RecordType::FailedAt:
        report.check.add_failure(text);
        break;
      case RecordType::Resource:
        report.check.add(record_as<ResourceRecord>(record, bytes), text);
        break;
      case RecordType::PreexecutionOptions:
        report.preexecution.add_settings(text);
        break;
      case RecordType::Preexecution:
        report.preexecution.add(record, bytes, text);
        break;
      case RecordType::CpuBlocks:
        report.cpu_blocks.add(record_as<CpuBlocksRecord>(record, bytes), text);
        break;
      case RecordType::Launched:
        report.launched.add(record_as<LaunchedRecord>(record, bytes), text);
        break;
      case RecordType::Lines:
        report.lines.add(record, bytes, text);
        break;
      case RecordType::Outside:
        add_outside(report, record_as<OutsideRecord>(record, bytes), text);
        break;
      default:  // records that stay in the journal, and records of other versions
        break;
    }
  });
  report.lines.finish();
  report.check.add_leaks();
  if (report.check.has("api")) add_unasked(report);
  report.check.name_host_lines();
  if (report.processor) add_components(*report.processor, report.components);
  add_kernels(report);
  report.idle_calls = find_idle_calls(report);
  const std::uint32_t apis = header.api_count;
  for (std::uint32_t i = 0; i < apis; ++i)
    report.api.push_back({header.api[i].name, header.api[i].calls, header.api[i].total_ps});
  const std::uint32_t allocating = header.allocated_count;
  for (std::uint32_t i = 0; i < allocating; ++i) {
    const AllocatedMemory& memory = header.allocated[i];
    report.memory.push_back({memory.call, memory.method, memory.allocations, memory.bytes});
  }
  return report;
}

}  // namespace duet::report
