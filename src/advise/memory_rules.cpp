// Rules of a kernel's accesses: global, local, constant and shared memory, and the host's.
#include "advise/kernel_view.h"
#include "report/terminal/table_text.h"

namespace duet::advise {

namespace {

constexpr double kConflictShare = 0.05;  // of SM cycles
constexpr double kMisses = 0.3;          // of L2's reads
constexpr double kReadAgain = 1.5;       // times the bytes that the kernel has
constexpr double kDramBusy = 0.6;        // of its data buses' time
constexpr double kLocal = 0.1;           // of accesses
constexpr double kHostShare = 0.1;       // of the kernel's time

// Requests to L1 for loads and stores, and as many as would do.
struct Requests {
  double accesses = 0, requests = 0, requested_bytes = 0, used_bytes = 0, enough = 0;

  explicit Requests(const KernelView& k) {
    accesses = k.count("sm.global_loads") + k.count("sm.global_stores") + k.count("sm.local_loads") +
               k.count("sm.local_stores");
    accesses -= std::min(accesses, k.count("sm.texture_accesses"));
    const double all = k.count("sm.memory_transactions");
    requests = all - std::min(all, k.count("l2.atomics") + k.count("sm.texture_transactions"));
    if (accesses == 0 || requests == 0) return;
    requested_bytes = k.count("sm.requested_bytes") * requests / all;
    used_bytes = std::min(requested_bytes, k.count("sm.used_bytes"));
    // Of the same size, all of whose bytes are used, and one an access at least.
    enough = std::max(accesses, used_bytes / (requested_bytes / requests));
  }
  bool too_many() const { return requests != 0 && requests >= kTwice * enough; }
};

double local_accesses(const KernelView& k) { return k.count("sm.local_loads") + k.count("sm.local_stores"); }

// Of the requests, with one for each access to global memory.
double local_share(const KernelView& k, const Requests& r) {
  const double local = local_accesses(k), global = r.accesses - local;
  if (local == 0 || r.requests == 0) return 0;
  return std::max(local / r.accesses, 1 - std::min(1.0, global / r.requests));
}

bool local_memory(const KernelView& k, const Requests& r) {
  const double accesses = local_accesses(k);
  if (r.accesses == 0 || accesses < kLocal * r.accesses) return false;
  const double share = local_share(k, r);
  k.add("local_memory", "arrays of its threads in local memory",
        fmt::format(
            "{:.0f} % of its accesses are to local memory, an access takes {:.1f} requests, and {:.0f} % "
            "of its time are waits for memory",
            percent(accesses / r.accesses), r.requests / r.accesses, percent(k.memory_waits())),
        "index them with constants (unrolled loops), so that they stay in registers, or keep them in shared "
        "memory",
        k.memory_waits() * share, {});
  return share > 0.5;
}

bool uncoalesced(const KernelView& k, const Requests& r) {
  if (!r.too_many() || k.count("sm.atomics") * 2 > r.accesses) return false;
  // Waits behind atomics on the same words belong to these.
  // Others belong to textures' fetches.
  const double all = k.memory_waits() - std::min(k.memory_waits(), k.atomic_conflicts());
  const double waits = all * r.requests / (r.requests + k.count("sm.texture_transactions"));
  k.add("uncoalesced", "uncoalesced memory access",
        fmt::format("{:.1f} requests for each load or store of a warp where {:.1f} would do, {:.0f} % of the "
                    "bytes they ask for are used, and {:.0f} % of its time are waits for memory",
                    r.requests / r.accesses, r.enough / r.accesses, percent(r.used_bytes / r.requested_bytes),
                    percent(waits)),
        "let neighbouring threads touch neighbouring addresses", waits * (1 - r.enough / r.requests), {});
  return true;
}

void constant_reads(const KernelView& k) {
  const double loads = k.count("sm.constant_loads");
  const double requests = k.count("constant_cache.read_hits") + k.count("constant_cache.read_misses") +
                          k.count("constant_cache.read_merges");
  if (loads == 0 || requests < kTwice * loads) return;
  const double others = k.count("sm.memory_transactions");
  k.add("constant_reads", "constants that a warp reads at different addresses",
        fmt::format("a load takes {:.1f} turns of the constant cache, one for each address, and {:.0f} % of "
                    "its time are waits for memory",
                    requests / loads, percent(k.memory_waits())),
        "keep the table in shared memory, or in global memory and read it with neighbouring threads at "
        "neighbouring addresses",
        k.memory_waits() * (1 - loads / requests) * requests / (requests + others), {});
}

// What the link brings again and again could be copied to the device once.
bool host_memory(const KernelView& k) {
  const config::Link& link = k.facts.machine().link;
  const double requests = k.count("host_bridge.requests");
  if (requests == 0 || k.kernel.host_bytes == 0 || k.facts.machine().gpu.integrated) return false;
  const double bytes = k.count("link.to_gpu_payload_bytes") + k.count("link.to_host_payload_bytes");
  // Launches with the same arguments could have the same copy.
  const double once = static_cast<double>(k.kernel.host_bytes * k.kernel.pointers.size());
  const double copy = once * 1e6 / static_cast<double>(link.payload_mb_per_s_to_gpu) / k.time();
  const double waits = k.memory_waits() + k.waits_for(IssueSlot::NoWarp) + k.waits_for(IssueSlot::Fence);
  const double share = waits - copy;
  // A copy would carry as much.
  if (share < kHostShare || bytes < kReadAgain * once) return false;
  k.add("host_memory", "accesses to memory of the host, over the link",
        fmt::format(
            "{:.0f} requests carry {:.0f} bytes over the link, {:.1f} times what the arrays there hold, "
            "and {:.0f} % of its time are waits for memory",
            requests, bytes, bytes / once, percent(k.memory_waits())),
        k.facts.in_words("copy it to the device before the kernel (cudaMemcpy; of managed memory "
                         "cudaMemPrefetchAsync, where the GPU moves pages)",
                         "copy it to a buffer before the kernel"),
        share, {});
  return true;
}

void bank_conflicts(const KernelView& k) {
  const double share = k.count("sm.bank_conflict_cycles") / k.facts.sm_cycles(k.kernel);
  if (share < kConflictShare) return;
  const double accesses = std::max(1.0, k.count("sm.shared_accesses"));
  k.add("bank_conflicts", "bank conflicts of shared memory",
        fmt::format("an access takes {:.1f} passes on average, the others {:.0f} % of the SMs' cycles",
                    1 + k.count("sm.bank_conflict_cycles") / accesses, percent(share)),
        "pad or swizzle the array so that a warp's threads meet different banks",
        std::min(share, k.memory_waits() + k.waits_for(IssueSlot::Barrier)), {"gpu.sm.shared_banks=0"});
}

// Without them their way to L2 and their turn there are gone too, not the wait for a word alone.
void atomics(const KernelView& k) {
  const double requests = k.count("l2.atomics");
  if (requests == 0 || k.atomic_conflicts() < kConflictShare) return;
  const double share = std::min(1.0, requests / std::max(1.0, k.count("sm.memory_transactions")));
  k.add("atomics", "atomics on the same words",
        fmt::format("{:.0f} atomics reach L2 and wait for each other for {}", requests,
                    report::duration(static_cast<Picoseconds>(k.count("l2.atomic_conflict_ps")))),
        "add up in registers or shared memory first, and once a block in global memory",
        share * (k.memory_waits() + k.waits_for(IssueSlot::Fence) + k.waits_for(IssueSlot::NoWarp)), {});
}

void shared_atomics(const KernelView& k) {
  // An atomic in global memory takes a cycle for each request to L2.
  const double cycles =
      k.count("sm.atomic_cycles") - std::min(k.count("sm.atomic_cycles"), k.count("l2.atomics"));
  const double share = cycles / k.facts.sm_cycles(k.kernel);
  if (share < kConflictShare || k.count("sm.shared_accesses") == 0) return;
  k.add("shared_atomics", "atomics of a warp on the same words of shared memory",
        fmt::format("they take {:.0f} % of the SMs' cycles beyond one pass each", percent(share)),
        "give each warp or lane a copy, and add these up at the end",
        std::min(share, k.memory_waits() + k.waits_for(IssueSlot::Barrier)), {"gpu.sm.shared_banks=0"});
}

// Of the time of DRAM's data buses.
double dram_busy(const KernelView& k) {
  const config::Dram& dram = k.facts.machine().gpu.dram;
  const double buses =
      k.time() * static_cast<double>(dram.command_clock_khz) / 1e9 * static_cast<double>(dram.channels);
  return k.count("dram.data_bus_busy_cycles") / std::max(1.0, buses);
}

void dram_bandwidth(const KernelView& k) {
  const std::uint64_t burst = k.facts.machine().gpu.dram.burst_cycles;
  const double busy = dram_busy(k);
  if (busy < kDramBusy) return;
  const double accesses = std::max(1.0, k.count("dram.reads") + k.count("dram.writes"));
  k.add("dram_bandwidth", "DRAM's bandwidth",
        fmt::format("its data buses are busy for {:.0f} % of the time, row hits are {:.0f} %", percent(busy),
                    percent(k.count("dram.row_hits") / accesses)),
        "move fewer bytes: narrower types, each one read once, kernels that use the same data fused",
        std::min(busy / 2, k.memory_waits()),
        burst >= 2 ? KernelView::Sets{set("gpu.dram.burst_cycles", burst / 2)} : KernelView::Sets{});
}

// DRAM brings the kernel's arrays more than once.
bool l2_misses(const KernelView& k) {
  const config::Cache& l2 = k.facts.machine().gpu.l2;
  const double misses = k.count("l2.read_misses") + k.count("l2.read_merges");
  const double reads = misses + k.count("l2.read_hits");
  const double has = static_cast<double>(k.kernel.device_bytes * k.kernel.launches);
  const double times = has == 0 ? 0 : k.count("dram.read_bytes") / has;
  const double waits = std::max(k.memory_waits(), dram_busy(k));
  if (reads == 0 || misses < kMisses * reads || times < kReadAgain || waits < kExposed) return false;
  k.add("l2_thrash", "misses of L2, which evicts what is read again",
        fmt::format("{:.0f} % of its reads miss, and DRAM brings {:.1f} times what the kernel's arrays hold",
                    percent(misses / reads), times),
        "work on tiles that fit into L2", waits * misses / reads * (1 - 1 / times),
        {set("gpu.l2.ways", std::min<std::uint64_t>(1024, 8 * l2.ways))});
  return true;
}

}  // namespace

void advise_memory(const KernelView& kernel) {
  const Requests requests(kernel);
  if (!host_memory(kernel) && !local_memory(kernel, requests) && !uncoalesced(kernel, requests) &&
      !l2_misses(kernel))
    dram_bandwidth(kernel);
  constant_reads(kernel);
  bank_conflicts(kernel);
  atomics(kernel);
  shared_atomics(kernel);
}

}  // namespace duet::advise
