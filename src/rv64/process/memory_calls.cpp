// System calls on memory.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "rv64/process/system_calls.h"

namespace duet::rv64 {

std::int64_t SystemCalls::brk(const Arguments& a) { return space_.brk(a[0]); }
std::int64_t SystemCalls::munmap(const Arguments& a) { return space_.unmap(a[0], a[1]); }
std::int64_t SystemCalls::mprotect(const Arguments& a) {
  return space_.protect(a[0], a[1], static_cast<int>(a[2]));
}
std::int64_t SystemCalls::mremap(const Arguments& a) {
  return space_.remap(a[0], a[1], a[2], static_cast<int>(a[3]), a[4]);
}
std::int64_t SystemCalls::madvise(const Arguments& a) {
  return space_.advise(a[0], a[1], static_cast<int>(a[2]));
}

std::int64_t SystemCalls::mmap(const Arguments& a) {
  const int protection = static_cast<int>(a[2]), flags = static_cast<int>(a[3]);
  const int kind = flags & MAP_TYPE;
  if (kind != MAP_PRIVATE && kind != MAP_SHARED && kind != MAP_SHARED_VALIDATE) return -EINVAL;
  if ((flags & MAP_ANONYMOUS) != 0) return space_.map(a[0], a[1], protection, flags, nullptr);
  const int host = files_.host(a[4]);
  if (host < 0) return host;
  if (a[5] % kPageBytes != 0) return -EINVAL;
  // Writing into a file by memory is left out.
  if (kind != MAP_PRIVATE && (protection & PROT_WRITE) != 0) return -ENODEV;
  if (a[1] > AddressSpace::kMostMappedBytes) return -ENOMEM;
  std::vector<std::byte> contents;
  constexpr std::size_t kPart = 1_MiB;
  while (contents.size() < a[1]) {
    const std::size_t had = contents.size(), part = std::min<std::size_t>(kPart, a[1] - had);
    contents.resize(had + part);
    const ssize_t count = ::pread(host, contents.data() + had, part, static_cast<off_t>(a[5] + had));
    if (count < 0) return errno == ESPIPE || errno == EISDIR ? -ENODEV : errno == EBADF ? -EACCES : -errno;
    contents.resize(had + static_cast<std::size_t>(count));
    if (count == 0) break;
  }
  const std::span<const std::byte> view(contents);
  return space_.map(a[0], a[1], protection, flags, &view);
}

}  // namespace duet::rv64
