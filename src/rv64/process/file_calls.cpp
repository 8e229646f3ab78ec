// System calls on files: on paths, descriptors and folders.
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <vector>

#include "rv64/process/system_calls.h"

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kMostListBytes = 64_KiB;  // of getdents64, at once

std::int64_t answer(std::int64_t result) { return result < 0 ? -errno : result; }
int folder(std::uint64_t argument) { return static_cast<int>(argument); }
LastLink last_link(int flags) {
  return (flags & AT_SYMLINK_NOFOLLOW) != 0 ? LastLink::Keep : LastLink::Follow;
}

// As asm-generic/stat.h has it.
struct GuestStat {
  std::uint64_t device, inode;
  std::uint32_t mode, links, user, group;
  std::uint64_t special_device, padding1;
  std::int64_t size;
  std::int32_t block_size, padding2;
  std::int64_t blocks;
  std::int64_t access_s, access_ns, change_s, change_ns, status_s, status_ns;
  std::uint32_t unused[2];
};
static_assert(sizeof(GuestStat) == 128);

GuestStat guest_stat(const struct stat& host) {
  GuestStat guest{};
  guest.device = host.st_dev;
  guest.inode = host.st_ino;
  guest.mode = host.st_mode;
  guest.links = static_cast<std::uint32_t>(host.st_nlink);
  guest.user = host.st_uid;
  guest.group = host.st_gid;
  guest.special_device = host.st_rdev;
  guest.size = host.st_size;
  guest.block_size = static_cast<std::int32_t>(host.st_blksize);
  guest.blocks = host.st_blocks;
  guest.access_s = host.st_atim.tv_sec;
  guest.access_ns = host.st_atim.tv_nsec;
  guest.change_s = host.st_mtim.tv_sec;
  guest.change_ns = host.st_mtim.tv_nsec;
  guest.status_s = host.st_ctim.tv_sec;
  guest.status_ns = host.st_ctim.tv_nsec;
  return guest;
}

}  // namespace

std::int64_t SystemCalls::get_path(std::uint64_t address, std::string& path) {
  path.clear();
  for (char letter = 0; path.size() < PATH_MAX; path.push_back(letter)) {
    if (!get(address + path.size(), letter)) return -EFAULT;
    if (letter == 0) return 0;
  }
  return -ENAMETOOLONG;
}

std::int64_t SystemCalls::put_text(std::uint64_t address, std::uint64_t bytes, const std::string& text) {
  const auto part = std::as_bytes(std::span(text).first(std::min<std::uint64_t>(bytes, text.size())));
  if (space_.memory().write(VirtualAddress(address), part)) return -EFAULT;
  return static_cast<std::int64_t>(part.size());
}

std::int64_t SystemCalls::openat(const Arguments& a) {
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  return files_.open(folder(a[0]), path, static_cast<int>(a[2]), static_cast<unsigned>(a[3]));
}
std::int64_t SystemCalls::close(const Arguments& a) { return files_.close(a[0]); }

std::int64_t SystemCalls::lseek(const Arguments& a) {
  const int host = files_.host(a[0]);
  return host < 0 ? host : answer(::lseek(host, static_cast<off_t>(a[1]), static_cast<int>(a[2])));
}

std::int64_t SystemCalls::put_stat(std::uint64_t address, int host, const std::string& path, int flags) {
  struct stat found;
  if ((path.empty() ? ::fstat(host, &found) : ::fstatat(AT_FDCWD, path.c_str(), &found, flags)) != 0)
    return -errno;
  return put(address, guest_stat(found)) ? 0 : -EFAULT;
}
std::int64_t SystemCalls::fstat(const Arguments& a) {
  const int host = files_.host(a[0]);
  return host < 0 ? host : put_stat(a[1], host, {}, 0);
}
std::int64_t SystemCalls::newfstatat(const Arguments& a) {
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  if (path.empty() && (a[3] & AT_EMPTY_PATH) != 0 && folder(a[0]) != AT_FDCWD) return fstat({a[0], a[2]});
  std::int64_t error = 0;
  const int flags = static_cast<int>(a[3]) & AT_SYMLINK_NOFOLLOW;
  const std::string place = files_.path_to_read(folder(a[0]), path, error, last_link(flags));
  return error != 0 ? error : put_stat(a[2], -1, place, flags);
}

// As asm-generic and linux/stat.h have it; only stat's part.
std::int64_t SystemCalls::statx(const Arguments& a) {
  struct Time {
    std::int64_t seconds;
    std::uint32_t nanoseconds;
    std::int32_t padding;
  };
  struct {
    std::uint32_t mask, block_size;
    std::uint64_t attributes;
    std::uint32_t links, user, group;
    std::uint16_t mode, padding1;
    std::uint64_t inode, size, blocks, attributes_mask;
    Time access, birth, status, change;
    std::uint32_t special_major, special_minor, device_major, device_minor;
    std::uint64_t mount, padding2[13];
  } guest{};
  static_assert(sizeof guest == 256);
  constexpr std::uint32_t kBasicStats = 0x7ff;
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  const int flags = static_cast<int>(a[2]);
  if ((flags & ~(AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH | AT_NO_AUTOMOUNT | AT_STATX_SYNC_TYPE)) != 0)
    return -EINVAL;
  struct stat found;
  std::int64_t error = 0;
  if (path.empty() && (flags & AT_EMPTY_PATH) != 0 && folder(a[0]) != AT_FDCWD) {
    const int host = files_.host(a[0]);
    if (host < 0) return host;
    error = answer(::fstat(host, &found));
  } else {
    const std::string place = files_.path_to_read(folder(a[0]), path, error, last_link(flags));
    if (error == 0) error = answer(::fstatat(AT_FDCWD, place.c_str(), &found, flags & AT_SYMLINK_NOFOLLOW));
  }
  if (error != 0) return error;
  guest.mask = kBasicStats;
  guest.block_size = static_cast<std::uint32_t>(found.st_blksize);
  guest.links = static_cast<std::uint32_t>(found.st_nlink);
  guest.user = found.st_uid;
  guest.group = found.st_gid;
  guest.mode = static_cast<std::uint16_t>(found.st_mode);
  guest.inode = found.st_ino;
  guest.size = static_cast<std::uint64_t>(found.st_size);
  guest.blocks = static_cast<std::uint64_t>(found.st_blocks);
  const auto time = [](const timespec& host) {
    return Time{host.tv_sec, static_cast<std::uint32_t>(host.tv_nsec), 0};
  };
  guest.access = time(found.st_atim);
  guest.status = time(found.st_ctim);
  guest.change = time(found.st_mtim);
  guest.special_major = major(found.st_rdev);
  guest.special_minor = minor(found.st_rdev);
  guest.device_major = major(found.st_dev);
  guest.device_minor = minor(found.st_dev);
  return put(a[4], guest) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::readlinkat(const Arguments& a) {
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  if (static_cast<std::int64_t>(a[3]) <= 0) return -EINVAL;
  std::int64_t error = 0;
  const std::string place = files_.path_to_read(folder(a[0]), path, error, LastLink::Keep);
  if (error != 0) return error;
  if (path == "/proc/self/exe") return put_text(a[2], a[3], place);
  char text[PATH_MAX];
  const ssize_t bytes = ::readlink(place.c_str(), text, sizeof text);
  return bytes < 0 ? -errno : put_text(a[2], a[3], std::string(text, static_cast<std::size_t>(bytes)));
}

std::int64_t SystemCalls::faccessat(const Arguments& a) {
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  std::int64_t error = 0;
  const std::string place = files_.path_to_read(folder(a[0]), path, error);
  if (error != 0) return error;
  if (::access(place.c_str(), static_cast<int>(a[2])) != 0) return -errno;
  if ((a[2] & W_OK) != 0) files_.path_to_change(folder(a[0]), path, error);
  return error;
}
// With flags, the fourth argument, which faccessat lacks.
std::int64_t SystemCalls::faccessat2(const Arguments& a) {
  if ((a[3] & ~std::uint64_t{AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH}) != 0) return -EINVAL;
  return faccessat(a);
}

// No descriptor is a terminal: programs buffer the same wherever their output goes.
std::int64_t SystemCalls::ioctl(const Arguments& a) {
  const int host = files_.host(a[0]);
  if (host < 0) return host;
  if (a[1] != FIONREAD) return -ENOTTY;
  int bytes = 0;
  if (::ioctl(host, FIONREAD, &bytes) != 0) return -errno;
  return put(a[2], bytes) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::fcntl(const Arguments& a) {
  const int host = files_.host(a[0]);
  if (host < 0) return host;
  switch (a[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
      return files_.duplicate(a[0], a[2]);
    case F_GETFD:
      return 0;  // nothing is ever executed: the flag does nothing
    case F_SETFD:
      return 0;
    case F_GETFL:
      return files_.get_flags(a[0]);
    case F_SETFL:
      return files_.set_flags(a[0], static_cast<int>(a[2]));
    default:
      return -EINVAL;
  }
}

std::int64_t SystemCalls::dup(const Arguments& a) { return files_.duplicate(a[0], 0); }
std::int64_t SystemCalls::dup3(const Arguments& a) {
  return a[0] == a[1] ? -EINVAL : files_.duplicate_to(a[0], a[1]);
}

std::int64_t SystemCalls::pipe2(const Arguments& a) {
  std::int32_t ends[2];
  const std::int64_t error = files_.pipe(static_cast<int>(a[1]), ends);
  return error != 0 ? error : put(a[0], ends) ? 0 : -EFAULT;
}

std::int64_t SystemCalls::getdents64(const Arguments& a) {
  const int host = files_.host(a[0]);
  if (host < 0) return host;
  std::string buffer(std::min(a[2], kMostListBytes), '\0');
  const ssize_t bytes = ::getdents64(host, buffer.data(), buffer.size());
  if (bytes < 0) return -errno;
  buffer.resize(static_cast<std::size_t>(bytes));
  return put_text(a[1], buffer.size(), buffer);
}

std::int64_t SystemCalls::getcwd(const Arguments& a) {
  const std::string text(files_.folder().c_str(), files_.folder().size() + 1);
  return a[1] < text.size() ? -ERANGE : put_text(a[0], a[1], text);
}

std::int64_t SystemCalls::chdir(const Arguments& a) {
  std::string path;
  const std::int64_t error = get_path(a[0], path);
  return error != 0 ? error : files_.change_folder(path);
}
std::int64_t SystemCalls::fchdir(const Arguments& a) { return files_.change_folder(a[0]); }

std::int64_t SystemCalls::unlinkat(const Arguments& a) {
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  std::int64_t error = 0;
  const std::string place = files_.path_to_change(folder(a[0]), path, error, LastLink::Keep);
  return error != 0 ? error : answer(::unlinkat(AT_FDCWD, place.c_str(), static_cast<int>(a[2])));
}
std::int64_t SystemCalls::mkdirat(const Arguments& a) {
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  std::int64_t error = 0;
  const std::string place = files_.path_to_change(folder(a[0]), path, error, LastLink::Keep);
  return error != 0 ? error : answer(::mkdir(place.c_str(), static_cast<mode_t>(a[2])));
}
std::int64_t SystemCalls::renameat2(const Arguments& a) {
  std::string paths[2], places[2];
  for (unsigned i = 0; i < 2; ++i) {
    std::int64_t error = get_path(a[2 * i + 1], paths[i]);
    if (error == 0) places[i] = files_.path_to_change(folder(a[2 * i]), paths[i], error, LastLink::Keep);
    if (error != 0) return error;
  }
  return a[4] != 0 ? -EINVAL : answer(::rename(places[0].c_str(), places[1].c_str()));
}
std::int64_t SystemCalls::ftruncate(const Arguments& a) {
  const int host = files_.host(a[0]);
  return host < 0 ? host : answer(::ftruncate(host, static_cast<off_t>(a[1])));
}
std::int64_t SystemCalls::fsync(const Arguments& a) {
  const int host = files_.host(a[0]);
  return host < 0 ? host : answer(::fsync(host));
}

}  // namespace duet::rv64
