#include "memory/two_views.h"

#include <sys/mman.h>
#include <unistd.h>

namespace duet::memory {

TwoViews map_two_views(const char* name, Bytes bytes) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) return {};
  void* views[2] = {MAP_FAILED, MAP_FAILED};
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0)
    for (void*& view : views) view = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (views[0] != MAP_FAILED && views[1] != MAP_FAILED)
    return {static_cast<std::byte*>(views[0]), static_cast<std::byte*>(views[1])};
  for (void* view : views)
    if (view != MAP_FAILED) munmap(view, bytes);
  return {};
}

void unmap(const TwoViews& views, Bytes bytes) {
  munmap(views.program, bytes);
  munmap(views.simulator, bytes);
}

}  // namespace duet::memory
