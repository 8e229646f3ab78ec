// Rules of a kernel's use of the SMs: grid, blocks, warps, lanes and instructions.
#include <cmath>

#include "advise/kernel_view.h"

namespace duet::advise {

namespace {

constexpr double kFewLanes = 0.75;  // of a warp, on average
constexpr double kLowOccupancy = 0.5;
constexpr double kStarts = 0.3;             // of the kernel's time
constexpr double kTail = 0.1;               // of the kernel's time
constexpr double kBarrier = 0.2;            // of the cycles of warps
constexpr double kFewThreadsWait = 0.5;     // of issue slots
constexpr double kLongThread = 100;         // instructions of a warp
constexpr double kAlone = 0.5;              // of a warp's lanes, on average
constexpr double kIssued = 0.6;             // of issue slots
constexpr std::uint64_t kMostBlocks = 128;  // of an SM: its key's range
constexpr std::uint64_t kMostWarps = 64;    // of a timed SM

// Of warps whose threads all work.
void issue_bound(const KernelView& k) {
  const double issued = k.waits_for(IssueSlot::Issued);
  if (issued < kIssued) return;
  k.add("issue_bound", "the issue of instructions",
        fmt::format("{:.0f} % of issue slots issue one, {:.0f} % wait for memory", percent(issued),
                    percent(k.waits_for(IssueSlot::Memory))),
        "issue fewer: more elements a thread, no warps that only run along, indices computed outside "
        "of loops, no division and no modulo",
        issued / 2, {}, true);
}

// Time of a warp instruction on an SM's units, and from its issue to its result.
struct Cost {
  double cycles, latency;
};
Cost cost_of(const config::Sm::Timing& unit, std::uint64_t units) {
  return {static_cast<double>(unit.interval_cycles) / static_cast<double>(std::max<std::uint64_t>(1, units)),
          static_cast<double>(unit.latency_cycles)};
}

// Arithmetic in double precision with single precision's values.
bool doubles(const KernelView& k) {
  const double share = k.kernel.narrow_doubles, conversions = k.kernel.narrow_conversions;
  if (share == 0 || k.busy() == 0) return false;
  const config::Sm& sm = k.sm;
  // The units of double precision convert, too.
  const Cost in_double = cost_of(sm.double_precision, sm.dp_units != 0 ? sm.dp_units : sm.sfu_units);
  const Cost single = cost_of(sm.floating, sm.sp_units);
  const double others = 1 - share - conversions;
  const auto part = [&](double Cost::*of) {
    const double now = (share + conversions) * in_double.*of + others * single.*of;
    return 1 - (share + others) * single.*of / now;
  };
  k.add(
      "double_precision", "arithmetic in double precision on single precision's values",
      fmt::format("{:.0f} % of its instructions compute in double precision what comes from narrower values "
                  "and becomes narrower again, and {:.0f} % convert between the two",
                  percent(share), percent(conversions)),
      "write literals with an f (0.5f) and call single precision's functions (sqrtf), unless it needs the "
      "digits",
      k.busy() * std::max(part(&Cost::cycles), part(&Cost::latency)), {});
  return true;
}

// The share of a warp's lanes that take part in an instruction, on average.
double active_lanes(const KernelView& k) {
  return static_cast<double>(k.kernel.thread_instructions) /
         std::max(1.0,
                  static_cast<double>(k.kernel.warp_instructions) * static_cast<double>(k.sm.warp_width));
}

// Threads without a part in their warps' instructions.
bool lanes(const KernelView& k) {
  const double width = static_cast<double>(k.sm.warp_width);
  const double active = active_lanes(k);
  const double warps = k.warps_of_block();
  const double filled = static_cast<double>(k.kernel.block_threads) / (warps * width);
  if (filled < kFewLanes)
    k.add("partial_warps", "blocks of few threads",
          fmt::format("a block has {} threads, and its warps room for {:.0f}", k.kernel.block_threads,
                      warps * width),
          fmt::format("make blocks of a multiple of {:.0f} threads", width), k.busy() * (1 - filled), {});
  else if (active < kFewLanes)
    k.add("divergence", "divergent branches",
          fmt::format("{:.1f} of {:.0f} threads of a warp are active on average", active * width, width),
          "let the threads of a warp take the same way: sort the work, or branch by warp",
          k.busy() * (1 - active), {});
  return filled < kFewLanes || active < kFewLanes;
}

std::string more_blocks(const config::Sm& sm, double times) {
  const auto blocks = static_cast<std::uint64_t>(std::ceil(times * static_cast<double>(sm.max_blocks)));
  return set("gpu.sm.max_blocks", std::min(kMostBlocks, blocks));
}

// Without the limit of shared memory a block may have next to none of it.
std::uint64_t blocks_without_shared(const KernelView& k) {
  const std::uint64_t width = k.sm.warp_width, threads = std::max<std::uint64_t>(1, k.kernel.block_threads);
  const std::uint64_t warps = (threads + width - 1) / width;
  const std::uint64_t registers = std::max<std::uint64_t>(1, warps * width * k.kernel.registers);
  return std::max<std::uint64_t>(1, std::min({k.sm.max_blocks, k.sm.max_warps / warps,
                                              k.sm.max_threads / threads, k.sm.registers / registers}));
}

// Time in which the distributor starts the kernel's blocks, one after the other, as a share of the kernel's.
double block_starts(const KernelView& k) {
  const double each = static_cast<double>(k.facts.machine().gpu.front_end.dispatch_cycles_per_block);
  const double blocks = static_cast<double>(k.kernel.blocks * k.kernel.launches);
  return blocks * each / std::max(1.0, static_cast<double>(k.kernel.cycles));
}

// Room for twice as many blocks, whatever limits them now.
KernelView::Sets twice(const config::Sm& sm) {
  return {set("gpu.sm.registers", 2 * sm.registers), set("gpu.sm.shared_bytes", 2 * sm.shared_bytes),
          more_blocks(sm, kTwice), set("gpu.sm.max_warps", std::min(kMostWarps, 2 * sm.max_warps)),
          set("gpu.sm.max_threads", std::min<std::uint64_t>(16384, 2 * sm.max_threads))};
}

void occupancy(const KernelView& k) {
  const double exposed = k.waits_for(IssueSlot::Memory) + k.waits_for(IssueSlot::Dependency) +
                         k.waits_for(IssueSlot::Fetch) + k.waits_for(IssueSlot::Fence);
  // A grid too small for more has another rule.
  if (k.kernel.occupancy > kLowOccupancy || exposed < kExposed ||
      k.kernel.blocks < 2 * k.sm.count * k.kernel.blocks_per_sm)
    return;
  const std::string change =
      k.kernel.limit == "registers"
          ? fmt::format("use fewer than {} registers (__launch_bounds__), if nothing spills",
                        k.kernel.registers)
      : k.kernel.limit == "shared memory"
          ? fmt::format("use less than {} bytes of shared memory a block", k.kernel.shared_bytes)
          : std::string("make blocks larger");
  // Larger blocks can fill the SM, as far as the grid has threads.
  const double at_once = static_cast<double>(k.sm.count * k.kernel.blocks_per_sm);
  double times = kTwice, share = exposed;
  KernelView::Sets sets = twice(k.sm);
  if (k.kernel.limit == "blocks") {
    times = std::min(1 / k.kernel.occupancy, static_cast<double>(k.kernel.blocks) / at_once);
    sets = {more_blocks(k.sm, times)};
    // A machine with room for more of them starts no more of them.
    if (const double starts = block_starts(k); starts >= kStarts) {
      share = starts;
      sets.clear();
    }
  } else if (k.kernel.limit == "registers") {
    times = std::min(1 / k.kernel.occupancy, static_cast<double>(k.kernel.blocks) / at_once);
    sets = {set("gpu.sm.registers",
                static_cast<std::uint64_t>(std::ceil(times * static_cast<double>(k.sm.registers))))};
  } else if (k.kernel.limit == "shared memory") {
    const std::uint64_t fit = blocks_without_shared(k);
    times = static_cast<double>(fit) / static_cast<double>(k.kernel.blocks_per_sm);
    sets = {set("gpu.sm.shared_bytes", std::max(k.sm.shared_bytes, fit * k.kernel.shared_bytes))};
  }
  k.add("occupancy", "waits that too few warps cover",
        fmt::format("{:.0f} % of an SM's warps are there, limited by {}, and {:.0f} % of issue slots wait",
                    percent(k.kernel.occupancy), k.kernel.limit, percent(exposed)),
        change, share * (1 - 1 / times) * k.with_blocks(), std::move(sets));
}

// A grid that fills no SM, of threads that do much one after the other: more threads could each do less.
bool few_threads(const KernelView& k) {
  if (k.kernel.blocks_per_sm == 0) return false;
  const double exposed = k.memory_waits() + k.waits_for(IssueSlot::Dependency);
  const double room =
      static_cast<double>(k.kernel.blocks) / static_cast<double>(k.kernel.blocks_per_sm * k.sm.count);
  const double each = static_cast<double>(k.kernel.warp_instructions) /
                      (static_cast<double>(k.kernel.blocks * k.kernel.launches) * k.warps_of_block());
  if (room > 1 / kTwice || exposed < kFewThreadsWait || each < kLongThread) return false;
  k.add(
      "small_grid", "a grid of few threads, each with much to do",
      fmt::format(
          "{} blocks of {} threads fill {:.0f} % of the SMs' room for them, and {:.0f} % of issue slots wait",
          k.kernel.blocks, k.kernel.block_threads, percent(room), percent(exposed)),
      "give each thread less to do, and have more of them",
      exposed * (1 - std::max(room, k.waits_for(IssueSlot::Issued))), {});
  return true;
}

void grid_size(const KernelView& k) {
  const double few = static_cast<double>(k.kernel.few_blocks_ps) / k.time();
  const double tail = static_cast<double>(k.kernel.tail_ps) / k.time();
  if (few >= kTail) {
    k.add("small_grid", "a grid that is too small",
          fmt::format("{} blocks for {} SMs", k.kernel.blocks, k.sm.count),
          k.busy() < kExposed
              ? "cut the work into more threads, each with less to do: the same threads in more blocks "
                "wait as long"
              : "cut the work into more blocks",
          few, {});
    return;
  }
  if (few_threads(k) || tail < kTail) return;
  const std::uint64_t wave = k.kernel.blocks_per_sm * k.sm.count;
  k.add("tail", "blocks that do not end together",
        fmt::format("{} blocks, of which {} run at once, leave SMs without one for {:.0f} % of its time",
                    k.kernel.blocks, wave, percent(tail)),
        "cut the work into smaller blocks, or into as many as fill the last wave; cut long blocks, or "
        "launch them first",
        tail, {});
}

// A warp that does not wait there goes on: the kernel is as long as its warps.
void barriers(const KernelView& k) {
  const double share = k.warps_wait_for(IssueSlot::Barrier);
  if (share < kBarrier) return;
  k.add("barriers", k.facts.in_words("__syncthreads", "barrier"),
        fmt::format("warps are at a barrier for {:.0f} % of their time, and {:.0f} % of issue slots issue",
                    percent(share), percent(k.waits_for(IssueSlot::Issued))),
        active_lanes(k) < kAlone
            ? k.facts.in_words("let all threads share what few of them do alone while the others wait (if "
                               "(threadIdx.x == 0) ..)",
                               "let all work-items share what few of them do alone while the others wait (if "
                               "(get_local_id(0) == 0) ..)")
            : k.facts.in_words(
                  "leave out the ones that order nothing, give the warps of a block as much to do, or use "
                  "__syncwarp where a warp is enough",
                  "leave out the ones that order nothing, or give all work-items of a group as much to do"),
        share * (1 - k.waits_for(IssueSlot::Issued)), {});
}

}  // namespace

void advise_issue(const KernelView& k, bool takes_turns) {
  if (!takes_turns) grid_size(k);
  if (!doubles(k) && !lanes(k)) issue_bound(k);
  occupancy(k);
  barriers(k);
}

}  // namespace duet::advise
