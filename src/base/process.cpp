#include "base/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"

namespace duet {

namespace {

void open_as(const std::string& path, int stream) {
  if (path.empty()) return;
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
  if (file < 0 || dup2(file, stream) < 0) _exit(125);
  close(file);
}

}  // namespace

pid_t start_process(std::vector<std::string> command, const std::string& directory, const Streams& streams) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (process != 0) return process;
  setpgid(0, 0);  // Ctrl-C is for this process alone; it ends the others
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(125);  // it ended before prctl()
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (!directory.empty() && chdir(directory.c_str()) != 0) _exit(125);
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  open_as(streams.output, STDOUT_FILENO);
  open_as(streams.error, STDERR_FILENO);
  execvp(arguments[0], arguments.data());
  _exit(125);
}

}  // namespace duet
