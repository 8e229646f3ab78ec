// What programs say of themselves, and their kernels.
#include <cstring>

#include "base/units.h"
#include "opencl/api/entries.h"
#include "opencl/api/programs.h"

namespace duet::opencl::api {

namespace {

std::vector<std::string> kernel_names(_cl_program& program) {
  std::vector<std::string> names;
  for (const ptx::Kernel& kernel : program.image->module->module.kernels) names.push_back(kernel.name);
  return names;
}

cl_int make_kernel(Session& session, _cl_program& program, const std::string& name, cl_kernel& made) {
  core::Function* const function = session.core().modules().function(*program.image, name);
  if (function == nullptr || session.core().modules().kernel_of(*function) == nullptr)
    return CL_INVALID_KERNEL_NAME;
  made = make_object<_cl_kernel>();
  made->program = Ref<_cl_program>(&program);
  made->function = function;
  for (const KernelInfo& info : program.infos)
    if (info.name == name) made->info = info;
  made->arguments.resize(function->kernel->parameters.size());
  made->parameters.resize(function->kernel->parameter_bytes);
  ++program.kernels;
  return CL_SUCCESS;
}

}  // namespace

DUET_CL(clGetProgramInfo, Query,
        (cl_program program, cl_program_info what, size_t room, void* to, size_t* needed)) {
  if (find(program) == nullptr) return CL_INVALID_PROGRAM;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
      return answer.value(program->references);
    case CL_PROGRAM_CONTEXT:
      return answer.value(static_cast<cl_context>(program->context.get()));
    case CL_PROGRAM_NUM_DEVICES:
      return answer.value(cl_uint{1});
    case CL_PROGRAM_DEVICES:
      return answer.value(static_cast<cl_device_id>(session.device()));
    case CL_PROGRAM_SOURCE:
      return answer.text(program->source ? program->source->text : std::string());
    case CL_PROGRAM_IL:
      return answer.bytes(nullptr, 0);
    case CL_PROGRAM_BINARY_SIZES:
      return answer.value(binary_of(*program).size());
    case CL_PROGRAM_BINARIES: {
      if (to != nullptr && room < sizeof(unsigned char*)) return CL_INVALID_VALUE;
      if (needed != nullptr) *needed = sizeof(unsigned char*);
      const std::string binary = binary_of(*program);
      unsigned char* const target = to == nullptr ? nullptr : *static_cast<unsigned char**>(to);
      if (target != nullptr) std::memcpy(target, binary.data(), binary.size());
      return CL_SUCCESS;
    }
    case CL_PROGRAM_NUM_KERNELS:
      if (program->image == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
      return answer.value(kernel_names(*program).size());
    case CL_PROGRAM_KERNEL_NAMES: {
      if (program->image == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
      std::string all;
      for (const std::string& name : kernel_names(*program)) all += (all.empty() ? "" : ";") + name;
      return answer.text(all);
    }
    case CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT:
    case CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT:
      return answer.value(cl_bool{CL_FALSE});
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL(clGetProgramBuildInfo, Query,
        (cl_program program, cl_device_id device, cl_program_build_info what, size_t room, void* to,
         size_t* needed)) {
  if (find(program) == nullptr) return CL_INVALID_PROGRAM;
  if (find(device) == nullptr) return CL_INVALID_DEVICE;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
      return answer.value(program->status);
    case CL_PROGRAM_BUILD_OPTIONS:
      return answer.text(program->options);
    case CL_PROGRAM_BUILD_LOG:
      return answer.text(program->log);
    case CL_PROGRAM_BINARY_TYPE:
      return answer.value(program->type);
    case CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE: {
      std::size_t bytes = 0;
      if (program->image != nullptr)
        for (const ptx::Variable& variable : program->image->module->module.variables)
          // A vector of three takes the room of four.
          if (!variable.constant) bytes += round_up(variable.bytes, variable.alignment);
      return answer.value(bytes);
    }
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL_MAKE(cl_kernel, clCreateKernel, Other, (cl_program program, const char* name, cl_int* error)) {
  if (find(program) == nullptr) return CL_INVALID_PROGRAM;
  if (program->image == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
  if (name == nullptr) return CL_INVALID_VALUE;
  return make_kernel(session, *program, name, made);
}
DUET_CL_END

DUET_CL(clCreateKernelsInProgram, Other,
        (cl_program program, cl_uint room, cl_kernel* kernels, cl_uint* count)) {
  if (find(program) == nullptr) return CL_INVALID_PROGRAM;
  if (program->image == nullptr) return CL_INVALID_PROGRAM_EXECUTABLE;
  const std::vector<std::string> names = kernel_names(*program);
  if (kernels != nullptr && room < names.size()) return CL_INVALID_VALUE;
  if (count != nullptr) *count = static_cast<cl_uint>(names.size());
  for (std::size_t i = 0; kernels != nullptr && i < names.size(); ++i)
    if (const cl_int error = make_kernel(session, *program, names[i], kernels[i]); error != CL_SUCCESS)
      return error;
  return CL_SUCCESS;
}
DUET_CL_END

}  // namespace duet::opencl::api
