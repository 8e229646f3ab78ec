// The GPU as the driver sees it: two ends of the link, the memory reached by both, the geometry of the push
// buffers, and the kernels, by the slots in launches.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stable_table.h"
#include "gpu/front_end/push_buffer.h"
#include "gpu/grid.h"
#include "memory/address_space.h"
#include "memory/packet.h"
#include "sim/queue.h"

namespace duet::gpu {

// Kernels that are prepared or running; a push buffer names them by slot. The driver's, who tells the GPU of
// a slot after it has filled it.
class GridTable {
 public:
  std::uint64_t insert(Grid* grid) {
    const std::uint64_t slot = grids_.take();
    grids_[slot] = grid;
    return slot;
  }
  void remove(std::uint64_t slot) {
    grids_[slot] = nullptr;
    grids_.give_back(slot);
  }
  Grid* find(std::uint64_t slot) const {
    Grid* const* grid = grids_.find(slot);
    return grid == nullptr ? nullptr : *grid;
  }

 private:
  StableTable<Grid*> grids_;
};

class GpuPort {
 public:
  GpuPort(memory::RequestPool& pool_, memory::AddressSpace& address_space_, std::uint8_t driver_number,
          std::uint8_t front_end_number)
      : pool(pool_),
        address_space(address_space_),
        memory(address_space_.memory()),
        driver_number(driver_number),
        front_end_number(front_end_number) {}

  // Where the push buffer of a channel lies; told once, before the first doorbell.
  struct Ring {
    PhysicalAddress base;
    Bytes bytes = 0;
  };

  memory::RequestPool& pool;
  const memory::AddressSpace& address_space;
  memory::PhysicalMemory& memory;
  GridTable grids;
  std::vector<Ring> rings;

  const std::uint8_t driver_number, front_end_number;  // of these ends of the link
  std::uint8_t packet_processor_number = 0;            // where there is one
  sim::Queue<memory::Packet>* to_gpu = nullptr;        // doorbells; the driver produces
  sim::Queue<memory::Packet>* from_gpu = nullptr;  // semaphore releases, get pointers; the driver consumes
};

}  // namespace duet::gpu
