// Where Duet's own files are: found from /proc/self/exe, so a symlink to `duet` works and nothing need be
// set. The build folder has the same shape as an installation: bin/duet, lib/duet/..., share/duet/....
#pragma once

#include <string>

namespace duet::config {

struct Installation {
  std::string prefix;             // of bin/duet
  std::string library_directory;  // where programs find libcudart.so.13
  std::string opencl_directory;   // of libduet_opencl.so, and the file that names it to a loader
  std::string hsa_directory;      // of libhsa-runtime64.so.1
  std::string guard_library;
  std::string system_calls_library;  // preloaded too where pinned memory is watched
  std::string guest_directory;       // libraries for programs on simulated cores
  std::string openmp_directory;      // OpenMP for programs of `duet cc`, in source
  std::string host_program;          // the program that runs them
  std::string machines_directory;
  std::string include_directory;
  std::string workloads_directory;
  std::string experiments_directory;
  std::string ptx_coverage_file;
  std::string report_template;   // of report.html
  std::string explain_template;  // of explain.html
  std::string page_template;     // of all other pages
};

// Throws duet::Error when the folder is not shaped like an installation.
Installation find_installation();

}  // namespace duet::config
