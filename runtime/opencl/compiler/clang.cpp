#include "opencl/compiler/clang.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>

namespace duet::opencl {

namespace {

constexpr const char* kClang = "clang-19";
constexpr const char* kClangElsewhere = "/usr/lib/llvm-19/bin/clang";
constexpr const char* kLibclc = "/usr/lib/clc/nvptx64--nvidiacl.bc";

// Where the compiler is, empty where it is not.
std::string find_clang() {
  const char* const path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin < folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string file = folders.substr(begin, end - begin) + "/" + kClang;
    if (access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return access(kClangElsewhere, X_OK) == 0 ? kClangElsewhere : "";
}

// A tool or library as it is now; empty: there is none.
std::string version_of(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  return fmt::format("{} {} {}.{}\n", file, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

}  // namespace

Tools find_tools(bool uniform_groups) {
  Tools tools;
  tools.libraries = child::library_folder();
  tools.clang = find_clang();
  tools.builtins = tools.libraries / (uniform_groups ? "opencl/builtins_uniform.bc" : "opencl/builtins.bc");
  struct Part {
    std::string file;
    const char *name, *package;
  };
  for (const Part& part : {Part{tools.clang, kClang, kClang},
                           {kLibclc, kLibclc, "libclc-19"},
                           {tools.builtins, tools.builtins.c_str(), "duet"}}) {
    const std::string version = version_of(part.file);
    tools.versions += version;
    if (version.empty() && tools.missing.empty())
      tools.missing = fmt::format(
          "duet: OpenCL C needs {}, which is not here: install the package {} (apt-get install {})\n",
          part.name, part.package, part.package);
  }
  return tools;
}

void add_builtins(std::vector<std::string>& words, const Tools& tools) {
  for (const std::string& library : {tools.builtins, std::string(kLibclc)})
    words.insert(words.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", library});
}

Job::Job(const Tools& tools)
    : tools_(tools), folder_("duet-opencl"), environment_(child::own_environment(tools.libraries)) {
  if (folder_.path.empty())
    failed_ = fmt::format("duet: cannot make a temporary folder: {}\n", std::strerror(errno));
}

void Job::write(const std::string& name, const std::string& text) const {
  std::ofstream(file(name), std::ios::binary) << text;
}

bool Job::run(const std::vector<std::string>& words, const std::string& output, std::string& log) const {
  std::vector<std::string> command = {tools_.clang,
                                      "--target=nvptx64-nvidia-nvcl",
                                      "-march=sm_60",
                                      "-O2",
                                      "-fno-color-diagnostics",
                                      "-fno-crash-diagnostics",
                                      "-Wno-linker-warnings",
                                      "-Wno-unused-command-line-argument"};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {"-o", file(output)});
  const bool well =
      child::run(command, environment_, file("log"), "duet") && std::filesystem::exists(file(output));
  log += child::text_of(file("log"));
  return well;
}

}  // namespace duet::opencl
