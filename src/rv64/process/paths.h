// What a path of the program names. With a root folder, the program's files are those under it, and where it
// has none of a name, the host's (as qemu's -L has it). A path is followed here component by component, as
// the program sees them: so neither a link nor ".." leads out of the root folder. /proc and /sys tell of the
// host, not of the simulated machine: they have nothing in them, but /proc/self/exe.
//
// Everything may be read. Changed may be what lies in the folder where the run was started, or in one that
// the options name, both by their place on the host; and /dev/null and its like.
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

enum class LastLink { Follow, Keep };  // whether a link at a path's end stands for what it names

struct Place {
  std::string guest, host;  // absolute, without links but for one at the end that is kept
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
