// What lies in a folder that a user names: the results of a run, of one process of it, a sweep, or none.
#pragma once

#include <string>
#include <vector>

namespace duet::cli {

enum class FolderKind { None, CutOffRun, Run, ProcessOfRun, Sweep, EmptyRun };

// EmptyRun: machine.toml without results. Throws duet::Error, which begins with `command`, where there is no
// folder.
FolderKind kind_of(const std::string& folder, const std::string& command);
// The folders of a run's processes besides the first: "1", "2".
std::vector<std::string> further_processes(const std::string& run);

// One process of a run that has ended.
struct ProcessFolder {
  std::string path;    // absolute
  std::string run;     // the folder of its run
  std::string within;  // "/1"; empty: the first process
  // A file of the process as its run lists it.
  std::string note(const std::string& name) const {
    return within.empty() ? name : within.substr(1) + "/" + name;
  }
};
ProcessFolder process_folder(const std::string& folder, FolderKind kind);

// Throws duet::Error with one line where a folder has no run that can be made again on other machines.
ProcessFolder process_to_advise(const std::string& folder);

// "report: X ..." for a folder that cannot answer; what to give instead.
[[noreturn]] void refuse_folder(const std::string& folder, FolderKind kind, const std::string& command);

}  // namespace duet::cli
