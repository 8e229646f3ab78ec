#include "preexec/elf.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/file_cache.h"

extern char** environ;

namespace duet::preexec {

namespace {

struct Folder {
  std::string path = (std::filesystem::temp_directory_path() / "duet-preexec-XXXXXX").string();
  Folder() {
    if (mkdtemp(path.data()) == nullptr)
      throw ToolError(fmt::format("preexec: cannot make a temporary folder: {}", std::strerror(errno)));
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
};

// The tool's first line with `error`, or its first line.
std::string complaint(const std::string& file) {
  std::ifstream lines(file);
  std::string line, first;
  while (std::getline(lines, line)) {
    if (line.find("error") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

// Without variables for preloaded libraries: this process may have such a library itself.
std::vector<char*> environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, "LD_", 3) != 0) kept.push_back(*variable);
  kept.push_back(nullptr);
  return kept;
}

[[noreturn]] void refuse_missing(const std::string& tool, int error) {
  throw ToolError(fmt::format("preexec: cannot run {}: {} (on Debian: apt install clang-19 lld-19)", tool,
                              std::strerror(error)));
}

void run(const std::vector<std::string>& command, const std::string& messages) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  pid_t process = 0;
  std::vector<char*> variables = environment();
  const int error =
      posix_spawnp(&process, arguments[0], &actions, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) refuse_missing(command[0], error);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw ToolError(
        fmt::format("preexec: {} does not take the program: {}", command[0], complaint(messages)));
}

// Sums wrap; an address may be 0 and may have been written as another type.
const std::vector<std::string> kCompiler = {"clang-19",
                                            "--target=riscv64-unknown-elf",
                                            "-march=rv64gc",
                                            "-mabi=lp64d",
                                            "-mcmodel=medany",
                                            "-mno-relax",
                                            "-O2",
                                            "-ffreestanding",
                                            "-fwrapv",
                                            "-fno-strict-aliasing",
                                            "-fno-delete-null-pointer-checks",
                                            "-fno-math-errno",
                                            "-fno-pic",
                                            "-fno-stack-protector",
                                            "-ffp-contract=off",
                                            "-c"};

// The version of a tool on the PATH, by its file; empty: there is none.
std::string version_of(const std::string& tool) {
  const char* const path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin < folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    struct stat file {};
    if (stat((folders.substr(begin, end - begin) + '/' + tool).c_str(), &file) == 0)
      return fmt::format("{} {} {}", tool, file.st_size, file.st_mtim.tv_sec);
    begin = end + 1;
  }
  return {};
}

}  // namespace

void compile_elf(const std::string& c, const std::string& entry, const std::string& path,
                 const ElfOptions& options) {
  const std::vector<std::string> linker = {"ld.lld-19", "-static", "--no-relax", "--entry=" + entry,
                                           fmt::format("--image-base={}", options.image_base)};
  std::string key;
  for (const auto* command : {&kCompiler, &linker}) {
    const std::string version = version_of(command->front());
    if (version.empty()) refuse_missing(command->front(), ENOENT);
    key += version + '\n';
    for (const std::string& word : *command) key += word + '\n';
  }
  key += c;
  const FileCache cache("preexec");
  if (const std::optional<std::string> elf = cache.recall(key)) {
    std::ofstream to(path, std::ios::binary | std::ios::trunc);
    to << *elf;
    if (to.flush()) return;
  }

  const Folder folder;
  const std::string source = folder.path + "/program.c", object = folder.path + "/program.o";
  std::ofstream(source) << c;
  std::vector<std::string> compiler = kCompiler, link = linker;
  compiler.insert(compiler.end(), {source, "-o", object});
  link.insert(link.end(), {object, "-o", path});
  run(compiler, folder.path + "/messages");
  run(link, folder.path + "/messages");
  cache.keep(key, read_file(path).value_or(""));
}

}  // namespace duet::preexec
