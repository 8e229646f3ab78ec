// What earlier runs compiled: that takes longer than simulating many a kernel, and the next run of a program
// has the same texts.
//
//   const FileCache cache("preexec");            // $XDG_CACHE_HOME/duet/preexec, or ~/.cache/duet/preexec
//   std::optional<std::string> elf = cache.recall(key);
//   if (!elf) cache.keep(key, compiled);
//
// A key is all that decides the result, such as a whole source text, and is compared as a whole. Where the
// folder cannot be made, read or written, nothing is kept, without a message. The folder has kMostFiles files
// at most; the least recently used go. Several processes may use it at once.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace duet {

class FileCache {
 public:
  static constexpr std::size_t kMostFiles = 256;

  explicit FileCache(const std::string& purpose);
  static FileCache in(std::filesystem::path folder) { return FileCache(Folder{std::move(folder)}); }

  std::optional<std::string> recall(const std::string& key) const;
  void keep(const std::string& key, const std::string& bytes) const;

 private:
  struct Folder {
    std::filesystem::path path;  // empty: keeps nothing
  };
  explicit FileCache(Folder folder) : folder_(std::move(folder.path)) {}
  std::filesystem::path file_of(const std::string& key) const;
  void make_room() const;

  std::filesystem::path folder_;
};

}  // namespace duet
