#include "opencl/api/launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "core/launch.h"
#include "core/notes.h"
#include "gpu/work_parts.h"
#include "opencl/api/programs.h"

namespace duet::opencl::api {

Arguments arguments_of(const _cl_kernel& kernel) {
  const ptx::Kernel& code = *kernel.function->kernel;
  Arguments all{kernel.parameters};
  const Bytes begin = std::max(code.dynamic_shared_offset, code.static_shared_bytes);
  Bytes next = begin;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (kernel.arguments[i].local_bytes == 0) continue;
    const Bytes said = parameter_of(kernel, i).pointed_alignment;
    next = round_up(next, said != 0 ? said : Bytes{128});  // 128: of the largest type of OpenCL C
    const std::uint64_t address = next;
    std::memcpy(all.parameters.data() + parameter_of(kernel, i).offset, &address, sizeof address);
    next += kernel.arguments[i].local_bytes;
  }
  all.local_bytes = next - begin;
  return all;
}

std::size_t most_threads(Session& session, const _cl_kernel& kernel) {
  const ptx::Kernel& code = *kernel.function->kernel;
  const config::Sm& sm = session.config().gpu.sm;
  std::uint64_t most = sm.max_threads_per_block;
  if (code.max_threads != 0) most = std::min<std::uint64_t>(most, code.max_threads);
  if (const auto& required = kernel.info.required_group; required[0] != 0)
    return std::size_t{required[0]} * required[1] * required[2];
  const Bytes local = arguments_of(kernel).local_bytes;
  while (most > sm.warp_width && session.core().process().occupancy(code, most, local).blocks_per_sm == 0)
    most -= sm.warp_width;
  return most;
}

namespace {

// Where the program leaves the choice: a divisor of each extent, as many threads as go into 256 or the most
// that the kernel may have, along x first.
std::array<std::size_t, 3> chosen_group(std::size_t most, cl_uint dimensions, const std::size_t* global) {
  std::array<std::size_t, 3> group{1, 1, 1};
  std::size_t left = std::min<std::size_t>(most, 256);
  for (cl_uint d = 0; d < dimensions; ++d) {
    std::size_t extent = std::min(left, global[d]);
    while (global[d] % extent != 0) --extent;
    group[d] = extent;
    left /= extent;
  }
  return group;
}

// The group that a launch has, and whether it may.
cl_int group_of(Session& session, const _cl_kernel& kernel, cl_uint dimensions,
                const std::array<std::size_t, 3>& global, const size_t* local,
                std::array<std::size_t, 3>& group) {
  const config::Gpu& gpu = session.config().gpu;
  group = {1, 1, 1};
  const std::array<std::uint32_t, 3>& required = kernel.info.required_group;
  if (local != nullptr)
    std::copy_n(local, dimensions, group.begin());
  else if (required[0] != 0)
    std::copy(required.begin(), required.end(), group.begin());
  else if (std::find(global.begin(), global.end(), 0) == global.end())
    group = chosen_group(most_threads(session, kernel), dimensions, global.data());
  const std::size_t limits[] = {gpu.max_block_x, gpu.max_block_y, gpu.max_block_z};
  std::size_t threads = 1;
  for (cl_uint d = 0; d < dimensions; ++d) {
    if (group[d] == 0) return CL_INVALID_WORK_GROUP_SIZE;
    if (group[d] > limits[d]) return CL_INVALID_WORK_ITEM_SIZE;
    const bool partial = kernel.program->partial_groups && required[0] == 0;
    if (global[d] % group[d] != 0 && !partial) return CL_INVALID_WORK_GROUP_SIZE;
    threads *= group[d];
  }
  if (required[0] != 0 && !std::equal(required.begin(), required.end(), group.begin()))
    return CL_INVALID_WORK_GROUP_SIZE;
  // Of a binary only the product is known.
  if (const std::uint32_t product = kernel.function->kernel->required_threads;
      product != 0 && threads != product)
    return CL_INVALID_WORK_GROUP_SIZE;
  return threads <= gpu.sm.max_threads_per_block ? CL_SUCCESS : CL_INVALID_WORK_GROUP_SIZE;
}

}  // namespace

cl_int launch(Session& session, HostThread& host, cl_command_queue queue, cl_kernel kernel,
              cl_uint dimensions, const size_t* offset, const size_t* global, const size_t* local,
              cl_command_type type, const Waits& waits) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (find(kernel) == nullptr) return CL_INVALID_KERNEL;
  if (kernel->program->context.get() != queue->context.get()) return CL_INVALID_CONTEXT;
  if (dimensions == 0 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
  for (const _cl_kernel::Argument& argument : kernel->arguments)
    if (!argument.given) return CL_INVALID_KERNEL_ARGS;
  std::array<std::size_t, 3> size{1, 1, 1}, first{}, group{};
  if (global != nullptr)
    std::copy_n(global, dimensions, size.begin());
  else
    size[0] = 0;  // since 2.1 nothing runs
  if (offset != nullptr) std::copy_n(offset, dimensions, first.begin());
  for (cl_uint d = 0; d < dimensions; ++d) {
    constexpr std::size_t kMost = 0xffffffff;  // ids and sizes have 32 bits on this GPU
    if (size[d] > kMost) return CL_INVALID_GLOBAL_WORK_SIZE;
    if (first[d] > kMost - size[d]) return CL_INVALID_GLOBAL_OFFSET;
  }
  if (const cl_int error = group_of(session, *kernel, dimensions, size, local, group); error != CL_SUCCESS)
    return error;
  EnqueueOptions options;
  for (std::size_t i = 0; i < kernel->arguments.size(); ++i) {
    const cl_mem memory = kernel->arguments[i].memory;
    if (memory == nullptr) continue;
    if (find(memory) == nullptr) {
      core::say_once(fmt::format("kernel '{}': argument {} is a memory object that has been released",
                                 kernel->function->name, i));
      return CL_INVALID_KERNEL_ARGS;
    }
    options.uses.emplace_back(memory);
  }
  Arguments arguments = arguments_of(*kernel);
  const config::Gpu& gpu = session.config().gpu;
  std::vector<gpu::WorkPart> parts =
      gpu::work_parts({dimensions, first, size, group}, {gpu.max_grid_x, gpu.max_grid_y, gpu.max_grid_z});
  const auto shape_of = [local_bytes = arguments.local_bytes](const gpu::WorkPart& part) {
    return core::LaunchShape{part.grid, part.block, local_bytes};
  };
  core::Function* function = kernel->function;
  if (parts.size() > 1 && !kernel->program->partial_groups) function = function_for_parts(session, *kernel);
  if (function == nullptr || session.core().modules().kernel_of(*function) == nullptr)
    return CL_OUT_OF_RESOURCES;
  arguments.parameters.resize(function->kernel->parameter_bytes);  // words of the work space lie behind
  for (const gpu::WorkPart& part : parts) {
    const Status fits = core::check_launch(session.core(), *function, shape_of(part));
    if (fits.reason == Reason::InvalidValue) return CL_OUT_OF_RESOURCES;  // more shared memory than there is
    if (fits.failed()) return error_of(fits);
  }
  return enqueue(session, host, *queue, type, waits, options,
                 [&session, kept = Ref<_cl_kernel>(kernel), function, parts = std::move(parts), shape_of,
                  parameters = std::move(arguments.parameters)](HostThread& by, driver::StreamId stream) {
                   for (const gpu::WorkPart& part : parts) {
                     driver::Command command;
                     if (const Status status = core::prepare_launch(session.core(), *function, shape_of(part),
                                                                    parameters, command);
                         status.failed())
                       return error_of(status);
                     gpu::set_work_space(*command.grid, part.space);
                     command.stream = stream;
                     core::submit_launch(session.core(), by, std::move(command));
                   }
                   return CL_SUCCESS;
                 });
}

}  // namespace duet::opencl::api
