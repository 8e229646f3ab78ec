#include "cli/run/host_results.h"

#include "sim/engine.h"
#include "sim/statistics.h"

namespace duet::cli {

namespace {

void add_statistics(report::HostReport& report, sim::Statistics& statistics) {
  const std::vector<sim::Statistic>& declared = statistics.declared();
  const sim::Statistics::Values totals = statistics.totals();
  for (std::size_t i = 0; i < declared.size(); ++i)
    if (declared[i].kind != sim::StatisticKind::State)
      report.counters.emplace_back(declared[i].name, totals[i]);
  const std::vector<std::uint32_t>& names = statistics.statistic_of_value();
  std::vector<std::uint64_t> values(names.size());
  statistics.of_components(values.data());
  for (const sim::Statistics::Part& part : statistics.parts()) {
    const sim::Component& own = *part.component;
    report::ComponentResult& component = report.components.emplace_back();
    component.name = own.name();
    if (own.parent() != nullptr) component.parent = own.parent()->name();
    component.role = sim::role_name(own.role());
    component.level = static_cast<std::uint32_t>(own.level());
    if (!own.statistic_groups().empty()) {
      const std::string& prefix = own.statistic_groups().front()->prefix();
      component.kind = prefix.substr(0, prefix.find('.'));
    }
    for (std::size_t i = part.first; i < part.first + part.count; ++i)
      if (values[i] != 0) component.counters.emplace_back(declared[names[i]].name, values[i]);
  }
}

}  // namespace

report::HostReport host_report(const config::Topology& machine, const RunOptions& options,
                               machine::SimulatedHost& host, sim::Statistics& statistics,
                               const HostRun& run) {
  report::HostReport report;
  report.machine = machine.name;
  report.command = options.command[0];
  report.status = run.ending.status;
  report.signal = run.ending.signal;
  report.failure = run.ending.failure;
  report.wall_seconds = run.wall_seconds;
  report.simulated_ps = run.simulated_ps;
  add_statistics(report, statistics);
  report::ProcessorResult& processor = report.processor;
  processor.clock_khz = machine.cpu->clock_khz;
  processor.has_l2 = machine.cpu->l2.sets != 0;
  processor.has_l3 = machine.cpu->l3.sets != 0;
  report::add_components(processor, report.components);
  for (const machine::ThreadUse& thread : host.threads())
    processor.threads.push_back({thread.id, thread.name, thread.core_time_ps, thread.instructions});
  processor.profile_period_ps = host.profile_period();
  for (const machine::HostStack& stack : host.profile())
    processor.stacks.push_back({stack.functions, {stack.samples}});
  return report;
}

}  // namespace duet::cli
