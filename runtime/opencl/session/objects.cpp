#include "opencl/session/objects.h"

#include <algorithm>

#include "core/memory.h"
#include "core/queues.h"
#include "opencl/session/session.h"

using duet::opencl::Session;

_cl_context::~_cl_context() {
  std::reverse(destructors.begin(), destructors.end());
  for (auto& destructor : destructors) Session::get().call_later(std::move(destructor));
}

_cl_mem::~_cl_mem() {
  Session& session = Session::get();
  if (image) duet::core::remove_descriptor(session.core(), image->object);
  if (!parent) {
    if (shadow_is_own) duet::core::release_unused(session.core(), duet::virtual_address(shadow));
    if (!is_svm) duet::core::release_unused(session.core(), address);
  }
  std::reverse(destructors.begin(), destructors.end());  // the last one that was given is the first
  for (auto& destructor : destructors) session.call_later(std::move(destructor));
}

_cl_program::~_cl_program() {
  for (const duet::core::Image* const one : {image, parts_image})
    if (one != nullptr) Session::get().core().modules().forget(one);
}

_cl_kernel::~_cl_kernel() { --program->kernels; }

_cl_command_queue::~_cl_command_queue() {
  duet::core::Runtime& runtime = Session::get().core();
  for (const duet::driver::StreamId stream : streams) duet::core::destroy_stream(runtime, stream);
  if (marker != 0) duet::core::destroy_event(runtime, marker);
}
