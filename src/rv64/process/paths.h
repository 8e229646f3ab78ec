// The files behind the program's paths. With a root folder, a path means a file under it, or, where there is
// none, the host's (as with qemu's -L). A path is followed here component by component, as the program sees
// them: so neither a link nor ".." leads out of the root folder. /proc and /sys would describe the host, not
// the simulated machine: they are empty, but for /proc/self/exe.
//
// Everything may be read. Files may be changed in the folder of the run's start, or in a folder of the
// options, both by their place on the host; and /dev/null and its like.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace duet::rv64 {

struct FileOptions {
  std::string root;                   // empty: none
  std::vector<std::string> writable;  // folders, besides the current one
};

enum class LastLink { Follow, Keep };  // whether a link at a path's end is followed

struct Place {
  std::string guest, host;  // absolute, without links but for a kept one at the end
  bool exists = false;      // if not, its folder does
};

class Paths {
 public:
  // Error, of one line, where a folder of the options is none.
  Paths(const std::string& program, const FileOptions& options);

  // 0, or a negative errno. `folder` is where a relative path begins.
  std::int64_t resolve(const std::string& folder, const std::string& path, LastLink last, Place& place) const;
  bool may_change(const Place& place) const;

 private:
  std::filesystem::path host_of(const std::filesystem::path& guest) const;

  std::filesystem::path program_, root_;
  std::vector<std::filesystem::path> writable_;
};

}  // namespace duet::rv64
