// A compiler as a process of its own, started from a library that lies in the process of a simulated program.
//
//   const TemporaryFolder folder("duet-nvrtc");
//   const fs::path log = folder.path / "log";
//   const bool well = run({"/usr/bin/clang-19", "-S", "a.cl"}, own_environment(libraries), log, "nvrtc");
//   const std::string words = text_of(log);
//
// The child is no program of the run: it is not simulated, and finds the libraries of the machine. Left out:
// what is compiled, and how.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace duet::child {

// Gone with the object. `path` is empty where it could not be made.
struct TemporaryFolder {
  explicit TemporaryFolder(const std::string& prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::filesystem::path path;
};

// lib/duet, above this code's library or beside a folder above it (a test of the build). Empty: not known.
std::filesystem::path library_folder();

// The program's environment, without what `duet run` adds to it.
std::vector<std::string> own_environment(const std::filesystem::path& duet_libraries);

// True when the program ran and said that all is well; `log` gets all that it wrote. One that cannot be
// started has a line of `caller`'s there.
bool run(const std::vector<std::string>& command, const std::vector<std::string>& environment,
         const std::filesystem::path& log, const std::string& caller);

std::string text_of(const std::filesystem::path& file);

// A header as the program names it. A name that leaves the folder has its place by its last part alone.
void write_header(const std::filesystem::path& folder, const std::string& name, const std::string& text);

}  // namespace duet::child
