// clang-19 as a process of its own, with libclc and Duet's functions of OpenCL C (builtins/).
//
//   const Tools tools = find_tools(options.uniform_groups);
//   if (!tools.missing.empty()) return {.no_compiler = true, .log = tools.missing};
//   Job job(tools);
//   if (job.run({"-x", "cl", "-S", "-emit-llvm", job.file("source.cl")}, "device.ll", compiled.log)) ...
//
// Left out: what is compiled, and what is kept of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "child/child.h"

namespace duet::opencl {

struct Tools {
  std::string clang, builtins;
  std::filesystem::path libraries;
  std::string versions;  // of all three as they are now: part of a key
  std::string missing;   // a line for the log: what is not here, and its package
};

Tools find_tools(bool uniform_groups);

// Words by which functions of OpenCL C come into a module: Duet's before libclc's.
void add_builtins(std::vector<std::string>& words, const Tools& tools);

// One compilation: a folder for its files, which goes with it.
class Job {
 public:
  explicit Job(const Tools& tools);
  // A line for the log: why nothing can be compiled. Empty: it can.
  const std::string& failed() const { return failed_; }
  std::filesystem::path folder() const { return folder_.path; }
  std::filesystem::path file(const std::string& name) const { return folder_.path / name; }
  void write(const std::string& name, const std::string& text) const;
  // clang for PTX with these words behind. True: it has made `output`. Its own ones are added to the log.
  bool run(const std::vector<std::string>& words, const std::string& output, std::string& log) const;

 private:
  const Tools& tools_;
  child::TemporaryFolder folder_;
  std::vector<std::string> environment_;
  std::string failed_;
};

}  // namespace duet::opencl
