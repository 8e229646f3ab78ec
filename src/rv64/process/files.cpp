#include "rv64/process/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>

namespace duet::rv64 {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostDescriptors = 1024;  // RLIMIT_NOFILE

bool is_inside(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

}  // namespace

Files::Files(const std::string& program)
    : descriptors_{{0, STDIN_FILENO}, {1, STDOUT_FILENO}, {2, STDERR_FILENO}} {
  std::error_code ignored;
  program_ = fs::canonical(program, ignored).string();
  folder_ = fs::current_path(ignored).string();
}

Files::~Files() {
  for (const auto& [guest, host] : descriptors_)
    if (host > STDERR_FILENO) ::close(host);
}

int Files::host(std::uint64_t descriptor) const {
  const auto found = descriptors_.find(descriptor & 0xffffffff);
  return found == descriptors_.end() ? -EBADF : found->second;
}

std::int64_t Files::add(int host, std::uint64_t lowest) {
  if (host < 0) return -errno;
  std::uint64_t number = lowest;
  while (descriptors_.contains(number)) ++number;
  if (number >= kMostDescriptors) {
    ::close(host);
    return -EMFILE;
  }
  descriptors_[number] = host;
  return static_cast<std::int64_t>(number);
}

std::string Files::path_to_read(int directory, const std::string& path, std::int64_t& error) const {
  error = 0;
  if (path.empty()) {
    error = -ENOENT;
    return {};
  }
  fs::path whole(path);
  if (whole.is_relative() && directory != AT_FDCWD) {
    const int at = host(static_cast<std::uint32_t>(directory));
    std::error_code failed;
    const fs::path base = fs::read_symlink("/proc/self/fd/" + std::to_string(at), failed);
    if (at < 0 || failed) {
      error = -EBADF;
      return {};
    }
    whole = base / whole;
  }
  std::error_code ignored;
  const fs::path plain = fs::absolute(whole, ignored).lexically_normal();
  if (plain == "/proc/self/exe") return program_;
  for (const char* host_only : {"/proc", "/sys"})
    if (is_inside(plain, host_only) || is_inside(fs::weakly_canonical(plain, ignored), host_only))
      error = -ENOENT;
  return whole.string();
}

std::string Files::path_to_change(int directory, const std::string& path, std::int64_t& error,
                                  LastLink last) const {
  const fs::path whole(path_to_read(directory, path, error));
  if (error != 0) return {};
  std::error_code failed;
  fs::path real = last == LastLink::Follow ? fs::canonical(whole, failed) : fs::path();
  if (failed || last == LastLink::Keep) {
    // Not there yet, or the link itself: then its folder counts.
    const fs::path absolute = fs::absolute(whole, failed).lexically_normal();
    const fs::path parent = fs::canonical(absolute.parent_path(), failed);
    if (failed) {
      error = -failed.value();
      return {};
    }
    real = parent / absolute.filename();
    if (last == LastLink::Follow && fs::is_symlink(fs::symlink_status(real, failed))) {
      error = -EROFS;  // leads to nothing, or elsewhere
      return {};
    }
  }
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"})
    if (real == device) return real.string();
  if (folder_.empty() || !is_inside(real, folder_)) {
    error = -EROFS;
    return {};
  }
  return real.string();
}

std::int64_t Files::open(int directory, const std::string& path, int flags, unsigned mode) {
  std::int64_t error = 0;
  const bool changes = (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0;
  const std::string place =
      changes ? path_to_change(directory, path, error) : path_to_read(directory, path, error);
  if (error != 0) return error;
  return add(::open(place.c_str(), flags | O_CLOEXEC | O_NOCTTY | (changes ? O_NOFOLLOW : 0), mode));
}

std::int64_t Files::close(std::uint64_t descriptor) {
  const auto found = descriptors_.find(descriptor & 0xffffffff);
  if (found == descriptors_.end()) return -EBADF;
  // Those of this process stay open: Duet writes to them too.
  if (found->second > STDERR_FILENO) ::close(found->second);
  descriptors_.erase(found);
  return 0;
}

std::int64_t Files::duplicate(std::uint64_t descriptor, std::uint64_t lowest) {
  const int old = host(descriptor);
  if (old < 0) return old;
  if (lowest >= kMostDescriptors) return -EINVAL;
  return add(::fcntl(old, F_DUPFD_CLOEXEC, 3), lowest);
}

std::int64_t Files::duplicate_to(std::uint64_t descriptor, std::uint64_t to) {
  const int old = host(descriptor);
  if (old < 0) return old;
  if (to >= kMostDescriptors) return -EBADF;
  const int copy = ::fcntl(old, F_DUPFD_CLOEXEC, 3);
  if (copy < 0) return -errno;
  close(to);
  descriptors_[to] = copy;
  return static_cast<std::int64_t>(to);
}

std::int64_t Files::pipe(int flags, std::int32_t (&ends)[2]) {
  int host_ends[2];
  if (::pipe2(host_ends, flags | O_CLOEXEC) != 0) return -errno;
  const std::int64_t first = add(host_ends[0]), second = add(host_ends[1]);
  if (first < 0 || second < 0) {
    if (first >= 0) close(static_cast<std::uint64_t>(first));
    return -EMFILE;
  }
  ends[0] = static_cast<std::int32_t>(first);
  ends[1] = static_cast<std::int32_t>(second);
  return 0;
}

}  // namespace duet::rv64
