#include "child/child.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>

namespace duet::child {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
  std::error_code error;
  std::string name = (fs::temp_directory_path(error) / (prefix + "-XXXXXX")).string();
  if (!error && mkdtemp(name.data()) != nullptr) path = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path.empty()) fs::remove_all(path, ignored);
}

fs::path library_folder() {
  // A static program is not known to the loader.
  Dl_info here{};
  const bool known = dladdr(reinterpret_cast<const void*>(&library_folder), &here) != 0;
  std::error_code error;
  fs::path folder = known && here.dli_fname != nullptr ? fs::canonical(here.dli_fname, error) : fs::path();
  if (error || folder.empty()) folder = fs::canonical("/proc/self/exe", error);
  while (folder.has_relative_path()) {
    folder = folder.parent_path();
    if (folder.filename() == "duet" && folder.parent_path().filename() == "lib") return folder;
    if (fs::is_directory(folder / "lib/duet", error)) return folder / "lib/duet";
  }
  return {};
}

std::vector<std::string> own_environment(const fs::path& duet_libraries) {
  std::vector<std::string> kept;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("LD_PRELOAD=") || text.starts_with("DUET_")) continue;
    constexpr std::string_view kPath = "LD_LIBRARY_PATH=";
    if (!text.starts_with(kPath)) {
      kept.emplace_back(text);
      continue;
    }
    std::string path;
    std::stringstream folders{std::string(text.substr(kPath.size()))};
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.starts_with(duet_libraries.string())) path += (path.empty() ? "" : ":") + folder;
    if (!path.empty()) kept.push_back(std::string(kPath) + path);
  }
  return kept;
}

bool run(const std::vector<std::string>& command, const std::vector<std::string>& environment,
         const fs::path& log, const std::string& caller) {
  std::vector<char*> arguments, variables;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  for (const std::string& entry : environment) variables.push_back(const_cast<char*>(entry.c_str()));
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 2, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&files, 2, 1);
  pid_t process = 0;
  const int failed = posix_spawn(&process, arguments[0], &files, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    std::ofstream(log) << caller << ": error: cannot run " << command[0] << ": " << std::strerror(failed)
                       << '\n';
    return false;
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return true;  // the program ignores SIGCHLD; the caller looks for what was made
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_header(const fs::path& folder, const std::string& name, const std::string& text) {
  fs::path inside = fs::path(name).lexically_normal();
  if (inside.is_absolute() || inside.string().starts_with("..")) inside = inside.filename();
  std::error_code ignored;
  fs::create_directories((folder / inside).parent_path(), ignored);
  std::ofstream(folder / inside, std::ios::binary) << text;
}

}  // namespace duet::child
