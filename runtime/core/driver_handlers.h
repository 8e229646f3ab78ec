// Work of the driver that runs on the processor's cores as code (driver_work.h): on a machine with simulated
// cores the program's library has these functions, and they are called by number, in the middle of a call.
#pragma once

#include <stdint.h>

namespace duet::core {

// In the place of a function's address.
inline constexpr uint64_t kFillPageTable = 1, kServeInterrupt = 2, kHandlers = 3;

// An entry of the process's page table, as RISC-V has it: the frame's number from bit 10 on, valid in bit 0.
inline constexpr uint64_t kEntryValid = 1, kEntryFrameBit = 10;

// What the kernel knows of a frame: a line, in which the driver counts itself as a user.
struct FrameRecord {
  uint64_t users, rest[7];
};

// The memory of one allocation. Arrays have an element a page.
struct PageTableWork {
  const uint64_t* entries;  // of the process's page table
  FrameRecord* frames;
  uint64_t* addresses;    // of the frames, as the GPU sees them
  uint64_t* gpu_entries;  // no cache holds them
  uint64_t pages;
};

// What the GPU writes before it interrupts, and how far the handler has read it.
inline constexpr uint64_t kFenceSource = 181;
struct InterruptRing {
  uint64_t written, source, fence, read;
  uint64_t saved[31];  // registers of the thread that was interrupted
};

}  // namespace duet::core
