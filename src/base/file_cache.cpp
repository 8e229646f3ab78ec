#include "base/file_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/hash.h"

namespace duet {

namespace fs = std::filesystem;

namespace {

fs::path folder_for(const std::string& purpose) {
  if (const char* const cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache == '/')
    return fs::path(cache) / "duet" / purpose;
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache/duet" / purpose;
  return {};
}

// A file is the length of its key in a line, the key, and the bytes.
std::string head_of(const std::string& key) { return std::to_string(key.size()) + "\n" + key; }

}  // namespace

FileCache::FileCache(const std::string& purpose) : folder_(folder_for(purpose)) {}

fs::path FileCache::file_of(const std::string& key) const {
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash(key)));
  return folder_ / name;
}

std::optional<std::string> FileCache::recall(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const fs::path file = file_of(key);
  std::string kept = read_file(file).value_or("");
  const std::string head = head_of(key);
  if (kept.size() <= head.size() || !kept.starts_with(head)) return std::nullopt;
  std::error_code ignored;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return kept.erase(0, head.size());
}

// Under another name first: others never see a part of it.
void FileCache::keep(const std::string& key, const std::string& bytes) const {
  std::error_code failed;
  if (folder_.empty()) return;
  fs::create_directories(folder_, failed);
  if (failed) return;
  const fs::path file = file_of(key), part = file.string() + "." + std::to_string(getpid());
  std::ofstream to(part, std::ios::binary | std::ios::trunc);
  to << head_of(key) << bytes;
  to.close();
  if (to) fs::rename(part, file, failed);
  if (!to || failed) fs::remove(part, failed);
  make_room();
}

void FileCache::make_room() const {
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

}  // namespace duet
