// The short table that ends every run: where the simulated time went.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>

#include "report/run_report.h"

namespace duet::report {

namespace {

std::string duration(Picoseconds ps) {
  const double us = static_cast<double>(ps) * 1e-6;
  if (us < 1000) return fmt::format("{:.3f} us", us);
  if (us < 1e6) return fmt::format("{:.3f} ms", us * 1e-3);
  return fmt::format("{:.3f} s", us * 1e-6);
}

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

void row(std::string& out, std::string_view what, const Sum& sum, Picoseconds whole,
         const std::string& note) {
  const double share = whole != 0 ? 100.0 * static_cast<double>(sum.time) / static_cast<double>(whole) : 0;
  out +=
      fmt::format("  {:<22} {:>8} {:>14} {:>6.1f} %  {}\n", what, sum.count, duration(sum.time), share, note);
}

}  // namespace

std::string summary_table(const RunReport& report) {
  Sum calls, driver, kernels;
  std::map<CopyKind, Sum> copies;
  std::map<std::uint32_t, std::pair<Sum, Sum>> streams;  // copies, kernels
  for (const Api& api : report.api) {
    calls.count += api.calls;
    calls.time += api.total_ps;
  }
  std::map<std::string, Sum> by_name;
  std::string unfinished;
  report.for_each_kernel([&](const KernelResult& k) {
    kernels.add(k.end_ps - k.start_ps);
    driver.add(k.start_ps - k.driver_start_ps);
    streams[k.stream].second.add(k.end_ps - k.start_ps);
    by_name[k.name].add(k.end_ps - k.start_ps);
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
  const Picoseconds whole = report.simulated_ps;
  std::string out =
      fmt::format("duet: {}: {} simulated, {:.2f} s wall, {} machine warp instructions\n", report.machine,
                  duration(whole), report.wall_seconds, report.warp_instructions);
  out += fmt::format("  {:<22} {:>8} {:>14} {:>8}\n", "", "count", "time", "of run");
  row(out, "host calls", calls, whole, "the host's time inside CUDA calls, waiting included");
  row(out, "driver", driver, whole, "stage (ii) and hand-over to the GPU");
  static constexpr std::pair<CopyKind, const char*> kNames[] = {
      {CopyKind::HostToDevice, "copies host to device"},
      {CopyKind::DeviceToHost, "copies device to host"},
      {CopyKind::DeviceToDevice, "copies on the device"},
      {CopyKind::HostToHost, "copies on the host"},
      {CopyKind::Fill, "fills"},
      {CopyKind::FullEmptySet, "full/empty sets"},
      {CopyKind::FullEmptyRelease, "full/empty releases"}};
  for (const auto& [kind, name] : kNames)
    if (copies.contains(kind))
      row(out, name, copies[kind], whole, fmt::format("{} bytes", copies[kind].bytes));
  row(out, "kernels", kernels, whole, fmt::format("{} cycles", report.gpu_cycles));
  if (streams.size() > 1)
    for (const auto& [stream, sums] : streams)
      out += fmt::format("  stream {:<15} {:>8} {:>14}           {} copies {}, {} kernels {}\n", stream,
                         sums.first.count + sums.second.count, duration(sums.first.time + sums.second.time),
                         sums.first.count, duration(sums.first.time), sums.second.count,
                         duration(sums.second.time));
  if (report.kernels > 1) {
    std::vector<std::pair<std::string, Sum>> sorted(by_name.begin(), by_name.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
    for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 5); ++i)
      row(out, "  " + readable_name(sorted[i].first).substr(0, 40), sorted[i].second, whole, "");
  }
  out += unfinished;
  for (std::size_t i = 0; i + 1 < report.marks.size(); ++i)
    out += fmt::format("  from \"{}\" to \"{}\": {}\n", report.marks[i].name, report.marks[i + 1].name,
                       duration(report.marks[i + 1].time_ps -
                                std::min(report.marks[i].time_ps, report.marks[i + 1].time_ps)));
  return out;
}

std::string race_text(const RunReport& report) {
  constexpr std::size_t kMost = 10;
  std::string out;
  const auto name = [](const std::string& raw, const RaceRecord::Command& command) {
    return command.kernel != 0 ? fmt::format("kernel '{}' (stream {})", readable_name(raw), command.stream)
                               : fmt::format("the {} of stream {}", raw, command.stream);
  };
  for (std::size_t i = 0; i < std::min(report.races.size(), kMost); ++i) {
    const Race& race = report.races[i];
    out += fmt::format(
        "duet: race: {} read {} bytes between {:#x} and {:#x}, first at {}, before {} wrote them, first at "
        "{}; "
        "nothing orders the two (SM {}, PTX line {})\n",
        name(race.reader_name, race.reader), race.bytes, race.first, race.last, duration(race.read_ps),
        name(race.writer_name, race.writer), duration(race.written_ps), race.sm, race.ptx_line);
  }
  if (report.races.size() > kMost)
    out += fmt::format("duet: {} more races in stats.json\n", report.races.size() - kMost);
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
