// Loaded beside the guard where `--check races` watches pinned memory (machine/watch/host_pages.h): Linux
// answers EFAULT for closed pages, so that the runtime opens them before a function of the C library hands
// them over. Left out: other functions, and what the C library does inside (scanf into pinned memory).
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guard/library.h"

namespace {

void (*told)(const void* first, size_t bytes, int writes) = nullptr;

void use(const void* first, size_t bytes, int writes) {
  if (told != nullptr && bytes != 0) told(first, bytes, writes);
}

}  // namespace

// The runtime's function, from the program's first call on.
DUET_INTERPOSED void duet_tell_of_memory(void (*use)(const void*, size_t, int)) { told = use; }

DUET_INTERPOSED ssize_t write(int file, const void* from, size_t bytes) {
  use(from, bytes, 0);
  return DUET_NEXT(write)(file, from, bytes);
}
DUET_INTERPOSED ssize_t pwrite(int file, const void* from, size_t bytes, off_t place) {
  use(from, bytes, 0);
  return DUET_NEXT(pwrite)(file, from, bytes, place);
}
DUET_INTERPOSED ssize_t writev(int file, const iovec* parts, int count) {
  for (int i = 0; i < count; ++i) use(parts[i].iov_base, parts[i].iov_len, 0);
  return DUET_NEXT(writev)(file, parts, count);
}
DUET_INTERPOSED ssize_t send(int socket, const void* from, size_t bytes, int flags) {
  use(from, bytes, 0);
  return DUET_NEXT(send)(socket, from, bytes, flags);
}
DUET_INTERPOSED size_t fwrite(const void* from, size_t bytes, size_t count, FILE* file) {
  use(from, bytes * count, 0);
  return DUET_NEXT(fwrite)(from, bytes, count, file);
}
// What a function is about to fill may be unwritten, and its bytes are not read here.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
DUET_INTERPOSED ssize_t read(int file, void* to, size_t bytes) {
  use(to, bytes, 1);
  return DUET_NEXT(read)(file, to, bytes);
}
DUET_INTERPOSED ssize_t pread(int file, void* to, size_t bytes, off_t place) {
  use(to, bytes, 1);
  return DUET_NEXT(pread)(file, to, bytes, place);
}
DUET_INTERPOSED ssize_t recv(int socket, void* to, size_t bytes, int flags) {
  use(to, bytes, 1);
  return DUET_NEXT(recv)(socket, to, bytes, flags);
}
DUET_INTERPOSED size_t fread(void* to, size_t bytes, size_t count, FILE* file) {
  use(to, bytes * count, 1);
  return DUET_NEXT(fread)(to, bytes, count, file);
}
