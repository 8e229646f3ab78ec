#include "driver/push_buffer_encoder.h"

#include <algorithm>

#include "gpu/front_end/move_command.h"

namespace duet::driver {

using gpu::PushBufferOpcode;

namespace {
std::uint64_t pair(std::uint64_t low, std::uint64_t high) { return low | (high << 32); }
}  // namespace

void PushBufferEncoder::begin(std::uint32_t stream, std::int32_t priority, std::uint64_t command) {
  writer_.command(PushBufferOpcode::SetStream, {pair(stream, static_cast<std::uint32_t>(priority)), command});
}

void PushBufferEncoder::define_semaphore(std::uint64_t semaphore, PhysicalAddress address) {
  writer_.command(PushBufferOpcode::DefineSemaphore, {semaphore, address.value()});
}

void PushBufferEncoder::acquire(std::uint64_t semaphore, std::uint64_t value) {
  writer_.command(PushBufferOpcode::AcquireSemaphore, {semaphore, value});
}

void PushBufferEncoder::move(const gpu::DataMove& move) { gpu::write_move(writer_, move); }

void PushBufferEncoder::launch(std::uint64_t slot, const gpu::Grid& grid) {
  const std::uint64_t blocks = grid.grid.count();
  writer_.command(PushBufferOpcode::SetProgram,
                  {slot, pair(grid.grid.x, grid.grid.y), pair(grid.grid.z, grid.block.x),
                   pair(grid.block.y, grid.block.z), grid.dynamic_shared_bytes,
                   grid.cooperative ? gpu::kProgramCooperative : 0});
  writer_.command(PushBufferOpcode::SetParameterSize, {grid.parameters.size()});
  for (std::size_t offset = 0; offset < grid.parameters.size(); offset += gpu::kMaxParameterChunkBytes)
    writer_.parameter(offset, {grid.parameters.data() + offset,
                               std::min(gpu::kMaxParameterChunkBytes, grid.parameters.size() - offset)});
  writer_.command(PushBufferOpcode::SetLaunchID, {grid.launch_id});
  writer_.command(PushBufferOpcode::SetRefCntValue, {blocks});
  writer_.command(PushBufferOpcode::ResetRefCnt, {});
  writer_.command(PushBufferOpcode::Launch, {0, blocks});
  writer_.command(PushBufferOpcode::WaitRefCnt, {});
}

void PushBufferEncoder::release_and_end(std::uint64_t semaphore, std::uint64_t value) {
  writer_.command(PushBufferOpcode::ReleaseSemaphore, {semaphore, value});
  writer_.mark_last();
}

}  // namespace duet::driver
