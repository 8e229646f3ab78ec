#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <regex>
#include <set>
#include <string_view>

#include "base/error.h"
#include "base/readable_name.h"
#include "explain/explanation.h"
#include "explain/task_reader.h"

namespace duet::explain {

namespace {

constexpr std::size_t kNamed = 8;  // kernels named in an error

// Counters of section 5.
bool is_moved(std::string_view name) {
  static constexpr std::string_view kMoved[] = {
      "sm.global_loads", "sm.global_stores", "sm.shared_accesses", "sm.memory_transactions",
      "l1.read_hits",    "l1.read_misses",   "l1.read_merges",     "l2.read_hits",
      "l2.read_misses",  "l2.read_merges",   "dram.read_bytes",    "dram.written_bytes"};
  return std::find(std::begin(kMoved), std::end(kMoved), name) != std::end(kMoved);
}

// Of "#N" the number.
std::optional<std::uint64_t> number_of(const std::string& kernel) {
  if (!kernel.starts_with('#')) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = kernel.data() + kernel.size();
  const auto [stopped, error] = std::from_chars(kernel.data() + 1, end, number);
  if (error != std::errc() || stopped != end)
    throw Error(fmt::format("--kernel '{}': behind # stands the number of a command, as #2", kernel));
  return number;
}

std::regex regex_of(const std::string& kernel) {
  try {
    return std::regex(kernel);
  } catch (const std::regex_error&) {
    throw Error(fmt::format("--kernel '{}' is no regular expression: give a part of a name, or #N", kernel));
  }
}

// The selected launches; of the others the first and the longest.
class Chooser {
 public:
  explicit Chooser(const Selection& selection) : selection_(selection) {
    if (selection.kernel.empty()) return;
    number_ = number_of(selection.kernel);
    if (!number_) expression_ = regex_of(selection.kernel);
  }

  void look(const report::KernelResult& kernel) {
    if (!matches(kernel)) {
      if (others_.size() < kNamed) others_.insert(readable_name(kernel.name));
      return;
    }
    const Picoseconds time = kernel.end_ps - kernel.start_ps;
    const bool longer = !longest_ || time > longest_->end_ps - longest_->start_ps;
    if (longer) longest_ = kernel;
    if (first_.size() < kLaunches) first_.push_back(kernel);
  }

  std::vector<Launch> launches(const report::JournalHeader& header, std::size_t& main) const {
    if (!longest_ && !selection_.kernel.empty())
      throw Error(fmt::format("--kernel '{}': the run has no such launch; its kernels are {}",
                              selection_.kernel, fmt::join(others_, ", ")));
    std::vector<report::KernelResult> records = first_;
    if (longest_ && std::none_of(first_.begin(), first_.end(),
                                 [&](const auto& kernel) { return kernel.command == longest_->command; }))
      records.push_back(*longest_);
    std::sort(records.begin(), records.end(),
              [](const auto& a, const auto& b) { return a.command < b.command; });
    std::vector<Launch> result;
    for (const report::KernelResult& record : records) {
      if (record.command == longest_->command) main = result.size();
      result.push_back(launch_of(record, header));
    }
    return result;
  }

 private:
  bool matches(const report::KernelResult& kernel) const {
    if (number_) return kernel.command == *number_;
    return selection_.kernel.empty() || std::regex_search(readable_name(kernel.name), expression_) ||
           std::regex_search(kernel.name, expression_);
  }
  static Launch launch_of(const report::KernelResult& record, const report::JournalHeader& header) {
    Launch launch;
    launch.record = record;
    launch.name = readable_name(record.name);
    launch.blocks = std::uint64_t{record.grid[0]} * record.grid[1] * record.grid[2];
    for (const report::CounterIncrease& one : record.counters)
      if (const std::string name = header.counters[one.counter].name; is_moved(name))
        launch.counters.emplace_back(name, one.value);
    return launch;
  }

  const Selection& selection_;
  std::optional<std::uint64_t> number_;
  std::regex expression_;
  std::vector<report::KernelResult> first_;
  std::optional<report::KernelResult> longest_;
  std::set<std::string> others_;
};

void check_block(const Explanation& explanation) {
  if (!explanation.selection.block) return;
  if (explanation.launches.empty())
    throw Error(fmt::format("--block {}: the run launched no kernel", *explanation.selection.block));
  const Launch& launch = explanation.launches[explanation.main_launch];
  if (*explanation.selection.block >= launch.blocks)
    throw Error(fmt::format("--block {}: '{}' (#{}) has blocks 0 to {}", *explanation.selection.block,
                            launch.name, launch.record.command, launch.blocks - 1));
}

}  // namespace

void check(const Selection& selection) {
  if (!selection.kernel.empty() && !number_of(selection.kernel)) regex_of(selection.kernel);
}

Explanation explain(const report::RunReport& report, const config::Machine& machine,
                    const Selection& selection) {
  Explanation result;
  result.command = report.command;
  result.machine = report.machine;
  result.simulated_ps = report.simulated_ps;
  result.complete = !report.cut_off;
  result.selection = selection;
  Chooser chooser(result.selection);
  report.for_each_kernel_with_counters([&](const report::KernelResult& kernel) {
    ++result.launches_in_all;
    chooser.look(kernel);
  });
  if (result.launches_in_all == 0 && !selection.kernel.empty())
    throw Error(fmt::format("--kernel '{}': the run launched no kernel", selection.kernel));
  result.launches = chooser.launches(report.journal->header(), result.main_launch);
  for (Launch& launch : result.launches) {
    const std::uint32_t* const block = launch.record.block;
    const std::uint64_t threads = std::uint64_t{block[0]} * block[1] * block[2],
                        width = machine.gpu.sm.warp_width;
    launch.warps_per_block = (threads + width - 1) / width;
  }
  // The functional GPU has no caches.
  result.functional = std::none_of(report.components.begin(), report.components.end(),
                                   [](const auto& component) { return component.kind == "l2"; });
  result.levels = levels_of(machine, result.functional);
  check_block(result);
  TaskReader reader(report, result);
  reader.read();
  reader.read_warps();
  return result;
}

}  // namespace duet::explain
