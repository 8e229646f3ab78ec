// Compiled programs of earlier runs: compiling one takes longer than simulating many a kernel, and the next
// run of a program has the same kernels.
//
//   const ElfCache cache;                        // $XDG_CACHE_HOME/duet/preexec, or ~/.cache/duet/preexec
//   if (!cache.recall(key, path)) { compile to path; cache.keep(key, path); }
//
// A key is the whole source text of an ELF file, and is compared as a whole. Where the folder cannot be made,
// read or written, nothing is kept, without a message. The folder has kMostFiles files at most; the least
// recently used go. Several processes may use it at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace duet::preexec {

class ElfCache {
 public:
  static constexpr std::size_t kMostFiles = 256;

  ElfCache();
  explicit ElfCache(std::filesystem::path folder) : folder_(std::move(folder)) {}  // empty: keeps nothing

  // Whether `path` now has the file kept under `key`.
  bool recall(const std::string& key, const std::string& path) const;
  void keep(const std::string& key, const std::string& path) const;

 private:
  std::filesystem::path file_of(const std::string& key) const;
  void make_room() const;

  std::filesystem::path folder_;
};

}  // namespace duet::preexec
