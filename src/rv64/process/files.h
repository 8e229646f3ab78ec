// The files of a process: its descriptors, each of a file of the host, and the paths it may open (paths.h).
// Files opened by path, and descriptors 0 to 2, are passed through to the host: a waiting read waits in the
// host, and no simulated time passes. Pipes of the program belong to the simulation: the host's descriptors
// of them never block, and a thread that waits for one leaves the core to others.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "rv64/process/paths.h"

namespace duet::rv64 {

// An open file, of one descriptor or of several duplicated ones.
struct OpenFile {
  int host = -1;
  bool is_own = true;  // to be closed
  bool is_pipe = false;
  bool blocks = true;  // of a pipe: as the program has it
  std::string path;    // as the program sees it; empty where it has none

  OpenFile(int host, bool is_own) : host(host), is_own(is_own) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile();
};

class Files {
 public:
  // Descriptors 0, 1 and 2 are this process's. `program` is the path of the program's file.
  explicit Files(const std::string& program, const FileOptions& options = {});

  // The host's descriptor; -EBADF.
  int host(std::uint64_t descriptor) const;
  std::shared_ptr<OpenFile> find(std::uint64_t descriptor) const;
  // Whether a call on it is to wait where the host says EAGAIN.
  bool may_wait(std::uint64_t descriptor) const;
  // Calls by path are relative to the folder `descriptor`, or with AT_FDCWD to the current one. All answer a
  // descriptor, a count or 0, or a negative errno.
  std::int64_t open(int directory, const std::string& path, int flags, unsigned mode);
  std::int64_t close(std::uint64_t descriptor);
  // To the lowest free number from `lowest`, or to exactly `to`.
  std::int64_t duplicate(std::uint64_t descriptor, std::uint64_t lowest);
  std::int64_t duplicate_to(std::uint64_t descriptor, std::uint64_t to);
  std::int64_t pipe(int flags, std::int32_t (&ends)[2]);
  std::int64_t get_flags(std::uint64_t descriptor) const;
  std::int64_t set_flags(std::uint64_t descriptor, int flags);
  std::int64_t change_folder(const std::string& path);
  std::int64_t change_folder(std::uint64_t descriptor);
  // `path` as a path of the host; negative errno in `error` where there can be no file, or where it may not
  // be changed.
  std::string path_to_read(int directory, const std::string& path, std::int64_t& error,
                           LastLink last = LastLink::Follow) const;
  std::string path_to_change(int directory, const std::string& path, std::int64_t& error,
                             LastLink last = LastLink::Follow) const;

  const std::string& folder() const { return folder_; }

 private:
  std::int64_t add(std::shared_ptr<OpenFile> file, std::uint64_t lowest = 0);
  std::int64_t resolve(int directory, const std::string& path, LastLink last, Place& place) const;

  Paths paths_;
  std::map<std::uint64_t, std::shared_ptr<OpenFile>> descriptors_;
  std::string folder_;  // the current one, as the program sees it
};

}  // namespace duet::rv64
