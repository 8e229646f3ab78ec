// `duet run --host simulated`: a static RV64 Linux program, which this process executes.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "cli/commands.h"
#include "rv64/process/process.h"

extern char** environ;

namespace duet::cli {

int run_rv64(const RunOptions& options) {
  if (!options.run.functional)
    throw Error(
        "--host simulated: timed cores do not exist yet; --functional executes the program without time");
  rv64::ProcessOptions process{options.command, {}, options.timeout_seconds, options.files};
  for (char** variable = environ; *variable != nullptr; ++variable)
    process.environment.emplace_back(*variable);
  std::signal(SIGPIPE, SIG_IGN);  // whether it ends the program is the program's to say
  rv64::ProcessEnd end;
  try {
    end = rv64::Process(process).run();
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

}  // namespace duet::cli
