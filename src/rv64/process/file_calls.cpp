// System calls on files.
#include <dirent.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

#include "rv64/process/system_calls.h"

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kTransferBytes = 64_KiB;  // at once
constexpr std::int64_t kHere = -1;                // an offset: where the file stands

std::int64_t answer(std::int64_t result) { return result < 0 ? -errno : result; }
int folder(std::uint64_t argument) { return static_cast<int>(argument); }

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

// A part at a time. What was done before an error counts, as in Linux.
std::int64_t SystemCalls::transfer(bool write, std::uint64_t descriptor, std::uint64_t address,
                                   std::uint64_t bytes, std::int64_t offset) {
  const int host = files_.host(descriptor);
  if (host < 0) return host;
  if (!write && must_wait_to_read(host)) {
    threads_.yield();
    return kAgainLater;
  }
  bytes = std::min<std::uint64_t>(bytes, 0x7ffff000);
  std::vector<std::byte> buffer(std::min(bytes, kTransferBytes));
  std::int64_t done = 0;
  do {
    auto part = std::span(buffer).first(
        std::min<std::uint64_t>(bytes - static_cast<std::uint64_t>(done), buffer.size()));
    const VirtualAddress place(address + static_cast<std::uint64_t>(done));
    const std::int64_t from = offset + done;
    if (write && space_.memory().read(place, part)) return done != 0 ? done : -EFAULT;
    ssize_t count = 0;
    do {
      count = write ? (offset == kHere ? ::write(host, part.data(), part.size())
                                       : ::pwrite(host, part.data(), part.size(), from))
                    : (offset == kHere ? ::read(host, part.data(), part.size())
                                       : ::pread(host, part.data(), part.size(), from));
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
      const std::int64_t error = -errno;
      if (error == -EPIPE && done == 0) send(&threads_.current(), SIGPIPE);
      return done != 0 ? done : error;
    }
    if (!write && space_.memory().write(place, part.first(static_cast<std::size_t>(count))))
      return done != 0 ? done : -EFAULT;
    done += count;
    if (static_cast<std::size_t>(count) < part.size()) break;
  } while (static_cast<std::uint64_t>(done) < bytes);
  return done;
}

std::int64_t SystemCalls::transfer_vector(bool write, const Arguments& a) {
  if (a[2] > IOV_MAX) return -EINVAL;
  std::int64_t done = 0;
  for (std::uint64_t i = 0; i < a[2]; ++i) {
    struct {
      std::uint64_t address, bytes;
    } part;
    if (!get(a[1] + i * sizeof part, part)) return done != 0 ? done : -EFAULT;
    if (part.bytes == 0) continue;
    const std::int64_t count = transfer(write, a[0], part.address, part.bytes, kHere);
    if (count < 0) return done != 0 ? done : count;
    done += count;
    if (static_cast<std::uint64_t>(count) < part.bytes) break;
  }
  return done;
}

std::int64_t SystemCalls::read(const Arguments& a) { return transfer(false, a[0], a[1], a[2], kHere); }
std::int64_t SystemCalls::write(const Arguments& a) { return transfer(true, a[0], a[1], a[2], kHere); }
std::int64_t SystemCalls::readv(const Arguments& a) { return transfer_vector(false, a); }
std::int64_t SystemCalls::writev(const Arguments& a) { return transfer_vector(true, a); }
std::int64_t SystemCalls::pread64(const Arguments& a) {
  const auto offset = static_cast<std::int64_t>(a[3]);
  return offset < 0 ? -EINVAL : transfer(false, a[0], a[1], a[2], offset);
}
std::int64_t SystemCalls::pwrite64(const Arguments& a) {
  const auto offset = static_cast<std::int64_t>(a[3]);
  return offset < 0 ? -EINVAL : transfer(true, a[0], a[1], a[2], offset);
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
  const std::string place = files_.path_to_read(folder(a[0]), path, error);
  return error != 0 ? error : put_stat(a[2], -1, place, static_cast<int>(a[3]) & AT_SYMLINK_NOFOLLOW);
}

std::int64_t SystemCalls::readlinkat(const Arguments& a) {
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  if (static_cast<std::int64_t>(a[3]) <= 0) return -EINVAL;
  std::int64_t error = 0;
  const std::string place = files_.path_to_read(folder(a[0]), path, error);
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
      return answer(::fcntl(host, F_GETFL));
    case F_SETFL:
      return answer(::fcntl(host, F_SETFL, static_cast<int>(a[2])));
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
  std::string buffer(std::min(a[2], kTransferBytes), '\0');
  const ssize_t bytes = ::getdents64(host, buffer.data(), buffer.size());
  if (bytes < 0) return -errno;
  buffer.resize(static_cast<std::size_t>(bytes));
  return put_text(a[1], buffer.size(), buffer);
}

std::int64_t SystemCalls::getcwd(const Arguments& a) {
  const std::string text(files_.folder().c_str(), files_.folder().size() + 1);
  return a[1] < text.size() ? -ERANGE : put_text(a[0], a[1], text);
}

std::int64_t SystemCalls::unlinkat(const Arguments& a) {
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  std::int64_t error = 0;
  const std::string place = files_.path_to_change(folder(a[0]), path, error, Files::LastLink::Keep);
  return error != 0 ? error : answer(::unlinkat(AT_FDCWD, place.c_str(), static_cast<int>(a[2])));
}
std::int64_t SystemCalls::mkdirat(const Arguments& a) {
  std::string path;
  if (const std::int64_t error = get_path(a[1], path)) return error;
  std::int64_t error = 0;
  const std::string place = files_.path_to_change(folder(a[0]), path, error);
  return error != 0 ? error : answer(::mkdir(place.c_str(), static_cast<mode_t>(a[2])));
}
std::int64_t SystemCalls::renameat2(const Arguments& a) {
  std::string paths[2], places[2];
  for (unsigned i = 0; i < 2; ++i) {
    std::int64_t error = get_path(a[2 * i + 1], paths[i]);
    if (error == 0)
      places[i] = files_.path_to_change(folder(a[2 * i]), paths[i], error, Files::LastLink::Keep);
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
