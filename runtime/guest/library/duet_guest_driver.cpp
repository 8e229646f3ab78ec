// Work of the driver on simulated cores (driver_handlers.h): in the program, since that is where code runs,
// and on the core of the thread whose call needs it. It stands for code of the kernel: its loads, stores and
// TLB accesses are real ones of this core, its way into the kernel and back is left out.
#include "driver_handlers.h"

using namespace duet::core;

namespace {

// As Linux's drivers do with a program's pages (get_user_pages, then an update of the GPU's table): first
// what the process's table says of each page, and its frame kept in its place; then the GPU's own entries,
// from the addresses. Returns how many pages have a frame.
uint64_t fill_page_table(const PageTableWork* work) {
  const auto [entries, frames, addresses, gpu_entries, most] = *work;
  uint64_t pages = 0;
  for (; pages < most; ++pages) {
    const uint64_t entry = static_cast<const volatile uint64_t*>(entries)[pages];
    if ((entry & kEntryValid) == 0) break;
    __atomic_fetch_add(&frames[pages].users, 1, __ATOMIC_RELAXED);
    static_cast<volatile uint64_t*>(addresses)[pages] = entry >> kEntryFrameBit << 12;
  }
  for (uint64_t page = 0; page < pages; ++page)
    static_cast<volatile uint64_t*>(gpu_entries)[page] = addresses[page] | kEntryValid;
  asm volatile("fence rw, rw" ::: "memory");  // in memory before the GPU looks
  return pages;
}

// The registers of whoever had the core are kept, the GPU's ring is read to its end, and the thread that
// waits for the fence can run.
uint64_t serve_interrupt(InterruptRing* ring, volatile uint64_t* registers) {
  for (volatile uint64_t& word : ring->saved) word = 0;
  volatile InterruptRing* const shared = ring;
  uint64_t woken = 0;
  while (shared->read != shared->written) {
    if (shared->source == kFenceSource) woken = shared->fence;
    shared->read = shared->read + 1;
  }
  *registers = shared->read;
  asm volatile("fence rw, rw" ::: "memory");
  for (volatile uint64_t& word : ring->saved) static_cast<void>(word);
  return woken;
}

}  // namespace

extern "C" __attribute__((visibility("hidden"))) void* duet_guest_driver(void* handler, void* first,
                                                                         void* second, void*) {
  const uint64_t result =
      reinterpret_cast<uint64_t>(handler) == kFillPageTable
          ? fill_page_table(static_cast<const PageTableWork*>(first))
          : serve_interrupt(static_cast<InterruptRing*>(first), static_cast<volatile uint64_t*>(second));
  return reinterpret_cast<void*>(result);
}
