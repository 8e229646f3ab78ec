#include "cli/reproduce_claims.h"

#include <cmath>
#include <limits>

namespace duet::cli {

namespace {

constexpr double kAny = std::numeric_limits<double>::infinity();

constexpr Claim near(const char* id, const char* quantity, const char* claim, double paper, const char* unit,
                     double absolute, double relative, const char* note = "") {
  const double width = absolute + relative * paper;
  return {id, quantity, claim, paper, unit, paper - width, paper + width, note};
}

constexpr Claim within(const char* id, const char* quantity, const char* claim, std::optional<double> paper,
                       const char* unit, double low, double high, const char* note = "") {
  return {id, quantity, claim, paper, unit, low, high, note};
}

constexpr Claim not_yet(const char* id, const char* claim, const char* reason) {
  return {id, "", claim, std::nullopt, "", 0, 0, reason};
}

// lustig2013. Table 2 sets the machine's parameters and hardware latency comes on top, so intercepts may lie
// 1 us apart and slopes 1 %; a call's own latency has nothing on top.
constexpr Claim kLustig2013[] = {
    near("L-T2", "sync_h2d_intercept", "cudaMemcpy to the device: 7 us + n / 6.8 GB/s, intercept", 7.0, "us",
         1.0, 0),
    near("L-T2", "sync_h2d_rate", "cudaMemcpy to the device: 7 us + n / 6.8 GB/s, slope", 6.8, "GB/s", 0,
         0.01),
    near("L-T2", "sync_d2h_intercept", "cudaMemcpy to the host: intercept", 7.0, "us", 1.0, 0),
    near("L-T2", "sync_d2h_rate", "cudaMemcpy to the host: slope", 6.8, "GB/s", 0, 0.01),
    near("L-T2", "async_call", "cudaMemcpyAsync: the call", 1.2, "us", 0, 0.01),
    near("L-T2", "async_h2d_intercept", "cudaMemcpyAsync and synchronize: 9 us + n / 6.8 GB/s, intercept",
         9.0, "us", 1.0, 0),
    near("L-T2", "async_h2d_rate", "cudaMemcpyAsync and synchronize: slope", 6.8, "GB/s", 0, 0.01),
    near("L-T2", "async_128k", "128 KB asynchronous copy: 1.2 us + 7 us + 128 KB / (6.8 GB/s)",
         1.2 + 7 + 131072 / 6800.0, "us", 1.0, 0, "synchronization's own 1 us taken off"),
    near("L-T2", "launch_call", "kernel launch: the call", 1.5, "us", 0, 0.01),
    near("L-T2", "launch_driver", "kernel launch: driver", 3.0, "us", 1.0, 0,
         "launch and synchronize, less the launch call and 1 us; an empty kernel's run is contained"),
    near("L-T2", "stream_synchronize", "cudaStreamSynchronize, nothing to wait for: 1 us, then 1 us", 2.0,
         "us", 0, 0.01),
    near("L-T2", "device_synchronize", "cudaDeviceSynchronize, nothing to wait for: 1 us, then 1 us", 2.0,
         "us", 0, 0.01),
    near("L-F9", "driver_latency_share",
         "one copy of N against two of N/2 recovers the driver's latency per call", 1, "", 0, 0.02,
         "as a share of what the machine file sets; halves in two streams, smallest N"),

    within("L-F11a", "mean_gain", "full-overlap: mean gain over the baseline", 26, "%", 20, 32),
    within("L-F11a", "best_gain", "full-overlap: best gain over the baseline", 43, "%", 37, 49),
    within("L-F11b", "worst_runtime", "no scenario slower than the baseline: largest normalized runtime",
           std::nullopt, "", 0, 1),
    within("L-F11c", "histogram_start_share",
           "histogram64: overlap-start's part of full-overlap's gain: most", std::nullopt, "%", 50, kAny,
           "holds: half or more"),
    within("L-F11c", "histogram_finish_share",
           "histogram64: overlap-finish's part of full-overlap's gain: little", std::nullopt, "%", -kAny, 25,
           "holds: a quarter or less"),
    within("L-F11d", "matrix_finish_lead", "matrixMul: overlap-finish slightly better than overlap-start",
           std::nullopt, "points", 0.001, 10, "gain of overlap-finish less that of overlap-start"),
    within("L-F11e", "vector_full_lead", "vectorAdd: full-overlap gains beyond either component",
           std::nullopt, "points", 0.001, kAny, "gain of full-overlap less the better one's"),
    within("L-F11f", "full_best", "benchmarks in which full-overlap is the best of the three", 7, "of 7", 7,
           7),
    within("L-tab3", "table_wrong",
           "Table 3, seven benchmarks in four variants: runs with a wrong element or a failure", 0, "runs", 0,
           0),
    within("L-safe", "safe_right", "launched before their input arrives, with the bits: right results", 7,
           "of 7", 7, 7),
    within("L-safe", "safe_wrong", "launched before their input arrives, without the bits: wrong results", 7,
           "of 7", 7, 7),
    within("L-safe", "safe_named",
           "without the bits: the race is named (kernel reads before the copy writes)", 7, "of 7", 7, 7),
    within("L-safe", "safe_races", "with the bits: races", 0, "of 7", 0, 0),
    within("L-hol", "one_queue_deadlocks", "full-overlap with one queue in a memory controller: deadlocks", 7,
           "of 7", 7, 7),
    within("L-hol", "three_queues_wrong", "full-overlap with three queues: runs that fail", 0, "runs", 0, 0),
    within("L-mshr", "waiting_per_mshr",
           "2 MSHRs an L1: most reads waiting at one controller, for each of them", std::nullopt, "", 0.001,
           1, "vectorAdd, launched in advance"),
    within("L-mshr", "mshr_stalls", "2 MSHRs an L1: lookups held up in L1 beyond those with its own number",
           std::nullopt, "lookups", 1, kAny, "vectorAdd, launched in advance"),
    within("L-mshr", "mshr_wrong", "2 MSHRs an L1: runs with a wrong element or a failure", 0, "runs", 0, 0,
           "nothing is lost"),
    within("L-dram", "bits_share", "full/empty bits as a share of the DRAM that they track", 3, "%", 2.5, 3.5,
           "of the machine's granule"),
    within("L-int", "integrated_mean_gain", "integrated machine, full-overlap: mean gain", std::nullopt, "%",
           0.001, kAny),
    within("L-int", "integrated_worst_runtime", "integrated machine: largest normalized runtime",
           std::nullopt, "", 0, 1),

    // Sections 4.5 and 9 name these and claim no number: a gain holds where there is one.
    within("L-ext", "ext_granule_wrong", "granularity of tracking: runs with a wrong element or a failure", 0,
           "runs", 0, 0),
    within("L-ext", "ext_granule_gain", "granularity of tracking, 4 KB: full-overlap's mean gain",
           std::nullopt, "%", 0.001, kAny),
    within("L-ext", "ext_packet_wrong", "granularity of transmission: runs with a wrong element or a failure",
           0, "runs", 0, 0),
    within("L-ext", "ext_packet_gain", "granularity of transmission, 4 KB: full-overlap's mean gain",
           std::nullopt, "%", 0.001, kAny),
    within("L-ext", "ext_look_ahead_wrong",
           "queues observed past their heads: runs with a wrong element or a failure", 0, "runs", 0, 0),
    within("L-ext", "ext_look_ahead_gain",
           "queues observed past their heads: full-overlap's mean gain beyond that with heads alone",
           std::nullopt, "points", 0.001, kAny),
    within("L-ext", "ext_nack_wrong",
           "requests refused that wait too long: runs with a wrong element or a failure", 0, "runs", 0, 0),
    within("L-ext", "ext_nack_gain",
           "requests refused that wait too long: full-overlap's mean gain beyond that without", std::nullopt,
           "points", 0.001, kAny),
    within("L-ext", "ext_region_wrong",
           "a bounded region of bits in the controllers: runs with a wrong element or a failure", 0, "runs",
           0, 0),
    within("L-ext", "ext_region_gain", "a bounded region: mean gain of the best variant that fits",
           std::nullopt, "%", 0.001, kAny),
    within("L-ext", "ext_counter_wrong",
           "counter bits, two readers of a word: runs with a wrong element or a failure", 0, "runs", 0, 0),
    within("L-ext", "ext_counter_gain", "counter bits: gain over the host's emptying after all reads",
           std::nullopt, "%", 0.001, kAny),
    within("L-ext", "ext_kernel_end_wrong",
           "emptied at a kernel's end: runs with a wrong element or a failure", 0, "runs", 0, 0),
    within("L-ext", "ext_kernel_end_gain", "emptied at a kernel's end: gain over the host's emptying",
           std::nullopt, "%", 0.001, kAny),
    within("L-ext", "ext_set_wrong",
           "override that changes bits without data: runs with a wrong element or a failure", 0, "runs", 0,
           0),
    within("L-ext", "ext_set_gain",
           "override that changes bits: gain over a copy of the same data that fills", std::nullopt, "%",
           0.001, kAny),
    within("L-ext", "ext_release_wrong",
           "override that releases what waits: runs with a wrong element or a failure", 0, "runs", 0, 0),
    within("L-ext", "ext_release_gain", "override that releases: gain over a copy that fills", std::nullopt,
           "%", 0.001, kAny),
    within("L-ext", "ext_ring_wrong",
           "GPU instructions that name triggers, a ring between two kernels: runs with a wrong element or a "
           "failure",
           0, "runs", 0, 0),
    within("L-ext", "ext_ring_gain", "GPU instructions, ring: gain over one kernel after the other",
           std::nullopt, "%", 0.001, kAny),
    within(
        "L-ext", "ext_array_wrong",
        "GPU instructions that empty, an array between two kernels: runs with a wrong element or a failure",
        0, "runs", 0, 0),
    within("L-ext", "ext_array_gain",
           "GPU instructions, array: gain over 4.1's fixed actions and a command that empties", std::nullopt,
           "%", 0.001, kAny),

    not_yet("L-F1", "BFS: crossover of one CPU thread and the GPU near 4,000 nodes", "needs the CPU model"),
    not_yet("L-F2", "small copies: the discrete GPU has the lower latency",
            "needs the integrated machine's copies"),
    not_yet("L-F8", "profiler counters serialize kernels, light timers do not distort",
            "needs the CPU model"),
    not_yet("L-F12", "vectorAdd: break-even with one CPU thread at 128K elements, with full-overlap at 32K",
            "needs the CPU model"),
    not_yet("L-7.1", "the baseline GPU beats one CPU thread", "needs the CPU model"),
    not_yet("L-val", "agreement with hardware within 5 % on average", "needs a real GPU"),
};

}  // namespace

std::span<const Claim> lustig2013_claims() { return kLustig2013; }

const char* verdict(const Claim& claim, std::optional<double> measured) {
  if (!measured) return "not run";
  return *measured >= claim.low && *measured <= claim.high ? "holds" : "falls short";
}

}  // namespace duet::cli
