#include "cli/run/preexec_profile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/options/guest_words.h"
#include "machine/cores_for_gpu/cpu_blocks_options.h"
#include "machine/cores_for_gpu/preexecution_options.h"
#include "machine/watch/outside_options.h"

extern char** environ;

namespace duet::cli {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr unsigned kSkipFactors[] = {32, 64, 96, 128, 160, 192, 224};
constexpr const char* kSchema = "duet.preexec_profile/1";

struct Folder {
  std::string path = (fs::temp_directory_path() / "duet-profile-XXXXXX").string();
  Folder() {
    if (mkdtemp(path.data()) == nullptr)
      throw Error(fmt::format("cannot make a temporary folder: {}", std::strerror(errno)));
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

// The run of `options`, with this skip_factor, as a command.
std::vector<std::string> trial(const config::Installation& installation, const RunOptions& options,
                               unsigned skip_factor, const std::string& out) {
  std::vector<std::string> command = {installation.prefix + "/bin/duet",
                                      "run",
                                      "--quiet",
                                      "--no-html",
                                      "--trace-detail",
                                      "none",
                                      "--out",
                                      out,
                                      "--machine",
                                      options.machine,
                                      "--preexec",
                                      "profiled"};
  for (const auto& [key, value] : machine::settings(options.run.of<machine::PreexecutionOptions>()))
    if (key != "skip_factor") command.insert(command.end(), {"--preexec-set", key + "=" + value});
  command.insert(command.end(), {"--preexec-set", fmt::format("skip_factor={}", skip_factor)});
  for (const std::string& set : options.sets) command.insert(command.end(), {"--set", set});
  if (options.run.registers_per_thread != 0)
    command.insert(command.end(), {"--registers", std::to_string(options.run.registers_per_thread)});
  if (!options.run.assembler_peepholes) command.insert(command.end(), {"--peepholes", "off"});
  if (options.run.of<machine::OutsideOptions>().strict_memory) command.push_back("--strict-memory");
  if (options.run.simulated_host) {
    command.insert(command.end(), {"--host", "simulated"});
    const std::vector<std::string> own = guest_words(options);
    command.insert(command.end(), own.begin(), own.end());
  }
  if (options.timeout_seconds > 0)
    command.insert(command.end(), {"--timeout", fmt::format("{}", options.timeout_seconds)});
  command.insert(command.end(), options.command.begin(), options.command.end());
  return command;
}

int execute(const std::vector<std::string>& command, const std::string& messages) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t process = 0;
  const int error = posix_spawn(&process, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw Error(fmt::format("cannot run {}: {}", command[0], std::strerror(error)));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string first_line_of(const std::string& file) {
  std::ifstream text(file);
  std::string line;
  std::getline(text, line);
  return line;
}

// Cycles of all launches, by kernel.
std::map<std::string, std::uint64_t> cycles_of(const std::string& statistics) {
  const Json json = Json::parse(std::ifstream(statistics));
  std::map<std::string, std::uint64_t> cycles;
  for (const Json& kernel : json.at("kernels"))
    cycles[kernel.at("name")] += kernel.at("cycles").get<std::uint64_t>();
  for (const Json& group : json.at("kernel_groups"))
    cycles[group.at("name")] += group.at("cycles").at("sum").get<std::uint64_t>();
  return cycles;
}

}  // namespace

std::string profile_path(const RunOptions& options) { return options.command.at(0) + ".preexec.json"; }

void check_preexecution(const RunOptions& options) {
  const machine::PreexecutionOptions& own = options.run.of<machine::PreexecutionOptions>();
  if (!own.on() && machine::settings(own) != machine::settings({}))
    throw Error("--preexec-set does nothing without --preexec adaptive or profiled");
  if (options.profile && own.mode != machine::PreexecutionMode::Profiled)
    throw Error("--profile is for --preexec profiled");
  if (options.profile && own.skip_factor != 0)
    throw Error("--profile tries skip factors: leave out --preexec-set skip_factor");
  if (own.on() && options.run.functional)
    throw Error("--preexec needs the timed GPU: leave out --functional");
  if (own.on() && options.run.of<machine::CpuBlocksOptions>().on)
    throw Error("--preexec and --cpu-blocks both need the cores: leave out one of them");
}

void make_profile(const config::Installation& installation, const RunOptions& options) {
  const Folder folder;
  std::map<std::string, std::map<unsigned, std::uint64_t>> cycles;  // by kernel and skip_factor
  for (const unsigned skip_factor : kSkipFactors) {
    const std::string out = folder.path + "/out", messages = folder.path + "/messages";
    const int status = execute(trial(installation, options, skip_factor, out), messages);
    if (status != 0)
      throw Error(fmt::format("--profile: the run with skip_factor = {} ends with status {}: {}", skip_factor,
                              status, first_line_of(messages)));
    for (const auto& [kernel, count] : cycles_of(out + "/stats.json")) cycles[kernel][skip_factor] = count;
    if (!options.quiet) std::fprintf(stderr, "duet: profile: skip_factor %u done\n", skip_factor);
  }
  Json kernels = Json::object();
  for (const auto& [kernel, counts] : cycles) {
    const auto best = std::min_element(counts.begin(), counts.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    Json tried = Json::object();
    for (const auto& [skip_factor, count] : counts) tried[std::to_string(skip_factor)] = count;
    kernels[kernel] = {{"skip_factor", best->first}, {"cycles", tried}};
  }
  const Json profile = {{"schema", kSchema},
                        {"machine", options.machine},
                        {"set", options.sets},
                        {"command", options.command},
                        {"kernels", kernels}};
  const std::string path = profile_path(options);
  std::ofstream file(path);
  if (!(file << profile.dump(1) << '\n') || !file.flush()) throw Error("--profile: cannot write " + path);
  if (!options.quiet) std::fprintf(stderr, "duet: profile in %s\n", path.c_str());
}

void read_profile(RunOptions& options) {
  machine::PreexecutionOptions& own = options.run.of<machine::PreexecutionOptions>();
  if (own.mode != machine::PreexecutionMode::Profiled || own.skip_factor != 0) return;
  const std::string path = profile_path(options);
  std::ifstream file(path);
  if (!file)
    throw Error(
        fmt::format("--preexec profiled: there is no {}: make it with --profile, or give "
                    "--preexec-set skip_factor=N",
                    path));
  try {
    const Json profile = Json::parse(file);
    if (profile.at("schema") != kSchema) throw Error(path + " is no profile that this version reads");
    if (profile.at("machine") != options.machine || profile.at("set") != Json(options.sets))
      throw Error(fmt::format("{} was made on another machine: make it anew with --profile", path));
    for (const auto& [kernel, best] : profile.at("kernels").items())
      own.profile[kernel] = best.at("skip_factor");
  } catch (const Json::exception& error) {
    throw Error(fmt::format("{} cannot be read: {}", path, error.what()));
  }
}

}  // namespace duet::cli
