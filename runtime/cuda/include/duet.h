/* Duet's own calls for programs that want to mark phases and to state work of the host. They exist where
 * __DUET__ is defined, which `duet cc` does; elsewhere they compile to nothing, so that a program may keep
 * them. C and C++. Times are simulated nanoseconds of the calling host thread, counted from the start of the
 * run. */
#ifndef DUET_H
#define DUET_H

#include <stddef.h>

#if defined(__DUET__)

#if defined(__cplusplus)
extern "C" {
#endif

/** Records a mark called `name` at this thread's simulated time, for the report and the timeline. The name is
 * copied. Costs no simulated time and waits for nothing. A null name is ignored. */
void duetMark(const char* name);

/** Lets this thread's simulated time advance by `ns` nanoseconds, as if the host had computed for so long;
 * devices run on meanwhile. */
void duetHostWork(unsigned long long ns);

/** This thread's simulated time in nanoseconds. */
unsigned long long duetTimeNs(void);

/** The three calls below answer a cudaError_t.
 *
 * Memory of the host that kernels reach too, as cudaHostAlloc gives it, for a machine whose caches of cores
 * and GPU are not coherent (machines/tk1.toml): both may hold it, and the program has them written back.
 * Zeroed; cudaFreeHost releases it. cudaErrorNotSupported: no [[method]] row of the machine names the call.
 */
int duetSharedAlloc(void** pointer, size_t bytes);

/** Has the caches of all cores write [pointer, pointer + bytes) back and give it up: before a kernel that
 * reads what the host has written, and before the host reads what a kernel has written. Null and 0:
 * everything that they hold. Waits until it is done. cudaErrorInvalidValue: the range is in no allocation.
 * Elsewhere than on such a machine, and where the cores are not simulated, it does nothing. */
int duetFlushCpu(const void* pointer, size_t bytes);

/** The same of the GPU's L2: behind a kernel whose results the host reads, and before a kernel that reads
 * what the host has written since. It does not wait for kernels that run. */
int duetFlushGpu(const void* pointer, size_t bytes);

#if defined(__cplusplus)
}
#endif

#else

#include <time.h>

static inline void duetMark(const char* name) { (void)name; }

static inline void duetHostWork(unsigned long long ns) { (void)ns; }

#if defined(CUDART_VERSION)
/** Without Duet: cudaHostAlloc. */
static inline int duetSharedAlloc(void** pointer, size_t bytes) {
  return (int)cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}
#endif

static inline int duetFlushCpu(const void* pointer, size_t bytes) { return (void)pointer, (void)bytes, 0; }

static inline int duetFlushGpu(const void* pointer, size_t bytes) { return (void)pointer, (void)bytes, 0; }

/** Without Duet: nanoseconds of a clock that never goes back, from an arbitrary start (clock_gettime's
 *  CLOCK_MONOTONIC, or the calendar time where the C library hides that one); needs nothing to be linked. */
static inline unsigned long long duetTimeNs(void) {
  struct timespec now;
#if defined(CLOCK_MONOTONIC)
  clock_gettime(CLOCK_MONOTONIC, &now);
#else
  timespec_get(&now, TIME_UTC);
#endif
  return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

#endif

#endif
