// Contexts of the driver interface. The device has one primary context, used by the runtime interface, and
// programs may make others. All share one address space, one default stream and the device's memory; a
// context's possessions are remembered, and destroyed with it: streams, events, modules, allocations made
// through the driver interface. Left out: execution affinity, limits of each context's own.
#pragma once

#include <set>
#include <vector>

#include "cuda/session/session.h"

struct CUctx_st {
  unsigned long long id = 0;
  unsigned flags = 0;
  bool primary = false;
  bool alive = true;
  unsigned retained = 0;                  // primary: cuDevicePrimaryCtxRetain
  bool of_runtime = false;                // primary: the runtime interface uses it
  std::set<duet::VirtualAddress> memory;  // allocations of a context other than the primary
};

namespace duet::cuda {

CUctx_st* primary_context();
// The thread's; null when there is none.
CUctx_st* current_context(const ThreadState& thread);
// For calls of the runtime: where the thread has no context, the primary one becomes current.
void use_primary_context(ThreadState& thread);
// Whether a program's pointer is a live context.
bool valid_context(const CUctx_st* context);
CUctx_st* add_context(unsigned flags);
// With all its possessions; the device is idle. The primary one may be used again, as a new one: variables
// have their first values then.
void destroy_context(Session& session, CUctx_st* context);
// Remembers, forgets whose an allocation is.
void own(ThreadState& thread, VirtualAddress address);
void disown(VirtualAddress address);
CUctx_st* owner_of(VirtualAddress address);

}  // namespace duet::cuda
