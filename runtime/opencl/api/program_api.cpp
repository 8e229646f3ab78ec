// Programs: from source by clang-19, or from the PTX that another program object gave as its binary.
#include <algorithm>
#include <cstring>

#include "opencl/api/entries.h"
#include "opencl/compiler/compiler.h"
#include "opencl/compiler/options.h"

namespace duet::opencl::api {

namespace {

// A binary is PTX behind a line with the options of its program.
constexpr std::string_view kBinaryHeader = "// Duet OpenCL program 1:";

std::string binary_of(const _cl_program& program) {
  if (program.ptx.empty()) return {};
  std::string options = program.options;
  std::replace(options.begin(), options.end(), '\n', ' ');
  return std::string(kBinaryHeader) + options + "\n" + program.ptx;
}

cl_int load(Session& session, _cl_program& program) {
  core::Image* image = nullptr;
  const Status status =
      session.core().modules().load([ptx = program.ptx] { return ptx; },
                                    program.name.substr(0, program.name.size() - 2) + "ptx", ~0u, image);
  if (status.failed()) {
    program.log += status.text + "\n";
    return error_of(status);
  }
  program.image = image;
  program.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  return CL_SUCCESS;
}

cl_int build(Session& session, _cl_program& program, const char* options) {
  program.options = options == nullptr ? "" : options;
  program.log.clear();
  program.status = CL_BUILD_ERROR;
  if (!program.source.empty()) {
    Compiled compiled = compile({program.source, program.name, program.options});
    program.log = std::move(compiled.log);
    if (!compiled.succeeded)
      return compiled.wrong_options ? CL_INVALID_BUILD_OPTIONS
             : compiled.no_compiler ? CL_COMPILER_NOT_AVAILABLE
                                    : CL_BUILD_PROGRAM_FAILURE;
    program.ptx = std::move(compiled.ptx);
    program.infos = std::move(compiled.kernels);
    program.partial_groups = !read_options(program.options).uniform_groups;
  } else if (program.ptx.empty()) {
    return CL_INVALID_BINARY;
  }
  if (program.image != nullptr) session.core().modules().forget(program.image);
  program.image = nullptr;
  const cl_int error = load(session, program);
  if (error == CL_SUCCESS) program.status = CL_BUILD_SUCCESS;
  return error;
}

std::string next_name() {
  static unsigned programs = 0;
  return "program_" + std::to_string(++programs) + ".cl";
}

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

DUET_CL_MAKE(cl_program, clCreateProgramWithSource, Other,
             (cl_context context, cl_uint count, const char** texts, const size_t* lengths, cl_int* error)) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  if (count == 0 || texts == nullptr) return CL_INVALID_VALUE;
  std::string source;
  for (cl_uint i = 0; i < count; ++i) {
    if (texts[i] == nullptr) return CL_INVALID_VALUE;
    if (lengths != nullptr && lengths[i] != 0)
      source.append(texts[i], strnlen(texts[i], lengths[i]));
    else
      source += texts[i];
  }
  made = make_object<_cl_program>();
  made->context = Ref<_cl_context>(context);
  made->source = source.empty() ? " " : std::move(source);
  made->name = next_name();
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL_MAKE(cl_program, clCreateProgramWithBinary, Other,
             (cl_context context, cl_uint count, const cl_device_id* devices, const size_t* lengths,
              const unsigned char** binaries, cl_int* status, cl_int* error)) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  if (count == 0 || devices == nullptr || lengths == nullptr || binaries == nullptr) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i) {
    if (find(devices[i]) == nullptr) return CL_INVALID_DEVICE;
    const bool missing = lengths[i] == 0 || binaries[i] == nullptr;
    if (status != nullptr) status[i] = missing ? CL_INVALID_VALUE : CL_SUCCESS;
    if (missing) return CL_INVALID_VALUE;
  }
  std::string binary(reinterpret_cast<const char*>(binaries[0]), lengths[0]);
  std::string options;
  if (binary.starts_with(kBinaryHeader)) {
    const std::size_t end = std::min(binary.find('\n'), binary.size());
    options = binary.substr(kBinaryHeader.size(), end - kBinaryHeader.size());
    binary.erase(0, end);
  }
  binary.resize(std::min(binary.find('\0'), binary.size()));  // as text files are often read
  if (binary.find(".version") == std::string::npos) {         // PTX by other compilers is taken, too
    if (status != nullptr) status[0] = CL_INVALID_BINARY;
    return CL_INVALID_BINARY;
  }
  made = make_object<_cl_program>();
  made->context = Ref<_cl_context>(context);
  made->ptx = std::move(binary);
  made->partial_groups = !read_options(options).uniform_groups;
  made->name = next_name();
  made->type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clRetainProgram, Other, (cl_program program)) { return retain(program, CL_INVALID_PROGRAM); }
DUET_CL_END
DUET_CL(clReleaseProgram, Other, (cl_program program)) { return release(program, CL_INVALID_PROGRAM); }
DUET_CL_END

DUET_CL(clBuildProgram, Other,
        (cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
         void(CL_CALLBACK* notify)(cl_program, void*), void* user_data)) {
  if (find(program) == nullptr) return CL_INVALID_PROGRAM;
  if ((count == 0) != (devices == nullptr) || (notify == nullptr && user_data != nullptr))
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i)
    if (find(devices[i]) == nullptr) return CL_INVALID_DEVICE;
  if (program->kernels != 0) return CL_INVALID_OPERATION;
  const cl_int error = build(session, *program, options);
  if (notify != nullptr) session.call_later([=] { notify(program, user_data); });
  return error;
}
DUET_CL_END

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
      return answer.text(program->source);
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
