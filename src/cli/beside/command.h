// A command in processes of its own, of which none outlives this one. Between the two stands a keeper: a
// process to which Linux gives the children of those that have ended (a subreaper), so that it finds them
// all. It passes signals on to them, and when this process has gone, however, it ends them. It has a process
// group of its own, so that what ends this process's group does not end the keeper, and a name of its own.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace duet::cli {

class Command {
 public:
  // Throws duet::Error when it cannot be started. Signals that end this process go to the command from now
  // on.
  // This process and the keeper hold a pipe of the name `alive` open. Should both be killed at once, whoever
  // simulates finds it closed (machine/watch/run_watch.h). Some file systems have no pipes.
  Command(const std::vector<std::string>& words, const std::string& alive);
  // What is left of the command then is left to itself.
  ~Command();
  Command(const Command&) = delete;

  // Until the command has ended: its status as waitpid() gives it. What it has started may live on.
  int wait();
  // After wait(): what it has started and has not ended.
  std::vector<pid_t> others() const;
  // To the command and all that it has started.
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
