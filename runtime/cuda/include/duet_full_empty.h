/* Full/empty bits (lustig2013, section 4.4): memory whose granules are full or empty, copies that wait for
 * and change that state, and kernels whose reads wait for full and whose writes fill. C and C++.
 *
 * Only memory from duetMallocTracked has bits; a granule is gpu.full_empty.granule_bytes of the machine file,
 * 4 bytes by default. Everything is full at first. In tracked memory
 *   - a kernel's read waits until every granule that it touches is full, and leaves it full;
 *   - a kernel's write does not wait, and fills;
 *   - a kernel's atomic waits for full, then fills;
 *   - loads and stores that say so do something else (duet_full_empty_device.h);
 *   - a copy, fill or cudaMemset without trigger and action ignores the bits and leaves them.
 * A granule wider than a word is full when each of its words has been filled since it was emptied, and empty
 * when each has been emptied since it was full. Commands of one stream still run one after the other; what
 * the bits order belongs into different streams.
 *
 * What waits keeps what it has. A copy keeps its copy engine: with gpu.copy_engines.count = 1 a copy to the
 * host that waits blocks the copy to the device that should fill; with two engines each direction has its
 * own, and copies inside the device and fills take one that is idle. duetFullEmptySet needs none. A copy to
 * pageable memory returns when it is complete, as cudaMemcpyAsync's does: issued before the work that it
 * waits for, it waits for ever; use cudaMallocHost. (Pageable memory is a good source: its bytes are taken at
 * the call.) A second command of its stream waits in the stream's hardware channel, and with
 * gpu.front_end.hardware_channels = 1 holds up what all streams submit later. Triggered copies of both
 * directions share a strictly ordered queue of the memory controller (lustig2013 4.3): a copy that waits for
 * empty keeps back the one behind it that would empty, unless the machine keeps them apart
 * (gpu.full_empty.queues = 4) or looks into the queue (gpu.full_empty.look_ahead).
 *
 * A machine in which nobody can go on says who waits for what and ends with status 124. Other threads of the
 * program that may still make calls are waited for. */
#ifndef DUET_FULL_EMPTY_H
#define DUET_FULL_EMPTY_H

#include <cuda_runtime_api.h>

/** What a copy's access to tracked memory waits for, granule by granule. */
enum cudaMemcpyTrigger {
  cudaMemcpyTriggerNone = 0,    /**< nothing */
  cudaMemcpyTriggerFilled = 1,  /**< until the granule is full */
  cudaMemcpyTriggerEmptied = 2, /**< until the granule is empty */
};

/** What a copy's access to tracked memory does to the bit of each granule, once it takes place. */
enum cudaMemcpyAction {
  cudaMemcpyActionNone = 0,  /**< nothing */
  cudaMemcpyActionFill = 1,  /**< the granule is full afterwards */
  cudaMemcpyActionEmpty = 2, /**< the granule is empty afterwards */
};

enum duetFullEmptyState { duetEmpty = 0, duetFull = 1 };

#if defined(__cplusplus)
extern "C" {
#endif

/** Allocates `bytes` of device memory, rounded up to whole granules, with full/empty bits, all full; cudaFree
 *  releases it. Errors: cudaErrorInvalidValue (null pointer), cudaErrorMemoryAllocation (device memory, or
 * what the controllers can track, is exhausted), cudaErrorNotSupported (the machine has no full/empty bits,
 * or the GPU is functional). */
cudaError_t duetMallocTracked(void** pointer, size_t bytes);

/** cudaMemcpyAsync between host and tracked device memory, of `bytes` bytes, each access to the device's side
 *  with `trigger` and `action`. With neither it is cudaMemcpyAsync, of any memory. Errors: those of
 *  cudaMemcpyAsync; cudaErrorInvalidValue for an unknown trigger or action, a device side that is not tracked
 * or whose range does not consist of whole granules, or both sides on the device; cudaErrorNotSupported as
 *  duetMallocTracked. */
cudaError_t duetMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream, enum cudaMemcpyTrigger trigger,
                            enum cudaMemcpyAction action);

/** Makes [pointer, pointer + bytes) of tracked memory full or empty when `stream` reaches this command; the
 * data stay. Costs what an asynchronous memset costs. Errors: cudaErrorInvalidValue for memory that is not
 * tracked, a range that does not consist of whole granules or leaves its allocation, or an unknown state;
 *  cudaErrorInvalidResourceHandle for an unknown stream; cudaErrorNotSupported as duetMallocTracked. */
cudaError_t duetFullEmptySet(void* pointer, size_t bytes, enum duetFullEmptyState state, cudaStream_t stream);

/** An override (lustig2013, section 4.5): every request to [pointer, pointer + bytes) of tracked memory that
 * waits for its trigger in a memory controller when this command gets there is let go, with its action,
 * whatever its trigger says. A read takes what is there. The command itself changes no bit and no data, and
 * what comes later waits as ever, the rest of the same copy or kernel too: who does not know what is on its
 * way repeats it, on a stream of its own. It works on whole lines of 128 bytes: what waits for the rest of a
 * line that the range touches is let go as well. Costs and errors: those of duetFullEmptySet. */
cudaError_t duetFullEmptyRelease(void* pointer, size_t bytes, cudaStream_t stream);

/** With on != 0, each kernel that is launched from now on, in whatever stream, empties all of the tracked
 *  allocation when its last block has ended and all that it wrote has arrived, before the stream's next
 * command (lustig2013, section 4.5: for data that a kernel reads more than once). With on = 0 kernels that
 * are launched from now on no longer do; cudaFree ends it too. The emptying is part of the launch and costs
 * no call; in stats.json it is an entry `full_empty_set` of `copies` that begins where the kernel's end_ps
 * is, which does not include it. A kernel that faults empties nothing. Errors: cudaErrorInvalidValue for
 * anything but a pointer from duetMallocTracked, cudaErrorNotSupported as duetMallocTracked. */
cudaError_t duetFullEmptyEmptyOnKernelEnd(void* pointer, int on);

#if defined(__cplusplus)
}

template <class T>
static inline cudaError_t duetMallocTracked(T** pointer, size_t bytes) {
  return ::duetMallocTracked(reinterpret_cast<void**>(pointer), bytes);
}

/** lustig2013's spelling. */
static inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
                                          cudaStream_t stream, enum cudaMemcpyTrigger trigger,
                                          enum cudaMemcpyAction action = cudaMemcpyActionNone) {
  return ::duetMemcpyAsync(to, from, bytes, kind, stream, trigger, action);
}

#else

/* lustig2013's spelling: five arguments are CUDA's own function, six or seven name trigger and action. */
#define DUET_MEMCPY_CHOOSE(a, b, c, d, e, f, g, name, ...) name
#define DUET_MEMCPY_5(to, from, bytes, kind, stream) cudaMemcpyAsync(to, from, bytes, kind, stream)
#define DUET_MEMCPY_6(to, from, bytes, kind, stream, trigger) \
  duetMemcpyAsync(to, from, bytes, kind, stream, trigger, cudaMemcpyActionNone)
#define cudaMemcpyAsync(...)                                                                             \
  DUET_MEMCPY_CHOOSE(__VA_ARGS__, duetMemcpyAsync, DUET_MEMCPY_6, DUET_MEMCPY_5, DUET_MEMCPY_4, ~, ~, ~) \
  (__VA_ARGS__)

#endif

#if defined(__clang__) && defined(__CUDA__)
#include "duet_full_empty_device.h"
#endif

#endif
