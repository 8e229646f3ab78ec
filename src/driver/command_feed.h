// The end of stage (ii): the driver's bytes for the GPU. Encodes a command into its push-buffer stream,
// writes the bytes into the push buffer of the command's channel, piecewise when it lacks room, and rings the
// doorbell. Every stream of commands ends with the release of its stream's semaphore, whose value is the
// command's id; another stream waits for an event by acquiring that value.
#pragma once

#include <deque>
#include <vector>

#include "config/machine.h"
#include "driver/command_book.h"
#include "driver/push_buffer_ring.h"
#include "gpu/front_end/gpu_port.h"
#include "gpu/front_end/task.h"

namespace duet::driver {

class CommandFeed {
 public:
  CommandFeed(const config::FrontEnd& config, gpu::GpuPort& gpu);

  void encode(PendingCommand& pending, Stream& stream, std::size_t channel);
  bool send(Picoseconds now);
  void consumed(std::size_t channel, std::uint64_t get) { rings_[channel].consumed(get); }
  // The command is complete: what the GPU needed for it is taken back.
  void close(PendingCommand& pending);

 private:
  PhysicalAddress new_semaphore();
  Address gpu_address(PendingCommand& pending, const Endpoint& end, Bytes bytes_there,
                      std::uint64_t host_flag, std::uint64_t physical_flag, std::uint64_t& flags);
  Address lend(PendingCommand& pending, std::byte* bytes, Bytes count, bool through_port,
               std::uint64_t flags_there, std::uint64_t& flags);
  gpu::DataMove copy_move(PendingCommand& pending);

  gpu::GpuPort& gpu_;
  std::deque<PushBufferRing> rings_;
  std::deque<std::vector<std::byte>> semaphore_pages_;
  PhysicalAddress page_base_;
  std::size_t semaphores_ = 0;
  std::vector<std::byte> bytes_;  // of the command being sent
  std::size_t written_ = 0;
  std::size_t channel_ = 0;
};

}  // namespace duet::driver
