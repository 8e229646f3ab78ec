#include "preexec/elf_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/hash.h"

namespace duet::preexec {

namespace fs = std::filesystem;

namespace {

fs::path own_folder() {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return fs::path(cache) / "duet/preexec";
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache/duet/preexec";
  return {};
}

// A file is the length of its key in a line, the key, and the ELF file.
std::string head_of(const std::string& key) { return fmt::format("{}\n{}", key.size(), key); }

}  // namespace

ElfCache::ElfCache() : folder_(own_folder()) {}

fs::path ElfCache::file_of(const std::string& key) const {
  return folder_ / fmt::format("{:016x}", hash(key));
}

bool ElfCache::recall(const std::string& key, const std::string& path) const {
  if (folder_.empty()) return false;
  const fs::path file = file_of(key);
  const std::string kept = read_file(file).value_or("");
  const std::string head = head_of(key);
  if (kept.size() <= head.size() || !kept.starts_with(head)) return false;
  std::ofstream elf(path, std::ios::binary | std::ios::trunc);
  elf << kept.substr(head.size());
  if (!elf.flush()) return false;
  std::error_code ignored;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return true;
}

// Under another name first: others never see a part of it.
void ElfCache::keep(const std::string& key, const std::string& path) const {
  std::error_code failed;
  if (folder_.empty()) return;
  fs::create_directories(folder_, failed);
  if (failed) return;
  const fs::path file = file_of(key), part = fmt::format("{}.{}", file.string(), getpid());
  std::ofstream to(part, std::ios::binary | std::ios::trunc);
  to << head_of(key) << read_file(path).value_or("");
  to.close();
  if (to) fs::rename(part, file, failed);
  if (!to || failed) fs::remove(part, failed);
  make_room();
}

void ElfCache::make_room() const {
  std::error_code failed;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator entry(folder_, failed), end; !failed && entry != end; entry.increment(failed)) {
    std::error_code gone;  // another process makes room, too
    const fs::file_time_type used = fs::last_write_time(entry->path(), gone);
    if (!gone) files.emplace_back(used, entry->path());
  }
  if (files.size() <= kMostFiles) return;
  std::sort(files.begin(), files.end());
  files.resize(files.size() - kMostFiles);
  for (const auto& [used, path] : files) fs::remove(path, failed);
}

}  // namespace duet::preexec
