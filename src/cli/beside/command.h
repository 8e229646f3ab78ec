// A command in processes of its own; none of them outlives this process. Between the two stands a keeper, a
// process with a name and a process group of its own. Linux gives it the children of ended processes (a
// subreaper), so it finds all processes of the command. It passes signals on to them, and when this process
// has gone, however, it ends them. A signal that ends this process's group does not end the keeper.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace duet::cli {

class Command {
 public:
  // Throws duet::Error when it cannot be started. Signals to end this process go to the command from now on.
  // This process and the keeper hold a pipe named `alive` open. Should both be killed at once, a simulating
  // process finds it closed (machine/watch/run_watch.h). Some file systems have no pipes.
  Command(const std::vector<std::string>& words, const std::string& alive);
  // Remaining processes of the command are left to themselves.
  ~Command();
  Command(const Command&) = delete;

  // Waits for the command's end. Returns its status as waitpid() gives it. Processes it has started may live
  // on.
  int wait();
  // After wait(): its processes that still run.
  std::vector<pid_t> others() const;
  // To the command and all processes it has started.
  void signal(int number) const;
  // Whether a signal was passed on.
  bool told_to_end() const;
  // After wait(): asks the others to end, ends them a moment later, and waits until they have gone.
  void end() const;

 private:
  pid_t keeper_ = 0;
  bool others_ = false;
};

}  // namespace duet::cli
