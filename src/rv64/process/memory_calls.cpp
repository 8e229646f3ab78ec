// System calls on memory.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "rv64/process/system_calls.h"

namespace duet::rv64 {
namespace {

std::uint64_t end_of(std::uint64_t first, std::uint64_t bytes) {
  return first + ((bytes + kPageBytes - 1) & ~(kPageBytes - 1));
}

}  // namespace

std::int64_t SystemCalls::brk(const Arguments& a) { return space_.brk(a[0]); }
std::int64_t SystemCalls::munmap(const Arguments& a) {
  if (a[0] % kPageBytes == 0) mappings_.remove(a[0], end_of(a[0], a[1]));
  return space_.unmap(a[0], a[1]);
}
std::int64_t SystemCalls::mprotect(const Arguments& a) {
  if ((a[2] & PROT_WRITE) != 0 && !mappings_.may_write(a[0], end_of(a[0], a[1]))) return -EACCES;
  return space_.protect(a[0], a[1], static_cast<int>(a[2]));
}
std::int64_t SystemCalls::mremap(const Arguments& a) {
  const std::uint64_t end = end_of(a[0], a[1]);
  const bool shrinks = a[2] < a[1];
  const bool fixed = (a[3] & MREMAP_FIXED) != 0;
  if (a[0] % kPageBytes != 0 || (fixed && a[4] % kPageBytes != 0)) return -EINVAL;
  // New bytes of the file are left out.
  if (!shrinks && a[2] != a[1] && mappings_.any(a[0], end)) return -EINVAL;
  if (fixed) mappings_.remove(a[4], end_of(a[4], a[2]));
  if (shrinks) mappings_.remove(end_of(a[0], a[2]), end);
  const std::int64_t result = space_.remap(a[0], a[1], a[2], static_cast<int>(a[3]), a[4]);
  if (result >= 0) mappings_.move(a[0], end, static_cast<std::uint64_t>(result));
  return result;
}
std::int64_t SystemCalls::madvise(const Arguments& a) {
  // Of a file it would be read again.
  if (a[2] == MADV_DONTNEED && mappings_.any(a[0], end_of(a[0], a[1]))) return 0;
  return space_.advise(a[0], a[1], static_cast<int>(a[2]));
}
std::int64_t SystemCalls::msync(const Arguments& a) {
  if (a[0] % kPageBytes != 0 || (a[2] & ~std::uint64_t{MS_ASYNC | MS_INVALIDATE | MS_SYNC}) != 0)
    return -EINVAL;
  mappings_.write_back(a[0], end_of(a[0], a[1]));
  return 0;
}

std::int64_t SystemCalls::mmap(const Arguments& a) {
  const int protection = static_cast<int>(a[2]), flags = static_cast<int>(a[3]);
  const int kind = flags & MAP_TYPE;
  if (kind != MAP_PRIVATE && kind != MAP_SHARED && kind != MAP_SHARED_VALIDATE) return -EINVAL;
  const auto map = [&](const std::span<const std::byte>* contents) {
    if ((flags & MAP_FIXED) != 0 && a[0] % kPageBytes == 0) mappings_.remove(a[0], end_of(a[0], a[1]));
    return space_.map(a[0], a[1], protection, flags, contents);
  };
  if ((flags & MAP_ANONYMOUS) != 0) return map(nullptr);
  const auto file = files_.find(a[4]);
  if (file == nullptr) return -EBADF;
  if (a[5] % kPageBytes != 0) return -EINVAL;
  const int mode = ::fcntl(file->host, F_GETFL) & O_ACCMODE;
  const bool is_shared = kind != MAP_PRIVATE;
  if (mode == O_WRONLY || (is_shared && mode != O_RDWR && (protection & PROT_WRITE) != 0)) return -EACCES;
  if (a[1] > AddressSpace::kMostMappedBytes) return -ENOMEM;
  mappings_.write_back_file(file->host);
  std::vector<std::byte> contents;
  constexpr std::size_t kPart = 1_MiB;
  while (contents.size() < a[1]) {
    const std::size_t had = contents.size(), part = std::min<std::size_t>(kPart, a[1] - had);
    contents.resize(had + part);
    const ssize_t count = ::pread(file->host, contents.data() + had, part, static_cast<off_t>(a[5] + had));
    if (count < 0) return errno == ESPIPE || errno == EISDIR ? -ENODEV : errno == EBADF ? -EACCES : -errno;
    contents.resize(had + static_cast<std::size_t>(count));
    if (count == 0) break;
  }
  const std::span<const std::byte> view(contents);
  const std::int64_t result = map(&view);
  if (is_shared && result >= 0) {
    const auto first = static_cast<std::uint64_t>(result);
    mappings_.add(first, end_of(first, a[1]) - first, file, a[5], std::move(contents), mode == O_RDWR);
  }
  return result;
}

}  // namespace duet::rv64
