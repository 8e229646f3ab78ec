// `duet run --host simulated`: a static RV64 Linux program, executed by this process, with or without time.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sstream>

#include "base/error.h"
#include "cli/beside/end_signals.h"
#include "cli/commands.h"
#include "cli/run/host_results.h"
#include "cli/run/html_page.h"
#include "cli/run/run_folder.h"
#include "machine/host/processor.h"
#include "machine/host/simulated_host.h"
#include "machine/rules/cpu_rules.h"
#include "rv64/process/process.h"

extern char** environ;

namespace duet::cli {

namespace {

rv64::ProcessOptions process_options(const RunOptions& options) {
  rv64::ProcessOptions process{options.command, {}, options.timeout_seconds, options.files};
  for (char** variable = environ; *variable != nullptr && !options.no_environment; ++variable)
    process.environment.emplace_back(*variable);
  return process;
}

// Runs it to its end. Returns why it did not reach its own, if it did not.
HostEnding ending_of(const RunOptions& options, const std::function<rv64::ProcessEnd()>& run) {
  std::signal(SIGPIPE, SIG_IGN);  // whether it ends the program is the program's to say
  const auto stopped = [](int status, const std::string& why) {
    std::fprintf(stderr, "duet: %s\n", why.c_str());
    return HostEnding{status, 0, why};
  };
  rv64::ProcessEnd end;
  try {
    end = run();
  } catch (const Deadlock& deadlock) {
    return stopped(124, deadlock.what());
  } catch (const Stopped& reason) {
    return stopped(reason.status(), reason.what());
  } catch (const std::exception& error) {
    return stopped(125, message_of(error));
  }
  if (end.signal == 0) return {end.status, 0, {}};
  const std::string why = fmt::format("ended by signal {} ({})", end.signal, strsignal(end.signal));
  std::fprintf(stderr, "duet: '%s' was %s\n", options.command[0].c_str(), why.c_str());
  return {128 + end.signal, end.signal, why};
}

int run_timed(const config::Installation& installation, const RunOptions& options) {
  RunFolder folder(options.out);
  const config::ResolvedTopology machine =
      config::load_topology(options.machine, installation.machines_directory, options.sets);
  if (!machine.topology.cpu)
    throw Error(fmt::format("machine {} has no [cpu] for --host simulated: try --machine xeon-e3-1245",
                            machine.topology.name));
  machine::check_cpu_values(machine);
  for (const std::string& line : machine::idle_cpu_settings(machine))
    std::fprintf(stderr, "duet: %s\n", line.c_str());
  const auto start = std::chrono::steady_clock::now();
  sim::Engine engine(options.run.shuffle_seed, options.run.two_threads);
  machine::Processor processor(engine, *machine.topology.cpu, machine.topology.host);
  sim::Statistics statistics(engine);
  machine::SimulatedHost host(processor, process_options(options), {&end_at_signals()});
  folder.begin_without_journals(machine.values);
  const HostEnding ending = ending_of(options, [&] { return host.run(); });
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const report::HostReport report =
      host_report(machine.topology, options, host, statistics, {engine.now(), wall, ending});
  folder.write_result("stats.json", [&](std::ostream& out) { report::write_host_stats_json(out, report); });
  if (options.on_host_stats) {
    std::ostringstream text;
    report::write_host_stats_json(text, report);
    options.on_host_stats(text.str());
  }
  if (const std::string html = html_template(installation, !options.no_html); !html.empty())
    folder.write_result("report.html", [&](std::ostream& out) {
      report::write_html_report(out, html, report, machine_keys(machine.values));
    });
  if (!report.processor.stacks.empty())
    folder.write_result(kProfile,
                        [&](std::ostream& out) { out << report::folded_stacks(report.processor.stacks); });
  const std::string table = report::host_table(report);
  folder.write_result(kTable, [&](std::ostream& out) { out << table; });
  if (!options.quiet) {
    std::fputs(table.c_str(), stderr);
    std::fprintf(stderr, "duet: results in %s\n", folder.name().c_str());
  }
  return ending.status;
}

}  // namespace

int run_rv64(const config::Installation& installation, const RunOptions& options) {
  if (!options.run.functional) return run_timed(installation, options);
  return ending_of(options, [&] { return rv64::Process(process_options(options)).run(); }).status;
}

}  // namespace duet::cli
