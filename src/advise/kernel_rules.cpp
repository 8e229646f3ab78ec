// Rules of a kernel, from its issue slots and its requests.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "advise/rules.h"
#include "report/terminal/table_text.h"

namespace duet::advise {

namespace {

constexpr double kTwice = 2;             // as many requests as would do
constexpr double kConflictShare = 0.05;  // of SM cycles
constexpr double kFewLanes = 0.75;       // of a warp, on average
constexpr double kLowOccupancy = 0.5;
constexpr double kExposed = 0.3;            // of issue slots: waits not covered by other warps
constexpr double kTail = 0.1;               // of the kernel's time
constexpr double kMisses = 0.3;             // of L2's reads
constexpr double kDramBusy = 0.6;           // of its data buses' time
constexpr double kBarrier = 0.2;            // of issue slots
constexpr double kIssued = 0.6;             // of issue slots
constexpr std::uint64_t kMostBlocks = 128;  // of an SM: its key's range
constexpr std::uint64_t kMostWarps = 64;    // of a timed SM

double percent(double share) { return 100 * share; }

// One kernel under one roof of facts, for rules that read like their conditions.
class Kernel {
 public:
  Kernel(const Facts& facts, const KernelFacts& kernel, Advices& out)
      : facts_(facts), kernel_(kernel), sm_(facts.machine().gpu.sm), out_(out) {}

  // Whether it holds: its effect on L2 and DRAM is no advice of its own.
  bool uncoalesced() {
    const double all = count("sm.memory_transactions");
    const double requests = all - std::min(all, count("l2.atomics"));
    const double accesses = count("sm.global_loads") + count("sm.global_stores");
    if (accesses == 0 || requests == 0) return false;
    const double requested = count("sm.requested_bytes") * requests / all;
    const double used = std::min(requested, count("sm.used_bytes"));
    // Of the same size, all of whose bytes are used, and one an access at least.
    const double enough = std::max(accesses, used / (requested / requests));
    if (count("sm.atomics") * 2 > accesses || requests < kTwice * enough) return false;
    // Waits behind atomics on the same words belong to these.
    const double waits = memory_waits() - std::min(memory_waits(), atomic_conflicts());
    add("uncoalesced", "uncoalesced memory access",
        fmt::format("{:.1f} requests for each load or store of a warp where {:.1f} would do, {:.0f} % of the "
                    "bytes they ask for are used, and {:.0f} % of issue slots wait for memory",
                    requests / accesses, enough / accesses, percent(used / requested), percent(waits)),
        "let neighbouring threads touch neighbouring addresses", waits * (1 - enough / requests), {});
    return true;
  }

  void bank_conflicts() {
    const double share = count("sm.bank_conflict_cycles") / facts_.sm_cycles(kernel_);
    if (share < kConflictShare) return;
    const double accesses = std::max(1.0, count("sm.shared_accesses"));
    add("bank_conflicts", "bank conflicts of shared memory",
        fmt::format("an access takes {:.1f} passes on average, the others {:.0f} % of the SMs' cycles",
                    1 + count("sm.bank_conflict_cycles") / accesses, percent(share)),
        "pad or swizzle the array so that a warp's threads meet different banks",
        std::min(share, memory_waits() + waits_for(IssueSlot::Barrier)), {"gpu.sm.shared_banks=0"});
  }

  void atomics() {
    const double requests = count("l2.atomics");
    const double share = atomic_conflicts();
    if (requests == 0 || share < kConflictShare) return;
    add("atomics", "atomics on the same words",
        fmt::format("{:.0f} atomics reach L2 and wait for each other for {}", requests,
                    report::duration(static_cast<Picoseconds>(count("l2.atomic_conflict_ps")))),
        "add up in registers or shared memory first, and once a block in global memory",
        std::min(share, memory_waits() + waits_for(IssueSlot::Fence) + waits_for(IssueSlot::NoWarp)),
        {"gpu.l2.atomic_conflict_cycles=1"});
  }

  void shared_atomics() {
    const double share = count("sm.atomic_cycles") / facts_.sm_cycles(kernel_);
    if (share < kConflictShare || count("sm.shared_accesses") == 0 || count("l2.atomics") > 0) return;
    add("shared_atomics", "atomics of a warp on the same words of shared memory",
        fmt::format("they take {:.0f} % of the SMs' cycles beyond one pass each", percent(share)),
        "give each warp or lane a copy, and add these up at the end",
        std::min(share, memory_waits() + waits_for(IssueSlot::Barrier)), {"gpu.sm.shared_banks=0"});
  }

  void divergence() {
    const double width = static_cast<double>(sm_.warp_width);
    const double lanes = static_cast<double>(kernel_.thread_instructions) /
                         std::max(1.0, static_cast<double>(kernel_.warp_instructions) * width);
    const double warps = std::max(1.0, std::ceil(static_cast<double>(kernel_.block_threads) / width));
    const double filled = static_cast<double>(kernel_.block_threads) / (warps * width);
    const double busy =
        waits_for(IssueSlot::Issued) + waits_for(IssueSlot::UnitBusy) + waits_for(IssueSlot::Dependency);
    if (filled < kFewLanes)
      add("partial_warps", "warps that are not full",
          fmt::format("blocks have {} threads, a warp {}", kernel_.block_threads, sm_.warp_width),
          fmt::format("make the block's size a multiple of {}", sm_.warp_width), busy * (1 - filled), {});
    else if (lanes < kFewLanes)
      add("divergence", "divergent branches",
          fmt::format("{:.1f} of {} threads of a warp are active on average", lanes * width, sm_.warp_width),
          "let the threads of a warp take the same way: sort the work, or branch by warp", busy * (1 - lanes),
          {});
    else
      issue();
  }

  // Of warps whose threads all work.
  void issue() {
    const double issued = waits_for(IssueSlot::Issued);
    if (issued < kIssued) return;
    add("issue_bound", "the issue of instructions",
        fmt::format("{:.0f} % of issue slots issue one, {:.0f} % wait for memory", percent(issued),
                    percent(memory_waits())),
        "issue fewer: more elements a thread, no warps that only run along, indices computed outside "
        "of loops, no division and no modulo",
        issued / 2, {});
  }

  void occupancy() {
    const double exposed = waits_for(IssueSlot::Memory) + waits_for(IssueSlot::Dependency) +
                           waits_for(IssueSlot::Fetch) + waits_for(IssueSlot::Fence);
    // A grid too small for more has another rule.
    if (kernel_.occupancy > kLowOccupancy || exposed < kExposed ||
        kernel_.blocks < 2 * sm_.count * kernel_.blocks_per_sm)
      return;
    const std::string change =
        kernel_.limit == "registers"
            ? fmt::format("use fewer than {} registers (__launch_bounds__), if nothing spills",
                          kernel_.registers)
        : kernel_.limit == "shared memory"
            ? fmt::format("use less than {} bytes of shared memory a block", kernel_.shared_bytes)
            : std::string("make blocks larger");
    // Larger blocks can fill the SM, as far as the grid has threads.
    const bool by_blocks = kernel_.limit == "blocks";
    const double at_once = static_cast<double>(sm_.count * kernel_.blocks_per_sm);
    const double times =
        by_blocks ? std::min(1 / kernel_.occupancy, static_cast<double>(kernel_.blocks) / at_once) : kTwice;
    add("occupancy", "waits that too few warps cover",
        fmt::format("{:.0f} % of an SM's warps are there, limited by {}, and {:.0f} % of issue slots wait",
                    percent(kernel_.occupancy), kernel_.limit, percent(exposed)),
        change, exposed * (1 - 1 / times), by_blocks ? Sets{more_blocks(times)} : twice_the_sm());
  }

  void grid() {
    const auto time = static_cast<double>(kernel_.time_ps);
    const double few = static_cast<double>(kernel_.few_blocks_ps) / time;
    const double tail = static_cast<double>(kernel_.tail_ps) / time;
    if (few >= kTail)
      add("small_grid", "a grid that is too small",
          fmt::format("{} blocks for {} SMs", kernel_.blocks, sm_.count), "cut the work into more blocks",
          few, {});
    else if (tail >= kTail)
      add("tail", "a last wave of few blocks",
          fmt::format("{} blocks, of which {} run at once", kernel_.blocks,
                      kernel_.blocks_per_sm * sm_.count),
          "make blocks smaller, or as many as fill the last wave", tail, {});
  }

  void dram() {
    const config::Dram& dram = facts_.machine().gpu.dram;
    const double buses = static_cast<double>(kernel_.time_ps) * static_cast<double>(dram.command_clock_khz) /
                         1e9 * static_cast<double>(dram.channels);
    const double busy = count("dram.data_bus_busy_cycles") / std::max(1.0, buses);
    if (busy < kDramBusy) return;
    const bool halves = dram.burst_cycles >= 2;
    add("dram_bandwidth", "DRAM's bandwidth",
        fmt::format(
            "its data buses are busy for {:.0f} % of the time, row hits are {:.0f} %", percent(busy),
            percent(count("dram.row_hits") / std::max(1.0, count("dram.reads") + count("dram.writes")))),
        "move fewer bytes: narrower types, each one read once, kernels that use the same data fused",
        std::min(busy / 2, memory_waits()),
        halves ? Sets{set("gpu.dram.burst_cycles", dram.burst_cycles / 2)} : Sets{});
  }

  void l2() {
    const config::Cache& l2 = facts_.machine().gpu.l2;
    const double lines = static_cast<double>(l2.sets * l2.ways * facts_.machine().gpu.l2_slices);
    const double misses = count("l2.read_misses") + count("l2.read_merges");
    const double reads = misses + count("l2.read_hits");
    if (reads == 0 || misses < kMisses * reads || count("l2.evictions") < kTwice * lines ||
        memory_waits() < kExposed)
      return;
    add("l2_thrash", "misses of L2, if it evicts what is used again",
        fmt::format("{:.0f} % of its reads miss, and it evicts {:.1f} times what it holds",
                    percent(misses / reads), count("l2.evictions") / lines),
        "work on tiles that fit into L2", memory_waits() * misses / reads / 2,
        {set("gpu.l2.ways", std::min<std::uint64_t>(1024, 8 * l2.ways))});
  }

  void barriers() {
    const double share = waits_for(IssueSlot::Barrier);
    if (share < kBarrier) return;
    add("barriers", "__syncthreads", fmt::format("{:.0f} % of issue slots wait at a barrier", percent(share)),
        "use smaller blocks, more of them on an SM, or __syncwarp where a warp is enough", share / 2, {});
  }

 private:
  using Sets = std::vector<std::string>;

  Sets twice_the_sm() const {
    return {set("gpu.sm.registers", 2 * sm_.registers), set("gpu.sm.shared_bytes", 2 * sm_.shared_bytes),
            more_blocks(kTwice), set("gpu.sm.max_warps", std::min(kMostWarps, 2 * sm_.max_warps)),
            set("gpu.sm.max_threads", std::min<std::uint64_t>(16384, 2 * sm_.max_threads))};
  }

  std::string more_blocks(double times) const {
    const auto blocks = static_cast<std::uint64_t>(std::ceil(times * static_cast<double>(sm_.max_blocks)));
    return set("gpu.sm.max_blocks", std::min(kMostBlocks, blocks));
  }

  static std::string set(const char* key, std::uint64_t value) { return fmt::format("{}={}", key, value); }
  double count(std::string_view name) const { return static_cast<double>(facts_.counter(kernel_, name)); }
  double waits_for(IssueSlot slot) const { return kernel_.share(slot); }
  // Of the kernel's time; atomics of several words wait at once.
  double atomic_conflicts() const {
    return count("l2.atomic_conflict_ps") / static_cast<double>(kernel_.time_ps);
  }
  double memory_waits() const { return waits_for(IssueSlot::Memory) + waits_for(IssueSlot::LoadStoreBusy); }
  void add(const char* rule, const char* bound_by, std::string because, std::string change, double share,
           Sets what_if) {
    out_.push_back({rule, kernel_.name, bound_by, std::move(because), std::move(change),
                    facts_.on_path(share * static_cast<double>(kernel_.time_ps)), std::move(what_if)});
  }

  const Facts& facts_;
  const KernelFacts& kernel_;
  const config::Sm& sm_;
  Advices& out_;
};

}  // namespace

void advise_kernel(const Facts& facts, const KernelFacts& kernel, Advices& out) {
  if (kernel.time_ps == 0) return;
  Kernel rules(facts, kernel, out);
  rules.grid();
  if (!rules.uncoalesced()) {
    rules.dram();
    rules.l2();
  }
  rules.bank_conflicts();
  rules.atomics();
  rules.shared_atomics();
  rules.divergence();
  rules.occupancy();
  rules.barriers();
}

}  // namespace duet::advise
