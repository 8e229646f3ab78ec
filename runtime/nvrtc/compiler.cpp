// The source gets a tail that has the address of each expression in a variable:
//
//   __device__ auto __duet_name_0 = duet_name_of(kernel<float>);
//   -> .visible .global .align 8 .u64 __duet_name_0 = _Z6kernelIfEvPT_;
//
// The PTX says what the expression is called, and the variable is taken out of it again.
#include "nvrtc/compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace duet::nvrtc {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = "__duet_name_";

struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::error_code error;
    std::string name = (fs::temp_directory_path(error) / "duet-nvrtc-XXXXXX").string();
    if (!error && mkdtemp(name.data()) != nullptr) path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path.empty()) fs::remove_all(path, ignored);
  }
};

// lib/duet, where lib/duet/cuda holds this library.
fs::path library_folder() {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&library_folder), &here) == 0 || here.dli_fname == nullptr)
    return {};
  std::error_code error;
  return fs::canonical(here.dli_fname, error).parent_path().parent_path();
}

// The compiler is no program of the run: it is not simulated, and finds the libraries of the machine.
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

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// True when the program ran and said that all is well; `log` gets its standard error.
bool run(const std::vector<std::string>& command, const std::vector<std::string>& environment,
         const fs::path& log) {
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
    std::ofstream(log) << "nvrtc: error: cannot run " << command[0] << ": " << std::strerror(failed) << '\n';
    return false;
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0)
    if (errno != EINTR) return true;  // the program ignores SIGCHLD; the file says whether there is PTX
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A name that leaves the folder has its place by its last part alone.
void write_header(const fs::path& folder, const std::string& name, const std::string& text) {
  fs::path inside = fs::path(name).lexically_normal();
  if (inside.is_absolute() || inside.string().starts_with("..")) inside = inside.filename();
  std::error_code ignored;
  fs::create_directories((folder / inside).parent_path(), ignored);
  std::ofstream(folder / inside, std::ios::binary) << text;
}

std::string with_tail(const Source& source, bool default_device) {
  std::string text = default_device ? "#pragma clang force_cuda_host_device begin\n" : "";
  text += "#line 1 \"" + source.name + "\"\n" + source.text + "\n";
  if (default_device) text += "#pragma clang force_cuda_host_device end\n";
  if (source.expressions.empty()) return text;
  text +=
      "#line 1 \"name expressions\"\n"
      "template <class T> constexpr __host__ __device__ T* duet_name_of(T& x) { return &x; }\n"
      "template <class T> constexpr __host__ __device__ T* duet_name_of(T*&& x) { return x; }\n";
  for (std::size_t i = 0; i < source.expressions.size(); ++i)
    text += "#line 1 \"name expression " + std::to_string(i + 1) + "\"\n__device__ auto " +
            std::string(kMark) + std::to_string(i) + " = duet_name_of(" + source.expressions[i] + ");\n";
  return text;
}

// Takes the marked variables out of the PTX and gives what they point at.
std::vector<std::string> take_names(std::string& ptx, std::size_t count) {
  std::vector<std::string> names(count);
  if (count == 0) return names;
  std::string kept;
  std::stringstream lines{ptx};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find(kMark), equals = line.find(" = ");
    if (mark == std::string::npos || equals == std::string::npos || line[0] != '.') {
      kept += line + "\n";
      continue;
    }
    const std::size_t number = std::strtoul(line.c_str() + mark + kMark.size(), nullptr, 10);
    std::string name = line.substr(equals + 3);
    for (const char* around : {"generic(", ");", ";"})
      if (const std::size_t at = name.find(around); at != std::string::npos)
        name.erase(at, std::strlen(around));
    if (number < count) names[number] = name;
  }
  ptx = kept;
  return names;
}

// clang counts errors at the end of its text; the rest stands.
std::string without_counts(const std::string& log) {
  std::string kept;
  std::stringstream lines{log};
  for (std::string line; std::getline(lines, line);)
    if (line.find(" generated when compiling for ") == std::string::npos) kept += line + "\n";
  return kept;
}

}  // namespace

Compiled compile(const Source& source, const Options& options) {
  const TemporaryFolder folder;
  const fs::path libraries = library_folder();
  if (folder.path.empty() || libraries.empty())
    return {false,
            {},
            "nvrtc: error: cannot make a temporary folder: " + std::string(std::strerror(errno)) + "\n",
            {}};
  const fs::path input = folder.path / "source.cu", ptx = folder.path / "device.ptx",
                 log = folder.path / "log";
  std::ofstream(input, std::ios::binary) << with_tail(source, options.default_device);
  const fs::path headers = folder.path / "include";
  for (const auto& [name, text] : source.headers) write_header(headers, name, text);

  std::vector<std::string> command = {libraries.parent_path().parent_path() / "bin/duet",
                                      "cc",
                                      "-ptx",
                                      "-D__CUDACC_RTC__",
                                      "-fdiagnostics-format=msvc",
                                      "-fno-show-column",
                                      "-fno-color-diagnostics",
                                      "-fno-caret-diagnostics",
                                      "-Xclang",
                                      "-fcuda-allow-variadic-functions",
                                      "-include",
                                      "assert.h",
                                      "-I",
                                      headers};
  command.push_back("-arch=sm_" + options.architecture.substr(options.architecture.find('_') + 1));
  const fs::path folder_of_source = fs::path(source.name).parent_path();
  if (options.source_folder)
    command.insert(command.end(), {"-I", folder_of_source.empty() ? "." : folder_of_source.string()});
  command.insert(command.end(), options.flags.begin(), options.flags.end());
  command.insert(command.end(), {input, "-o", ptx});
  Compiled result;
  result.done = run(command, own_environment(libraries), log) && fs::exists(ptx);
  result.log = without_counts(text_of(log));
  if (!result.done) return result;
  result.ptx = text_of(ptx);
  result.lowered = take_names(result.ptx, source.expressions.size());
  return result;
}

}  // namespace duet::nvrtc
