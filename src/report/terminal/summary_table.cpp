// The short table at the end of every run: where the simulated time went.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "report/run_report.h"
#include "report/terminal/table_text.h"

namespace duet::report {

namespace {

struct Sum {
  std::uint64_t count = 0;
  Picoseconds time = 0;
  Bytes bytes = 0;
  void add(Picoseconds duration_ps, Bytes more = 0) {
    ++count;
    time += duration_ps;
    bytes += more;
  }
};

constexpr std::size_t kNameWidth = 34;  // of a label, with its indentation
constexpr std::size_t kNamesShown = 8;  // of calls
constexpr std::size_t kKernelsShown = 5;

// Parts of the run; empty ones are left out.
void parts_of_run(std::string& out, std::string_view title, const std::vector<TimePart>& parts,
                  const std::map<std::string_view, std::string>& notes = {}) {
  out += fmt::format("  {:<{}} {:>8} {:>14} {:>8}\n", title, kNameWidth, "", "time", "of run");
  std::vector<std::uint64_t> times;
  for (const TimePart& part : parts) times.push_back(part.time_ps);
  const std::vector<std::uint64_t> tenths = tenths_of_percent(times);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].time_ps == 0) continue;
    const auto note = notes.find(parts[i].name);
    out += fmt::format("    {:<{}} {:>8} {:>14} {:>4}.{} %{}\n", parts[i].text, kNameWidth - 2, "",
                       duration(parts[i].time_ps), tenths[i] / 10, tenths[i] % 10,
                       note != notes.end() && !note->second.empty() ? "  " + note->second : "");
  }
}

void row(std::string& out, std::string_view what, const Sum& sum, const std::string& note = {}) {
  out += fmt::format("  {:<{}} {:>8} {:>14}{}{}\n", what, kNameWidth, sum.count, duration(sum.time),
                     note.empty() ? "" : "  ", note);
}

// The longest of them, and the rest in one row.
void rows_by_time(std::string& out, const std::map<std::string, Sum>& by_name, std::size_t most,
                  const std::string& indentation) {
  std::vector<std::pair<std::string, Sum>> sorted(by_name.begin(), by_name.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  const std::size_t shown = sorted.size() <= most + 1 ? sorted.size() : most;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shown; ++i) names.push_back(sorted[i].first);
  const std::vector<std::string> labels = short_names(names, kNameWidth - indentation.size());
  for (std::size_t i = 0; i < shown; ++i) row(out, indentation + labels[i], sorted[i].second);
  Sum rest;
  for (std::size_t i = shown; i < sorted.size(); ++i) {
    rest.count += sorted[i].second.count;
    rest.time += sorted[i].second.time;
  }
  if (shown < sorted.size()) row(out, fmt::format("{}{} others", indentation, sorted.size() - shown), rest);
}

// Kernels or copies of one name, with their times added up, even at once.
struct Work {
  Sum driver, kernels;
  std::map<CopyKind, Sum> copies;
  std::map<std::uint32_t, std::pair<Sum, Sum>> streams;  // copies, kernels
  std::map<std::string, Sum> by_kernel;
  std::string unfinished;
  std::uint64_t forwarded = 0;

  explicit Work(const RunReport& report) {
    report.for_each_kernel([&](const KernelResult& k) {
      kernels.add(k.end_ps - k.start_ps);
      driver.add(k.start_ps - k.driver_start_ps);
      streams[k.stream].second.add(k.end_ps - k.start_ps);
      by_kernel[k.name].add(k.end_ps - k.start_ps);
      forwarded += k.fast_forwarded;
      if (k.complete == 0)
        unfinished += fmt::format(
            "  unfinished: kernel '{}', {} cycles, {} warp instructions, {} of {} blocks complete\n",
            readable_name(k.name), k.cycles, k.warp_instructions, k.completed_blocks,
            std::uint64_t{k.grid[0]} * k.grid[1] * k.grid[2]);
    });
    report.for_each_copy([&](const CopyRecord& c) {
      copies[c.kind].add(c.end_ps - c.start_ps, c.bytes);
      driver.add(c.start_ps - c.driver_start_ps);
      streams[c.stream].first.add(c.end_ps - c.start_ps, c.bytes);
    });
  }
};

// The longest ones: "in cudaMemcpy, staging pageable memory 70.1 %; cudaMalloc 2.0 %".
std::string idle_calls_text(const RunReport& report) {
  constexpr std::size_t kShown = 2;
  constexpr double kLeast = 1;  // percent
  std::string text;
  std::size_t shown = 0;
  for (const IdleCall& call : report.idle_calls) {
    const double percent =
        100.0 * static_cast<double>(call.time_ps) / static_cast<double>(report.simulated_ps);
    if (percent < kLeast || shown++ == kShown) break;
    text += fmt::format("{}{} {:.1f} %", text.empty() ? "in " : "; ", call.text, percent);
  }
  return text;
}

std::string in_union(const TimeAccount& account, Activity activity) {
  return fmt::format("in {}", duration(busy_ps(account, activity)));
}

void work_rows(std::string& out, const RunReport& report, const Work& work) {
  static constexpr std::pair<CopyKind, const char*> kNames[] = {
      {CopyKind::HostToDevice, "copies host to device"},
      {CopyKind::DeviceToHost, "copies device to host"},
      {CopyKind::DeviceToDevice, "copies on the device"},
      {CopyKind::HostToHost, "copies on the host"},
      {CopyKind::Fill, "fills"},
      {CopyKind::FullEmptySet, "full/empty sets"},
      {CopyKind::FullEmptyRelease, "full/empty releases"},
      {CopyKind::CacheMaintenance, "cache maintenance"}};
  out += fmt::format("  {:<{}} {:>8} {:>14}  {}\n", "work, also what ran at once", kNameWidth, "count",
                     "added up", "in");
  row(out, "  driver", work.driver,
      in_union(report.account, Activity::Driver) + ": stage (ii) and hand-over to the GPU");
  for (const auto& [kind, name] : kNames)
    if (const auto sum = work.copies.find(kind); sum != work.copies.end())
      row(out, fmt::format("  {}", name), sum->second, fmt::format("{} bytes", sum->second.bytes));
  row(out, "  kernels", work.kernels,
      fmt::format("{}, {} cycles", in_union(report.account, Activity::Kernel), report.gpu_cycles));
  rows_by_time(out, work.by_kernel, kKernelsShown, "    ");
  if (work.streams.size() > 1)
    for (const auto& [stream, sums] : work.streams)
      row(out, fmt::format("  stream {}", stream),
          {sums.first.count + sums.second.count, sums.first.time + sums.second.time},
          fmt::format("{} copies {}, {} kernels {}", sums.first.count, duration(sums.first.time),
                      sums.second.count, duration(sums.second.time)));
}

void call_rows(std::string& out, const RunReport& report) {
  std::map<std::string, Sum> calls;
  for (const Api& api : report.api)
    if (api.calls != 0) calls[api.name] = {api.calls, api.total_ps};
  if (calls.empty()) return;
  out += fmt::format("  {:<{}} {:>8} {:>14}\n", "API calls, waiting included", kNameWidth, "count", "time");
  rows_by_time(out, calls, kNamesShown, "  ");
}

// The hottest lines of the source, of all kernels' issue slots, where they were asked for.
void line_rows(std::string& out, const RunReport& report) {
  constexpr std::size_t kMost = 3, kTextShown = 60;
  std::uint64_t all = 0;
  std::vector<std::pair<const KernelLines*, const HotLine*>> lines;
  for (const KernelLines& kernel : report.lines.kernels) {
    all += kernel.slots();
    for (const HotLine& line : kernel.lines) lines.emplace_back(&kernel, &line);
  }
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto& a, const auto& b) { return a.second->slots() > b.second->slots(); });
  if (lines.size() > kMost) lines.resize(kMost);
  if (!lines.empty()) out += fmt::format("  hottest lines of the source, of all issue slots\n");
  for (const auto& [kernel, line] : lines) {
    const auto most = std::max_element(line->counts.begin(),
                                       line->counts.begin() + static_cast<std::size_t>(IssueSlot::NoWarp));
    const auto cause = static_cast<IssueSlot>(most - line->counts.begin());
    out += fmt::format("    {}:{} {:.1f} %, most of it {}, kernel '{}'{}\n", line->file, line->line,
                       100.0 * static_cast<double>(line->slots()) / static_cast<double>(all),
                       issue_slot_name(cause), readable_name(kernel->kernel),
                       line->text.empty() ? "" : ": " + cut_text(line->text, kTextShown));
  }
}

void sampling_rows(std::string& out, const RunReport& report) {
  const SampledGroup all = report.sampling->sum();
  const Picoseconds kernels = all.timed_ps + all.estimated_ps;
  const Picoseconds run = report.sampling->run_ps(report.simulated_ps);
  const auto share = [&](Picoseconds of) {
    return of == 0 ? 0.0 : 100 * static_cast<double>(all.bound_ps) / static_cast<double>(of);
  };
  out += fmt::format(
      "  sampled: {} of {} kernels simulated in time{}; by these all kernels take {} +- {:.1f} %, the run "
      "{} +- {:.1f} % (95 % confidence; {:g} % asked)\n",
      all.timed + all.warming, all.launches,
      all.partly != 0 ? fmt::format(" ({} of them their first blocks)", all.partly) : "", duration(kernels),
      share(kernels), duration(run), share(run), report.sampling->error_percent);
  if (all.overlapped != 0)
    out += fmt::format(
        "  {} kernels ran beside others: the bound does not hold for what they do to each other\n",
        all.overlapped);
}

// Failures, whatever the program made of them.
void failure_rows(std::string& out, const RunReport& report) {
  constexpr std::size_t kFaultsShown = 5;
  if (!report.failures.empty())
    out += fmt::format("  {:<{}} {:>8} {:>14}\n", "calls that failed", kNameWidth, "count", "first at");
  for (const Failure& failure : report.failures) {
    std::string note = failure.error;
    if (failure.launch)
      note += failure.kernel.empty()
                  ? ", the kernel did not run"
                  : fmt::format(", kernel '{}' did not run", readable_name(failure.kernel));
    if (failure.unasked != 0) note += "; the program did not ask why";
    row(out, "  " + failure.call, {failure.calls, failure.first_ps}, note);
  }
  for (std::size_t i = 0; i < std::min(report.faults.size(), kFaultsShown); ++i)
    out += fmt::format("  fault: {}\n", report.faults[i]);
  if (report.ended_by_duet != 0)
    out += fmt::format("  ended by Duet with status {}: what would have come after is missing here\n",
                       report.ended_by_duet);
}

}  // namespace

std::string failure_text(const RunReport& report, bool quiet) {
  std::uint64_t launches = 0, calls = 0;
  for (const Failure& failure : report.failures) (failure.launch ? launches : calls) += failure.unasked;
  const bool certain = launches != 0 || !report.faults.empty();
  if (!certain && (calls == 0 || quiet)) return {};
  std::vector<std::string> reasons;
  const auto add = [&](std::uint64_t count, const char* one, const char* more, const char* what) {
    if (count != 0) reasons.push_back(fmt::format("{} {} {}", count, count == 1 ? one : more, what));
  };
  add(report.faults.size(), "kernel", "kernels", "ended in a fault");
  add(launches, "launch", "launches", "failed, and the program did not ask why");
  add(calls, certain ? "other call" : "call", certain ? "other calls" : "calls", "failed");
  return fmt::format(
      "duet: {}: {}\n",
      certain ? "do not trust this run's results"
              : "do not trust this run's results unless the program looked at what its calls returned",
      fmt::join(reasons, "; "));
}

// Kernels launched by kernels, by name.
void launched_rows(std::string& out, const RunReport& report) {
  for (const auto& [name, k] : report.launched.by_name)
    out += fmt::format(
        "  launched by kernels: {} x{}, {} blocks, {} in all, {} from call to first block on average\n",
        readable_name(name), k.launches, k.blocks, duration(k.time_ps), duration(k.wait_ps / k.launches));
}

std::string summary_table(const RunReport& report) {
  const Work work(report);
  const TimeAccount& account = report.account;
  std::string out =
      fmt::format("duet: {}: {} simulated, {:.2f} s wall, {} machine warp instructions{}\n", report.machine,
                  duration(report.simulated_ps), report.wall_seconds, report.warp_instructions,
                  report.processor ? fmt::format(", {} of cores", report.processor->instructions()) : "");
  const std::vector<TimePart> parts = moments(account);
  std::map<std::string_view, std::string> notes;
  for (const TimePart& part : parts)
    if (std::string_view(part.name) == "kernels_and_copies" && part.time_ps != 0)
      notes[part.name] = fmt::format(
          "{:.1f} % of the time with copies",
          100.0 * static_cast<double>(part.time_ps) / static_cast<double>(busy_ps(account, Activity::Copy)));
  notes["calls"] = idle_calls_text(report);
  parts_of_run(out, "each moment of the run once", parts, notes);
  parts_of_run(out, "critical path", critical_path(account));
  work_rows(out, report, work);
  launched_rows(out, report);
  line_rows(out, report);
  call_rows(out, report);
  if (report.processor) out += processor_table(*report.processor, report.simulated_ps, report.wall_seconds);
  if (report.sampling)
    sampling_rows(out, report);
  else if (work.forwarded != 0 && work.forwarded == work.kernels.count)
    out += "  no kernel was simulated in time: all were fast-forwarded, and none of these times means much\n";
  else if (work.forwarded != 0)
    out += fmt::format("  {} of {} kernels were fast-forwarded: their times mean little\n", work.forwarded,
                       work.kernels.count);
  out += work.unfinished;
  failure_rows(out, report);
  for (std::size_t i = 0; i + 1 < report.marks.size(); ++i)
    out += fmt::format("  from \"{}\" to \"{}\": {}\n", report.marks[i].name, report.marks[i + 1].name,
                       duration(report.marks[i + 1].time_ps -
                                std::min(report.marks[i].time_ps, report.marks[i + 1].time_ps)));
  return out;
}

std::string incomplete_text(const RunReport& report) {
  std::uint64_t all = 0;
  std::string kinds;
  for (const auto& [name, count] : report.incomplete) {
    all += count;
    kinds += fmt::format("{}{} {}", kinds.empty() ? "" : ", ", name, count);
  }
  if (all == 0 || report.cut_off) return {};
  std::replace(kinds.begin(), kinds.end(), '_', ' ');
  return fmt::format(
      "duet: {} command{} had not completed when the program ended: {} (a program that does not synchronize "
      "before its end loses what still runs)\n",
      all, all == 1 ? "" : "s", kinds);
}

namespace {

std::string command_text(const std::string& raw, const RaceRecord::Command& command) {
  return command.kernel != 0 ? fmt::format("kernel '{}' (stream {})", readable_name(raw), command.stream)
                             : fmt::format("the {} of stream {}", raw, command.stream);
}

std::string line_of(const Race& race) {
  return fmt::format(
      "duet: race: {} read {} bytes between {:#x} and {:#x}, first at {}, before {} wrote them, first at {}; "
      "nothing orders the two{}\n",
      command_text(race.reader_name, race.reader), race.bytes, race.first, race.last, duration(race.read_ps),
      command_text(race.writer_name, race.writer), duration(race.written_ps),
      race.place.empty() ? "" : fmt::format(" (SM {}, {})", race.sm, race.place));
}

std::string line_of(const Conflict& conflict) {
  const auto side = [&](std::size_t i) {
    const std::string& place = conflict.places[i];
    return command_text(conflict.names[i], conflict.sides[i].command) +
           (conflict.sides[i].writes != 0 ? " writes" : " reads") + (place.empty() ? "" : " at " + place);
  };
  return fmt::format("duet: race: {} and {}: {} bytes of {}; nothing orders the two\n", side(0), side(1),
                     conflict.bytes, conflict.where);
}

}  // namespace

std::string race_text(const RunReport& report) {
  constexpr std::size_t kMost = 10;
  std::string out;
  std::size_t lines = 0;
  for (const Race& race : report.races)
    if (lines++ < kMost) out += line_of(race);
  for (const Conflict& conflict : report.conflicts)
    if (lines++ < kMost) out += line_of(conflict);
  if (lines > kMost) out += fmt::format("duet: {} more races in stats.json\n", lines - kMost);
  return out;
}

const char* outside_kind_name(OutsideKind kind) {
  switch (kind) {
    case OutsideKind::Read:
      return "read";
    case OutsideKind::Write:
      return "write";
    case OutsideKind::Atomic:
      return "atomic";
  }
  return "?";
}

std::string check_text(const RunReport& report) {
  constexpr std::size_t kMost = 50;
  if (report.check.checks.empty()) return {};
  const std::vector<CheckFinding>& all = report.check.findings;
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    out += fmt::format("duet: check {}: {}\n", all[i].check, all[i].text);
    for (const std::string& fact : all[i].facts) out += "  " + fact + "\n";
    if (all[i].count > 1) out += fmt::format("  {} times\n", all[i].count);
  }
  if (all.size() > kMost) out += fmt::format("duet: {} more findings in stats.json\n", all.size() - kMost);
  if (!report.check.note.empty()) out += fmt::format("duet: check races: note: {}\n", report.check.note);
  return out + fmt::format("duet: checked {}: {} findings\n", report.check.checks, all.size());
}

std::string outside_text(const RunReport& report) {
  constexpr std::size_t kMost = 10;
  const auto verb = [](OutsideKind kind) {
    return kind == OutsideKind::Read ? "reads" : kind == OutsideKind::Write ? "writes" : "updates";
  };
  const std::vector<OutsideAccess>& all = report.outside_accesses;
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), kMost); ++i) {
    const OutsideAccess& access = all[i];
    out += fmt::format("duet: kernel '{}' {} {}{} bytes {} {}, {} ({} accesses)\n",
                       readable_name(access.kernel), verb(access.kind), access.several != 0 ? "up to " : "",
                       access.distance_bytes, access.before != 0 ? "before" : "past the end of",
                       access.allocation, access.place, access.accesses);
  }
  if (all.size() > kMost)
    out += fmt::format("duet: {} more such instructions in stats.json\n", all.size() - kMost);
  if (!all.empty())
    out +=
        "duet: what lies there is mapped, as on silicon, so the kernel went on: --strict-memory ends it "
        "there\n";
  return out;
}

void write_push_buffer(std::ostream& out, const RunReport& report) {
  report.journal->for_each(
      [&](RecordType type, const std::byte* record, std::size_t bytes, std::string_view name) {
        if (type != RecordType::Event) return;
        const auto event = record_as<EventRecord>(record, bytes);
        if (event.kind != TaskEventKind::PushBufferCommand) return;
        out << fmt::format("{:>16} ps  channel {}  stream {}  {} {:#x}\n", event.time_ps, event.unit,
                           event.stream, name, event.argument);
      });
}

}  // namespace duet::report
