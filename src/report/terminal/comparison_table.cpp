// The table of `duet compare`.
#include <fmt/format.h>

#include <algorithm>

#include "base/readable_name.h"
#include "report/compare/comparison.h"
#include "report/run_report.h"
#include "report/terminal/table_text.h"

namespace duet::report {

namespace {

constexpr std::size_t kComparedWidth = 34;

// "+12.3 %"; a new value has no share.
std::string change_in_percent(const Change& change) {
  if (change.first == 0) return change.second == 0 ? "" : "new";
  if (change.second == 0) return "gone";
  const double percent = 100 * (static_cast<double>(change.second) / static_cast<double>(change.first) - 1);
  return fmt::format("{:+.1f} %", percent);
}

void time_row(std::string& out, std::string_view name, const Change& change) {
  out += fmt::format("  {:<{}} {:>14} {:>14} {:>10}\n", name, kComparedWidth, duration(change.first),
                     duration(change.second), change_in_percent(change));
}

void head(std::string& out, std::string_view title, std::string_view first = "A",
          std::string_view second = "B") {
  out += fmt::format("{:<{}} {:>14} {:>14} {:>10}\n", title, kComparedWidth + 2, first, second, "B - A");
}

template <typename List, typename Row>
void rows(std::string& out, const List& list, std::size_t most, Row row) {
  for (std::size_t i = 0; i < std::min(list.size(), most); ++i) row(list[i]);
  if (list.size() > most) out += fmt::format("  {} more\n", list.size() - most);
}

std::string text_of(const std::string& name, const std::vector<TimePart>& parts) {
  const auto part =
      std::find_if(parts.begin(), parts.end(), [&](const TimePart& one) { return name == one.name; });
  return part != parts.end() ? part->text : name;
}

void parts_of_run(std::string& out, std::string_view title, const std::vector<Change>& changes,
                  const std::vector<TimePart>& names) {
  if (changes.empty()) return;
  head(out, title);
  for (const Change& change : changes) time_row(out, text_of(change.name, names), change);
}

double share_of(const std::vector<Change>& slots, const Change& slot, bool second) {
  double whole = 0;
  for (const Change& one : slots) whole += static_cast<double>(second ? one.second : one.first);
  return whole == 0 ? 0 : 100 * static_cast<double>(second ? slot.second : slot.first) / whole;
}

// The two causes whose shares of the issue slots changed most.
std::string slots_text(const WorkChange& work) {
  std::vector<Change> sorted = work.slots;
  const auto shift = [&](const Change& slot) {
    const double by = share_of(work.slots, slot, true) - share_of(work.slots, slot, false);
    return by < 0 ? -by : by;
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Change& a, const Change& b) { return shift(a) > shift(b); });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(sorted.size(), 2); ++i) {
    if (shift(sorted[i]) < 0.05) continue;
    std::string cause = sorted[i].name;
    std::replace(cause.begin(), cause.end(), '_', ' ');
    text += fmt::format("{}{} {:.1f} -> {:.1f} %", text.empty() ? "issue slots: " : ", ", cause,
                        share_of(work.slots, sorted[i], false), share_of(work.slots, sorted[i], true));
  }
  return text;
}

void works(std::string& out, std::string_view title, const std::vector<WorkChange>& list, std::size_t most) {
  if (list.empty()) return;
  head(out, title);
  std::vector<std::string> names;
  for (const WorkChange& work : list) names.push_back(work.name);
  const std::vector<std::string> labels = short_names(names, kComparedWidth);
  std::size_t row = 0;
  rows(out, list, most, [&](const WorkChange& work) {
    time_row(out, labels[row++], work.time);
    if (work.launches.difference() != 0)
      out += fmt::format("    how often: {} -> {}\n", work.launches.first, work.launches.second);
    if (const std::string text = slots_text(work); !text.empty()) out += "    " + text + "\n";
  });
}

}  // namespace

std::string comparison_table(const Comparison& c, const std::vector<KeyChange>& machine, std::size_t most) {
  std::string out;
  for (const bool second : {false, true}) {
    const Comparison::Run& run = c.runs[second];
    out += fmt::format("{}  {} on {}{}\n", second ? 'B' : 'A', run.command, run.machine,
                       run.complete ? "" : ", cut off: not complete");
  }
  head(out, "");
  time_row(out, "run", c.time);
  if (!machine.empty()) {
    out += fmt::format("{:<{}} {:>14} {:>14}\n", "the machine", kComparedWidth + 2, "A", "B");
    rows(out, machine, most, [&](const KeyChange& key) {
      out +=
          fmt::format("  {:<{}} {:>14} {:>14} {}\n", key.key, kComparedWidth,
                      key.first.empty() ? "-" : key.first, key.second.empty() ? "-" : key.second, key.unit);
    });
  }
  parts_of_run(out, "each moment of the run once", c.moments, moments({}));
  parts_of_run(out, "critical path", c.critical_path, critical_path({}));
  works(out, "kernels, times added up", c.kernels, most);
  works(out, "copies, times added up", c.copies, most);
  works(out, "calls, times added up", c.calls, most);
  if (!c.counters.empty()) {
    head(out, "counters, by the share that changed");
    rows(out, c.counters, most, [&](const Change& counter) {
      out += fmt::format("  {:<{}} {:>14} {:>14} {:>10}\n", counter.name, kComparedWidth, counter.first,
                         counter.second, change_in_percent(counter));
    });
  }
  if (c.time.difference() == 0 && c.moments.empty() && c.kernels.empty() && c.counters.empty())
    out += "no difference in what the runs did\n";
  return out;
}

}  // namespace duet::report
