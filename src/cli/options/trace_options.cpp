#include "cli/options/trace_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/trace_detail.h"

namespace duet::cli {

namespace {

// "10us", "500ns", "1000cycles": a whole number and a unit, an hour of simulated time at most.
void set_interval(machine::RunOptions& run, const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const Picoseconds ps = unit == "ns" ? 1000 : unit == "us" ? 1'000'000 : unit == "ms" ? 1'000'000'000 : 1;
  constexpr Picoseconds kMost = 3600 * kPicosecondsPerSecond;
  if (error != std::errc() || number == 0 || (ps == 1 && unit != "cycles") || number > kMost / ps)
    throw Error(
        fmt::format("--interval {}: give a whole number from 1 and a unit: 500ns, 10us, 1ms or "
                    "1000cycles (of the GPU's core clock)",
                    text));
  run.interval_ps = ps == 1 ? 0 : number * ps;
  run.interval_cycles = ps == 1 ? number : 0;
}

}  // namespace

void add_trace_options(CLI::App& app, RunOptions& run) {
  const std::vector<std::string> details(kTraceDetails.begin(), kTraceDetails.end());
  app.add_option_function<std::string>(
         "--trace-detail",
         [&run, details](const std::string& word) {
           run.run.trace_detail =
               static_cast<TraceDetail>(std::find(details.begin(), details.end(), word) - details.begin());
           run.run.trace_all_calls = run.run.trace_detail != TraceDetail::None;
         },
         "how much timeline.pftrace has, for Perfetto (docs/reference/events.md): `call`, without this "
         "option of the "
         "first 20,000 calls, otherwise of all; `command`, `block` and `warp` have more; `none`: no such "
         "file")
      ->check(CLI::IsMember(details))
      ->type_name("none|call|command|block|warp");
  app.add_option_function<std::string>(
         "--interval", [&run](const std::string& text) { set_interval(run.run, text); },
         "what the machine counts in each such interval of simulated time, in stats.json and as counter "
         "tracks "
         "in timeline.pftrace; changes no result")
      ->type_name("N(ns|us|ms|cycles)");
  app.add_flag_function(
      "--lines,!--no-lines", [&run](std::int64_t asked) { run.lines = asked > 0; },
      "which lines of the source kernels spend their issue slots, requests and bytes on, in stats.json and "
      "report.html (docs/reference/stats-json.md); timed GPU; without either word where there is a "
      "report.html");
  app.add_flag("--trace-push-buffer", run.run.trace_push_buffer,
               "write every push-buffer command to push_buffer.txt");
  app.add_flag("--events", run.run.events,
               "write every call, copy and kernel to events.json (Chrome trace events)");
}

}  // namespace duet::cli
