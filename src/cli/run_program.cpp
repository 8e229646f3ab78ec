// `duet run COMMAND`: the command runs natively with our runtime library in its way; this process waits, then
// renders what the simulated processes recorded.
#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/run_folder.h"
#include "cli/run_monitor.h"
#include "config/loader.h"
#include "machine/policies.h"

namespace duet::cli {

namespace {

void prepend_environment(const char* name, const std::string& value, char separator) {
  const char* old = std::getenv(name);
  const std::string joined = old != nullptr && *old != '\0' ? value + separator + old : value;
  setenv(name, joined.c_str(), 1);
}

volatile pid_t child = 0;
void pass_on(int signal, siginfo_t* from, void*) {
  // What the terminal sends (Ctrl-C) the command gets as well.
  if (child > 0 && from->si_code != SI_KERNEL) kill(child, signal);
}
// This process stays to render what the command did until it ended.
void pass_signals_on() {
  struct sigaction action {};
  action.sa_sigaction = pass_on;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
}

// The child's side between fork and exec; answers through `report` when the command cannot be started.
[[noreturn]] void start(const std::vector<std::string>& command, int report) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int error = errno;
  if (write(report, &error, sizeof error) < 0) _exit(125);
  _exit(125);
}

}  // namespace

void check(const RunOptions& options) {
  if (options.run.check_races && options.run.functional)
    throw Error("--check-races needs the timed GPU: leave out --functional");
  if (options.run.two_threads && options.run.functional)
    throw Error("--two-threads needs the timed GPU: leave out --functional");
}

int run_program(const config::Installation& installation, const RunOptions& options) {
  check(options);
  const config::ResolvedMachine machine =
      config::load_machine(options.machine, installation.machines_directory, options.sets);
  machine::check_policies(machine.machine.gpu);
  RunFolder folder(options.out, machine);

  machine::RunOptions run = options.run;
  run.limits.wall_time = wall_time_limit(options);
  folder.write_run_options(run);
  setenv("DUET_JOURNAL", folder.journal_directory().c_str(), 1);
  prepend_environment("LD_LIBRARY_PATH", installation.library_directory, ':');
  prepend_environment("LD_PRELOAD", installation.guard_library, ':');
#ifdef DUET_SANITIZER_LIBRARY
  // A library built with a sanitizer needs its runtime first in every process that loads it.
  prepend_environment("LD_PRELOAD", DUET_SANITIZER_LIBRARY, ':');
#endif

  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0)
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  const auto started = std::chrono::steady_clock::now();
  child = fork();
  if (child < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) start(options.command, pipe_ends[1]);
  close(pipe_ends[1]);
  pass_signals_on();
  int exec_error = 0;
  const bool not_started = read(pipe_ends[0], &exec_error, sizeof exec_error) == sizeof exec_error;
  close(pipe_ends[0]);
  int status = 0;
  RunMonitor monitor(folder.journal_directory(), options, not_started ? 0 : child, run.limits.wall_time);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  monitor.end();
  const double wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  if (not_started) {
    std::error_code ignored;
    std::filesystem::remove_all(folder.journal_directory(), ignored);
    throw Error(fmt::format("cannot run '{}': {}", options.command[0], std::strerror(exec_error)));
  }

  const RunFolder::Outcome outcome = folder.render(machine.machine.name, wall_seconds, options,
                                                   WIFSIGNALED(status) || WEXITSTATUS(status) > 128);
  if (outcome.failure == 0 && outcome.processes == 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 125))
    std::fprintf(stderr,
                 "duet: '%s' made no CUDA call that Duet saw (it makes none, or its loader ignores "
                 "LD_LIBRARY_PATH: setuid, "
                 "env -i, a library opened by absolute path)\n",
                 options.command[0].c_str());
  if (WIFSIGNALED(status) && !monitor.timed_out())
    std::fprintf(stderr, "duet: '%s' was ended by signal %d (%s)\n", options.command[0].c_str(),
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
  if (outcome.processes != 0 && !options.quiet)
    std::fprintf(stderr, "duet: results in %s\n", options.out.c_str());
  if (monitor.timed_out()) return 124;
  if (outcome.failure != 0) return outcome.failure;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace duet::cli
