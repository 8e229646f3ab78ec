// duet-host [--root FOLDER] [--writable FOLDER]... [--no-environment] PROGRAM [ARGUMENTS]: the process that
// runs a CUDA program on simulated cores. `duet run --host simulated` starts it, and renders its records.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/error.h"
#include "guest/guest_program.h"

extern char** environ;

int main(int count, char** arguments) {
  using namespace duet;
  if (count < 2 || std::getenv("DUET_JOURNAL") == nullptr) {
    std::fprintf(stderr, "duet: this is a part of Duet: use `duet run --host simulated PROGRAM`\n");
    return 125;
  }
  std::signal(SIGPIPE, SIG_IGN);  // whether it ends the program is the program's to say
  rv64::ProcessOptions options;
  int first = 1;
  bool no_environment = false;
  for (; first + 1 < count; ++first) {
    const std::string option = arguments[first];
    if (option == "--root")
      options.files.root = arguments[++first];
    else if (option == "--writable")
      options.files.writable.emplace_back(arguments[++first]);
    else if (option == "--no-environment")
      no_environment = true;
    else
      break;
  }
  options.arguments.assign(arguments + first, arguments + count);
  for (char** variable = environ; *variable != nullptr && !no_environment; ++variable) {
    const std::string text = *variable;
    if (!text.starts_with("DUET_")) options.environment.push_back(text);
  }
  rv64::ProcessEnd end;
  try {
    end = guest::GuestProgram(options).run();
  } catch (const std::exception& error) {
    process::Program::refuse(message_of(error));
  }
  if (end.signal != 0) {
    std::signal(end.signal, SIG_DFL);
    std::raise(end.signal);
  }
  // Threads in calls stay where they are.
  std::fflush(nullptr);
  _exit(end.signal != 0 ? 128 + end.signal : end.status);
}
