// `duet run --host simulated`: a static RV64 Linux program, which this process executes, with or without
// time.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>

#include "base/error.h"
#include "cli/commands.h"
#include "machine/simulated_host.h"
#include "rv64/process/process.h"

extern char** environ;

namespace duet::cli {

namespace {

rv64::ProcessOptions process_options(const RunOptions& options) {
  rv64::ProcessOptions process{options.command, {}, options.timeout_seconds, options.files};
  for (char** variable = environ; *variable != nullptr; ++variable)
    process.environment.emplace_back(*variable);
  return process;
}

int status_of(const RunOptions& options, const std::function<rv64::ProcessEnd()>& run) {
  std::signal(SIGPIPE, SIG_IGN);  // whether it ends the program is the program's to say
  rv64::ProcessEnd end;
  try {
    end = run();
  } catch (const Deadlock& deadlock) {
    std::fprintf(stderr, "duet: %s\n", deadlock.what());
    return 124;
  } catch (const Stopped& stopped) {
    std::fprintf(stderr, "duet: %s\n", stopped.what());
    return stopped.status();
  }
  if (end.signal == 0) return end.status;
  std::fprintf(stderr, "duet: '%s' was ended by signal %d (%s)\n", options.command[0].c_str(), end.signal,
               strsignal(end.signal));
  return 128 + end.signal;
}

}  // namespace

int run_rv64(const config::Installation& installation, const RunOptions& options) {
  if (options.run.functional)
    return status_of(options, [&] { return rv64::Process(process_options(options)).run(); });
  const config::ResolvedTopology machine =
      config::load_topology(options.machine, installation.machines_directory, options.sets);
  if (!machine.topology.cpu)
    throw Error(fmt::format("machine {} has no [cpu] for --host simulated: try --machine xeon-e3-1245",
                            machine.topology.name));
  const auto start = std::chrono::steady_clock::now();
  machine::SimulatedHost host(*machine.topology.cpu, machine.topology.host, process_options(options));
  const int status = status_of(options, [&] { return host.run(); });
  const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto values = host.statistics().totals();
  const auto& declared = host.statistics().declared();
  for (std::size_t i = 0; i < declared.size(); ++i)
    if (values[i] != 0) fmt::print(stderr, "{} {}\n", declared[i].name, values[i]);
  fmt::print(stderr, "{} ps, {:.2f} s\n", host.now(), wall);
  return status;
}

}  // namespace duet::cli
