// A task of level 1 (hu2016 §3.2: TB1 holds the contexts of tasks): an execution context. The GigaThread
// engine creates it from one push-buffer stream, the work distributor executes it command by command, and the
// data transfer engines take their copies from it. One component at a time owns a task; its handle travels in
// queues.
#pragma once

#include <cstdint>
#include <vector>

#include "base/stable_table.h"
#include "gpu/front_end/push_buffer.h"
#include "gpu/grid.h"
#include "memory/request.h"
#include "sim/queue.h"

namespace duet::gpu {

// A move of bytes, or a fill when pattern_bytes is not 0. Addresses are virtual, or physical where the flags
// say so.
struct DataMove {
  std::uint64_t flags = 0;  // kCopyFromHost, kCopyToHost, kCopyFromPhysical, kCopyToPhysical
  Address to = 0, from = 0;
  Bytes width_bytes = 0;
  std::uint64_t rows = 1, slices = 1;
  Bytes to_row_pitch = 0, to_slice_pitch = 0, from_row_pitch = 0, from_slice_pitch = 0;
  std::uint32_t pattern = 0;
  unsigned pattern_bytes = 0;
  // Of full/empty bits, for accesses to the device's side. A move with bits_only moves no bytes: it applies
  // its action to [to, to + width_bytes); with Action::None it releases what waits there for its trigger.
  memory::Trigger trigger = memory::Trigger::None;
  memory::Action action = memory::Action::None;
  bool bits_only = false;
  // kCacheClean, kCacheInvalidate: neither bytes nor bits move, and [to, to + width_bytes) is written back
  // from L2, or given up.
  std::uint64_t cache_operations = 0;
};

struct TaskStep {
  PushBufferOpcode opcode = PushBufferOpcode::Launch;
  std::uint64_t argument = 0, argument2 = 0;  // CopyRange, FillRange: index in Task::moves
};

enum class TaskStatus : std::uint64_t { Ok = 0, KernelFault, CopyFault, Skipped };

// A task of a packet has ended.
struct TaskEnded {
  std::uint64_t packet = 0;
};

struct Task {
  std::uint32_t stream = 0;
  std::int32_t priority = 0;
  std::uint64_t age = 0;      // in the order of decoding
  std::uint64_t command = 0;  // the driver's number
  Grid* grid = nullptr;
  std::vector<TaskStep> steps;
  std::vector<DataMove> moves;

  std::size_t next_step = 0;
  bool waits_for_move = false;
  TaskStatus status = TaskStatus::Ok;
  VirtualAddress fault_address;
  Picoseconds start_ps = kNever;  // stage (iii): first packet or first block
  Picoseconds blocks_end_ps = 0;  // of its kernel
  // Of a user queue's packet: it is in no order with others, and its end is told there.
  bool alone = false;
  sim::Queue<TaskEnded>* ended = nullptr;
  std::uint64_t packet = 0;

  const TaskStep& step() const { return steps[next_step]; }
};

using TaskHandle = std::uint32_t;

// Handles are given in an order that nothing depends on. The GigaThread engine takes tasks; the work
// distributor, which is not their owner, gives them back between ticks (sim::Engine::between_ticks).
class TaskPool {
 public:
  TaskHandle allocate() {
    const auto handle = static_cast<TaskHandle>(tasks_.take());
    Task& task = tasks_[handle];
    std::vector<TaskStep> steps = std::move(task.steps);
    std::vector<DataMove> moves = std::move(task.moves);
    steps.clear();
    moves.clear();
    task = Task{};
    task.steps = std::move(steps);  // keeps their memory
    task.moves = std::move(moves);
    return handle;
  }
  void release(TaskHandle handle) { tasks_.give_back(handle); }
  Task& operator[](TaskHandle handle) { return tasks_[handle]; }

 private:
  StableTable<Task> tasks_;
};

// Descriptors in the queues between GigaThread engine, work distributor and data transfer engines.
struct TaskReady {
  TaskHandle task = 0;
};
struct MoveStart {
  TaskHandle task = 0;
  std::uint32_t move = 0;
};
struct MoveDone {
  TaskHandle task = 0;
  bool faulted = false;
  VirtualAddress fault_address;
  Picoseconds start_ps = 0;
};

// What a ReleaseSemaphore writes at the semaphore's address. The driver is told of the write.
struct SemaphoreRelease {
  std::uint64_t value = 0;
  std::uint64_t start_ps = 0;  // of the work before the release
  std::uint64_t time_ps = 0;   // of the release
  std::uint64_t status = 0;    // TaskStatus
  std::uint64_t fault_address = 0;
};

}  // namespace duet::gpu
