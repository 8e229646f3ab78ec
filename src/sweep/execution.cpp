#include "sweep/execution.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <csignal>
#include <sstream>

#include "base/error.h"
#include "base/file.h"

namespace duet::sweep {

namespace {

constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP};

// Whether the process, or its program, was ended from outside.
bool ended_from_outside(int status) {
  const int signal = WIFSIGNALED(status)         ? WTERMSIG(status)
                     : WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128
                                                 : 0;
  if (signal == SIGKILL) return true;
  for (const int one : kEnding)
    if (signal == one) return true;
  return false;
}

// The last line of Duet's own, or of the program; empty: there is none.
std::string last_line(const std::string& text, bool own) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != ' ' && line.starts_with("duet: ") == own) last = line;
  return last.substr(0, 300);
}

// A program's status is the program's to explain.
std::string error_line(const std::string& text, int status) {
  const bool is_ours = WIFEXITED(status) && (WEXITSTATUS(status) == 124 || WEXITSTATUS(status) == 125);
  const std::string line = last_line(text, is_ours);
  return line.empty() ? last_line(text, !is_ours) : line;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace

Signals::Signals() {
  sigemptyset(&awaited_);
  sigaddset(&awaited_, SIGCHLD);
  for (const int signal : kEnding) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&awaited_, signal);
  }
  sigprocmask(SIG_BLOCK, &awaited_, nullptr);
}

int Signals::wait(std::chrono::milliseconds at_most) const {
  const timespec limit{at_most.count() / 1000, at_most.count() % 1000 * 1'000'000};
  const int signal = sigtimedwait(&awaited_, nullptr, &limit);
  return signal == SIGCHLD || signal < 0 ? 0 : signal;
}

Execution::Execution(const Folder& folder, const std::string& duet, const Work& work, const std::string& who)
    : folder_(&folder),
      work_(&work),
      running_(folder.begin(work, who)),
      started_(std::chrono::steady_clock::now()) {
  Strings command{duet, "run", "--quiet", "--no-html", "--trace-detail", "none", "--out", running_.string()};
  command.insert(command.end(), work.words.begin(), work.words.end());
  process_ = start_process(std::move(command), work.directory,
                           {(running_ / "stdout").string(), (running_ / "stderr").string()});
}

Record Execution::record_of(int status) const {
  Record record;
  record.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  const bool exited = WIFEXITED(status);
  if (exited && WEXITSTATUS(status) == 0) {
    record.status = "ok";
    return record;
  }
  record.status =
      exited ? fmt::format("exit {}", WEXITSTATUS(status)) : fmt::format("signal {}", WTERMSIG(status));
  record.line = error_line(read_file(running_ / "stderr").value_or(""), status);
  replace_all(record.line, running_.string(), folder_->finished(work_->id).string());
  return record;
}

bool Execution::end(int status) {
  if (ended_from_outside(status)) {
    folder_->log(fmt::format("cut off {:04} {}", work_->number, work_->id));
    std::error_code ignored;
    std::filesystem::remove_all(running_, ignored);
    return false;
  }
  folder_->finish(*work_, running_, record_of(status));
  return true;
}

}  // namespace duet::sweep
