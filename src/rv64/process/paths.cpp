#include "rv64/process/paths.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <deque>

#include "base/error.h"

namespace duet::rv64 {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMostLinks = 40;  // as Linux

bool is_inside(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

fs::path checked_folder(const std::string& path, const char* option) {
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  if (failed || !fs::is_directory(real, failed))
    throw Error(
        fmt::format("{} {}: {}", option, path, failed ? failed.message() : "it is no folder: name one"));
  return real;
}

// Puts it in front of the rest of a path.
void prepend(std::deque<std::string>& left, const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (end != at) parts.push_back(path.substr(at, end - at));
    at = end + 1;
  }
  left.insert(left.begin(), parts.begin(), parts.end());
}

}  // namespace

Paths::Paths(const std::string& program, const FileOptions& options) {
  std::error_code ignored;
  program_ = fs::canonical(program, ignored);
  if (!options.root.empty()) root_ = checked_folder(options.root, "--root");
  const fs::path current = fs::current_path(ignored);
  if (!current.empty()) writable_.push_back(current);
  for (const std::string& folder : options.writable)
    writable_.push_back(checked_folder(folder, "--writable"));
}

fs::path Paths::host_of(const fs::path& guest) const {
  if (root_.empty()) return guest;
  const fs::path under = guest == "/" ? root_ : root_ / guest.relative_path();
  struct stat found;
  return ::lstat(under.c_str(), &found) == 0 ? under : guest;
}

std::int64_t Paths::resolve(const std::string& folder, const std::string& path, LastLink last,
                            Place& place) const {
  if (path.empty()) return -ENOENT;
  fs::path at = path[0] == '/' ? "/" : folder;
  const bool is_folder = path.back() == '/';  // a link before it is followed
  std::deque<std::string> left;
  prepend(left, path);
  place.exists = true;
  for (unsigned links = 0; !left.empty();) {
    const std::string part = left.front();
    left.pop_front();
    struct stat found;
    if (::stat(host_of(at).c_str(), &found) != 0) return -errno;
    if (!S_ISDIR(found.st_mode)) return -ENOTDIR;
    if (part == ".") continue;
    if (part == "..") {
      at = at.parent_path();
      continue;
    }
    const fs::path next = at / part;
    if (next == "/proc/self/exe") {
      if (!left.empty()) return -ENOTDIR;
      place.guest = place.host = program_.string();
      return 0;
    }
    const bool is_last = left.empty();
    if (::lstat(host_of(next).c_str(), &found) != 0) {
      if (errno != ENOENT || !is_last) return -errno;
      place.exists = false;
    } else if (S_ISLNK(found.st_mode) && !(is_last && last == LastLink::Keep && !is_folder)) {
      if (++links > kMostLinks) return -ELOOP;
      std::error_code failed;
      const std::string target = fs::read_symlink(host_of(next), failed).string();
      if (failed) return -failed.value();
      if (target[0] == '/') at = "/";
      prepend(left, target);
      continue;
    }
    at = next;
  }
  std::error_code ignored;
  const fs::path host = place.exists ? host_of(at) : host_of(at.parent_path()) / at.filename();
  const fs::path real = fs::weakly_canonical(host.parent_path(), ignored);
  for (const char* host_only : {"/proc", "/sys"})
    if (is_inside(at, host_only) || is_inside(real, host_only)) return -ENOENT;
  place.guest = at.string();
  place.host = host.string() + (is_folder && at != "/" ? "/" : "");
  return 0;
}

bool Paths::may_change(const Place& place) const {
  std::error_code failed;
  const fs::path lexical = fs::path(place.host).lexically_normal();
  const fs::path name = lexical.has_filename() ? lexical : lexical.parent_path();
  // Where the root folder lacks a name, the host's folder may be a link.
  const fs::path real = fs::canonical(name.parent_path(), failed) / name.filename();
  if (failed) return false;
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"})
    if (real == device) return true;
  return std::any_of(writable_.begin(), writable_.end(),
                     [&](const fs::path& folder) { return is_inside(real, folder); });
}

}  // namespace duet::rv64
