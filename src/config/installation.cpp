#include "config/installation.h"

#include <filesystem>

#include "base/error.h"

namespace duet::config {

namespace fs = std::filesystem;

Installation find_installation() {
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  Installation found;
  found.prefix = prefix;
  found.library_directory = prefix / "lib/duet/cuda";
  found.opencl_directory = prefix / "lib/duet/opencl";
  found.hsa_directory = prefix / "lib/duet/hsa";
  found.guard_library = prefix / "lib/duet/libduet_guard.so";
  found.system_calls_library = prefix / "lib/duet/libduet_system_calls.so";
  found.guest_directory = prefix / "lib/duet/guest";
  found.openmp_directory = prefix / "lib/duet/openmp";
  found.host_program = prefix / "lib/duet/duet-host";
  found.machines_directory = prefix / "share/duet/machines";
  found.include_directory = prefix / "share/duet/include";
  found.workloads_directory = prefix / "share/duet/workloads";
  found.experiments_directory = prefix / "share/duet/experiments";
  found.ptx_coverage_file = prefix / "share/duet/ptx_coverage.tsv";
  found.report_template = prefix / "share/duet/report/report.html";
  found.page_template = prefix / "share/duet/report/pages.html";
  found.explain_template = prefix / "share/duet/report/explain.html";
  for (const std::string& directory :
       {found.library_directory, found.machines_directory, found.include_directory})
    if (!fs::is_directory(directory))
      throw Error("this installation is not complete: " + directory + " is missing");
  return found;
}

}  // namespace duet::config
