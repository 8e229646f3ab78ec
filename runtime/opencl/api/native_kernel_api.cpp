// Native kernels: functions of the program in a queue.
#include <cstring>

#include "core/queues.h"
#include "opencl/api/entries.h"
#include "opencl/session/work.h"

namespace duet::opencl::api {

DUET_CL(clEnqueueNativeKernel, HostFunction,
        (cl_command_queue queue, void(CL_CALLBACK* function)(void*), void* arguments, size_t bytes,
         cl_uint number, const cl_mem* buffers, const void** places, cl_uint count, const cl_event* list,
         cl_event* event)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (function == nullptr || (arguments == nullptr && (bytes != 0 || number != 0)) ||
      (arguments != nullptr && bytes == 0) || (number == 0) != (buffers == nullptr) ||
      (number == 0) != (places == nullptr))
    return CL_INVALID_VALUE;
  process::Program& program = session.core().program();
  std::vector<std::byte> copy(bytes);
  if (bytes != 0) program.read_memory("clEnqueueNativeKernel", arguments, copy.data(), bytes);
  EnqueueOptions options;
  for (cl_uint i = 0; i < number; ++i) {
    if (find(buffers[i]) == nullptr) return CL_INVALID_MEM_OBJECT;
    if (buffers[i]->image || !buffers[i]->whole().in_host_memory)
      return CL_INVALID_OPERATION;  // the host does not reach it
    options.uses.emplace_back(buffers[i]);
    void* const pointer = duet::pointer_of(buffers[i]->address);
    const auto offset = static_cast<const std::byte*>(places[i]) - static_cast<const std::byte*>(arguments);
    if (offset < 0 || static_cast<std::size_t>(offset) + sizeof pointer > bytes) return CL_INVALID_VALUE;
    std::memcpy(copy.data() + offset, &pointer, sizeof pointer);
  }
  std::uint64_t there = 0;  // the copy, in a program on simulated cores
  if (program.side() != nullptr) {
    expect_calls();
    if (bytes != 0) {
      const Ref<_cl_mem> memory = memory_in_program(session, copy.data(), bytes);
      if (!memory) return CL_OUT_OF_RESOURCES;
      options.uses.push_back(memory);
      there = duet::virtual_address(memory->shadow).value();
    }
  }
  return enqueue(
      session, host, *queue, CL_COMMAND_NATIVE_KERNEL, {count, list, event}, options,
      [&session, queue, function, there, copy = std::move(copy)](HostThread& by, driver::StreamId stream) {
        driver::Command command = core::host_function_command(
            session.core(),
            {[function, copy]() mutable { function(copy.data()); },
             [function, there] {
               return process::ProgramSide::Function{reinterpret_cast<const void*>(function), {there}};
             }});
        command.stream = stream;
        by.submit(std::move(command));
        return submit_mark(session, by, *queue, stream);  // others wait for the mark
      });
}
DUET_CL_END

}  // namespace duet::opencl::api
