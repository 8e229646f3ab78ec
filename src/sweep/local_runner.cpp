// Runs in children of this process.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <deque>
#include <map>

#include "sweep/runner.h"

namespace duet::sweep {

namespace {

class LocalRunner {
 public:
  LocalRunner(const Folder& folder, const std::string& duet, const std::vector<const Work*>& works,
              const Progress& progress)
      : folder_(folder),
        duet_(duet),
        waiting_(works.begin(), works.end()),
        all_(works.size()),
        progress_(progress) {}

  Outcome run(unsigned jobs) {
    using namespace std::chrono_literals;
    while (outcome_.signal == 0 && (!waiting_.empty() || !children_.empty())) {
      while (!waiting_.empty() && children_.size() < jobs) start();
      reap();
      if (!children_.empty()) outcome_.signal = signals_.wait(10s);
    }
    end_children(SIGTERM);
    while (!children_.empty()) {
      reap();
      if (!children_.empty() && signals_.wait(10s) != 0) end_children(SIGKILL);  // asked again
    }
    return outcome_;
  }

 private:
  void end_children(int signal) const {
    for (const auto& [process, child] : children_) kill(process, signal);
  }

  void start() {
    const Work& work = *waiting_.front();
    waiting_.pop_front();
    ++attempts_[work.id];
    Execution execution(folder_, duet_, work, std::to_string(getpid()));
    children_.emplace(execution.process(), execution);
  }

  void reap() {
    int status = 0;
    for (pid_t process; (process = waitpid(-1, &status, WNOHANG)) > 0;) {
      const auto child = children_.find(process);
      if (child == children_.end()) continue;
      const Work& work = child->second.work();
      if (child->second.end(status))
        progress_.show(++done_, all_);
      else if (outcome_.signal == 0 && attempts_[work.id] < kAttempts)
        waiting_.push_back(&work);
      else if (outcome_.signal == 0)
        outcome_.given_up.push_back(&work);
      children_.erase(child);
    }
  }

  const Folder& folder_;
  const std::string& duet_;
  std::deque<const Work*> waiting_;
  std::size_t all_, done_ = 0;
  const Progress& progress_;
  const Signals signals_;
  std::map<pid_t, Execution> children_;
  std::map<std::string, unsigned> attempts_;
  Outcome outcome_;
};

}  // namespace

Outcome run_local(const Folder& folder, const std::string& duet, const std::vector<const Work*>& works,
                  unsigned jobs, const Progress& progress) {
  return LocalRunner(folder, duet, works, progress).run(jobs);
}

}  // namespace duet::sweep
