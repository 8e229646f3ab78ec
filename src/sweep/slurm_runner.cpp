// Runs as tasks of Slurm job arrays. A batch is a file in slurm/ and a job array of its name: task i makes
// the batch's run i. The state of batches is in squeue, by their names, and in finished/, so nothing is lost
// with this process. A batch without its file does nothing any more.
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/say.h"
#include "sweep/runner.h"

namespace duet::sweep {

namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kMostTasks =
    1000;                       // of an array, as Slurm is configured where nobody has said otherwise
constexpr unsigned kLooks = 3;  // until a run whose task has gone is believed to be lost
constexpr milliseconds kShortest{500}, kLongest{8000};
// A task touches its folder every so often. A task of squeue without a touch for so long has gone: Slurm
// learns of the end of a task from a process beside it, and this may have been killed, too.
constexpr milliseconds kSign{10'000}, kSilence{120'000};
constexpr milliseconds kPatience{60'000};  // with waiting tasks and no running one, before a line about it

struct Finished {
  int status = 0;
  std::string output, error;
};

// One of Slurm's commands.
Finished execute(const Folder& folder, const Strings& command) {
  const fs::path slurm = folder.path() / "slurm";
  const Streams streams{slurm / ".answer", slurm / ".error"};
  const pid_t process = start_process(command, "", streams);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  Finished result{WIFEXITED(status) ? WEXITSTATUS(status) : 125, read_file(streams.output).value_or(""),
                  read_file(streams.error).value_or("")};
  std::error_code ignored;
  fs::remove(streams.output, ignored);
  fs::remove(streams.error, ignored);
  return result;
}

std::string quoted(const std::string& word) {
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Slurm's names of jobs: jobs of one folder have a beginning of their own.
std::string batch_name(const Folder& folder) {
  const auto now = std::chrono::system_clock::now().time_since_epoch() / std::chrono::microseconds(1);
  return fmt::format("duet-sweep-{:08x}-{:x}-{:x}", hash(folder.path().string()) >> 32, now, getpid());
}

// Batches with files, and the runs of each.
std::map<std::string, Strings> read_batches(const Folder& folder) {
  std::map<std::string, Strings> batches;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.path() / "slurm", ignored)) {
    if (entry.path().extension() != ".json") continue;
    const nlohmann::json json = nlohmann::json::parse(read_file(entry.path()).value_or(""), nullptr, false);
    if (json.is_discarded()) continue;
    for (const auto& work : json.at("runs")) batches[entry.path().stem()].push_back(work.at("id"));
  }
  return batches;
}

// Waiting or running tasks, "12_3" as Slurm calls them.
struct Task {
  std::string id;  // of its run
  bool runs;
  std::string reason;  // why it waits
};
using Tasks = std::map<std::string, Task>;

// Nothing: Slurm does not answer.
std::optional<Tasks> look(const Folder& folder, const std::map<std::string, Strings>& batches) {
  Tasks tasks;
  if (batches.empty()) return tasks;
  std::string names;
  for (const auto& [name, ids] : batches) names += (names.empty() ? "" : ",") + name;
  const Finished squeue = execute(
      folder, {"squeue", "--all", "--noheader", "--array", "--name=" + names, "--format=%j|%F|%K|%T|%r"});
  if (squeue.status != 0) return std::nullopt;
  std::istringstream lines(squeue.output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name, job, number, state, reason;
    for (std::string* field : {&name, &job, &number, &state, &reason}) std::getline(fields, *field, '|');
    const auto batch = batches.find(name);
    const std::size_t task = std::strtoul(number.c_str(), nullptr, 10);
    if (batch != batches.end() && task < batch->second.size())
      tasks[job + "_" + number] = {batch->second[task], state == "RUNNING", reason};
  }
  return tasks;
}

void remove_batch(const Folder& folder, const std::string& name) {
  std::error_code ignored;
  for (const char* ending : {".json", ".sh"}) fs::remove(folder.path() / "slurm" / (name + ending), ignored);
}

class SlurmRunner {
 public:
  SlurmRunner(const Folder& folder, const std::string& duet, const std::vector<const Work*>& works,
              const SlurmOptions& options, const Progress& progress)
      : folder_(folder), duet_(duet), options_(options), progress_(progress), all_(works.size()) {
    for (const Work* work : works) open_[work->id] = {work};
    batches_ = read_batches(folder);
    for (const auto& [name, ids] : batches_)
      for (const std::string& id : ids)
        if (const auto found = open_.find(id); found != open_.end()) found->second.submitted = true;
  }

  Outcome run() {
    milliseconds pause = kShortest;
    while (!open_.empty() && outcome_.signal == 0) {
      const bool changed = step();
      pause = changed ? kShortest : std::min(pause * 2, kLongest);
      if (!open_.empty()) outcome_.signal = sleep(lost_ ? 2 * kShortest : pause);
    }
    end();
    return outcome_;
  }

 private:
  struct Open {
    const Work* work = nullptr;
    bool submitted = false;
    unsigned attempts = 0;
    unsigned absent = 0;  // looks without a task of it
  };
  // A task's last sign of life, and since when, by this process's clock: the task's own may differ.
  struct Sign {
    std::int64_t value;
    Clock::time_point at;
  };

  int sleep(milliseconds time) const {
    const Clock::time_point until = Clock::now() + time;
    while (Clock::now() < until)
      if (const int signal =
              signals_.wait(std::chrono::duration_cast<milliseconds>(until - Clock::now()) + milliseconds(1)))
        return signal;
    return 0;
  }

  // Whether anything has changed.
  bool step() {
    // First the queue: a run neither in the queue nor ended is lost.
    std::optional<Tasks> tasks = look(folder_, batches_);
    const bool any_ended = take_ended();
    if (!tasks) {
      if (!silent_) say("duet: sweep: squeue does not answer: waiting for Slurm\n");
      silent_ = true;
      return any_ended;
    }
    silent_ = false;
    end_silent(*tasks);
    say_why_none_runs(*tasks, any_ended);
    if (!cleaned_) clean(*tasks);
    const std::vector<Open*> to_submit = find_lost(*tasks);
    forget_batches(*tasks);
    for (std::size_t i = 0; i < to_submit.size(); i += kMostTasks)
      if (!submit(
              {to_submit.begin() + static_cast<std::ptrdiff_t>(i),
               to_submit.begin() + static_cast<std::ptrdiff_t>(std::min(to_submit.size(), i + kMostTasks))}))
        break;
    return any_ended || !to_submit.empty();
  }

  // A drained node, or a held job, needs a person; the queue alone shows it.
  void say_why_none_runs(const Tasks& tasks, bool any_ended) {
    const bool waits =
        !any_ended && !tasks.empty() &&
        std::none_of(tasks.begin(), tasks.end(), [](const auto& one) { return one.second.runs; });
    if (!waits) {
      none_runs_since_.reset();
      return;
    }
    if (!none_runs_since_) none_runs_since_ = Clock::now();
    const std::string& reason = tasks.begin()->second.reason;
    if (Clock::now() - *none_runs_since_ < kPatience || reason == said_) return;
    said_ = reason;
    say("duet: sweep: Slurm has {} of the runs in its queue and starts none: {}\n", tasks.size(), reason);
  }

  // Ends tasks that only Slurm believes to run.
  void end_silent(Tasks& tasks) {
    std::erase_if(signs_, [&](const auto& sign) { return !tasks.contains(sign.first); });
    std::erase_if(tasks, [&](const auto& one) {
      const auto& [name, task] = one;
      if (!task.runs || !open_.contains(task.id)) return false;
      const Sign now{folder_.last_sign(task.id, "slurm-" + name), Clock::now()};
      const auto [sign, is_new] = signs_.try_emplace(name, now);
      if (sign->second.value != now.value) sign->second = now;
      if (now.at - sign->second.at < kSilence) return false;
      execute(folder_, {"scancel", name});
      return true;
    });
  }

  bool take_ended() {
    const std::size_t before = open_.size();
    std::erase_if(open_, [&](const auto& one) { return folder_.record(*one.second.work).has_value(); });
    if (open_.size() != before) progress_.show(all_ - open_.size(), all_);
    return open_.size() != before;
  }

  std::vector<Open*> find_lost(const Tasks& tasks) {
    std::set<std::string> there;
    for (const auto& [name, task] : tasks) there.insert(task.id);
    std::vector<Open*> to_submit;
    bool any_lost = false;
    lost_ = false;
    for (auto one = open_.begin(); one != open_.end();) {
      Open& open = one->second;
      const bool is_there = there.contains(one->first);
      open.absent = is_there ? 0 : open.absent + 1;
      const bool may_come = is_there || (open.submitted && open.absent < kLooks);
      lost_ |= !is_there && may_come;
      if (!may_come && open.attempts >= kAttempts) {
        outcome_.given_up.push_back(open.work);
        one = open_.erase(one);
        continue;
      }
      if (!may_come) {
        any_lost |= open.submitted;
        to_submit.push_back(&open);
      }
      ++one;
    }
    if (any_lost) clean(tasks);
    // In the order of the sweep.
    std::sort(to_submit.begin(), to_submit.end(),
              [](const Open* a, const Open* b) { return a->work->number < b->work->number; });
    return to_submit;
  }

  // Removes the remains of gone tasks, and of runs of this machine.
  void clean(const Tasks& tasks) {
    cleaned_ = true;
    folder_.clean(
        [&](const std::string& who) { return !who.starts_with("slurm-") || !tasks.contains(who.substr(6)); });
    for (const std::string& id : folder_.claimed())
      if (const auto owner = folder_.owner(id); owner && !tasks.contains(*owner)) folder_.release(id);
  }

  // Forgets batches without tasks and without possible runs.
  void forget_batches(const Tasks& tasks) {
    std::set<std::string> there;
    for (const auto& [name, task] : tasks) there.insert(task.id);
    std::erase_if(batches_, [&](const auto& batch) {
      const bool needed = std::any_of(batch.second.begin(), batch.second.end(), [&](const std::string& id) {
        const auto found = open_.find(id);
        return there.contains(id) ||
               (found != open_.end() && found->second.submitted && found->second.absent < kLooks);
      });
      if (!needed) remove_batch(folder_, batch.first);
      return !needed;
    });
  }

  bool submit(const std::vector<Open*>& runs) {
    const std::string name = batch_name(folder_);
    const fs::path base = folder_.path() / "slurm" / name;
    nlohmann::json batch = {{"folder", folder_.path().string()}, {"runs", nlohmann::json::array()}};
    for (const Open* open : runs) batch["runs"].push_back(to_json(*open->work));
    write_whole(base.string() + ".json", batch.dump(1));
    write_whole(base.string() + ".sh", fmt::format("#!/bin/sh\nexec {} sweep --task {}\n", quoted(duet_),
                                                   quoted(base.string() + ".json")));
    Strings command{"sbatch", "--job-name=" + name,
                    fmt::format("--array=0-{}{}", runs.size() - 1,
                                options_.at_once != 0 ? fmt::format("%{}", options_.at_once) : ""),
                    fmt::format("--output={}.%a.txt", base.string()), "--open-mode=append"};
    command.insert(command.end(), options_.words.begin(), options_.words.end());
    command.push_back(base.string() + ".sh");
    const Finished sbatch = execute(folder_, command);
    if (sbatch.status == 0) {
      for (Open* open : runs) {
        open->submitted = true;
        open->absent = 0;
        ++open->attempts;
        batches_[name].push_back(open->work->id);
      }
      return true;
    }
    remove_batch(folder_, name);
    if (execute(folder_, {"squeue", "--all", "--noheader", "--name=" + name}).status == 0)
      throw Error(fmt::format("sweep: sbatch refuses the runs: {}", first_line(sbatch.error)));
    return false;  // Slurm does not answer; later
  }

  // A signal ends the tasks, too.
  void end() {
    if (outcome_.signal != 0)
      for (const auto& [name, ids] : batches_) execute(folder_, {"scancel", "--name=" + name});
    for (const auto& [name, ids] : batches_) remove_batch(folder_, name);
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_.path() / "slurm", ignored))
      if (entry.path().extension() == ".txt" && entry.file_size(ignored) == 0)
        fs::remove(entry.path(), ignored);
  }

  const Folder& folder_;
  const std::string& duet_;
  const SlurmOptions& options_;
  const Progress& progress_;
  const Signals signals_;
  std::size_t all_;
  std::map<std::string, Open> open_;  // by id
  std::map<std::string, Strings> batches_;
  std::map<std::string, Sign> signs_;  // by task
  std::optional<Clock::time_point> none_runs_since_;
  std::string said_;  // of why none runs
  bool silent_ = false, cleaned_ = false, lost_ = false;
  Outcome outcome_;
};

}  // namespace

Outcome run_slurm(const Folder& folder, const std::string& duet, const std::vector<const Work*>& works,
                  const SlurmOptions& options, const Progress& progress) {
  for (const std::string& word : options.words)
    for (const char* ours : {"--job-name", "--array", "-J", "-a"})
      if (word.starts_with(ours))
        throw Error(fmt::format("sweep: --slurm-options {}: the sweep says that itself", word));
  for (const char* command : {"sbatch", "squeue"})
    if (execute(folder, {command, "--version"}).status != 0)
      throw Error(fmt::format("sweep: --slurm needs {}, which cannot be started here", command));
  return SlurmRunner(folder, duet, works, options, progress).run();
}

bool slurm_goes_on(const Folder& folder) {
  const auto batches = read_batches(folder);
  if (batches.empty()) return false;
  const auto tasks = look(folder, batches);
  if (!tasks)
    throw Error(
        fmt::format("sweep: an earlier command gave runs of {0} to Slurm, and squeue does not answer: go on "
                    "with --slurm, or take away {0}/slurm when none of them runs",
                    folder.path().string()));
  if (!tasks->empty()) return true;
  for (const auto& [name, ids] : batches) remove_batch(folder, name);
  return false;
}

int work(const config::Installation& installation, const std::string& batch) {
  const auto text = read_file(batch);
  if (!text) return 0;  // nobody waits for it any more
  const char *job = std::getenv("SLURM_ARRAY_JOB_ID"), *task = std::getenv("SLURM_ARRAY_TASK_ID");
  if (job == nullptr || task == nullptr) throw Error("sweep: --task is for the tasks of a Slurm job array");
  const nlohmann::json json = nlohmann::json::parse(*text);
  const Folder folder = Folder::join(json.at("folder").get<std::string>());
  const Work own = work_of(json.at("runs").at(std::strtoul(task, nullptr, 10)));
  const std::string owner = fmt::format("{}_{}", job, task);
  if (!folder.take(own.id, owner)) return 0;  // another task has it
  if (folder.record(own)) {
    folder.release(own.id);
    return 0;
  }
  const Signals signals;
  Execution execution(folder, installation.prefix + "/bin/duet", own, "slurm-" + owner);
  int status = 0;
  for (pid_t ended; (ended = waitpid(execution.process(), &status, WNOHANG)) != execution.process();) {
    if (ended < 0 && errno != EINTR) throw Error("sweep: the run has gone");
    if (signals.wait(kSign) != 0) kill(execution.process(), SIGTERM);
    folder.sign(own.id, "slurm-" + owner);
  }
  const bool whole = execution.end(status);
  folder.release(own.id);
  return whole ? 0 : 1;
}

}  // namespace duet::sweep
