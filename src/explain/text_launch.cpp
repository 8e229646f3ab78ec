// The text of the followed launch, and of data.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "explain/text_parts.h"
#include "explain/words.h"
#include "report/terminal/table_text.h"

namespace duet::explain {

using report::duration;

namespace {

constexpr std::size_t kWarps = 8, kSlotsShown = 5, kMovesShown = 8, kPointsShown = 100, kBar = 40;

// "barrier 67.5 %, dependency 20.1 %", the largest first; empty: all are 0.
template <std::size_t N>
std::string shares(const std::array<std::uint64_t, N>& counts, const char* (*name_of)(IssueSlot)) {
  const std::vector<std::uint64_t> slots(counts.begin(), counts.end());
  if (std::accumulate(slots.begin(), slots.end(), std::uint64_t{0}) == 0) return "";
  const std::vector<std::uint64_t> tenths = report::tenths_of_percent(slots);
  std::vector<std::size_t> order(slots.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return slots[a] > slots[b]; });
  std::string text;
  order.resize(kSlotsShown);
  for (const std::size_t i : order) {
    if (tenths[i] < 10) continue;
    std::string name = name_of(static_cast<IssueSlot>(i));
    std::replace(name.begin(), name.end(), '_', ' ');
    text += fmt::format("{}{} {}.{} %", text.empty() ? "" : ", ", name, tenths[i] / 10, tenths[i] % 10);
  }
  return text;
}

void slots(std::string& out, const Launch& launch) {
  const std::string issued = shares(launch.record.issue_slots, issue_slot_name);
  if (issued.empty()) return;
  out += fmt::format("    issue slots of all its warps (a warp's own are not counted): {}\n", issued);
  out +=
      fmt::format("    cycles of its warps: {}; {:.0f} % of an SM's warps were there\n",
                  shares(launch.record.warp_cycles, warp_state_name), 100 * launch.record.achieved_occupancy);
}

// Of all warps of a block together.
void warps_in_a_line(std::string& out, const std::vector<Warp>& warps) {
  const auto [first, last] = std::minmax_element(
      warps.begin(), warps.end(), [](const Warp& a, const Warp& b) { return a.end_ps < b.end_ps; });
  out += fmt::format("      {}, whose last instructions are at {} to {}\n", many(warps.size(), "warp"),
                     moment_text(first->end_ps), moment_text(last->end_ps));
}

void path(std::string& out, const Block& block) {
  if (block.end_ps == 0 && block.begin_ps == 0) {
    out += fmt::format("    block {}: no SM was told of it\n", block.number);
    return;
  }
  out += fmt::format("    block {}, {}, on SM {}: dispatched {}, {}", block.number, block.why, block.sm,
                     moment_text(block.begin_ps),
                     block.end_ps != 0 ? fmt::format("room free again {} (+{})", moment_text(block.end_ps),
                                                     duration(block.time_ps()))
                                       : "when the run was cut off it was there");
  out += '\n';
  if (block.why == "the median" && !block.warps.empty()) return warps_in_a_line(out, block.warps);
  const std::size_t most = block.why == "asked for" ? block.warps.size() : kWarps;
  for (std::size_t i = 0; i < std::min(most, block.warps.size()); ++i) {
    const Warp& warp = block.warps[i];
    out += fmt::format("      warp {:<3} slot {:<3} launched {}, last instruction {}\n", warp.index,
                       warp.slot, moment_text(warp.begin_ps),
                       warp.end_ps != 0 ? fmt::format("{} (+{})", moment_text(warp.end_ps),
                                                      duration(warp.end_ps - warp.begin_ps))
                                        : "not told");
  }
  if (block.warps.size() > most) out += fmt::format("      ... {} more warps\n", block.warps.size() - most);
  if (block.warps.empty()) out += "      warps are not told: the functional GPU has none in time\n";
}

void places(std::string& out, const Launch& launch) {
  if (launch.sms.empty()) return;
  const auto [least, most] = std::minmax_element(
      launch.sms.begin(), launch.sms.end(), [](const auto& a, const auto& b) { return a.blocks < b.blocks; });
  std::uint64_t at_once = 0, blocks = 0;
  for (const SmShare& share : launch.sms) {
    at_once = std::max(at_once, share.most_at_once);
    blocks += share.blocks;
  }
  out += fmt::format("    {} on {}, {} on each, at most {} at once (room for {}, limited by {})\n",
                     many(blocks, "block"), many(launch.sms.size(), "SM"),
                     least->blocks == most->blocks ? std::to_string(least->blocks)
                                                   : fmt::format("{} to {}", least->blocks, most->blocks),
                     at_once, launch.record.blocks_per_sm, launch.record.occupancy_limit);
}

void histogram(std::string& out, const Launch& launch) {
  std::uint64_t most = 1;
  for (const Bin& bin : launch.bins) most = std::max(most, bin.blocks);
  for (const Bin& bin : launch.bins) {
    const std::string bar((bin.blocks * kBar + most - 1) / most, '#');
    out += fmt::format("      {:>12} to {:>12} {:>8}{}{}\n", duration(bin.from_ps), duration(bin.to_ps),
                       bin.blocks, bar.empty() ? "" : "  ", bar);
  }
}

void row(std::string& out, const CounterPoint& point) {
  out += fmt::format("    {:>13} {:>10} {:>10} {:>10}\n", moment_text(point.time_ps), point.launched,
                     point.completed, point.launched - point.completed);
}

// The moment with so many blocks launched, or complete.
std::string reached(const Launch& launch, std::uint64_t CounterPoint::*count, std::uint64_t blocks) {
  for (const CounterPoint& point : launch.quarters)
    if (point.*count == blocks) return moment_text(point.time_ps);
  return "-";
}

// The first block, quarters, and the last one.
void quarters(std::string& out, const Launch& launch) {
  out += fmt::format("    {:>13} {:>14} {:>14}\n", "blocks", "launched", "complete");
  std::uint64_t before = 0;
  for (std::uint64_t quarter = 0; quarter <= 4; ++quarter) {
    const std::uint64_t blocks = std::max<std::uint64_t>(1, (launch.blocks * quarter + 3) / 4);
    if (blocks == before) continue;
    before = blocks;
    out += fmt::format("    {:>13} {:>14} {:>14}\n", blocks, reached(launch, &CounterPoint::launched, blocks),
                       reached(launch, &CounterPoint::completed, blocks));
  }
}

void counters(std::string& out, const Explanation& e, const Launch& launch) {
  out += fmt::format("  reference counter {} counts the blocks of #{}, {}{}; SetLaunchID takes it at {}\n",
                     launch.counter, launch.record.command, launch.name,
                     e.launches_in_all > 1 && e.selection.kernel.empty()
                         ? fmt::format(", the longest of {} launches", e.launches_in_all)
                         : "",
                     moment_text(launch.set_launch_id_ps));
  const bool all = e.selection.chosen() && launch.points.size() <= kPointsShown;
  if (all) {
    out += fmt::format("    {:>13} {:>10} {:>10} {:>10}\n", "", "launched", "complete", "on SMs");
    for (const CounterPoint& point : launch.points) row(out, point);
  } else {
    quarters(out, launch);
  }
  if (e.selection.chosen() && !all)
    out += fmt::format("    explain.json has {} points of this counter\n", launch.points.size());
  if (launch.wait_ref_cnt_ps != 0)
    out += fmt::format("    WaitRefCnt ends at {}, {} after SetLaunchID; the counter is free again\n",
                       moment_text(launch.wait_ref_cnt_ps),
                       duration(launch.wait_ref_cnt_ps - launch.set_launch_id_ps));
  if (launch.wait_ref_cnt_ps != 0 && launch.told_blocks < launch.blocks)
    out +=
        fmt::format("    {} of {} blocks were on no SM: cores executed them, or a fault ended the kernel\n",
                    launch.blocks - launch.told_blocks, launch.blocks);
}

std::uint64_t counted(const Launch& launch, std::string_view name) {
  for (const auto& [counter, value] : launch.counters)
    if (counter == name) return value;
  return 0;
}

std::string hits(const Launch& launch, const std::string& cache) {
  const std::uint64_t hit = counted(launch, cache + ".read_hits");
  const std::uint64_t all =
      hit + counted(launch, cache + ".read_misses") + counted(launch, cache + ".read_merges");
  return fmt::format("{} of {}", hit, all);
}

}  // namespace

void block_paths(std::string& out, const Explanation& e, const Launch& launch) {
  out += fmt::format("  blocks of #{}, {}: {} each{}\n", launch.record.command, launch_text(launch),
                     many(launch.warps_per_block, "warp"),
                     launch.told_blocks == 0
                         ? ""
                         : fmt::format("; {} to {} on an SM, the median {}", duration(launch.shortest_ps),
                                       duration(launch.longest_ps), duration(launch.median_ps)));
  places(out, launch);
  if (e.selection.chosen()) histogram(out, launch);
  for (const Block& block : launch.shown) path(out, block);
  slots(out, launch);
  if (e.selection.block)
    out += "    instructions one by one are not recorded: warps are as deep as this goes\n";
}

void schedule(std::string& out, const Explanation& e, const Launch* launch) {
  heading(out, "4  Task schedule", "2.4 and 3.4", "streams in order, each launch with a reference counter");
  if (launch == nullptr || launch->set_launch_id_ps == 0) {
    out += "  no kernel took a reference counter\n";
    return;
  }
  counters(out, e, *launch);
  if (!e.selection.kernel.empty() && e.launches.size() > 1)
    out += fmt::format("  that is the longest of {} that '{}' fits; explain.html has them all\n",
                       e.launches.size(), e.selection.kernel);
}

void data_movement(std::string& out, const Explanation& e, const Launch* launch) {
  heading(out, "5  Data movement", "2.5 and 3.5", "Stage-In, Compute, Stage-Out");
  out += fmt::format("  level 1: {} by data transfer engines\n", many(e.moves_in_all, "move"));
  for (std::size_t i = 0; i < std::min(kMovesShown, e.moves.size()); ++i) {
    const Move& move = e.moves[i];
    const Picoseconds time = move.end_ps - move.begin_ps;
    out += fmt::format("    #{:<5} {:<15} {:>10} {:>14} to {}, engine {}, {}\n", move.command, move.step,
                       bytes_text(move.bytes), moment_text(move.begin_ps), moment_text(move.end_ps),
                       move.engine, duration(time));
  }
  if (e.moves_in_all > kMovesShown) out += fmt::format("    ... {} more\n", e.moves_in_all - kMovesShown);
  if (launch == nullptr || launch->counters.empty()) return;
  out += fmt::format(
      "  level 0: LSU arrays, from #{}'s first block to its completion (other work of that time included)\n",
      launch->record.command);
  out += fmt::format(
      "    {} loads, {} stores of global memory as {} requests; {} accesses to shared registers\n",
      counted(*launch, "sm.global_loads"), counted(*launch, "sm.global_stores"),
      counted(*launch, "sm.memory_transactions"), counted(*launch, "sm.shared_accesses"));
  out += fmt::format("    read hits: L1 {}, L2 {}; DRAM read {} and wrote {}\n", hits(*launch, "l1"),
                     hits(*launch, "l2"), bytes_text(counted(*launch, "dram.read_bytes")),
                     bytes_text(counted(*launch, "dram.written_bytes")));
}

}  // namespace duet::explain
