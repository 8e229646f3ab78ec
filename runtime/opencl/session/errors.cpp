// OpenCL's errors for the reasons of runtime/core, and their names.
#include "opencl/session/session.h"

namespace duet::opencl {

cl_int error_of(Reason reason) {
  switch (reason) {
    case Reason::Success:
      return CL_SUCCESS;
    case Reason::InvalidValue:
    case Reason::InvalidPitch:
    case Reason::InvalidDirection:
      return CL_INVALID_VALUE;
    case Reason::InvalidConfiguration:
      return CL_INVALID_WORK_GROUP_SIZE;
    case Reason::InvalidFunction:
    case Reason::NotFound:
      return CL_INVALID_KERNEL_NAME;
    case Reason::NotSupported:
      return CL_INVALID_OPERATION;
    case Reason::OutOfMemory:
      return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case Reason::InvalidCode:
    case Reason::NewerCode:
      return CL_BUILD_PROGRAM_FAILURE;
    case Reason::NoCodeForDevice:
      return CL_INVALID_BINARY;
    default:  // what a block needs is not there, or a kernel's fault
      return CL_OUT_OF_RESOURCES;
  }
}

const char* error_name(cl_int error) {
  switch (error) {
#define DUET_NAME(name) \
  case name:            \
    return #name;
    DUET_NAME(CL_SUCCESS)
    DUET_NAME(CL_INVALID_VALUE)
    DUET_NAME(CL_INVALID_WORK_GROUP_SIZE)
    DUET_NAME(CL_INVALID_KERNEL_NAME)
    DUET_NAME(CL_INVALID_OPERATION)
    DUET_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    DUET_NAME(CL_BUILD_PROGRAM_FAILURE)
    DUET_NAME(CL_INVALID_BINARY)
#undef DUET_NAME
    default:
      return "CL_OUT_OF_RESOURCES";
  }
}

}  // namespace duet::opencl
