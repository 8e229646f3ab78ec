// Flags of memory objects, and how buffers and images are made.
#pragma once

#include "opencl/session/session.h"

namespace duet::opencl {

inline constexpr cl_mem_flags kAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
inline constexpr cl_mem_flags kHostAccess =
    CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
inline constexpr cl_mem_flags kHostPointer =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

inline bool at_most_one(cl_mem_flags flags) { return (flags & (flags - 1)) == 0; }

inline bool flags_fit(cl_mem_flags flags) {
  return (flags & ~(kAccess | kHostAccess | kHostPointer)) == 0 && at_most_one(flags & kAccess) &&
         at_most_one(flags & kHostAccess) &&
         ((flags & CL_MEM_USE_HOST_PTR) == 0 ||
          (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) == 0);
}

// A part may do no more than the whole: what READ_WRITE stands for is in no bit of its own.
inline bool allowed_in(cl_mem_flags whole, cl_mem_flags part) {
  const auto forbids = [&](cl_mem_flags of_whole, cl_mem_flags own) {
    return (whole & of_whole) != 0 && (part & own) != 0;
  };
  return !forbids(CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE | CL_MEM_READ_ONLY) &&
         !forbids(CL_MEM_READ_ONLY, CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY) &&
         !forbids(CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY) &&
         !forbids(CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY) &&
         !forbids(CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY);
}
// What a part does not say is as the whole has it.
inline cl_mem_flags flags_of_part(cl_mem_flags whole, cl_mem_flags part) {
  cl_mem_flags flags = part | (whole & kHostPointer);
  if ((part & kAccess) == 0) flags |= whole & kAccess;
  if ((part & kHostAccess) == 0) flags |= whole & kHostAccess;
  return flags;
}

// Nobody's yet: it goes with the Ref.
inline Ref<_cl_mem> new_memory() {
  Ref<_cl_mem> memory(new _cl_mem);
  let_go(memory.get());  // the program's count comes when it is made
  return memory;
}
inline _cl_mem* give_to_program(const Ref<_cl_mem>& memory) {
  ++memory->holders;
  object_made(memory.get());
  return memory.get();
}

}  // namespace duet::opencl
