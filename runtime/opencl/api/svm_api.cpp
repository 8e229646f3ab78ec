// Shared virtual memory (OpenCL 2.0): pages with one address for the program and the GPU. Coarse-grained
// memory is managed memory: the host has it while it is mapped. Fine-grained memory is pinned memory: both
// sides reach it at any time.
#include <algorithm>

#include "core/memory.h"
#include "core/queues.h"
#include "opencl/api/entries.h"
#include "opencl/api/svm.h"
#include "opencl/api/transfers.h"

namespace duet::opencl::api {

namespace {

// The allocation that the byte lies in; null: none.
const std::pair<void* const, Session::Svm>* allocation_at(Session& session, const void* pointer) {
  for (const auto& one : session.svm) {
    const auto* const first = static_cast<const std::byte*>(one.first);
    if (pointer >= first && pointer < first + one.second.bytes) return &one;
  }
  return nullptr;
}

void free_svm(Session& session, void* pointer) {
  if (session.svm.erase(pointer) != 0) core::release_unused(session.core(), duet::virtual_address(pointer));
}

cl_int enqueue_mark_of(Session& session, HostThread& host, cl_command_queue queue, cl_command_type type,
                       const Waits& waits, bool blocking) {
  EnqueueOptions options;
  options.blocking = blocking;
  return enqueue(session, host, *queue, type, waits, options,
                 [&session, queue](HostThread& by, driver::StreamId stream) {
                   return submit_mark(session, by, *queue, stream);
                 });
}

}  // namespace

bool has_svm_atomics(Session& session) {
  if (session.core().program().side() == nullptr) return false;
  const memory::PageAttributes pages =
      memory::host_pages(session.config(), memory::AllocatingCall::SvmAtomics);
  return pages.home == memory::Home::HostDram && !pages.cacheability.gpu_l1 && !pages.cacheability.gpu_l2;
}

void* CL_API_CALL clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t bytes, cl_uint alignment) {
  static ApiFunction function{"clSVMAlloc", CallKind::Allocate};
  return make<void*>(function, nullptr, [&](Session& session, HostThread&, void*& made) -> cl_int {
    constexpr cl_svm_mem_flags kAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
    const cl_svm_mem_flags access = flags & kAccess;
    if (find(context) == nullptr) return CL_INVALID_CONTEXT;
    const bool fine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0;
    const bool with_atomics = fine && has_svm_atomics(session);
    const cl_svm_mem_flags known =
        kAccess | CL_MEM_SVM_FINE_GRAIN_BUFFER | (with_atomics ? CL_MEM_SVM_ATOMICS : 0);
    if ((flags & ~known) != 0 || (access & (access - 1)) != 0 || bytes == 0 ||
        bytes > session.config().gpu.dram.bytes || (alignment & (alignment - 1)) != 0 || alignment > 128)
      return CL_INVALID_VALUE;
    core::HostMemoryUse use;
    use.call = (flags & CL_MEM_SVM_ATOMICS) != 0 ? memory::AllocatingCall::SvmAtomics
               : fine                            ? memory::AllocatingCall::SvmFine
                                                 : memory::AllocatingCall::SvmCoarse;
    made = session.core().allocate_host(
        bytes, fine ? memory::AllocationKind::Pinned : memory::AllocationKind::Managed, use);
    if (made == nullptr) return CL_OUT_OF_RESOURCES;
    session.svm[made] = {bytes, flags, context};
    return CL_SUCCESS;
  });
}

void CL_API_CALL clSVMFree(cl_context context, void* pointer) {
  static ApiFunction function{"clSVMFree", CallKind::Allocate};
  static_cast<void>(call(function, [&](Session& session, HostThread&) -> cl_int {
    if (find(context) != nullptr && pointer != nullptr) free_svm(session, pointer);
    return CL_SUCCESS;
  }));
}

DUET_CL(clEnqueueSVMFree, EventRecord,
        (cl_command_queue queue, cl_uint number, void* pointers[],
         void(CL_CALLBACK* notify)(cl_command_queue, cl_uint, void*[], void*), void* user_data, cl_uint count,
         const cl_event* list, cl_event* event)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if ((number == 0) != (pointers == nullptr)) return CL_INVALID_VALUE;
  std::vector<void*> all(pointers, pointers + number);
  // The list that the function reads.
  Ref<_cl_mem> there;
  if (notify != nullptr && session.core().program().side() != nullptr && number != 0) {
    expect_calls();
    there = memory_in_program(session, all.data(), number * sizeof(void*));
    if (!there) return CL_OUT_OF_RESOURCES;
  }
  cl_event own = nullptr;
  if (const cl_int error =
          enqueue_mark_of(session, host, queue, CL_COMMAND_SVM_FREE, {count, list, &own}, false);
      error != CL_SUCCESS)
    return error;
  const auto free_all = [&session, all] {
    const auto lock = session.core().program().lock();
    for (void* pointer : all) free_svm(session, pointer);
  };
  const auto call_notify = [queue, all, there, notify, user_data]() mutable {
    void** const list = there ? reinterpret_cast<void**>(there->shadow) : all.data();
    call_program_with(there, notify, queue, static_cast<cl_uint>(all.size()), list, user_data);
  };
  std::function<void()> due = [&session, free_all] { session.do_when_due(free_all); };
  if (notify != nullptr) due = call_notify;
  if (own->ended())
    session.call_later(due);
  else
    own->callbacks.push_back({CL_COMPLETE, [due](cl_int) { due(); }});
  if (event != nullptr)
    *event = own;
  else
    static_cast<void>(release(own, CL_INVALID_EVENT));
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clEnqueueSVMMemcpy, MemcpyAsync,
        (cl_command_queue queue, cl_bool blocking, void* to, const void* from, size_t bytes, cl_uint count,
         const cl_event* list, cl_event* event)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (to == nullptr || from == nullptr) return CL_INVALID_VALUE;
  const auto* const first = static_cast<const std::byte*>(from);
  const auto* const second = static_cast<const std::byte*>(to);
  if (first < second + bytes && second < first + bytes) return CL_MEM_COPY_OVERLAP;
  EnqueueOptions options;
  options.blocking = blocking != 0;
  return enqueue(
      session, host, *queue, CL_COMMAND_SVM_MEMCPY, {count, list, event}, options,
      [&session, queue, to, from, bytes](HostThread& by, driver::StreamId stream) {
        if (bytes == 0) return submit_mark(session, by, *queue, stream);
        return submit_box(session, by, stream, {to, bytes, bytes}, {from, bytes, bytes}, {bytes, 1, 1});
      });
}
DUET_CL_END

DUET_CL(clEnqueueSVMMemFill, Memset,
        (cl_command_queue queue, void* to, const void* pattern, size_t pattern_bytes, size_t bytes,
         cl_uint count, const cl_event* list, cl_event* event)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (to == nullptr || pattern == nullptr || pattern_bytes == 0 || pattern_bytes > 128 ||
      (pattern_bytes & (pattern_bytes - 1)) != 0 || bytes % pattern_bytes != 0 ||
      reinterpret_cast<std::uintptr_t>(to) % pattern_bytes != 0)
    return CL_INVALID_VALUE;
  if (allocation_at(session, to) == nullptr) return CL_INVALID_VALUE;
  std::vector<std::byte> words(pattern_bytes);
  session.core().program().read_memory("clEnqueueSVMMemFill", pattern, words.data(), pattern_bytes);
  return enqueue(session, host, *queue, CL_COMMAND_SVM_MEMFILL, {count, list, event}, {},
                 [&session, queue, to, words, bytes](HostThread& by, driver::StreamId stream) {
                   if (bytes == 0) return submit_mark(session, by, *queue, stream);
                   return submit_pattern(session, by, stream, {to, bytes, bytes}, {bytes, 1, 1}, words);
                 });
}
DUET_CL_END

DUET_CL(clEnqueueSVMMap, EventRecord,
        (cl_command_queue queue, cl_bool blocking, cl_map_flags flags, void* pointer, size_t bytes,
         cl_uint count, const cl_event* list, cl_event* event)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  constexpr cl_map_flags kFlags = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  if (pointer == nullptr || bytes == 0 || (flags & ~kFlags) != 0) return CL_INVALID_VALUE;
  return enqueue_mark_of(session, host, queue, CL_COMMAND_SVM_MAP, {count, list, event}, blocking != 0);
}
DUET_CL_END

DUET_CL(clEnqueueSVMUnmap, EventRecord,
        (cl_command_queue queue, void* pointer, cl_uint count, const cl_event* list, cl_event* event)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (pointer == nullptr) return CL_INVALID_VALUE;
  return enqueue_mark_of(session, host, queue, CL_COMMAND_SVM_UNMAP, {count, list, event}, false);
}
DUET_CL_END

DUET_CL(clEnqueueSVMMigrateMem, EventRecord,
        (cl_command_queue queue, cl_uint number, const void** pointers, const size_t* sizes,
         cl_mem_migration_flags flags, cl_uint count, const cl_event* list, cl_event* event)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (number == 0 || pointers == nullptr) return CL_INVALID_VALUE;
  if ((flags & ~(CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED)) != 0)
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < number; ++i) {
    const auto* const one = allocation_at(session, pointers[i]);
    if (one == nullptr || (sizes != nullptr && sizes[i] != 0 &&
                           static_cast<const std::byte*>(pointers[i]) + sizes[i] >
                               static_cast<const std::byte*>(one->first) + one->second.bytes))
      return CL_INVALID_VALUE;
  }
  return enqueue_mark_of(session, host, queue, CL_COMMAND_SVM_MIGRATE_MEM, {count, list, event}, false);
}
DUET_CL_END

}  // namespace duet::opencl::api
