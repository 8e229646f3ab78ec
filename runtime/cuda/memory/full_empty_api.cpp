// duet_full_empty.h: full/empty bits (lustig2013 §4.4). Arguments are checked here and in copy_linear; the
// machine keeps the bits.
#include "cuda/memory/copies.h"
#include "cuda/session/session.h"
#include "cuda/streams/capture.h"
#include "duet_full_empty.h"

using duet::cuda::error_of;
using duet::cuda::FullEmptyUse;
using duet::cuda::Session;
using duet::cuda::ThreadState;
using duet::memory::Action;
using duet::memory::Allocation;
using duet::memory::Trigger;

namespace {

// False for a value outside the header.
bool read(cudaMemcpyTrigger trigger, cudaMemcpyAction action, FullEmptyUse& use) {
  switch (trigger) {
    case cudaMemcpyTriggerNone:
      use.trigger = Trigger::None;
      break;
    case cudaMemcpyTriggerFilled:
      use.trigger = Trigger::Full;
      break;
    case cudaMemcpyTriggerEmptied:
      use.trigger = Trigger::Empty;
      break;
    default:
      return false;
  }
  switch (action) {
    case cudaMemcpyActionNone:
      use.action = Action::None;
      break;
    case cudaMemcpyActionFill:
      use.action = Action::Fill;
      break;
    case cudaMemcpyActionEmpty:
      use.action = Action::Empty;
      break;
    default:
      return false;
  }
  return true;
}

}  // namespace

DUET_API(duetMallocTracked, Allocate, (void** pointer, size_t bytes)) {
  if (pointer == nullptr) return cudaErrorInvalidValue;
  *pointer = nullptr;
  if (!session.process().has_full_empty()) return cudaErrorNotSupported;
  if (bytes == 0) return cudaSuccess;
  const Allocation* allocation = session.process().allocate_tracked(bytes);
  if (allocation == nullptr) return cudaErrorMemoryAllocation;
  *pointer = duet::pointer_of(allocation->base);
  return cudaSuccess;
}
DUET_END

DUET_API(duetMemcpyAsync, MemcpyAsync,
         (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream,
          cudaMemcpyTrigger trigger, cudaMemcpyAction action)) {
  FullEmptyUse use;
  if (!read(trigger, action, use)) return cudaErrorInvalidValue;
  if (use.any() && !session.process().has_full_empty()) return cudaErrorNotSupported;
  return copy_linear(session, thread, to, from, bytes, kind, stream, true, use);
}
DUET_END

namespace {

// A command for the bits of a range, or with Action::None for the accesses that wait there.
cudaError_t submit(Session& session, ThreadState& thread, void* pointer, size_t bytes, Action action,
                   cudaStream_t stream) {
  duet::cuda::StreamUse use;
  if (const cudaError_t error = duet::cuda::enter_stream(session, stream, use); error != cudaSuccess)
    return error;
  if (use.capture != nullptr) return duet::cuda::refuse_capture(use, cudaErrorStreamCaptureUnsupported);
  return error_of(duet::core::change_full_empty(session.core(), *thread.host, duet::virtual_address(pointer),
                                                bytes, action, use.id));
}

}  // namespace

DUET_API(duetFullEmptySet, Memset,
         (void* pointer, size_t bytes, duetFullEmptyState state, cudaStream_t stream)) {
  if (state != duetEmpty && state != duetFull) return cudaErrorInvalidValue;
  return submit(session, thread, pointer, bytes, state == duetFull ? Action::Fill : Action::Empty, stream);
}
DUET_END

DUET_API(duetFullEmptyRelease, Memset, (void* pointer, size_t bytes, cudaStream_t stream)) {
  return submit(session, thread, pointer, bytes, Action::None, stream);
}
DUET_END

DUET_API(duetFullEmptyEmptyOnKernelEnd, Other, (void* pointer, int on)) {
  if (!session.process().has_full_empty()) return cudaErrorNotSupported;
  const auto address = duet::virtual_address(pointer);
  const Allocation* allocation = session.space().find(address);
  if (allocation == nullptr || !session.space().tracked(allocation->base) || allocation->base != address)
    return cudaErrorInvalidValue;
  session.process().empty_at_kernel_end(*allocation, on != 0);
  return cudaSuccess;
}
DUET_END
