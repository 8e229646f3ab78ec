#include "machine/device_calls/user_queues.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "gpu/work_parts.h"
#include "machine/build/board.h"
#include "machine/process.h"

namespace duet::machine {

namespace {

// Handles are no addresses that a program has, and none is 0.
constexpr std::uint64_t kKernelObjects = 0x0e00'0000'0000'0000, kKernelObjectBytes = 64;

}  // namespace

std::uint64_t UserQueues::add_kernel(const Kernel& kernel) {
  kernels_.push_back(kernel);
  return kKernelObjects + kKernelObjectBytes * (kernels_.size() - 1);
}

const UserQueues::Kernel* UserQueues::find(std::uint64_t kernel_object) const {
  const std::uint64_t offset = kernel_object - kKernelObjects;
  if (offset % kKernelObjectBytes != 0 || offset / kKernelObjectBytes >= kernels_.size()) return nullptr;
  return &kernels_[offset / kKernelObjectBytes];
}

std::uint64_t UserQueues::most() const { return process_.config().gpu.front_end.user_queues; }

std::uint32_t UserQueues::open(const gpu::UserQueue& queue) {
  const auto used = static_cast<std::uint64_t>(
      std::count_if(queues_.begin(), queues_.end(), [](const Queue& own) { return own.open; }));
  if (used >= most())
    throw Error(fmt::format("a user queue more than machine {} has: gpu.front_end.user_queues is {}",
                            process_.config().name, most()));
  gpu::PacketProcessor& processor = *process_.system().board().packet_processor();
  processor.serve(*this);
  const std::uint32_t number = processor.open(queue);
  if (number >= queues_.size()) queues_.resize(number + 1);
  driver::StreamRules rules;
  rules.name = "a user queue";
  queues_[number] = {process_.driver().create_stream(rules), true};
  return number;
}

void UserQueues::close(std::uint32_t queue) {
  process_.system().board().packet_processor()->close(queue);
  forget(queue);
}

void UserQueues::forget(std::uint32_t queue) {
  process_.driver().destroy_stream(queues_[queue].stream);
  queues_[queue].open = false;
}

bool UserQueues::quiet() {
  const gpu::PacketProcessor* const processor = process_.system().board().packet_processor();
  return processor == nullptr || processor->quiet();
}

void UserQueues::ring(std::uint32_t queue, std::uint64_t packets) {
  process_.driver().ring_user_queue(queue, packets);
}

void UserQueues::memory_written() {
  if (gpu::PacketProcessor* const processor = process_.system().board().packet_processor())
    processor->memory_written();
}

std::optional<Bytes> UserQueues::kernarg_bytes(std::uint64_t kernel_object) const {
  const Kernel* const kernel = find(kernel_object);
  if (kernel == nullptr) return {};
  return kernel->hidden_bytes + kernel->code->argument_bytes();
}

// Nothing: it can be launched.
std::optional<gpu::PacketRefusal> UserQueues::refusal_of(const Kernel& kernel,
                                                         const gpu::AqlDispatch& dispatch) const {
  using Fault = gpu::PacketRefusal::Fault;
  const ptx::Kernel& code = *kernel.code;
  if (!code.unsupported.empty()) return {{Fault::Kernel, code.unsupported}};
  if (dispatch.size.count() == 0 || dispatch.group.count() == 0)
    return {{Fault::Sizes, "a size of its grid or group is 0"}};
  if (dispatch.dimensions == 0) return {{Fault::Sizes, "it has no dimensions"}};
  if (dispatch.group_bytes < code.own_shared_bytes())
    return {{Fault::Room, fmt::format("its group segment has {} bytes, and its kernel takes {}",
                                      dispatch.group_bytes, code.own_shared_bytes())}};
  const std::uint64_t threads = dispatch.group.count();
  const config::Sm& sm = process_.config().gpu.sm;
  if (threads > sm.max_threads_per_block)
    return {{Fault::Sizes, fmt::format("its groups have {} work-items, and the GPU's have {} at most",
                                       threads, sm.max_threads_per_block)}};
  if (process_.occupancy(code, threads, dispatch.group_bytes - code.own_shared_bytes()).blocks_per_sm == 0)
    return {{Fault::Room,
             "a compute unit has not the registers, wavefronts or group memory of one of its groups"}};
  return {};
}

std::vector<gpu::Grid*> UserQueues::launch(std::uint32_t queue, std::uint64_t packet,
                                           const gpu::AqlDispatch& dispatch,
                                           std::span<const std::byte> kernarg) {
  const Kernel& kernel = *find(dispatch.kernel_object);
  const ptx::Kernel& code = *kernel.code;
  if (const auto refusal = refusal_of(kernel, dispatch)) {
    refused(queue, packet, *refusal);
    return {};
  }
  const config::Gpu& config = process_.config().gpu;
  gpu::Work work;
  work.dimensions = dispatch.dimensions;
  work.size = {dispatch.size.x, dispatch.size.y, dispatch.size.z};
  work.group = {dispatch.group.x, dispatch.group.y, dispatch.group.z};
  std::vector<gpu::Grid*> grids;
  std::vector<driver::CommandId> commands;
  for (const gpu::WorkPart& part :
       gpu::work_parts(work, {config.max_grid_x, config.max_grid_y, config.max_grid_z})) {
    std::vector<std::byte> parameters(kernarg.begin() + static_cast<std::ptrdiff_t>(kernel.hidden_bytes),
                                      kernarg.end());
    parameters.resize(code.parameter_bytes);  // words of the work space lie behind
    static const config::CallLatency kNoCall;
    driver::Command command;
    command.kind = driver::CommandKind::Launch;
    command.outside = true;
    command.cost = &kNoCall;
    command.stream = queues_[queue].stream;
    command.grid =
        process_.make_grid(code, part.grid, part.block, dispatch.group_bytes - code.own_shared_bytes(),
                           std::move(parameters), false);
    gpu::set_work_space(*command.grid, part.space);
    grids.push_back(command.grid.get());
    commands.push_back(process_.driver().submit(std::move(command)));
  }
  on_launch(queue, packet, commands);
  return grids;
}

void UserQueues::completed(const std::vector<gpu::Grid*>& grids) {
  for (const gpu::Grid* grid : grids) process_.driver().outside_launch_ended(grid->command);
}

void UserQueues::refused(std::uint32_t queue, std::uint64_t packet, const gpu::PacketRefusal& refusal) {
  forget(queue);
  on_refusal(queue, {refusal.fault, fmt::format("packet {}: {}", packet, refusal.why)});
}

}  // namespace duet::machine
