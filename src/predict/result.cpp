#include "predict/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ostream>

#include "base/readable_name.h"
#include "report/json/json_writer.h"

namespace duet::predict {

namespace {

// In the order of predict::Limit: name in JSON, and the text of a change.
struct LimitName {
  const char* json;
  const char* text;
};
constexpr LimitName kLimitNames[kLimits] = {
    {"arithmetic_latency", "arithmetic results at once"},
    {"instruction_fetch", "all code in the instruction cache"},
    {"bank_conflicts", "no bank conflicts"},
    {"l1_misses", "all in L1"},
    {"l2_misses", "all in L2"},
    {"shared_rate", "L2, interconnect and DRAM without queues"},
    {"dram_rate", "twice the DRAM rate"},
    {"atomic_conflicts", "no atomics on one word"},
    {"runtime_calls", "no malloc, free and launches in device code"},
    {"clock_waits", "no waiting by a clock"},
};
constexpr const char* kBusyNames[kBusy] = {"load_store_unit", "interconnect_port", "l2", "dram", "atomics"};
// In the order of predict::Doubt.
struct DoubtName {
  const char* json;
  const char* text;
};
constexpr DoubtName kDoubtNames[] = {
    {"truncated",
     "its warps are long: only their beginning was computed, which got faster or slower as it went on"},
    {"full_empty_bits", "it uses full/empty bits, and waiting for them takes no time in the model"},
    {"barriers", "it has barriers that not all warps of a block reach"},
    {"clock", "it reads a clock or sleeps: what it does may depend on time"},
    {"waits", "its blocks may wait for each other, which takes no time in the model"},
    {"overlapped", "other kernels ran at the same time: the model takes each to be alone"},
    {"imbalanced", "its blocks differ much: the model takes one SM's for all"},
    {"skipped_data", "it decides by data that --sampled has not computed: predict it without"},
    {"host_read_skipped_data",
     "the program had read data that --sampled has not computed: if it decides by them, predict it without"},
};

static_assert(std::size(kDoubtNames) == static_cast<std::size_t>(Doubt::Count));

double us(Picoseconds ps) { return static_cast<double>(ps) / 1e6; }

}  // namespace

PredictedRun read_predicted_run(const report::RunReport& report) {
  PredictedRun result;
  result.machine = report.machine;
  result.command = report.command;
  result.run_us = us(report.simulated_ps);
  result.wall_seconds = report.wall_seconds;
  result.program_seconds = report.program_seconds;
  result.moments = report::moments(report.account);
  std::map<std::string, PredictedKernel> kernels;
  std::map<std::string, double> l1_requests, l1_hits;
  report.journal->for_each(
      [&](report::RecordType type, const std::byte* bytes, std::size_t size, std::string_view text) {
        if (type != report::RecordType::Prediction) return;
        const auto record = report::record_as<report::PredictionRecord>(bytes, size);
        PredictedKernel& kernel = kernels[std::string(text)];
        const double time = us(record.time_ps);
        ++kernel.launches;
        kernel.repeated += record.repeated;
        kernel.partial += record.partial;
        kernel.time_us += time;
        kernel.roofline_us += us(record.roofline_ps);
        kernel.hong_kim_us += us(record.hong_kim_ps);
        kernel.computed_share += record.computed_share * time;
        kernel.doubts |= record.doubts;
        l1_requests[std::string(text)] += static_cast<double>(record.l1_requests);
        l1_hits[std::string(text)] += static_cast<double>(record.l1_hits);
        std::uint64_t slots = 0;
        for (const std::uint64_t count : record.issue_slots) slots += count;
        for (std::size_t i = 0; i < kIssueSlots && slots != 0; ++i)
          kernel.slots[i] += time * static_cast<double>(record.issue_slots[i]) / static_cast<double>(slots);
        for (std::size_t i = 0; i < kBusy; ++i) kernel.busy[i] += time * record.busy[i];
        if (record.without_ps[0] == 0) return;
        kernel.computed_us += time;
        for (std::size_t i = 0; i < kLimits; ++i) kernel.without_us[i] += us(record.without_ps[i]);
      });
  for (auto& [name, kernel] : kernels) {
    kernel.name = name;
    result.kernels_us += kernel.time_us;
    if (kernel.time_us != 0) {
      for (double& share : kernel.slots) share /= kernel.time_us;
      for (double& share : kernel.busy) share /= kernel.time_us;
      kernel.computed_share /= kernel.time_us;
    }
    if (l1_requests[name] != 0) kernel.l1_hit_rate = l1_hits[name] / l1_requests[name];
    result.kernels.push_back(std::move(kernel));
  }
  std::stable_sort(result.kernels.begin(), result.kernels.end(),
                   [](const auto& a, const auto& b) { return a.time_us > b.time_us; });
  return result;
}

std::string bound_of(const PredictedKernel& kernel) {
  if (kernel.slots[static_cast<unsigned>(IssueSlot::Issued)] >= 0.75) return "issue slots";
  struct Cause {
    double saving;
    const char* text;
  };
  const double shared = kernel.saving(Limit::SharedRate);
  // Without queues atomics do not wait either: most of the saving is theirs.
  const double atomics = kernel.saving(Limit::Atomics);
  const bool of_atomics = atomics >= shared * 3 / 4;
  const bool dram = kernel.saving(Limit::DramRate) >= std::max(shared / 4, 10.0);
  Cause best{0, ""};
  for (const Cause& cause : {Cause{kernel.saving(Limit::Dependencies), "arithmetic latency"},
                             Cause{kernel.saving(Limit::Fetch), "instruction fetch"},
                             Cause{kernel.saving(Limit::BankConflicts), "bank conflicts"},
                             Cause{of_atomics ? std::max(atomics, shared) : atomics, "atomics on one word"},
                             Cause{kernel.saving(Limit::Calls), "calls of the device runtime"},
                             Cause{kernel.saving(Limit::ClockWaits), "waiting by a clock"},
                             Cause{shared, dram ? "DRAM rate" : "L2 and interconnect rate"},
                             Cause{dram ? 0 : kernel.saving(Limit::L1Misses) - shared, "memory latency"}})
    if (cause.saving > best.saving) best = cause;
  if (best.saving >= 10) return best.text;
  if (kernel.busy[0] >= 0.75) return "load-store unit";
  if (kernel.slots[static_cast<unsigned>(IssueSlot::Issued)] >= 0.5) return "issue slots";
  return "launch and latency";
}

Interval interval_of(const PredictedKernel& kernel) {
  return interval_of(bound_of(kernel), (kernel.doubts & ~kDoubtsOfLaunch) != 0);
}

std::vector<std::string> changes_of(const PredictedKernel& kernel) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < kLimits; ++i)
    if (kernel.saving(static_cast<Limit>(i)) >= 5) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return kernel.saving(static_cast<Limit>(a)) > kernel.saving(static_cast<Limit>(b));
  });
  std::vector<std::string> result;
  for (const std::size_t i : order)
    result.push_back(fmt::format("{}: -{:.0f} %", kLimitNames[i].text, kernel.saving(static_cast<Limit>(i))));
  return result;
}

std::vector<std::string> doubts_of(const PredictedKernel& kernel) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < std::size(kDoubtNames); ++i)
    if ((kernel.doubts >> i & 1) != 0) result.emplace_back(kDoubtNames[i].text);
  return result;
}

std::string text_of(const PredictedRun& prediction, std::size_t rows) {
  std::string text = fmt::format(
      "{}: predicted for {} in {:.2f} s, {:.2f} of them the program's own; kernels by the model, "
      "the rest simulated\n",
      prediction.command, prediction.machine, prediction.wall_seconds, prediction.program_seconds);
  text += fmt::format("  the run {:.1f} us", prediction.run_us);
  const char* separator = ": ";
  for (const report::TimePart& part : prediction.moments) {
    const double share = prediction.run_us == 0 ? 0 : 100 * us(part.time_ps) / prediction.run_us;
    if (share < 1) continue;
    text += fmt::format("{}{} {:.0f} %", separator, part.text, share);
    separator = ", ";
  }
  text += '\n';
  if (prediction.kernels.empty()) return text + "  no kernel was launched\n";
  text += fmt::format("  {:40} {:>8} {:>12} {:>17} {:>6}  {}\n", "kernel", "launches", "us",
                      fmt::format("{} % within", kIntervalPercent), "%", "bound by");
  std::size_t row = 0;
  for (const PredictedKernel& kernel : prediction.kernels) {
    if (row++ == rows) {
      text += fmt::format("  and {} kernels more\n", prediction.kernels.size() - rows);
      break;
    }
    std::string name = readable_name(kernel.name);
    if (name.size() > 40) name = name.substr(0, 37) + "...";
    const Interval interval = interval_of(kernel);
    text += fmt::format(
        "  {:40} {:8} {:12.1f} {:>17} {:6.1f}  {}\n", name, kernel.launches, kernel.time_us,
        fmt::format("{:.1f}-{:.1f}", interval.low * kernel.time_us, interval.high * kernel.time_us),
        prediction.kernels_us == 0 ? 0 : 100 * kernel.time_us / prediction.kernels_us, bound_of(kernel));
    const std::vector<std::string> changes = changes_of(kernel);
    for (std::size_t i = 0; i < std::min<std::size_t>(changes.size(), 3); ++i)
      text += fmt::format("      with {}\n", changes[i]);
    for (const std::string& doubt : doubts_of(kernel)) text += fmt::format("      careful: {}\n", doubt);
  }
  std::uint64_t launches = 0, partial = 0;
  for (const PredictedKernel& kernel : prediction.kernels) {
    launches += kernel.launches;
    partial += kernel.partial;
  }
  if (partial != 0)
    text += fmt::format(
        "  {} of {} launches were executed in part, and what the program computes is wrong: if it launches "
        "other kernels by what it reads (a loop until convergence), predict it without --sampled\n",
        partial, launches);
  return text;
}

namespace {

using report::Json;

Json timing_json(const config::Sm::Timing& timing) {
  return {{"latency_cycles", timing.latency_cycles}, {"interval_cycles", timing.interval_cycles}};
}

Json cache_json(const config::Cache& cache, std::uint64_t slices) {
  return {{"bytes", cache.capacity() * slices}, {"slices", slices}, {"latency_cycles", cache.latency_cycles}};
}

// hu2016 §2: of each level its elements, memory, and the costs of dispatch and synchronization.
Json levels_json(const config::Machine& machine) {
  const config::Gpu& gpu = machine.gpu;
  const config::Sm& sm = gpu.sm;
  Json level0 = {
      {"level", 0},
      {"element", "SM"},
      {"processing",
       {{"sp_units", sm.sp_units},
        {"sfu_units", sm.sfu_units},
        {"dp_units", sm.dp_units},
        {"integer", timing_json(sm.integer)},
        {"floating", timing_json(sm.floating)},
        {"double_precision", timing_json(sm.double_precision)},
        {"special_function", timing_json(sm.special_function)}}},
      {"memory",
       {{"registers", sm.registers},
        {"shared_bytes", sm.shared_bytes},
        {"shared_latency_cycles", sm.shared_latency_cycles},
        {"shared_pass_cycles", sm.shared_pass_cycles},
        {"l1", cache_json(gpu.l1, 1)}}},
      {"dispatch", {{"instructions_per_cycle", sm.schedulers}, {"fetched_per_cycle", sm.fetch_instructions}}},
      {"synchronization", {{"barrier_cycles", sm.control.latency_cycles}}}};
  Json memory1 = {{"l2", cache_json(gpu.l2, gpu.l2_slices)},
                  {"interconnect",
                   {{"latency_cycles", gpu.interconnect.latency_cycles},
                    {"bytes_per_cycle_of_port", gpu.interconnect.flit_bytes},
                    {"clock_khz", gpu.interconnect.clock_khz}}}};
  for (const config::Level& level : machine.levels)
    memory1[level.name] = cache_json(level.cache, level.slices);
  memory1["dram"] = {
      {"channels", gpu.dram.channels},
      {"bytes_per_second", static_cast<std::uint64_t>(gpu.dram.channels * gpu.dram.burst_bytes *
                                                      gpu.dram.command_clock_khz / gpu.dram.burst_cycles) *
                               1000},
      {"controller_cycles", gpu.dram.controller_cycles}};
  Json level1 = {{"level", 1},
                 {"element", "GPU"},
                 {"processing", {{"sms", sm.count}, {"clock_khz", gpu.core_clock_khz}}},
                 {"memory", memory1},
                 {"dispatch", {{"cycles_per_block", gpu.front_end.dispatch_cycles_per_block}}},
                 {"synchronization", {{"reference_counters", gpu.front_end.reference_counters}}}};
  Json level2 = {
      {"level", 2},
      {"element", "system"},
      {"memory",
       {{"link_mb_per_s_to_gpu", machine.link.payload_mb_per_s_to_gpu},
        {"link_mb_per_s_to_host", machine.link.payload_mb_per_s_to_host},
        {"link_latency_ns", machine.link.latency_ns}}},
      {"dispatch",
       {{"launch_call_ns", machine.driver.launch.call_ns},
        {"launch_driver_ns", machine.driver.launch.driver_ns}}},
      {"synchronization", {{"device_synchronize_finish_ns", machine.driver.device_synchronize.finish_ns}}}};
  return Json::array({level0, level1, level2});
}

Json kernel_json(const PredictedKernel& kernel) {
  Json without = Json::object(), slots = Json::object(), busy = Json::object(), doubts = Json::array();
  for (std::size_t i = 0; i < kLimits; ++i)
    without[kLimitNames[i].json] = kernel.time_us * (1 - kernel.saving(static_cast<Limit>(i)) / 100);
  for (std::size_t i = 0; i < kIssueSlots; ++i)
    slots[issue_slot_name(static_cast<IssueSlot>(i))] = kernel.slots[i];
  for (std::size_t i = 0; i < kBusy; ++i) busy[kBusyNames[i]] = kernel.busy[i];
  for (std::size_t i = 0; i < std::size(kDoubtNames); ++i)
    if ((kernel.doubts >> i & 1) != 0) doubts.push_back(kDoubtNames[i].json);
  const Interval interval = interval_of(kernel);
  return {{"name", kernel.name},
          {"launches", kernel.launches},
          {"repeated_launches", kernel.repeated},
          {"partial_launches", kernel.partial},
          {"time_us", kernel.time_us},
          {"interval_us", {interval.low * kernel.time_us, interval.high * kernel.time_us}},
          {"interval_from", interval.calibrated_on},
          {"bound", bound_of(kernel)},
          {"without_us", without},
          {"slots", slots},
          {"busy", busy},
          {"l1_hit_rate", kernel.l1_hit_rate},
          {"computed_share", kernel.computed_share},
          {"roofline_us", kernel.roofline_us},
          {"hong_kim_us", kernel.hong_kim_us},
          {"doubts", doubts}};
}

}  // namespace

void write_json(std::ostream& out, const PredictedRun& run, const config::Machine& machine) {
  report::ObjectWriter json(out);
  json.member("schema", "duet.prediction/1");
  json.member("machine", run.machine);
  json.member("command", run.command);
  json.member("run_us", run.run_us);
  json.member("kernels_us", run.kernels_us);
  json.member("wall_seconds", run.wall_seconds);
  json.member("program_seconds", run.program_seconds);
  Json parts = Json::object();
  for (const report::TimePart& part : run.moments) parts[part.name] = us(part.time_ps);
  json.member("parts_us", parts);
  json.array("kernels", [&](const auto& add) {
    for (const PredictedKernel& kernel : run.kernels) add(kernel_json(kernel));
  });
  json.member("levels", levels_json(machine));
  json.end();
}

}  // namespace duet::predict
