#include "cli/compile/precompiled_headers.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/error.h"

namespace duet::cli {

namespace fs = std::filesystem;

namespace {

// Of a file: everything by which another one shows.
std::string identity(const fs::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return path.string() + " missing\n";
  return fmt::format("{} {} {}.{:09}\n", path.string(), status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

fs::path in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  std::error_code ignored;
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path found = fs::path(folder) / program; fs::exists(found, ignored))
      return fs::canonical(found, ignored);
  return {};
}

}  // namespace

PrecompiledHeaders::PrecompiledHeaders(const config::Installation& installation, std::string compiler)
    : installation_(installation),
      compiler_(std::move(compiler)),
      folder_(installation.prefix + "/lib/duet/precompiled") {}

// Clang looks at environment variables for headers, too.
bool PrecompiledHeaders::allow(const std::vector<std::string>& flags) {
  for (const char* name : {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"})
    if (std::getenv(name) != nullptr) return false;
  return std::all_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag == "-O2" || flag == "-w" || (flag.starts_with("-W") && !flag.starts_with("-Wp,"));
  });
}

std::string PrecompiledHeaders::place(Pass pass, bool riscv64) const {
  return fmt::format("{}/{}-{}.pch", folder_, riscv64 ? "riscv64" : "native",
                     pass == Pass::Device ? "device" : "host");
}

std::string PrecompiledHeaders::file(Pass pass, bool riscv64) const {
  const std::string made = place(pass, riscv64);
  std::ifstream noted(folder_ + "/made-from");
  if (!noted || !fs::exists(made)) return {};
  const std::string text{std::istreambuf_iterator<char>(noted), {}};
  return text == state() ? made : std::string();
}

// The compiler, and every header of Duet's. Those of the system come with packages, as the compiler does.
std::string PrecompiledHeaders::state() const {
  std::vector<fs::path> headers;
  for (const auto& entry : fs::recursive_directory_iterator(installation_.include_directory))
    if (entry.is_regular_file()) headers.push_back(entry.path());
  std::sort(headers.begin(), headers.end());
  std::string text =
      identity(in_path(compiler_)) + fs::canonical(installation_.include_directory).string() + "\n";
  for (const fs::path& header : headers) text += identity(header);
  return text;
}

void PrecompiledHeaders::forget() const {
  fs::create_directories(folder_);
  fs::remove(folder_ + "/made-from");
}

void PrecompiledHeaders::note_that_they_are_made() const {
  const std::string file = folder_ + "/made-from", next = file + ".next";
  std::ofstream(next) << state();
  fs::rename(next, file);
}

}  // namespace duet::cli
