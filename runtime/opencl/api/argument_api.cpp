// A kernel's arguments: values, buffers, images, samplers, memory of the group.
#include <cstring>

#include "opencl/api/entries.h"
#include "opencl/api/launches.h"

namespace duet::opencl::api {

namespace {

// What a program from source says of an image argument's type.
cl_mem_object_type image_type_of(const ArgumentInfo& info) {
  constexpr std::pair<const char*, cl_mem_object_type> kTypes[] = {
      {"image1d_t", CL_MEM_OBJECT_IMAGE1D},
      {"image1d_buffer_t", CL_MEM_OBJECT_IMAGE1D_BUFFER},
      {"image1d_array_t", CL_MEM_OBJECT_IMAGE1D_ARRAY},
      {"image2d_t", CL_MEM_OBJECT_IMAGE2D},
      {"image2d_array_t", CL_MEM_OBJECT_IMAGE2D_ARRAY},
      {"image3d_t", CL_MEM_OBJECT_IMAGE3D}};
  for (const auto& [name, type] : kTypes)
    if (info.type == name) return type;
  return 0;  // by a name of the program's
}

// An argument that is a buffer, an image or a sampler, and the number that the kernel takes for it. A program
// from a binary does not say which: the handle does.
cl_int object_argument(const _cl_kernel& kernel, cl_uint index, void* handle, _cl_kernel::Argument& argument,
                       std::uint64_t& number) {
  const ArgumentInfo* const info =
      index < kernel.info.arguments.size() ? &kernel.info.arguments[index] : nullptr;
  const auto* const sampler = find(static_cast<cl_sampler>(handle));
  if (info != nullptr ? info->type == "sampler_t" : sampler != nullptr) {
    if (sampler == nullptr) return CL_INVALID_SAMPLER;
    number = sampler_value(sampler->normalized, sampler->addressing, sampler->filter);
    return CL_SUCCESS;
  }
  const bool wants_image = info != nullptr && !info->access.empty() && info->access != "none";
  if (handle == nullptr) return wants_image ? CL_INVALID_MEM_OBJECT : CL_SUCCESS;
  auto* const memory = static_cast<cl_mem>(handle);
  if (find(memory) == nullptr) return CL_INVALID_MEM_OBJECT;
  if (info != nullptr && wants_image != (memory->image != nullptr)) return CL_INVALID_ARG_VALUE;
  if (wants_image) {
    const cl_mem_object_type type = image_type_of(*info);
    if ((type != 0 && type != memory->image->type) ||
        (info->access != "write_only" && (memory->flags & CL_MEM_WRITE_ONLY) != 0) ||
        (info->access != "read_only" && (memory->flags & CL_MEM_READ_ONLY) != 0))
      return CL_INVALID_ARG_VALUE;
  }
  argument.memory = memory;
  number = (memory->image ? memory->image->object : memory->address).value();
  return CL_SUCCESS;
}

}  // namespace

DUET_CL(clSetKernelArg, Query, (cl_kernel kernel, cl_uint index, size_t bytes, const void* value)) {
  if (find(kernel) == nullptr) return CL_INVALID_KERNEL;
  if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
  const ptx::Parameter& parameter = parameter_of(*kernel, index);
  _cl_kernel::Argument argument;
  argument.given = true;
  std::byte* const place = kernel->parameters.data() + parameter.offset;
  if (parameter.pointed_space == ptx::PointedSpace::Shared) {
    if (value != nullptr) return CL_INVALID_ARG_VALUE;
    if (bytes == 0) return CL_INVALID_ARG_SIZE;
    argument.local_bytes = bytes;
  } else if (parameter.pointed_space == ptx::PointedSpace::Global ||
             parameter.pointed_space == ptx::PointedSpace::Const) {
    if (bytes != sizeof(cl_mem)) return CL_INVALID_ARG_SIZE;
    void* handle = nullptr;
    if (value != nullptr)
      session.core().program().read_memory("clSetKernelArg", value, &handle, sizeof handle);
    std::uint64_t number = 0;
    if (const cl_int error = object_argument(*kernel, index, handle, argument, number); error != CL_SUCCESS)
      return error;
    std::memcpy(place, &number, sizeof number);
  } else {
    if (value == nullptr) return CL_INVALID_ARG_VALUE;
    if (bytes != parameter.bytes) return CL_INVALID_ARG_SIZE;
    session.core().program().read_memory("clSetKernelArg", value, place, bytes);
  }
  kernel->arguments[index] = std::move(argument);
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clSetKernelArgSVMPointer, Query, (cl_kernel kernel, cl_uint index, const void* pointer)) {
  if (find(kernel) == nullptr) return CL_INVALID_KERNEL;
  if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
  const ptx::Parameter& parameter = parameter_of(*kernel, index);
  if (parameter.pointed_space != ptx::PointedSpace::Global &&
      parameter.pointed_space != ptx::PointedSpace::Const)
    return CL_INVALID_ARG_VALUE;
  std::memcpy(kernel->parameters.data() + parameter.offset, &pointer, sizeof pointer);
  kernel->arguments[index] = {};
  kernel->arguments[index].given = true;
  return CL_SUCCESS;
}
DUET_CL_END

// Kernels reach all SVM memory: what they are told of changes nothing.
DUET_CL(clSetKernelExecInfo, Query,
        (cl_kernel kernel, cl_kernel_exec_info what, size_t bytes, const void* value)) {
  if (find(kernel) == nullptr) return CL_INVALID_KERNEL;
  switch (what) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
      return bytes % sizeof(void*) != 0 || (bytes != 0 && value == nullptr) ? CL_INVALID_VALUE : CL_SUCCESS;
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM: {
      if (bytes != sizeof(cl_bool) || value == nullptr) return CL_INVALID_VALUE;
      cl_bool wanted = CL_FALSE;
      session.core().program().read_memory("clSetKernelExecInfo", value, &wanted, sizeof wanted);
      return wanted ? CL_INVALID_OPERATION : CL_SUCCESS;
    }
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

}  // namespace duet::opencl::api
