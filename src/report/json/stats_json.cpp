// stats.json, schema duet.stats/1.
#include <algorithm>
#include <ostream>

#include "report/json/json_writer.h"
#include "report/results/groups.h"
#include "report/results/intervals.h"
#include "report/run_report.h"

namespace duet::report {

namespace {

// Issue slots by use; "issued" is no stall but makes the sum whole.
// Issue slots, or warps' cycles, by IssueSlot; none where no SM is timed.
using Counts = std::array<std::uint64_t, kIssueSlots>;
using NameOf = const char* (*)(IssueSlot);
template <typename F>
void for_each_slot(const Counts& counts, NameOf name_of, const F& f) {
  if (std::all_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count == 0; })) return;
  for (std::size_t i = 0; i < kIssueSlots; ++i) f(name_of(static_cast<IssueSlot>(i)), counts[i]);
}
void write_counts(JsonText& json, const Counts& counts, NameOf name_of) {
  for_each_slot(counts, name_of, [&](const char* name, std::uint64_t count) { json.member(name, count); });
}
Json counts_json(const Counts& counts, NameOf name_of) {
  Json result = Json::object();
  for_each_slot(counts, name_of, [&](const char* name, std::uint64_t count) { result[name] = count; });
  return result;
}

Json preexecution_json(const PreexecutionOfLaunch& p, Picoseconds kernel_start) {
  Json json = {{"accesses", p.accesses}, {"covered", p.covered}, {"not_prefetched", p.not_prefetched}};
  if (!p.reason.empty()) json["no_program"] = p.reason;
  json["started_ps"] = p.started != 0 ? Json(p.started_ps) : Json();
  json["ended_ps"] = p.ended != 0 ? Json(p.ended_ps) : Json();
  json["on_core_ps"] = p.on_core_ps;
  json["interruptions"] = p.interruptions;
  json["instructions"] = p.instructions;
  json["loads"] = p.loads;
  json["suppressed_loads"] = p.suppressed_loads;
  json["private_hits"] = p.private_hits;
  json["stale_hits"] = p.stale_hits;
  json["wrong_hits"] = p.wrong_hits;
  json["lines_dropped"] = p.lines_dropped;
  json["block_writes"] = p.block_writes;
  json["requests"] = p.requests;
  json["l3_hits"] = p.l3_hits;
  json["lines_from_memory"] = p.lines_from_memory;
  json["polls"] = p.polls;
  json["initial_skip_factor"] = p.skip_factor;
  Json& samples = json["skip_factor"] = Json::array();
  for (const SkipFactorSample& sample : p.skip_factors)
    samples.push_back({sample.time_ps - std::min(sample.time_ps, kernel_start), sample.skip_factor});
  return json;
}

Json preexecution_json(const PreexecutionResult& result) {
  Json json = Json::object();
  for (const auto& [key, value] : result.settings) {
    const bool number = value.find_first_not_of("0123456789") == std::string::npos;
    json[key] = number ? Json(std::stoull(value)) : Json(value);
  }
  json["programs_started"] = result.programs;
  json["instructions"] = result.instructions;
  json["loads"] = result.loads;
  json["suppressed_loads"] = result.suppressed_loads;
  return json;
}

Json cpu_blocks_json(const CpuBlocksOfLaunch& b) {
  Json json = {{"blocks", b.blocks},
               {"claims", b.claims},
               {"instructions", b.instructions},
               {"lines_written", b.lines_written}};
  json["first_ps"] = b.blocks != 0 ? Json(b.first_ps) : Json();
  json["last_ps"] = b.blocks != 0 ? Json(b.last_ps) : Json();
  if (!b.reason.empty()) json["gpu_alone"] = b.reason;
  return json;
}

void write_kernel(JsonText& json, const KernelResult& k, const RunReport& report) {
  json.member("name", k.name);
  json.member("grid", k.grid);
  json.member("block", k.block);
  json.member("stream", k.stream);
  json.member("command", k.command);
  json.member("call", k.call);
  json.member("queued_ps", k.queued_ps);
  json.member("driver_start_ps", k.driver_start_ps);
  json.member("prepared_ps", k.prepared_ps);
  json.member("start_ps", k.start_ps);
  json.member("end_ps", k.end_ps);
  json.member("cycles", k.cycles);
  json.member("warp_instructions", k.warp_instructions);
  json.member("thread_instructions", k.thread_instructions);
  json.member("complete", k.complete != 0);
  json.member("completed_blocks", k.completed_blocks);
  json.member("registers", k.registers);
  json.member("shared_bytes", k.shared_bytes);
  json.member("blocks_per_sm", k.blocks_per_sm);
  json.member("occupancy", k.occupancy);
  json.member("occupancy_limit", std::string_view(k.occupancy_limit));
  json.member("achieved_occupancy", k.achieved_occupancy);
  json.object("stalls", [&] { write_counts(json, k.issue_slots, issue_slot_name); });
  json.object("warp_states", [&] { write_counts(json, k.warp_cycles, warp_state_name); });
  const JournalHeader& header = report.journal->header();
  json.object("counters", [&] {
    for (const auto& [counter, value] : k.counters)
      json.member(std::string_view(header.counters[counter].name), value);
  });
  if (k.fast_forwarded != 0) json.member("fast_forwarded", true);
  if (k.timed_blocks != 0) json.member("timed_blocks", k.timed_blocks);
  const auto& programs = report.preexecution.launches;
  if (const auto its = programs.find(k.command); its != programs.end())
    json.member("preexecution", preexecution_json(its->second, k.start_ps));
  const auto& blocks = report.cpu_blocks.launches;
  if (const auto its = blocks.find(k.command); its != blocks.end())
    json.member("cpu_blocks", cpu_blocks_json(its->second));
}

void add_full_empty(std::uint32_t trigger, std::uint32_t action, const auto& add) {
  if (trigger != 0) add("trigger", trigger == 1 ? "full" : "empty");
  if (action != 0) add("action", action == 1 ? "fill" : "empty");
}

void write_copy(JsonText& json, const CopyRecord& c) {
  json.member("kind", copy_kind_name(c.kind));
  json.member("bytes", c.bytes);
  json.member("stream", c.stream);
  json.member("command", c.command);
  json.member("call", c.call);
  json.member("queued_ps", c.queued_ps);
  json.member("driver_start_ps", c.driver_start_ps);
  json.member("prepared_ps", c.prepared_ps);
  json.member("start_ps", c.start_ps);
  json.member("end_ps", c.end_ps);
  if (c.pageable != 0) json.member("pageable", true);
  add_full_empty(c.trigger, c.action, [&](const char* name, const char* value) { json.member(name, value); });
}

Json advice_json(const Advice& advice) {
  Json json = {{"rule", advice.rule}};
  if (!advice.kernel.empty()) json["kernel"] = advice.kernel;
  json["bound_by"] = advice.bound_by;
  json["because"] = advice.because;
  json["try"] = advice.change;
  json["saves_ps"] = advice.saves_ps;
  if (advice.at_most) json["at_most"] = true;
  if (advice.costs_ps != 0) json["costs_ps"] = advice.costs_ps;
  json["what_if"] = advice.what_if;
  for (const AdvisedMethod& method : advice.methods)
    json["methods"].push_back({{"method", method.name}, {"calls", method.calls}});
  return json;
}

Json spread_json(const Spread& spread) {
  return {{"sum", spread.sum}, {"min", spread.min}, {"max", spread.max}};
}

void add_times(Json& json, const Times& times) {
  json["first_start_ps"] = times.first_start_ps;
  json["last_end_ps"] = times.last_end_ps;
  json["queued_for_ps"] = spread_json(times.queued);
  json["driver_ps"] = spread_json(times.prepared);
  json["executed_ps"] = spread_json(times.executed);
}

Json kernel_group_json(const JournalHeader& header, const std::string& name,
                       const KernelGroups::Dimensions& d, const KernelGroup& group) {
  Json json = {{"name", name}, {"grid", nullptr}, {"block", nullptr}, {"launches", group.launches}};
  if (d != KernelGroups::Dimensions{}) {
    json["grid"] = {d[0], d[1], d[2]};
    json["block"] = {d[3], d[4], d[5]};
  }
  if (group.fast_forwarded != 0) json["fast_forwarded"] = group.fast_forwarded;
  add_times(json, group.times);
  json["cycles"] = spread_json(group.cycles);
  json["warp_instructions"] = spread_json(group.warp_instructions);
  json["thread_instructions"] = spread_json(group.thread_instructions);
  json["registers"] = {{"min", group.registers.min}, {"max", group.registers.max}};
  json["occupancy"] = {{"min", group.least_occupancy}, {"max", group.most_occupancy}};
  json["achieved_occupancy"] = {{"min", group.least_achieved_occupancy},
                                {"max", group.most_achieved_occupancy}};
  json["stalls"] = counts_json(group.issue_slots, issue_slot_name);
  json["warp_states"] = counts_json(group.warp_cycles, warp_state_name);
  Json& counters = json["counters"] = Json::object();
  for (std::size_t i = 0; i < group.counters.size(); ++i) {
    Spread increase = group.counters[i];
    if (increase.count == 0) continue;
    if (increase.count < group.launches) increase.min = 0;
    counters[header.counters[i].name] = spread_json(increase);
  }
  return json;
}

Json copy_group_json(const CopyGroups::Key& key, const CopyGroup& group) {
  const auto [kind, trigger, action, bytes] = key;
  Json json = {{"kind", copy_kind_name(kind)}, {"copies", group.copies}, {"bytes", spread_json(group.bytes)}};
  add_times(json, group.times);
  add_full_empty(trigger, action, [&](const char* name, const char* value) { json[name] = value; });
  return json;
}

Json command_json(const std::string& name, const RaceRecord::Command& c) {
  return {{"command", c.number}, {"name", name}, {"stream", c.stream}, {"kernel", c.kernel != 0}};
}

Json conflict_json(const Conflict& conflict) {
  Json commands = Json::array();
  for (std::size_t i = 0; i < 2; ++i) {
    Json& side = commands.emplace_back(command_json(conflict.names[i], conflict.sides[i].command));
    side["access"] = conflict.sides[i].writes != 0 ? "write" : "read";
    side["place"] = conflict.places[i];
  }
  return {{"kind", "unordered"},           {"commands", commands},
          {"bytes", conflict.bytes},       {"first_address", conflict.first},
          {"last_address", conflict.last}, {"allocation", conflict.where}};
}

Json race_json(const Race& race) {
  return {{"kind", "read_too_early"},
          {"reader", command_json(race.reader_name, race.reader)},
          {"writer", command_json(race.writer_name, race.writer)},
          {"bytes", race.bytes},
          {"first_address", race.first},
          {"last_address", race.last},
          {"read_ps", race.read_ps},
          {"written_ps", race.written_ps},
          {"sm", race.sm},
          {"ptx_line", race.ptx_line},
          {"place", race.place}};
}

Json check_json(const CheckResult& check) {
  Json findings = Json::array();
  for (const CheckFinding& finding : check.findings)
    findings.push_back({{"check", finding.check},
                        {"kind", finding.kind},
                        {"text", finding.text},
                        {"facts", finding.facts},
                        {"count", finding.count}});
  return {{"checks", check.checks}, {"findings", findings}};
}

Json sampled_json(const SampledGroup& group) {
  return {{"launches", group.launches},     {"timed", group.timed},
          {"warming", group.warming},       {"partly", group.partly},
          {"overlapped", group.overlapped}, {"extrapolated", group.extrapolated},
          {"timed_ps", group.timed_ps},     {"estimated_ps", group.estimated_ps},
          {"bound_ps", group.bound_ps},     {"taken_ps", group.taken_ps}};
}

Json sampling_json(const SamplingResult& sampling, Picoseconds simulated_ps) {
  Json groups = Json::array();
  for (const SampledGroup& group : sampling.groups) {
    Json& json = groups.emplace_back(sampled_json(group));
    json["name"] = group.kernel;
    json["grid"] = group.grid;
    json["block"] = group.block;
    json["dynamic_shared_bytes"] = group.dynamic_shared_bytes;
  }
  return {{"error_percent", sampling.error_percent},
          {"confidence_percent", 95},
          {"run_ps", sampling.run_ps(simulated_ps)},
          {"total", sampled_json(sampling.sum())},
          {"groups", groups}};
}

Json account_json(const RunReport& report) {
  const TimeAccount& account = report.account;
  const auto parts = [](const std::vector<TimePart>& list) {
    Json result = Json::object();
    for (const TimePart& part : list) result[part.name] = part.time_ps;
    return result;
  };
  Json idle_calls = Json::object();
  for (const IdleCall& call : report.idle_calls) idle_calls[call.text] = call.time_ps;
  return {{"time_ps", account.time_ps},
          {"moments_ps", parts(moments(account))},
          {"critical_path_ps", parts(critical_path(account))},
          {"busy_ps",
           {{"kernels", busy_ps(account, Activity::Kernel)},
            {"copies", busy_ps(account, Activity::Copy)},
            {"driver", busy_ps(account, Activity::Driver)},
            {"calls", busy_ps(account, Activity::Call)}}},
          {"idle_calls_ps", idle_calls}};
}

Json processor_json(const ProcessorResult& processor, Picoseconds simulated_ps, double wall_seconds) {
  Json json = {{"clock_khz", processor.clock_khz}};
  if (processor.end && processor.end->signal == 0) json["status"] = processor.end->status;
  if (processor.end && processor.end->signal != 0) json["signal"] = processor.end->signal;
  json["headline"] = processor_headline(processor, simulated_ps);
  json["totals"] = processor_totals(processor, wall_seconds);
  Json& cores = json["cores"] = Json::array();
  for (const CoreResult& core : processor.cores) cores.push_back(core_json(core));
  Json& threads = json["threads"] = Json::array();
  for (const ThreadResult& thread : processor.threads) threads.push_back(thread_json(thread));
  if (Json profile = profile_json(processor); !profile.empty()) json["profile"] = std::move(profile);
  return json;
}

Json outside_json(const OutsideAccess& access) {
  return {{"kernel", access.kernel},
          {"place", access.place},
          {"access", outside_kind_name(access.kind)},
          {"accesses", access.accesses},
          {"lowest_address", access.lowest},
          {"highest_address", access.highest},
          {"distance_bytes", access.distance_bytes},
          {"before", access.before != 0},
          {"allocation", access.allocation}};
}

}  // namespace

const char* copy_kind_name(CopyKind kind) {
  switch (kind) {
    case CopyKind::HostToDevice:
      return "host_to_device";
    case CopyKind::DeviceToHost:
      return "device_to_host";
    case CopyKind::DeviceToDevice:
      return "device_to_device";
    case CopyKind::HostToHost:
      return "host_to_host";
    case CopyKind::Fill:
      return "fill";
    case CopyKind::FullEmptySet:
      return "full_empty_set";
    case CopyKind::FullEmptyRelease:
      return "full_empty_release";
    case CopyKind::CacheMaintenance:
      return "cache_maintenance";
  }
  return "?";
}

std::string copy_name(const CopyRecord& copy) {
  std::string name = copy_kind_name(copy.kind);
  if (copy.trigger != 0) name += copy.trigger == 1 ? " when full" : " when empty";
  if (copy.action != 0) name += copy.action == 1 ? ", fills" : ", empties";
  return name;
}

namespace {

// The first ones one by one, also the ones cut off by the run's end, the rest in groups.
void write_kernels(ObjectWriter& json, const RunReport& report) {
  const JournalHeader& header = report.journal->header();
  KernelGroups rest;
  std::uint64_t number = 0;
  json.texts("kernels", [&](auto add) {
    report.for_each_kernel_with_counters([&](const KernelResult& k) {
      if (number++ < report.records || k.complete == 0)
        add([&](JsonText& text) { text.object([&] { write_kernel(text, k, report); }); });
      else
        rest.add(k);
    });
  });
  json.array("kernel_groups", [&](auto add) {
    for (const auto& [key, group] : rest.groups) add(kernel_group_json(header, key.first, key.second, group));
  });
}

void write_copies(ObjectWriter& json, const RunReport& report) {
  CopyGroups rest;
  std::uint64_t number = 0;
  json.texts("copies", [&](auto add) {
    report.for_each_copy([&](const CopyRecord& c) {
      if (number++ < report.records)
        add([&](JsonText& text) { text.object([&] { write_copy(text, c); }); });
      else
        rest.add(c);
    });
  });
  json.array("copy_groups", [&](auto add) {
    for (const auto& [key, group] : rest.groups) add(copy_group_json(key, group));
  });
}

// With --interval. Zeros are left out.
void write_intervals(ObjectWriter& json, const RunReport& report) {
  if (report.interval_ps == 0 && report.interval_cycles == 0) return;
  json.array("intervals", [&](auto add) {
    for_each_interval(report, report.records, [&](const IntervalColumns& columns, const Interval& interval) {
      Json counters = Json::object(), components = Json::object(), state = Json::object();
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const IntervalColumn& column = columns[i];
        if (column.kind == IntervalColumn::Kind::Most || interval.values[i] == 0) continue;
        if (!column.component.empty())
          components[column.component][column.statistic] = interval.values[i];
        else
          (column.kind == IntervalColumn::Kind::State ? state : counters)[column.statistic] =
              interval.values[i];
      }
      add({{"start_ps", interval.start_ps},
           {"end_ps", interval.end_ps},
           {"samples", interval.samples},
           {"counters", counters},
           {"components", components},
           {"state", interval.has_states ? state : Json()}});
    });
  });
}

}  // namespace

void write_stats_json(std::ostream& out, const RunReport& report) {
  ObjectWriter json(out);
  json.member("schema", "duet.stats/1");
  json.member("machine", report.machine);
  json.member("host", report.processor ? "simulated" : "native");
  json.member("command", report.command);
  json.member("complete", !report.cut_off);
  if (report.ended_by_duet != 0) json.member("failure", report.ended_by_duet);
  json.member("deterministic", report.deterministic);
  json.member("wall_seconds", report.wall_seconds);
  json.member("simulated_seconds", static_cast<double>(report.simulated_ps) * 1e-12);
  json.member("totals",
              {{"warp_instructions", report.warp_instructions},
               {"thread_instructions", report.thread_instructions},
               {"gpu_cycles", report.gpu_cycles},
               {"warp_instructions_per_second",
                report.wall_seconds > 0 ? static_cast<double>(report.warp_instructions) / report.wall_seconds
                                        : 0.0}});
  json.member("account", account_json(report));
  if (report.processor)
    json.member("processor", processor_json(*report.processor, report.simulated_ps, report.wall_seconds));
  if (!report.preexecution.settings.empty())
    json.member("preexecution", preexecution_json(report.preexecution));
  if (!report.launched.kernels.empty())
    json.array("device_launches", [&](const auto& add) {
      for (const auto& [key, k] : report.launched.kernels)
        add(Json{{"command", key.first},
                 {"name", key.second},
                 {"launches", k.launches},
                 {"nested", k.nested},
                 {"blocks", k.blocks},
                 {"start_ps", k.start_ps},
                 {"end_ps", k.end_ps},
                 {"time_ps", k.time_ps},
                 {"wait_ps", k.wait_ps},
                 {"warp_instructions", k.warp_instructions},
                 {"thread_instructions", k.thread_instructions}});
    });
  if (!report.cpu_blocks.launches.empty())
    json.member("cpu_blocks",
                {{"blocks", report.cpu_blocks.blocks}, {"instructions", report.cpu_blocks.instructions}});
  if (report.sampling) json.member("sampling", sampling_json(*report.sampling, report.simulated_ps));
  json.member("incomplete", values(report.incomplete));
  json.array("marks", [&](auto add) {
    for (const Mark& mark : report.marks)
      add({{"name", mark.name},
           {"time_ps", mark.time_ps},
           {"counters", values(mark.counters)},
           {"state", values(mark.states)}});
  });
  write_intervals(json, report);
  write_kernels(json, report);
  if (report.lines.asked)
    json.array("lines", [&](auto add) {
      for (const KernelLines& kernel : report.lines.kernels) add(lines_json(kernel));
    });
  write_copies(json, report);
  json.array("api", [&](auto add) {
    for (const Api& api : report.api)
      add({{"name", api.name}, {"calls", api.calls}, {"total_ps", api.total_ps}});
  });
  if (!report.memory.empty())
    json.array("memory", [&](auto add) {
      for (const AllocatedByCall& memory : report.memory)
        add({{"call", memory.call},
             {"method", memory.method},
             {"allocations", memory.allocations},
             {"bytes", memory.bytes}});
    });
  json.array("failed_calls", [&](auto add) {
    for (const Failure& failure : report.failures)
      add({{"name", failure.call},
           {"error", failure.error},
           {"calls", failure.calls},
           {"unasked", failure.unasked},
           {"first_ps", failure.first_ps},
           {"launch", failure.launch},
           {"kernel", failure.kernel}});
  });
  json.member("faults", report.faults);
  json.array("races", [&](auto add) {
    for (const Race& race : report.races) add(race_json(race));
    for (const Conflict& conflict : report.conflicts) add(conflict_json(conflict));
  });
  if (!report.check.checks.empty()) json.member("check", check_json(report.check));
  json.array("outside_accesses", [&](auto add) {
    for (const OutsideAccess& access : report.outside_accesses) add(outside_json(access));
  });
  for (const bool hardware : {false, true})
    json.array(hardware ? "hardware_advice" : "advice", [&](auto add) {
      for (const Advice& advice : report.advice)
        if (advice.hardware == hardware) add(advice_json(advice));
    });
  Json counters = values(report.counters);
  counters["journal.lost_records"] = report.lost_records;
  json.member("counters", counters);
  json.member("components_ps", report.components_ps);
  json.texts("components", [&](auto add) {
    for (const ComponentResult& c : report.components) add([&](JsonText& text) { write_component(text, c); });
  });
  json.end();
}

}  // namespace duet::report
