// Writes the push-buffer stream of one driver command (gpu/front_end/push_buffer.h gives the bytes).
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/front_end/push_buffer.h"
#include "gpu/front_end/task.h"
#include "gpu/grid.h"

namespace duet::driver {

class PushBufferEncoder {
 public:
  explicit PushBufferEncoder(std::vector<std::byte>& bytes) : writer_(bytes) {}

  void begin(std::uint32_t stream, std::int32_t priority, std::uint64_t command);
  void define_semaphore(std::uint64_t semaphore, PhysicalAddress address);
  void acquire(std::uint64_t semaphore, std::uint64_t value);
  void move(const gpu::DataMove& move);  // a copy, a fill or a change of full/empty bits
  void launch(std::uint64_t slot, const gpu::Grid& grid);
  void release_and_end(std::uint64_t semaphore, std::uint64_t value);

 private:
  gpu::PushBufferWriter writer_;
};

}  // namespace duet::driver
