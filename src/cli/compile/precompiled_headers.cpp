#include "cli/compile/precompiled_headers.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"

namespace duet::cli {

namespace fs = std::filesystem;

namespace {

// Of a file: everything by which another one shows, and its path.
std::string identity(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return "missing " + path;
  return fmt::format("{}.{:09}:{} {}", status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_size, path);
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

std::string PrecompiledHeaders::place_of_part(const std::string& source) const {
  return fmt::format("{}/{}.o", folder_, fs::path(source).filename().string());
}

std::string PrecompiledHeaders::file(Pass pass, bool riscv64) const {
  const std::string made = place(pass, riscv64);
  return fs::exists(made) && up_to_date() ? made : std::string();
}

std::string PrecompiledHeaders::part(const std::string& source) const {
  const std::string made = place_of_part(source);
  return allow({}) && fs::exists(made) && up_to_date() ? made : std::string();
}

bool PrecompiledHeaders::up_to_date() const {
  std::ifstream noted(folder_ + "/made-from");
  std::string line;
  if (!std::getline(noted, line) || line != surroundings()) return false;
  while (std::getline(noted, line))
    if (line != identity(line.substr(line.find(' ') + 1))) return false;
  return true;
}

std::string PrecompiledHeaders::surroundings() const {
  return identity(in_path(compiler_)) + " " + fs::canonical(installation_.include_directory).string();
}

void PrecompiledHeaders::forget() const {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (!failed) fs::remove(folder_ + "/made-from", failed);
  if (failed) throw Error(fmt::format("cc: cannot write in {}: {}", folder_, failed.message()));
}

void PrecompiledHeaders::made_from(const std::set<std::string>& headers) const {
  const std::string file = folder_ + "/made-from", next = file + ".next";
  std::ofstream text(next);
  text << surroundings() << '\n';
  for (const std::string& header : headers) text << identity(header) << '\n';
  text.close();
  if (!text) throw Error("cc: cannot write " + next);
  fs::rename(next, file);
}

}  // namespace duet::cli
