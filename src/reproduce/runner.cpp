#include "reproduce/runner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

namespace duet::reproduce {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kAtOnce = 2;
constexpr const char* kTimeLimitSeconds = "900";
constexpr const char* kProcessorCompiler = "riscv64-linux-gnu-g++";

std::string key_of(const Job& job) {
  std::string key = job.source;
  for (const auto* part : {&job.defines, &job.arguments, &job.sets, &job.run_options}) {
    key += '\n';
    for (const std::string& word : *part) key += word + ' ';
  }
  return key + '\n' + job.machine + (job.check_races ? "\nraces" : "") + (job.on_cores ? "\ncores" : "") +
         (job.library.empty() ? "" : "\n" + job.library);
}

std::string contents(const fs::path& path) { return read_file(path).value_or(""); }

// Of the names and contents of all files in the folders.
std::uint64_t hash_of_files(const std::vector<fs::path>& folders) {
  std::set<fs::path> files;
  for (const fs::path& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) files.insert(entry.path());
  std::uint64_t result = kHashOfNothing;
  for (const fs::path& file : files) result = hash(contents(file), hash(file.string(), result));
  return result;
}

Outcome read(const fs::path& folder, int status) {
  Outcome outcome;
  outcome.status = status;
  outcome.output = contents(folder / "stdout");
  outcome.error = contents(folder / "stderr");
  const fs::path statistics = folder / "out/stats.json";
  if (fs::exists(statistics)) outcome.statistics = nlohmann::json::parse(contents(statistics));
  return outcome;
}

// Its streams go to the named files, if any.
pid_t start_process(std::vector<std::string> command, const std::string& output = {},
                    const std::string& error = {}) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t process = fork();
  if (process < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (process != 0) return process;
  const auto redirect = [](const std::string& path, int stream) {
    if (path.empty()) return;
    const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (file < 0 || dup2(file, stream) < 0) _exit(125);
  };
  redirect(output, STDOUT_FILENO);
  redirect(error, STDERR_FILENO);
  execv(arguments[0], arguments.data());
  _exit(125);
}

void compile(std::vector<std::string> command, const std::string& what) {
  int status = 0;
  const pid_t compiler = start_process(std::move(command));
  while (waitpid(compiler, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) throw Error(fmt::format("cannot compile {}", what));
}

}  // namespace

double Outcome::runtime_us() const { return us_between("data ready", "finish"); }

double Outcome::us_between(const char* from, const char* to) const {
  if (!statistics.contains("marks")) return 0;
  double begin = -1, end = -1;
  for (const auto& mark : statistics["marks"]) {
    if (mark["name"] == from) begin = mark["time_ps"].get<double>();
    if (mark["name"] == to) end = mark["time_ps"].get<double>();
  }
  return begin < 0 || end < 0 ? 0 : (end - begin) / 1e6;
}

double Outcome::counter(const char* name) const {
  return statistics.contains("counters") ? statistics["counters"].value(name, 0.0) : 0;
}

double Outcome::processor_us(const std::string& state) const {
  const std::string printed = state + "_ns ";
  const auto at = output.find(printed);
  return at == std::string::npos ? 0 : std::strtod(output.c_str() + at + printed.size(), nullptr) / 1000;
}

std::optional<double> Outcome::at_mark(const char* mark, const char* name) const {
  std::optional<double> value;
  if (!statistics.contains("marks")) return value;
  for (const auto& one : statistics["marks"])
    for (const char* group : {"counters", "state"})
      if (one["name"] == mark && one[group].contains(name)) value = one[group][name].get<double>();
  return value;
}

// Duet's own line where it says one, otherwise the program's last.
std::string Outcome::error_line() const {
  std::string text = error;
  while (text.ends_with('\n')) text.pop_back();
  const std::size_t own = text.rfind("duet: ");
  std::string line = own != std::string::npos ? text.substr(own, text.find('\n', own) - own)
                                              : text.substr(text.rfind('\n') + 1);  // npos + 1 is 0
  return line.substr(0, 200);
}

Runner::Runner(const config::Installation& installation, const Options& options)
    : installation_(installation), quiet_(options.quiet), terminal_(isatty(STDERR_FILENO) != 0) {
  std::string name = (fs::temp_directory_path() / "duet-reproduce-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error("cannot make a temporary folder");
  folder_ = name;
  if (options.work.empty()) return;
  work_ = options.work;
  std::error_code failed;
  fs::create_directories(work_, failed);
  if (failed) throw Error(fmt::format("--work: cannot make the folder {}", options.work));
  const fs::path prefix = installation_.prefix;
  build_ = hash(contents(prefix / "bin/duet"),
                hash_of_files({prefix / "lib/duet", installation_.machines_directory,
                               installation_.workloads_directory}));
}

Runner::~Runner() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

fs::path Runner::kept(const std::string& key) const {
  return work_ / fmt::format("{:016x}.json", hash(key, build_));
}

bool Runner::recall(const std::string& key) {
  if (work_.empty()) return false;
  const std::string text = contents(kept(key));
  if (text.empty()) return false;
  nlohmann::json run = nlohmann::json::parse(text, nullptr, false);
  if (run.is_discarded() || run.value("job", "") != key) return false;
  outcomes_[key] = {run["status"], run["output"], run["error"], std::move(run["statistics"])};
  return true;
}

// Under another name first: an interrupted command leaves no half of a run.
void Runner::keep(const std::string& key) const {
  if (work_.empty()) return;
  const Outcome& outcome = outcomes_.at(key);
  const fs::path path = kept(key), part = path.string() + ".part";
  std::ofstream(part) << nlohmann::json{{"job", key},
                                        {"status", outcome.status},
                                        {"output", outcome.output},
                                        {"error", outcome.error},
                                        {"statistics", outcome.statistics}};
  fs::rename(part, path);
}

void Runner::show(const std::string& title, std::size_t done, std::size_t of) const {
  if (quiet_) return;
  if (terminal_)
    std::fputs(
        fmt::format("\r\033[K{}{}", fmt::format("{}: {} of {} runs", title, done, of), done == of ? "\n" : "")
            .c_str(),
        stderr);
  else if (done == of)
    std::fputs(fmt::format("duet: {}: {} runs\n", title, of).c_str(), stderr);
}

bool Runner::has_processor_compiler() {
  const char* const path = std::getenv("PATH");
  std::string folders = path == nullptr ? "" : path;
  for (std::size_t begin = 0, end; begin < folders.size(); begin = end + 1) {
    end = std::min(folders.find(':', begin), folders.size());
    if (access((folders.substr(begin, end - begin) + '/' + kProcessorCompiler).c_str(), X_OK) == 0)
      return true;
  }
  return false;
}

std::vector<std::string> Runner::compilation(const Job& job, const std::string& program) const {
  const std::string source = installation_.workloads_directory + "/" + job.source;
  std::vector<std::string> command = {installation_.prefix + "/bin/duet", "cc", source + ".cu", "-o",
                                      program};
  if (job.on_processor)
    // The linker's remark about dlopen in static libgomp does not matter here.
    command = {"/usr/bin/env",      kProcessorCompiler, "-static", "-fopenmp",
               "-Wl,--no-warnings", source + ".cpp",    "-o",      program};
  if (!job.library.empty())
    command = {
        installation_.prefix + "/bin/duet", "cc", source + ".c", "-O2", "-o", program, "-l" + job.library};
  if (job.on_cores) command.insert(command.begin() + 2, {"--host", "riscv64"});
  for (const std::string& define : job.defines) command.push_back((job.on_processor ? "" : "-D") + define);
  return command;
}

fs::path Runner::kernels_of(const Job& job) const {
  return folder_ / ("kernels-" + fs::path(job.source).filename().string());
}

// For OpenCL the source, for HSA a code object.
void Runner::compile_kernels(const Job& job) const {
  const fs::path folder = kernels_of(job),
                 source = installation_.workloads_directory + "/" + job.source + ".cl";
  if (!fs::create_directories(folder)) return;
  fs::copy_file(source, folder / source.filename());
  compile({installation_.prefix + "/bin/duet", "hsacc", source.string(), "-o",
           (folder / source.filename()).replace_extension(".hsaco").string()},
          source.string());
}

const std::string& Runner::compiled(const Job& job) {
  std::string key = job.source;
  for (const std::string& define : job.defines) key += " -D" + define;
  if (job.on_cores) key += " for cores";
  if (!job.library.empty()) key += " -l" + job.library;
  std::string& program = programs_[key];
  if (!program.empty()) return program;
  const std::string path = (folder_ / fmt::format("program-{}", programs_.size())).string();
  compile(compilation(job, path), key);
  if (!job.library.empty()) compile_kernels(job);
  return program = path;
}

int Runner::start(const Job& job, const fs::path& folder) {
  std::vector<std::string> command = {installation_.prefix + "/bin/duet",
                                      "run",
                                      "--quiet",
                                      "--no-html",
                                      "--trace-detail",
                                      "none",
                                      "--timeout",
                                      kTimeLimitSeconds,
                                      "--machine",
                                      job.machine};
  if (job.check_races) command.push_back("--check-races");
  if (job.on_processor || job.on_cores)
    command.insert(command.end(), {"--host", "simulated", "--no-environment"});
  command.insert(command.end(), job.run_options.begin(), job.run_options.end());
  for (const std::string& set : job.sets) command.insert(command.end(), {"--set", set});
  command.insert(command.end(), {"--out", (folder / "out").string(), compiled(job)});
  command.insert(command.end(), job.arguments.begin(), job.arguments.end());
  if (!job.library.empty()) command.insert(command.end(), {"--code", kernels_of(job).string()});
  fs::create_directories(folder);
  return start_process(std::move(command), (folder / "stdout").string(), (folder / "stderr").string());
}

std::vector<const Outcome*> Runner::run(const std::string& title, const std::vector<Job>& jobs) {
  std::vector<const Job*> missing;
  std::set<std::string> asked;
  for (const Job& job : jobs)
    if (!outcomes_.contains(key_of(job)) && !recall(key_of(job)) && asked.insert(key_of(job)).second)
      missing.push_back(&job);

  std::map<pid_t, Child> children;
  std::size_t next = 0, done = 0;
  while (done < missing.size()) {
    while (next < missing.size() && children.size() < kAtOnce) {
      const Job& job = *missing[next++];
      compiled(job);
      Child child{key_of(job), folder_ / fmt::format("run-{}", runs_++)};
      const int process = start(job, child.folder);
      children.emplace(process, std::move(child));
    }
    int status = 0;
    const pid_t process = waitpid(-1, &status, 0);
    if (process < 0 && errno == EINTR) continue;
    const auto ended = children.find(process);
    if (ended == children.end()) continue;
    outcomes_[ended->second.key] = read(ended->second.folder, WIFEXITED(status) ? WEXITSTATUS(status) : 125);
    keep(ended->second.key);
    std::error_code ignored;
    fs::remove_all(ended->second.folder, ignored);
    children.erase(ended);
    show(title, ++done, missing.size());
  }
  std::vector<const Outcome*> results;
  for (const Job& job : jobs) results.push_back(&outcomes_.at(key_of(job)));
  return results;
}

}  // namespace duet::reproduce
