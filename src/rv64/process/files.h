// The files of a process: its descriptors, each of a file of the host, and which paths it may open. Reading
// is passed through. Writing is only inside the folder where the run was started (and to /dev/null and its
// like); elsewhere it is EROFS, as on a file system that is mounted read-only. /proc and /sys tell of the
// host, not of the simulated machine: they have nothing in them, but /proc/self/exe.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace duet::rv64 {

class Files {
 public:
  // Descriptors 0, 1 and 2 are those of this process. `program` is the path of the program's file.
  explicit Files(const std::string& program);
  ~Files();
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  // The host's descriptor; -EBADF.
  int host(std::uint64_t descriptor) const;
  // Calls by path are relative to the folder `descriptor`, or with AT_FDCWD to the current one. All answer a
  // descriptor, a count or 0, or a negative errno.
  std::int64_t open(int directory, const std::string& path, int flags, unsigned mode);
  std::int64_t close(std::uint64_t descriptor);
  // To the lowest free number from `lowest`, or to exactly `to`.
  std::int64_t duplicate(std::uint64_t descriptor, std::uint64_t lowest);
  std::int64_t duplicate_to(std::uint64_t descriptor, std::uint64_t to);
  std::int64_t pipe(int flags, std::int32_t (&ends)[2]);
  // What `path` names, as a path of the host; negative errno in `error` where nothing can be there, or where
  // it may not be changed.
  std::string path_to_read(int directory, const std::string& path, std::int64_t& error) const;
  enum class LastLink { Follow, Keep };  // whether a link at the path's end stands for what it names
  std::string path_to_change(int directory, const std::string& path, std::int64_t& error,
                             LastLink last = LastLink::Follow) const;

  const std::string& program() const { return program_; }
  const std::string& folder() const { return folder_; }

 private:
  std::int64_t add(int host, std::uint64_t lowest = 0);

  std::map<std::uint64_t, int> descriptors_;
  std::string program_, folder_;
};

}  // namespace duet::rv64
