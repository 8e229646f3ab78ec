// The cores in the final table of a run on a simulated host: their work, and the causes of lost time.
#include <fmt/format.h>

#include <algorithm>

#include "base/readable_name.h"
#include "report/host_report.h"
#include "report/terminal/table_text.h"

namespace duet::report {

namespace {

constexpr std::size_t kLabelWidth = 22;  // of a label, with its indentation
constexpr std::size_t kWidth = 100;      // of text; as wide as the rows
constexpr std::size_t kRowsShown = 8;    // of cores, and of threads

double quotient(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string tenths_text(std::uint64_t tenths) { return fmt::format("{}.{}", tenths / 10, tenths % 10); }

void add(CoreResult& sum, const CoreResult& core) {
  sum.instructions += core.instructions;
  sum.cycles += core.cycles;
  sum.l1_misses += core.l1_misses;
  sum.l2_misses += core.l2_misses;
  sum.l3_misses += core.l3_misses;
  sum.mispredictions += core.mispredictions;
  for (std::size_t i = 0; i < CoreSlots::kUses; ++i) sum.slots.slots[i] += core.slots.slots[i];
}

// Cores with a thread; the ones beyond the room are one row, and so are all together.
std::vector<CoreResult> core_rows(const ProcessorResult& processor) {
  std::vector<CoreResult> rows;
  for (const CoreResult& core : processor.cores)
    if (core.cycles != 0) rows.push_back(core);
  CoreResult all, others;
  for (const CoreResult& core : rows) add(all, core);
  const bool several = rows.size() > 1;
  if (rows.size() > kRowsShown + 1) {
    for (std::size_t i = kRowsShown; i < rows.size(); ++i) add(others, rows[i]);
    others.name = fmt::format("{} others", rows.size() - kRowsShown);
    rows.resize(kRowsShown);
    rows.push_back(others);
  }
  all.name = "all";
  if (several) rows.push_back(all);
  return rows;
}

void work_of_cores(std::string& out, const ProcessorResult& processor, Picoseconds simulated_ps,
                   double wall_seconds, const std::vector<CoreResult>& rows) {
  const double clock_periods =
      static_cast<double>(simulated_ps) * 1e-9 * static_cast<double>(processor.clock_khz);  // in the run
  out += fmt::format("  {:<{}} {:>13} {:>5} {:>6} {:>6} {:>18} {:>6} {:>6} {:>10}\n", "cores", kLabelWidth,
                     "instructions", "MIPS", "IPC", "busy %", "misses per 1000 L1", "L2", "L3", "mispredict");
  for (const CoreResult& core : rows) {
    const auto of_thousand = [&](std::uint64_t events, bool exists) {
      return exists ? fmt::format("{:.2f}", 1000 * quotient(events, core.instructions)) : std::string("-");
    };
    const double mips = wall_seconds > 0 ? static_cast<double>(core.instructions) * 1e-6 / wall_seconds : 0;
    const double busy = clock_periods > 0 ? 100 * static_cast<double>(core.cycles) / clock_periods : 0;
    out += fmt::format("    {:<{}} {:>13} {:>5.1f} {:>6.2f} {:>6.1f} {:>18} {:>6} {:>6} {:>10}\n", core.name,
                       kLabelWidth - 2, core.instructions, mips, quotient(core.instructions, core.cycles),
                       busy, of_thousand(core.l1_misses, true), of_thousand(core.l2_misses, processor.has_l2),
                       of_thousand(core.l3_misses, processor.has_l3), of_thousand(core.mispredictions, true));
  }
}

void slots_of_cores(std::string& out, const std::vector<CoreResult>& rows) {
  out += fmt::format("  {:<{}}", "dispatch slots, in %", kLabelWidth);
  for (const char* const title : CoreSlots::kTitles) out += fmt::format(" {:>6}", title);
  out += "\n";
  for (const CoreResult& core : rows) {
    out += fmt::format("    {:<{}}", core.name, kLabelWidth - 2);
    for (const std::uint64_t tenths : tenths_of_percent({core.slots.slots.begin(), core.slots.slots.end()}))
      out += fmt::format(" {:>6}", tenths_text(tenths));
    out += "\n";
  }
}

void threads(std::string& out, const ProcessorResult& processor) {
  out += fmt::format("  {:<{}} {:>13} {:>14}\n", "threads", kLabelWidth, "instructions", "on a core for");
  const std::size_t all = processor.threads.size();
  const std::size_t shown = all <= kRowsShown + 1 ? all : kRowsShown;
  const auto row = [&](const std::string& name, std::uint64_t instructions, Picoseconds time) {
    out += fmt::format("    {:<{}} {:>13} {:>14}\n", name, kLabelWidth - 2, instructions, duration(time));
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < shown; ++i)
    names.push_back(fmt::format("{} {}", processor.threads[i].id, processor.threads[i].name));
  names = short_names(names, kLabelWidth - 2);
  for (std::size_t i = 0; i < shown; ++i)
    row(names[i], processor.threads[i].instructions, processor.threads[i].core_time_ps);
  std::uint64_t instructions = 0;
  Picoseconds time = 0;
  for (std::size_t i = shown; i < all; ++i) {
    instructions += processor.threads[i].instructions;
    time += processor.threads[i].core_time_ps;
  }
  if (shown < all) row(fmt::format("{} others", all - shown), instructions, time);
}

// The functions with most samples, and what they did or waited for most.
void functions(std::string& out, const ProcessorResult& processor) {
  const std::vector<FunctionResult> all = functions_of(processor.stacks);
  std::uint64_t samples = 0;
  for (const FunctionResult& function : all) samples += function.self_samples;
  if (samples == 0) return;
  constexpr std::size_t kNameWidth = 48;
  out += fmt::format("  {:<{}} {:>6} {:>6}  most of self\n", "functions, in % of samples", kNameWidth, "self",
                     "total");
  const auto percent = [&](std::uint64_t part) {
    return fmt::format("{:.1f}", 100 * quotient(part, samples));
  };
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(all.size(), kRowsShown); ++i) names.push_back(all[i].name);
  names = short_names(names, kNameWidth - 2);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::array<std::uint64_t, CoreSlots::kUses>& self = all[i].self.slots;
    const auto most = static_cast<std::size_t>(std::max_element(self.begin(), self.end()) - self.begin());
    out += fmt::format("    {:<{}} {:>6} {:>6}", names[i], kNameWidth - 2, percent(all[i].self_samples),
                       percent(all[i].total_samples));
    out += all[i].self_samples == 0 ? "\n"
                                    : fmt::format("  {} {:.0f} %\n", CoreSlots::kTitles[most],
                                                  100 * quotient(self[most], all[i].self_samples));
  }
}

}  // namespace

std::string processor_table(const ProcessorResult& processor, Picoseconds simulated_ps, double wall_seconds) {
  std::string out;
  if (const std::string headline = processor_headline(processor, simulated_ps); !headline.empty())
    out += wrapped("  " + headline, kWidth);
  const std::vector<CoreResult> rows = core_rows(processor);
  work_of_cores(out, processor, simulated_ps, wall_seconds, rows);
  slots_of_cores(out, rows);
  const double seconds = static_cast<double>(simulated_ps) * 1e-12;
  const std::uint64_t bytes = processor.dram_read_bytes + processor.dram_written_bytes;
  out += fmt::format("  {:<{}} {:>13} {:>14}  {:.1f} MB/s\n", "host memory, bytes", kLabelWidth,
                     fmt::format("{} read", processor.dram_read_bytes),
                     fmt::format("{} written", processor.dram_written_bytes),
                     seconds > 0 ? static_cast<double>(bytes) * 1e-6 / seconds : 0);
  threads(out, processor);
  functions(out, processor);
  return out;
}

std::string host_table(const HostReport& report) {
  const std::uint64_t instructions = report.processor.instructions();
  const double mips =
      report.wall_seconds > 0 ? static_cast<double>(instructions) * 1e-6 / report.wall_seconds : 0;
  std::string out =
      fmt::format("duet: {}: {} simulated, {:.2f} s wall, {} instructions, {:.1f} million a second\n",
                  report.machine, duration(report.simulated_ps), report.wall_seconds, instructions, mips);
  out += processor_table(report.processor, report.simulated_ps, report.wall_seconds);
  if (!report.failure.empty())
    out += fmt::format("  not complete: {}\n", report.failure.substr(0, report.failure.find('\n')));
  return out;
}

}  // namespace duet::report
