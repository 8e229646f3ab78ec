// `duet run COMMAND`: the command runs natively with our runtime library in its way; this process waits, then
// renders the records of the simulated processes.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.h"
#include "cli/beside/command.h"
#include "cli/beside/run_monitor.h"
#include "cli/commands.h"
#include "cli/options/guest_words.h"
#include "cli/run/otherwise.h"
#include "cli/run/run_folder.h"
#include "config/loader.h"
#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/cores_for_gpu/preexecution_options.h"
#include "machine/rules/check_machine.h"
#include "machine/rules/cpu_rules.h"
#include "machine/rules/method_rules.h"
#include "machine/time_models/fast_forward.h"
#include "machine/time_models/predict_options.h"
#include "machine/time_models/sample_options.h"
#include "machine/watch/check_options.h"
#include "machine/watch/line_options.h"
#include "machine/watch/race_options.h"
#include "report/journal/journal.h"

namespace duet::cli {

namespace {

void prepend_environment(const char* name, const std::string& value, char separator) {
  const char* old = std::getenv(name);
  const std::string joined = old != nullptr && *old != '\0' ? value + separator + old : value;
  setenv(name, joined.c_str(), 1);
}

void check_processor(const config::Installation& installation, const RunOptions& options) {
  const config::ResolvedTopology machine =
      config::load_topology(options.machine, installation.machines_directory, options.sets);
  if (!machine.topology.cpu)
    throw Error(fmt::format("machine {} has no [cpu] for --host simulated: try --machine lustig2013",
                            machine.topology.name));
  machine::check_cpu_values(machine);
  for (const std::string& line : machine::idle_cpu_settings(machine))
    std::fprintf(stderr, "duet: %s\n", line.c_str());
}

// Refuses a program for simulated cores without --host simulated.
void check_native(const std::string& program) {
  std::array<char, 20> header{};
  std::ifstream(program, std::ios::binary).read(header.data(), header.size());
  constexpr char kRiscv = static_cast<char>(243);  // EM_RISCV
  if (std::string_view(header.data(), 4) == "\177ELF" && header[18] == kRiscv && header[19] == 0)
    throw Error(fmt::format("'{0}' is a program for RV64: duet run --host simulated --machine lustig2013 {0}",
                            program));
  if (program.ends_with(".cl") || program.ends_with(".cu"))
    throw Error(
        program.ends_with(".cu")
            ? fmt::format("'{0}' is a source file: compile it (duet cc {0} -o app), then duet run ./app",
                          program)
            : fmt::format(
                  "'{0}' is OpenCL C: run the program that builds it, or one kernel of it: duet cc {0} -o "
                  "k.ptx, then duet run k.ptx --kernel NAME",
                  program));
}

// The words to start: the command itself, or the process that runs it on simulated cores.
std::vector<std::string> started_command(const config::Installation& installation,
                                         const RunOptions& options) {
  if (!options.run.simulated_host) return options.command;
  std::vector<std::string> command{installation.host_program};
  const std::vector<std::string> own = guest_words(options);
  command.insert(command.end(), own.begin(), own.end());
  command.insert(command.end(), options.command.begin(), options.command.end());
  return command;
}

// Where the command cannot be started, nothing is left of the run's journals.
std::optional<Command> started(const std::vector<std::string>& command, const RunFolder& folder) {
  try {
    return std::optional<Command>(std::in_place, command, folder.journal_directory() + "/alive");
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove_all(folder.journal_directory(), ignored);
    throw;
  }
}

// One of the processes with a journal; 0: none.
pid_t simulating_one_of(const std::vector<pid_t>& processes, const std::string& journal_directory) {
  if (processes.empty()) return 0;
  for (const std::string& path : report::journals_in(journal_directory)) try {
      const pid_t process = report::JournalReader(path).header().pid;
      if (std::find(processes.begin(), processes.end(), process) != processes.end()) return process;
    } catch (const Error&) {
      // The process is just creating it.
    }
  return 0;
}

// Whether one of them has a library of Duet's, and so is about to make calls.
bool any_has_library(const std::vector<pid_t>& processes, const config::Installation& installation) {
  for (const pid_t process : processes) {
    std::ifstream maps(fmt::format("/proc/{}/maps", process));
    for (std::string line; std::getline(maps, line);)
      for (const std::string* directory :
           {&installation.library_directory, &installation.opencl_directory, &installation.hsa_directory})
        if (line.find(*directory + '/') != std::string::npos) return true;
  }
  return false;
}

// Waits for programs that the command has started and left: their measurements are part of the run. One that
// has made no call yet is given a moment.
void wait_for_others(const Command& command, const std::string& journal_directory,
                     const config::Installation& installation) {
  using Clock = std::chrono::steady_clock;
  bool said = false;
  const Clock::time_point ended = Clock::now();
  constexpr std::chrono::seconds kPatience(1), kFirstCall(5);
  for (;;) {
    const std::vector<pid_t> others = command.others();
    const pid_t process = simulating_one_of(others, journal_directory);
    if (process == 0 && (Clock::now() > ended + kFirstCall || !any_has_library(others, installation))) return;
    if (command.told_to_end()) return;
    if (!said && process != 0 && Clock::now() > ended + kPatience) {
      std::fprintf(stderr, "duet: waiting for process %d, which the command has left running\n", process);
      said = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// Some kernels are to be fast-forwarded.
void check_fast_forward(const RunOptions& options, const char* asked) {
  const auto refuse = [&](const char* because) { throw Error(std::string(asked) + ": " + because); };
  if (options.run.functional) refuse("--functional executes all kernels functionally: leave out one of them");
  if (options.run.two_threads) refuse("leave out --two-threads");
  if (options.run.of<machine::RaceOptions>().on) refuse("--check-races has to see all kernels in time");
  if (options.run.of<machine::PreexecutionOptions>().on()) refuse("--preexec has to see all kernels in time");
  if (options.run.of<machine::CpuBlocksOptions>().on) refuse("--cpu-blocks has to see all kernels in time");
  if (options.run.simulated_host)
    refuse("the program's memory lies in caches of simulated cores: leave out --host simulated");
}

}  // namespace

void check(const RunOptions& options) {
  const check::Checks& checks = options.run.of<machine::CheckOptions>().checks;
  const bool cpu_blocks = options.run.of<machine::CpuBlocksOptions>().on;
  if (options.run.of<machine::RaceOptions>().on && options.run.functional)
    throw Error("--check-races needs the timed GPU: leave out --functional");
  if (options.run.of<machine::LineOptions>().on() && options.run.functional)
    throw Error("--lines needs the timed GPU: leave out --functional");
  if (!options.check_output.empty() && !checks.any())
    throw Error("--check-output needs --check: say which checks");
  if (options.check_exit != 0 && !checks.any()) throw Error("--check-exit needs --check: say which checks");
  const bool checks_tasks = checks.of_kernels() || checks.model;
  if (checks_tasks && options.run.two_threads)
    throw Error("--check looks at one thing after the other: leave out --two-threads");
  if (checks_tasks && cpu_blocks)
    throw Error("--check does not see blocks that cores execute: leave out --cpu-blocks");
  const bool samples = options.run.of<machine::SampleOptions>().on;
  if (const auto& forward = options.run.of<machine::FastForwardOptions>(); forward.any()) {
    forward.check();
    if (samples)
      throw Error(
          "--sample says itself which kernels it skips: leave out --skip-kernels, --kernels and "
          "--count-kernels");
    check_fast_forward(options, "--skip-kernels, --kernels and --count-kernels");
  }
  if (samples) {
    check_fast_forward(options, "--sample");
    if (checks.any()) throw Error("--sample: --check has to see all kernels in time");
  }
  if (!options.run.method.empty() && options.run.functional)
    throw Error("--method needs the timed GPU: leave out --functional");
  if (options.run.two_threads && options.run.functional)
    throw Error("--two-threads needs the timed GPU: leave out --functional");
}

int run_program(const config::Installation& installation, const RunOptions& options) {
  check(options);
  RunFolder folder(options.out);
  const config::ResolvedMachine machine =
      config::load_machine(options.machine, installation.machines_directory, options.sets);
  const bool preexecutes =
      options.run.of<machine::PreexecutionOptions>().on() || options.run.of<machine::CpuBlocksOptions>().on;
  // A model reads the timed GPU's keys.
  machine::check_machine(machine, options.run.functional && !options.run.of<machine::PredictOptions>().on,
                         options.run.simulated_host ? machine::OnCores::Host
                         : preexecutes              ? machine::OnCores::Preexecution
                                                    : machine::OnCores::Nothing);
  machine::check_method(machine.machine, options.run.method);
  if (options.run.simulated_host)
    check_processor(installation, options);
  else
    check_native(options.command[0]);
  folder.begin(machine);
  folder.write_words(options.words);

  machine::RunOptions run = options.run;
  run.limits.wall_time = wall_time_limit(options);
  run.limits.otherwise = otherwise(options);
  run.ptx_name = folder.name() + "/ptx";
  folder.write_run_options(run);
  setenv("DUET_JOURNAL", folder.journal_directory().c_str(), 1);
  if (!options.run.simulated_host) {
    setenv("DUET_CLOCK", options.wall_clock ? "wall" : "simulated", 1);  // runtime/guard/clock.cpp reads it
    prepend_environment("LD_LIBRARY_PATH", installation.library_directory, ':');
    prepend_environment("LD_LIBRARY_PATH", installation.opencl_directory, ':');
    prepend_environment("LD_LIBRARY_PATH", installation.hsa_directory, ':');
    // The loaders of Debian (ocl-icd) and of Khronos, the only platform for both.
    setenv("OCL_ICD_VENDORS", installation.opencl_directory.c_str(), 1);
    setenv("OCL_ICD_FILENAMES", (installation.opencl_directory + "/libduet_opencl.so").c_str(), 1);
    prepend_environment("LD_PRELOAD", installation.guard_library, ':');
    if (options.run.of<machine::CheckOptions>().checks.races)
      prepend_environment("LD_PRELOAD", installation.system_calls_library, ':');
  }
#ifdef DUET_SANITIZER_LIBRARY
  // A library built with a sanitizer needs its runtime first in every process with it.
  prepend_environment("LD_PRELOAD", DUET_SANITIZER_LIBRARY, ':');
#endif

  const auto start = std::chrono::steady_clock::now();
  std::optional<Command> command = started(started_command(installation, options), folder);
  RunMonitor monitor(folder.journal_directory(), options, *command, run.limits.wall_time);
  const int status = command->wait();
  wait_for_others(*command, folder.journal_directory(), installation);
  const bool others_cut_off = command->told_to_end() && !command->others().empty();
  if (others_cut_off) command->end();
  monitor.end();
  const double wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const RunFolder::Outcome outcome =
      folder.render(installation, machine, wall_seconds, options,
                    WIFSIGNALED(status) || WEXITSTATUS(status) > 128 || others_cut_off);
  if (outcome.failure == 0 && outcome.processes == 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 125))
    std::fprintf(
        stderr,
        "duet: '%s' made no CUDA, OpenCL or HSA call that Duet saw (it makes none, or its loader ignores "
        "LD_LIBRARY_PATH: setuid, env -i, a library opened by absolute path)\n",
        options.command[0].c_str());
  if (WIFSIGNALED(status) && !monitor.timed_out())
    std::fprintf(stderr, "duet: '%s' was ended by signal %d (%s)\n", options.command[0].c_str(),
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (outcome.processes != 0 && !options.quiet)
    std::fprintf(stderr, "duet: results in %s\n", folder.name().c_str());
  if (monitor.timed_out()) return 124;
  if (outcome.failure != 0) return outcome.failure;
  if (outcome.findings != 0 && options.check_exit != 0) return options.check_exit;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace duet::cli
