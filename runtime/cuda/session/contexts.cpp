#include "cuda/session/contexts.h"

#include <algorithm>

#include "core/memory.h"
#include "cuda/device/device_calls.h"
#include "cuda/images/image_calls.h"
#include "cuda/memory/pools.h"
#include "cuda/modules/modules.h"

namespace duet::cuda {

namespace {

// The primary one first; never destroyed, so no handle is given twice.
std::vector<CUctx_st*>& contexts() {
  static auto* const all = [] {
    auto* made = new std::vector<CUctx_st*>{new CUctx_st};
    made->front()->primary = true;
    made->front()->id = 1;
    return made;
  }();
  return *all;
}

}  // namespace

CUctx_st* primary_context() { return contexts().front(); }

CUctx_st* current_context(const ThreadState& thread) {
  return thread.contexts.empty() ? nullptr : thread.contexts.back();
}

void use_primary_context(ThreadState& thread) {
  primary_context()->of_runtime = primary_context()->alive = true;
  if (current_context(thread) != nullptr) return;
  if (!thread.contexts.empty()) thread.contexts.pop_back();
  thread.contexts.push_back(primary_context());
}

bool valid_context(const CUctx_st* context) {
  return std::find(contexts().begin(), contexts().end(), context) != contexts().end() && context->alive;
}

CUctx_st* add_context(unsigned flags) {
  auto* context = new CUctx_st;
  context->id = contexts().size() + 1;
  context->flags = flags;
  contexts().push_back(context);
  return context;
}

namespace {

void destroy_primary(Session& session) {
  forget_objects(session);
  forget_arrays();
  core::reset_memory(session.core(),
                     [](VirtualAddress address) { return owner_of(address) != primary_context(); });
  forget_pool_attributes();
  session.modules().forget_launches();
  forget_limits(session);
  primary_context()->of_runtime = false;
}

}  // namespace

void destroy_context(Session& session, CUctx_st* context) {
  session.process().reset(true);
  session.remove_all_of(context);
  unload_modules_of(session, context);
  if (context->primary) destroy_primary(session);
  for (const VirtualAddress address : context->memory) {
    const memory::Allocation* allocation = session.space().find(address);
    if (allocation == nullptr || allocation->base != address) continue;
    if (allocation->in_device_memory())
      session.process().release_device(*allocation);
    else
      session.core().free_host(duet::pointer_of(address));
  }
  context->memory.clear();
  context->alive = context->primary && context->retained != 0;
  session.process().reset(false);
}

void own(ThreadState& thread, VirtualAddress address) {
  CUctx_st* context = current_context(thread);
  if (context != nullptr && !context->primary && address) context->memory.insert(address);
}

void disown(VirtualAddress address) {
  for (CUctx_st* context : contexts()) context->memory.erase(address);
}

CUctx_st* owner_of(VirtualAddress address) {
  for (CUctx_st* context : contexts())
    if (context->memory.contains(address)) return context;
  return primary_context();
}

}  // namespace duet::cuda
