#include "rv64/process/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kMostDescriptors = 1024;  // RLIMIT_NOFILE

}  // namespace

OpenFile::~OpenFile() {
  if (is_own) ::close(host);
}

Files::Files(const std::string& program, const FileOptions& options) : paths_(program, options) {
  std::error_code ignored;
  folder_ = std::filesystem::current_path(ignored).string();
  // They stay open: Duet writes to them too.
  for (const int host : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    descriptors_[static_cast<std::uint64_t>(host)] = std::make_shared<OpenFile>(host, false);
}

std::shared_ptr<OpenFile> Files::find(std::uint64_t descriptor) const {
  const auto found = descriptors_.find(descriptor & 0xffffffff);
  return found == descriptors_.end() ? nullptr : found->second;
}
int Files::host(std::uint64_t descriptor) const {
  const auto file = find(descriptor);
  return file == nullptr ? -EBADF : file->host;
}
bool Files::may_wait(std::uint64_t descriptor) const {
  const auto file = find(descriptor);
  return file != nullptr && file->is_pipe && file->blocks;
}

std::int64_t Files::add(std::shared_ptr<OpenFile> file, std::uint64_t lowest) {
  std::uint64_t number = lowest;
  while (descriptors_.contains(number)) ++number;
  if (number >= kMostDescriptors) return -EMFILE;
  descriptors_[number] = std::move(file);
  return static_cast<std::int64_t>(number);
}

std::int64_t Files::resolve(int directory, const std::string& path, LastLink last, Place& place) const {
  if (path.empty()) return -ENOENT;
  if (path[0] == '/' || directory == AT_FDCWD) return paths_.resolve(folder_, path, last, place);
  const auto file = find(static_cast<std::uint32_t>(directory));
  if (file == nullptr) return -EBADF;
  return file->path.empty() ? -ENOTDIR : paths_.resolve(file->path, path, last, place);
}

std::string Files::path_to_read(int directory, const std::string& path, std::int64_t& error,
                                LastLink last) const {
  Place place;
  error = resolve(directory, path, last, place);
  return place.host;
}

std::string Files::path_to_change(int directory, const std::string& path, std::int64_t& error,
                                  LastLink last) const {
  Place place;
  error = resolve(directory, path, last, place);
  if (error == 0 && !paths_.may_change(place)) error = -EROFS;
  return place.host;
}

std::int64_t Files::open(int directory, const std::string& path, int flags, unsigned mode) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const bool changes = creates || (flags & O_ACCMODE) != O_RDONLY || (flags & O_TRUNC) != 0;
  const bool keeps = (flags & O_NOFOLLOW) != 0 || (creates && (flags & O_EXCL) != 0);
  Place place;
  if (const std::int64_t error = resolve(directory, path, keeps ? LastLink::Keep : LastLink::Follow, place))
    return error;
  if (!place.exists && !creates) return -ENOENT;
  if (changes && !paths_.may_change(place)) return -EROFS;
  const int host = ::open(place.host.c_str(), flags | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, mode);
  if (host < 0) return -errno;
  auto file = std::make_shared<OpenFile>(host, true);
  file->path = place.guest;
  return add(std::move(file));
}

std::int64_t Files::close(std::uint64_t descriptor) {
  return descriptors_.erase(descriptor & 0xffffffff) != 0 ? 0 : -EBADF;
}

std::int64_t Files::duplicate(std::uint64_t descriptor, std::uint64_t lowest) {
  auto file = find(descriptor);
  if (file == nullptr) return -EBADF;
  return lowest >= kMostDescriptors ? -EINVAL : add(std::move(file), lowest);
}

std::int64_t Files::duplicate_to(std::uint64_t descriptor, std::uint64_t to) {
  auto file = find(descriptor);
  if (file == nullptr || to >= kMostDescriptors) return -EBADF;
  descriptors_[to] = std::move(file);
  return static_cast<std::int64_t>(to);
}

std::int64_t Files::pipe(int flags, std::int32_t (&ends)[2]) {
  if ((flags & ~(O_NONBLOCK | O_CLOEXEC)) != 0) return -EINVAL;
  int hosts[2];
  if (::pipe2(hosts, O_NONBLOCK | O_CLOEXEC) != 0) return -errno;
  std::shared_ptr<OpenFile> files[2];
  for (unsigned i = 0; i < 2; ++i) {
    files[i] = std::make_shared<OpenFile>(hosts[i], true);
    files[i]->is_pipe = true;
    files[i]->blocks = (flags & O_NONBLOCK) == 0;
  }
  const std::int64_t first = add(files[0]), second = add(files[1]);
  if (first < 0 || second < 0) {
    if (first >= 0) close(static_cast<std::uint64_t>(first));
    return -EMFILE;
  }
  ends[0] = static_cast<std::int32_t>(first);
  ends[1] = static_cast<std::int32_t>(second);
  return 0;
}

std::int64_t Files::get_flags(std::uint64_t descriptor) const {
  const auto file = find(descriptor);
  if (file == nullptr) return -EBADF;
  const int flags = ::fcntl(file->host, F_GETFL);
  if (flags < 0) return -errno;
  return file->is_pipe && file->blocks ? flags & ~O_NONBLOCK : flags;
}
std::int64_t Files::set_flags(std::uint64_t descriptor, int flags) {
  const auto file = find(descriptor);
  if (file == nullptr) return -EBADF;
  if (file->is_pipe) {
    file->blocks = (flags & O_NONBLOCK) == 0;
    return 0;
  }
  return ::fcntl(file->host, F_SETFL, flags) < 0 ? -errno : 0;
}

std::int64_t Files::change_folder(const std::string& path) {
  Place place;
  if (const std::int64_t error = resolve(AT_FDCWD, path, LastLink::Follow, place)) return error;
  struct stat found;
  if (::stat(place.host.c_str(), &found) != 0) return -errno;
  if (!S_ISDIR(found.st_mode)) return -ENOTDIR;
  if (::access(place.host.c_str(), X_OK) != 0) return -errno;
  folder_ = place.guest;
  return 0;
}
std::int64_t Files::change_folder(std::uint64_t descriptor) {
  const auto file = find(descriptor);
  if (file == nullptr) return -EBADF;
  return file->path.empty() ? -ENOTDIR : change_folder(file->path);
}

}  // namespace duet::rv64
