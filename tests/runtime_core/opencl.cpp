// A little of OpenCL on runtime/core and runtime/process alone: enough for one kernel with its buffers.
//
//   duet run build/tests/opencl_vector_add
//
// It shows what a second API has to bring: its handles, its errors, and one function a call. Left out:
// events, several dimensions, offsets, sub-buffers, releases of everything but buffers, and source code in
// OpenCL C.
#include "opencl.h"

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "core/copies.h"
#include "core/launch.h"
#include "core/memory.h"
#include "core/queues.h"

using duet::core::CallKind;
using duet::core::Reason;
using duet::core::Runtime;
using duet::core::Status;
using duet::host::HostThread;

struct _cl_context {};
struct _cl_command_queue {
  duet::driver::StreamId stream;
};
struct _cl_mem {
  duet::VirtualAddress address;
  std::size_t bytes;
};
struct _cl_program {
  std::string ptx;
  duet::core::Image* image = nullptr;  // null until it is built
};
struct _cl_kernel {
  duet::core::Function* function;
  std::vector<std::byte> parameters;
  std::vector<bool> given;
};

namespace {

cl_int error_of(Reason reason) {
  switch (reason) {
    case Reason::Success:
      return CL_SUCCESS;
    case Reason::OutOfMemory:
      return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    case Reason::InvalidConfiguration:
      return CL_INVALID_WORK_GROUP_SIZE;
    case Reason::InvalidCode:
    case Reason::NoCodeForDevice:
      return CL_BUILD_PROGRAM_FAILURE;
    case Reason::InvalidFunction:
      return CL_INVALID_KERNEL_NAME;
    case Reason::InvalidValue:
      return CL_INVALID_VALUE;
    default:
      return CL_OUT_OF_RESOURCES;
  }
}
cl_int error_of(const Status& status) { return error_of(status.reason); }

constexpr duet::core::ApiWords kWords{[](Reason reason) {
                                        switch (error_of(reason)) {
                                          case CL_MEM_OBJECT_ALLOCATION_FAILURE:
                                            return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
                                          case CL_INVALID_WORK_GROUP_SIZE:
                                            return "CL_INVALID_WORK_GROUP_SIZE";
                                          default:
                                            return "CL_OUT_OF_RESOURCES";
                                        }
                                      },
                                      "clEnqueueSVMMigrateMem", "clSetKernelArg"};

// The live handles, of every kind.
std::set<const void*>& live() {
  static auto* const handles = new std::set<const void*>;
  return *handles;
}
template <typename Handle>
Handle* keep(Handle* handle) {
  live().insert(handle);
  return handle;
}
bool valid(const void* handle) { return live().contains(handle); }

// A call of the program, whose body has the runtime and the thread.
struct ApiFunction : duet::process::CountedFunction {
  ApiFunction(const char* function_name, CallKind call_kind)
      : CountedFunction{function_name}, kind(call_kind) {}
  CallKind kind;
};
template <typename Body>
cl_int call(ApiFunction& function, Body&& body) {
  return duet::process::or_end(function.name, [&]() -> cl_int {
    const duet::process::Call entered(function);
    Runtime& runtime = Runtime::get();
    runtime.speak(kWords);
    if (runtime.in_host_function) return CL_INVALID_OPERATION;
    HostThread& host = *entered.thread().host;
    if (duet::core::spends_before(function.kind)) host.stage_one(runtime.cost(function.kind));
    if (const Reason lost = runtime.lost(); lost != Reason::Success) return error_of(lost);
    const cl_int error = body(runtime, host);
    const Reason lost = runtime.lost();
    return lost != Reason::Success ? error_of(lost) : error;
  });
}
// The same for a call that makes a handle.
template <typename Handle, typename Body>
Handle* make(ApiFunction& function, cl_int* error, Body&& body) {
  Handle* made = nullptr;
  const cl_int result =
      call(function, [&](Runtime& runtime, HostThread& host) { return body(runtime, host, made); });
  if (error != nullptr) *error = result;
  return made;
}

cl_int copy(Runtime& runtime, HostThread& host, cl_command_queue queue, void* to, const void* from,
            std::size_t bytes, duet::core::Direction direction, bool blocking) {
  const duet::core::CopySide target{to, bytes, bytes}, source{from, bytes, bytes};
  const duet::core::CopyShape shape{bytes, 1, 1};
  duet::driver::Command command;
  if (const Status status = prepare_copy(runtime, target, source, shape, direction, {}, command);
      status.failed())
    return error_of(status);
  command.stream = queue->stream;
  submit_copy(runtime, host, target, source, shape, std::move(command), !blocking);
  if (blocking) runtime.synchronized(host);
  return CL_SUCCESS;
}

// The part of a buffer; null where it is not within.
void* part_of(cl_mem buffer, std::size_t offset, std::size_t bytes) {
  if (bytes == 0 || offset > buffer->bytes || bytes > buffer->bytes - offset) return nullptr;
  return duet::pointer_of(buffer->address + offset);
}

}  // namespace

cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* platforms, cl_uint* count) {
  static ApiFunction function{"clGetPlatformIDs", CallKind::Other};
  return call(function, [&](Runtime&, HostThread&) {
    if (platforms == nullptr && count == nullptr) return CL_INVALID_VALUE;
    static char platform;
    if (platforms != nullptr && room != 0) platforms[0] = reinterpret_cast<cl_platform_id>(&platform);
    if (count != nullptr) *count = 1;
    return CL_SUCCESS;
  });
}

cl_context clCreateContext(const std::intptr_t*, cl_uint, const cl_device_id*, void*, void*, cl_int* error) {
  static ApiFunction function{"clCreateContext", CallKind::Other};
  return make<_cl_context>(function, error, [&](Runtime&, HostThread&, cl_context& context) {
    context = keep(new _cl_context);
    return CL_SUCCESS;
  });
}

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id, cl_ulong properties, cl_int* error) {
  static ApiFunction function{"clCreateCommandQueue", CallKind::Other};
  return make<_cl_command_queue>(function, error,
                                 [&](Runtime& runtime, HostThread&, cl_command_queue& queue) {
                                   if (!valid(context)) return CL_INVALID_CONTEXT;
                                   if (properties != 0)
                                     return CL_INVALID_VALUE;  // neither out of order nor profiled
                                   queue = keep(new _cl_command_queue{create_stream(runtime, {})});
                                   return CL_SUCCESS;
                                 });
}

cl_mem clCreateBuffer(cl_context context, cl_ulong, std::size_t bytes, void*, cl_int* error) {
  static ApiFunction function{"clCreateBuffer", CallKind::Allocate};
  return make<_cl_mem>(function, error, [&](Runtime& runtime, HostThread&, cl_mem& buffer) -> cl_int {
    if (!valid(context)) return CL_INVALID_CONTEXT;
    if (bytes == 0) return CL_INVALID_VALUE;
    duet::VirtualAddress address;
    if (const Status status = allocate(runtime, bytes, address); status.failed()) return error_of(status);
    buffer = keep(new _cl_mem{address, bytes});
    return CL_SUCCESS;
  });
}

cl_int clReleaseMemObject(cl_mem buffer) {
  static ApiFunction function{"clReleaseMemObject", CallKind::Allocate};
  return call(function, [&](Runtime& runtime, HostThread& host) -> cl_int {
    if (live().erase(buffer) == 0) return CL_INVALID_MEM_OBJECT;
    return error_of(release(runtime, host, buffer->address));
  });
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id*,
                                     const std::size_t* bytes, const unsigned char** code, cl_int*,
                                     cl_int* error) {
  static ApiFunction function{"clCreateProgramWithBinary", CallKind::Other};
  return make<_cl_program>(function, error, [&](Runtime&, HostThread&, cl_program& program) {
    if (!valid(context)) return CL_INVALID_CONTEXT;
    if (count != 1 || bytes == nullptr || code == nullptr) return CL_INVALID_VALUE;
    program = keep(new _cl_program{{reinterpret_cast<const char*>(code[0]), bytes[0]}});
    return CL_SUCCESS;
  });
}

cl_int clBuildProgram(cl_program program, cl_uint, const cl_device_id*, const char*, void*, void*) {
  static ApiFunction function{"clBuildProgram", CallKind::Other};
  return call(function, [&](Runtime& runtime, HostThread&) -> cl_int {
    if (!valid(program)) return CL_INVALID_PROGRAM;
    return error_of(runtime.modules().load([&] { return program->ptx; }, "program.ptx", ~0u, program->image));
  });
}

cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* error) {
  static ApiFunction function{"clCreateKernel", CallKind::Other};
  return make<_cl_kernel>(function, error, [&](Runtime& runtime, HostThread&, cl_kernel& kernel) {
    if (!valid(program) || program->image == nullptr) return CL_INVALID_PROGRAM;
    duet::core::Function* found = runtime.modules().function(*program->image, name);
    if (found == nullptr) return CL_INVALID_KERNEL_NAME;
    kernel = keep(new _cl_kernel{found, std::vector<std::byte>(found->kernel->parameter_bytes),
                                 std::vector<bool>(found->kernel->parameters.size())});
    return CL_SUCCESS;
  });
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value) {
  static ApiFunction function{"clSetKernelArg", CallKind::Other};
  return call(function, [&](Runtime&, HostThread&) {
    if (!valid(kernel)) return CL_INVALID_KERNEL;
    if (index >= kernel->given.size()) return CL_INVALID_ARG_INDEX;
    const auto& parameter = kernel->function->kernel->parameters[index];
    if (bytes != parameter.bytes) return CL_INVALID_ARG_SIZE;
    std::byte* const to = kernel->parameters.data() + parameter.offset;
    std::memcpy(to, value, bytes);
    cl_mem buffer = nullptr;
    if (bytes == sizeof buffer) {
      std::memcpy(&buffer, value, sizeof buffer);
      if (valid(buffer)) std::memcpy(to, &buffer->address, sizeof buffer->address);
    }
    kernel->given[index] = true;
    return CL_SUCCESS;
  });
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                            std::size_t bytes, const void* from, cl_uint, const cl_event*, cl_event*) {
  static ApiFunction function{"clEnqueueWriteBuffer", CallKind::MemcpyAsync};
  return call(function, [&](Runtime& runtime, HostThread& host) -> cl_int {
    if (!valid(queue)) return CL_INVALID_COMMAND_QUEUE;
    if (!valid(buffer)) return CL_INVALID_MEM_OBJECT;
    void* const to = part_of(buffer, offset, bytes);
    if (to == nullptr || from == nullptr) return CL_INVALID_VALUE;
    return copy(runtime, host, queue, to, from, bytes, duet::core::Direction::HostToDevice, blocking != 0);
  });
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                           std::size_t bytes, void* to, cl_uint, const cl_event*, cl_event*) {
  static ApiFunction function{"clEnqueueReadBuffer", CallKind::MemcpyAsync};
  return call(function, [&](Runtime& runtime, HostThread& host) -> cl_int {
    if (!valid(queue)) return CL_INVALID_COMMAND_QUEUE;
    if (!valid(buffer)) return CL_INVALID_MEM_OBJECT;
    const void* const from = part_of(buffer, offset, bytes);
    if (from == nullptr || to == nullptr) return CL_INVALID_VALUE;
    return copy(runtime, host, queue, to, from, bytes, duet::core::Direction::DeviceToHost, blocking != 0);
  });
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const std::size_t* offset, const std::size_t* global, const std::size_t* local,
                              cl_uint, const cl_event*, cl_event*) {
  static ApiFunction function{"clEnqueueNDRangeKernel", CallKind::Launch};
  return call(function, [&](Runtime& runtime, HostThread& host) -> cl_int {
    if (!valid(queue)) return CL_INVALID_COMMAND_QUEUE;
    if (!valid(kernel)) return CL_INVALID_KERNEL;
    if (dimensions != 1) return CL_INVALID_WORK_DIMENSION;
    if (offset != nullptr || global == nullptr || local == nullptr) return CL_INVALID_VALUE;
    if (*local == 0 || *global % *local != 0) return CL_INVALID_WORK_GROUP_SIZE;
    for (const bool given : kernel->given)
      if (!given) return CL_INVALID_KERNEL_ARGS;
    duet::core::LaunchShape shape;
    shape.grid.x = static_cast<std::uint32_t>(*global / *local);
    shape.block.x = static_cast<std::uint32_t>(*local);
    duet::driver::Command command;
    if (const Status status = prepare_launch(runtime, *kernel->function, shape, kernel->parameters, command);
        status.failed())
      return error_of(status);
    command.stream = queue->stream;
    submit_launch(runtime, host, std::move(command));
    return CL_SUCCESS;
  });
}

cl_int clFinish(cl_command_queue queue) {
  static ApiFunction function{"clFinish", CallKind::StreamSynchronize};
  return call(function, [&](Runtime& runtime, HostThread& host) {
    if (!valid(queue)) return CL_INVALID_COMMAND_QUEUE;
    wait_for_stream(runtime, host, queue->stream);
    runtime.program().flush_print();
    runtime.synchronized(host);
    return CL_SUCCESS;
  });
}
