// Kernels: what they need, and the calls that launch them.
#include <algorithm>
#include <cstring>

#include "core/queues.h"
#include "opencl/api/entries.h"
#include "opencl/api/launches.h"
#include "opencl/session/work.h"

namespace duet::opencl::api {

namespace {

// As the source has them, apart from blanks.
std::string attributes_of(const KernelInfo& info) {
  std::string all;
  const auto add = [&](const std::string& name, const std::string& value) {
    all += (all.empty() ? "" : " ") + name + "(" + value + ")";
  };
  const auto sizes = [](const std::array<std::uint32_t, 3>& group) {
    return std::to_string(group[0]) + "," + std::to_string(group[1]) + "," + std::to_string(group[2]);
  };
  if (!info.vector_hint.empty()) add("vec_type_hint", info.vector_hint);
  if (info.group_hint[0] != 0) add("work_group_size_hint", sizes(info.group_hint));
  if (info.required_group[0] != 0) add("reqd_work_group_size", sizes(info.required_group));
  return all;
}

}  // namespace

DUET_CL(clRetainKernel, Other, (cl_kernel kernel)) { return retain(kernel, CL_INVALID_KERNEL); }
DUET_CL_END
DUET_CL(clReleaseKernel, Other, (cl_kernel kernel)) { return release(kernel, CL_INVALID_KERNEL); }
DUET_CL_END

DUET_CL_MAKE(cl_kernel, clCloneKernel, Other, (cl_kernel kernel, cl_int* error)) {
  if (find(kernel) == nullptr) return CL_INVALID_KERNEL;
  made = make_object<_cl_kernel>();
  made->program = kernel->program;
  made->function = kernel->function;
  made->info = kernel->info;
  made->arguments = kernel->arguments;
  made->parameters = kernel->parameters;
  ++made->program->kernels;
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clGetKernelInfo, Query,
        (cl_kernel kernel, cl_kernel_info what, size_t room, void* to, size_t* needed)) {
  if (find(kernel) == nullptr) return CL_INVALID_KERNEL;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
      return answer.text(kernel->function->name);
    case CL_KERNEL_NUM_ARGS:
      return answer.value(static_cast<cl_uint>(kernel->arguments.size()));
    case CL_KERNEL_REFERENCE_COUNT:
      return answer.value(kernel->references);
    case CL_KERNEL_CONTEXT:
      return answer.value(static_cast<cl_context>(kernel->program->context.get()));
    case CL_KERNEL_PROGRAM:
      return answer.value(static_cast<cl_program>(kernel->program.get()));
    case CL_KERNEL_ATTRIBUTES:
      return answer.text(attributes_of(kernel->info));
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL(clGetKernelWorkGroupInfo, Query,
        (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t room, void* to,
         size_t* needed)) {
  if (find(kernel) == nullptr) return CL_INVALID_KERNEL;
  if (device != nullptr && find(device) == nullptr) return CL_INVALID_DEVICE;
  const Answer answer{room, to, needed};
  const ptx::Kernel& code = *kernel->function->kernel;
  switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
      return answer.value(most_threads(session, *kernel));
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
      return answer.list(
          std::vector<std::size_t>(kernel->info.required_group.begin(), kernel->info.required_group.end()));
    case CL_KERNEL_LOCAL_MEM_SIZE:
      return answer.value(cl_ulong{code.own_shared_bytes() + arguments_of(*kernel).local_bytes});
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return answer.value(std::size_t{session.config().gpu.sm.warp_width});
    case CL_KERNEL_PRIVATE_MEM_SIZE:
      return answer.value(cl_ulong{code.local_bytes});
    case CL_KERNEL_GLOBAL_WORK_SIZE:  // of custom devices and built-in kernels
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL(clGetKernelArgInfo, Query,
        (cl_kernel kernel, cl_uint index, cl_kernel_arg_info what, size_t room, void* to, size_t* needed)) {
  if (find(kernel) == nullptr) return CL_INVALID_KERNEL;
  if (index >= kernel->arguments.size()) return CL_INVALID_ARG_INDEX;
  if (index >= kernel->info.arguments.size()) return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
  const ArgumentInfo& info = kernel->info.arguments[index];
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER: {
      constexpr cl_kernel_arg_address_qualifier kSpaces[] = {
          CL_KERNEL_ARG_ADDRESS_PRIVATE, CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
          CL_KERNEL_ARG_ADDRESS_LOCAL};
      return answer.value(kSpaces[std::min<std::uint32_t>(info.address_space, 3)]);
    }
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
      for (const auto& [word, access] : {std::pair("read_only", CL_KERNEL_ARG_ACCESS_READ_ONLY),
                                         {"write_only", CL_KERNEL_ARG_ACCESS_WRITE_ONLY},
                                         {"read_write", CL_KERNEL_ARG_ACCESS_READ_WRITE}})
        if (info.access == word) return answer.value(static_cast<cl_kernel_arg_access_qualifier>(access));
      return answer.value(cl_kernel_arg_access_qualifier{CL_KERNEL_ARG_ACCESS_NONE});
    case CL_KERNEL_ARG_TYPE_NAME:
      return answer.text(info.type);
    case CL_KERNEL_ARG_NAME:
      return answer.text(info.name);
    case CL_KERNEL_ARG_TYPE_QUALIFIER: {
      cl_kernel_arg_type_qualifier qualifiers = CL_KERNEL_ARG_TYPE_NONE;
      for (const auto& [word, bit] : {std::pair("const", CL_KERNEL_ARG_TYPE_CONST),
                                      {"restrict", CL_KERNEL_ARG_TYPE_RESTRICT},
                                      {"volatile", CL_KERNEL_ARG_TYPE_VOLATILE}})
        if (info.qualifiers.find(word) != std::string::npos)
          qualifiers |= static_cast<cl_kernel_arg_type_qualifier>(bit);
      return answer.value(qualifiers);
    }
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL(clEnqueueNDRangeKernel, Launch,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
         const size_t* global, const size_t* local, cl_uint count, const cl_event* list, cl_event* event)) {
  return launch(session, host, queue, kernel, dimensions, offset, global, local, CL_COMMAND_NDRANGE_KERNEL,
                {count, list, event});
}
DUET_CL_END

DUET_CL(clEnqueueTask, Launch,
        (cl_command_queue queue, cl_kernel kernel, cl_uint count, const cl_event* list, cl_event* event)) {
  const std::size_t one = 1;
  return launch(session, host, queue, kernel, 1, nullptr, &one, &one, CL_COMMAND_TASK, {count, list, event});
}
DUET_CL_END

}  // namespace duet::opencl::api
