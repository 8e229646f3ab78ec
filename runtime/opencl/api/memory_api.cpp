// Buffers, parts of buffers, and what all memory objects have.
#include <algorithm>

#include "core/memory.h"
#include "opencl/api/entries.h"
#include "opencl/api/memory_flags.h"
#include "opencl/api/transfers.h"
#include "opencl/session/work.h"

namespace duet::opencl::api {

namespace {

// A chip whose cores and GPU share memory has what the host asks for in pages that both reach; elsewhere the
// buffer is in the GPU's memory, and mapping copies.
bool lies_in_host_memory(Session& session, cl_mem_flags flags) {
  return session.config().gpu.integrated && (flags & CL_MEM_ALLOC_HOST_PTR) != 0;
}

cl_int allocate_buffer(Session& session, _cl_mem& buffer) {
  if (lies_in_host_memory(session, buffer.flags)) {
    void* const pages = session.core().allocate_host(buffer.bytes, memory::AllocationKind::Pinned);
    if (pages == nullptr) return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    buffer.in_host_memory = true;
    buffer.shadow = static_cast<std::byte*>(pages);
    buffer.address = duet::virtual_address(pages);
    return CL_SUCCESS;
  }
  return error_of(core::allocate(session.core(), buffer.bytes, buffer.address));
}

cl_int make_buffer(Session& session, HostThread& host, cl_context context,
                   const cl_mem_properties* properties, cl_mem_flags flags, size_t bytes, void* from,
                   cl_mem& made) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  if (properties != nullptr && *properties != 0) return CL_INVALID_PROPERTY;
  if (!flags_fit(flags)) return CL_INVALID_VALUE;
  if (bytes == 0 || bytes > session.config().gpu.dram.bytes) return CL_INVALID_BUFFER_SIZE;
  const bool has_pointer = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
  if (has_pointer != (from != nullptr)) return CL_INVALID_HOST_PTR;
  const auto svm = session.svm.find(from);
  if ((flags & CL_MEM_USE_HOST_PTR) != 0 && svm != session.svm.end() && bytes > svm->second.bytes)
    return CL_INVALID_BUFFER_SIZE;
  if ((flags & kAccess) == 0) flags |= CL_MEM_READ_WRITE;
  const Ref<_cl_mem> buffer = new_memory();
  buffer->context = Ref<_cl_context>(context);
  buffer->flags = flags;
  buffer->bytes = bytes;
  buffer->properties = properties_of(properties);
  if ((flags & CL_MEM_USE_HOST_PTR) != 0) buffer->host_pointer = from;
  if ((flags & CL_MEM_USE_HOST_PTR) != 0 && svm != session.svm.end()) {
    buffer->is_svm = buffer->in_host_memory = true;
    buffer->shadow = static_cast<std::byte*>(from);
    buffer->address = duet::virtual_address(from);
  } else {
    if (const cl_int error = allocate_buffer(session, *buffer); error != CL_SUCCESS) {
      buffer->is_svm = true;  // there is nothing to give back
      return error;
    }
    if (has_pointer)
      write_now(session, host, {duet::pointer_of(buffer->address), bytes, bytes}, {from, bytes, bytes},
                {bytes, 1, 1});
  }
  made = give_to_program(buffer);
  return CL_SUCCESS;
}

}  // namespace

DUET_CL_MAKE(cl_mem, clCreateBuffer, Allocate,
             (cl_context context, cl_mem_flags flags, size_t bytes, void* from, cl_int* error)) {
  return make_buffer(session, host, context, nullptr, flags, bytes, from, made);
}
DUET_CL_END

DUET_CL_MAKE(cl_mem, clCreateBufferWithProperties, Allocate,
             (cl_context context, const cl_mem_properties* properties, cl_mem_flags flags, size_t bytes,
              void* from, cl_int* error)) {
  return make_buffer(session, host, context, properties, flags, bytes, from, made);
}
DUET_CL_END

DUET_CL_MAKE(cl_mem, clCreateSubBuffer, Other,
             (cl_mem parent, cl_mem_flags flags, cl_buffer_create_type type, const void* what,
              cl_int* error)) {
  if (find(parent) == nullptr || parent->parent || parent->image) return CL_INVALID_MEM_OBJECT;
  if (type != CL_BUFFER_CREATE_TYPE_REGION || what == nullptr) return CL_INVALID_VALUE;
  if (!flags_fit(flags) || (flags & kHostPointer) != 0) return CL_INVALID_VALUE;
  if (!allowed_in(parent->flags, flags)) return CL_INVALID_VALUE;
  cl_buffer_region region;
  session.core().program().read_memory("clCreateSubBuffer", what, &region, sizeof region);
  if (region.size == 0) return CL_INVALID_BUFFER_SIZE;
  if (region.origin > parent->bytes || region.size > parent->bytes - region.origin) return CL_INVALID_VALUE;
  if (region.origin % kBaseAlignment != 0) return CL_MISALIGNED_SUB_BUFFER_OFFSET;
  made = make_object<_cl_mem>();
  made->context = parent->context;
  made->parent = Ref<_cl_mem>(parent);
  made->origin = region.origin;
  made->bytes = region.size;
  made->flags = flags_of_part(parent->flags, flags);
  made->in_host_memory = parent->in_host_memory;
  made->address = parent->address + region.origin;
  if (parent->host_pointer != nullptr)
    made->host_pointer = static_cast<std::byte*>(parent->host_pointer) + region.origin;
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clRetainMemObject, Other, (cl_mem memory)) { return retain(memory, CL_INVALID_MEM_OBJECT); }
DUET_CL_END
DUET_CL(clReleaseMemObject, Allocate, (cl_mem memory)) { return release(memory, CL_INVALID_MEM_OBJECT); }
DUET_CL_END

DUET_CL(clGetMemObjectInfo, Query, (cl_mem memory, cl_mem_info what, size_t room, void* to, size_t* needed)) {
  if (find(memory) == nullptr) return CL_INVALID_MEM_OBJECT;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_MEM_TYPE:
      return answer.value(memory->image ? memory->image->type : cl_mem_object_type{CL_MEM_OBJECT_BUFFER});
    case CL_MEM_FLAGS:
      return answer.value(memory->flags);
    case CL_MEM_SIZE:
      return answer.value(memory->bytes);
    case CL_MEM_HOST_PTR:
      return answer.value(memory->host_pointer);
    case CL_MEM_MAP_COUNT:
      return answer.value(memory->maps);
    case CL_MEM_REFERENCE_COUNT:
      return answer.value(memory->references);
    case CL_MEM_CONTEXT:
      return answer.value(static_cast<cl_context>(memory->context.get()));
    case CL_MEM_ASSOCIATED_MEMOBJECT:
      return answer.value(static_cast<cl_mem>(memory->parent.get()));
    case CL_MEM_OFFSET:
      return answer.value(memory->origin);
    case CL_MEM_USES_SVM_POINTER:
      return answer.value(static_cast<cl_bool>(memory->whole().is_svm));
    case CL_MEM_PROPERTIES:
      return answer.list(memory->properties);
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL(clSetMemObjectDestructorCallback, Other,
        (cl_mem memory, void(CL_CALLBACK* notify)(cl_mem, void*), void* user_data)) {
  if (find(memory) == nullptr) return CL_INVALID_MEM_OBJECT;
  if (notify == nullptr) return CL_INVALID_VALUE;
  memory->destructors.push_back([=] { call_program(notify, memory, user_data); });
  expect_calls();
  return CL_SUCCESS;
}
DUET_CL_END

}  // namespace duet::opencl::api
