// The work distributor, SE of level 1 (hu2016 §3.2, §3.4; lustig2013 §6.2 calls it the GPU host interface):
// executes the push-buffer commands of each stream in order, from queues of finite width (streams) and depth
// (tasks). A task starts when every ACK and block of its predecessor has returned. A kernel holds one of a
// finite number of reference counters from SetLaunchID to the end of WaitRefCnt. With two or more data
// transfer engines even ones move towards the GPU and odd ones towards the host, so neither direction blocks
// the other; moves inside the device take any idle engine. A task whose first command waits for a semaphore
// stays in its channel until the release: it never holds a stream queue that the releasing stream might need.
// After a fault in a kernel or copy later kernels and copies are skipped. A copy that waits for full/empty
// bits keeps its engine. With one engine a waiting copy to the host blocks the copy to the GPU that would
// fill, and the machine stands still; with two, one waiting copy in each direction leaves none for moves
// inside the device. Changes of bits and releases have engines of their own, or with bit_engines = 0 take an
// idle copy engine (where all wait for bits, none is left to change them); changes behind a kernel's
// WaitRefCnt belong to its launch, and the stream's next command starts after them. Left out: preemption of
// running blocks.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "config/machine.h"
#include "gpu/front_end/block_dispatcher.h"
#include "gpu/front_end/device_launches.h"
#include "gpu/front_end/gpu_port.h"
#include "gpu/front_end/task.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::gpu {

struct WorkDistributorStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter blocks{*this, "blocks", "blocks", "blocks dispatched and complete"};
  sim::Counter device_launches{*this, "device_launches", "kernels", "kernels that kernels launched"};
  sim::Counter semaphore_releases{*this, "semaphore_releases", "semaphores", "semaphores released"};
  sim::Counter counter_waits{*this, "reference_counter_waits", "kernels",
                             "kernels that found no free reference counter"};
  sim::Counter counter_wait_ps{*this, "reference_counter_wait_ps", "ps",
                               "time for which kernels waited for a reference counter"};
};

class WorkDistributor : public sim::Component {
 public:
  WorkDistributor(sim::Engine& engine, const sim::Component* parent, const config::Gpu& config, GpuPort& port,
                  TaskPool& tasks, OccupancyFunction occupancy, std::uint8_t link_number);

  void connect_channel(sim::Queue<TaskReady>& tasks) { channels_.push_back(&tasks); }
  void connect_sm(const sim::Component& sm, sim::Queue<BlockLaunch>& launches, sim::Queue<BlockDone>& done) {
    dispatcher_.connect_sm(sm, launches, done);
  }
  // machine/time_models/fast_forward.h: one for each SM.
  void connect_fast_forward_sm(const sim::Component& sm, sim::Queue<BlockLaunch>& launches,
                               sim::Queue<BlockDone>& done) {
    dispatcher_.connect_fast_forward_sm(sm, launches, done);
  }
  // Any number look on, at most one decides: block_watcher.h.
  void watch(BlockWatcher& watcher) {
    dispatcher_.watch(watcher);
    watchers_.push_back(&watcher);
  }
  void decide(BlockPolicy& policy) { dispatcher_.decide(policy); }
  void connect_engine(sim::Queue<MoveStart>& starts, sim::Queue<MoveDone>& done) {
    engines_.push_back({&starts, &done, false, EngineKind::Copies});
    ++copy_engines_;
  }
  // After the copy engines: changes of full/empty bits go to these, so that they wait for no copy.
  void connect_bit_engine(sim::Queue<MoveStart>& starts, sim::Queue<MoveDone>& done) {
    engines_.push_back({&starts, &done, false, EngineKind::Bits});
  }
  // Whoever serves CacheRange; a machine without one has no such commands.
  void connect_cache_engine(sim::Queue<MoveStart>& starts, sim::Queue<MoveDone>& done) {
    engines_.push_back({&starts, &done, false, EngineKind::Caches});
  }
  // Cores that execute blocks too: they claim one, are granted one or none, and say when it is done
  // (BlockDone::sm is not looked at).
  void connect_cores(sim::Queue<BlockClaim>& claims, sim::Queue<BlockGrant>& grants,
                     sim::Queue<BlockDone>& done) {
    claims_ = &claims, grants_ = &grants, done_by_cores_ = &done;
  }
  void connect_link(sim::Queue<memory::Packet>& to_host) { to_host_ = &to_host; }

  // A kernel that a kernel has launched; between ticks. `refusal`: why a grid can never run, empty where it
  // can.
  void launch_from_device(DeviceLaunch launch);
  std::string refusal(const Grid& grid) const { return dispatcher_.refusal(grid); }
  std::uint64_t pending_device_launches() const { return device_launches_.pending(); }

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  bool settle_statistics() override;
  std::string waits_for() const override;
  // For reports: what each task that is here waits for. The first of a stream's queue executes, the others
  // stand behind it; a task that is still in its channel is the first there.
  struct TaskState {
    std::uint64_t command = 0;  // the driver's number
    std::string waits_for;
    std::uint64_t behind = 0;  // another command: the task waits for that
    bool for_engine = false;   // what it waits for is a copy engine that is free
  };
  std::vector<TaskState> task_states() const;
  std::string waits_for_room() const { return dispatcher_.waits_for(); }  // of blocks; empty: for none

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct ReferenceCounter {
    bool busy = false;
    std::uint64_t value = 0;  // to which `blocks.completed` must rise
    BlockCounts blocks;
  };
  struct StreamQueue {
    std::uint32_t stream = 0;
    std::deque<TaskHandle> tasks;  // empty: the queue is free for any stream
    std::size_t counter = kNone;   // the stream's reference counter
    const Grid* grid = nullptr;    // the kernel that uses it
    // It waits for one; the time before is in the statistics.
    Picoseconds counter_wait_since = kNever;
  };
  enum class EngineKind : std::uint8_t { Copies, Bits, Caches };
  struct Engine {
    sim::Queue<MoveStart>* starts;
    sim::Queue<MoveDone>* done;
    bool busy;
    EngineKind kind;
  };
  enum Direction : std::size_t { kToGpu, kToHost, kInside, kBits, kCaches, kDirections };

  void collect_blocks(Picoseconds now);
  void count(const BlockDone& done);
  void serve_claims(Picoseconds now);
  void collect_moves(Picoseconds now);
  bool admit(Picoseconds now);
  bool acquirable(const Task& task) const;
  bool released(std::uint64_t semaphore, std::uint64_t value) const;
  bool run(StreamQueue& queue, Picoseconds now);
  bool execute(StreamQueue& queue, Task& task, Picoseconds now);
  bool take_counter(StreamQueue& queue, Picoseconds now);
  void tell_queue(const StreamQueue& queue, TaskHandle task, TaskEventPhase phase, Picoseconds now) const;
  void tell_device_launch(const Grid& grid, TaskEventPhase phase) const;
  void tell_kernel(const Task& task, std::size_t counter, TaskEventPhase phase, Picoseconds now) const;
  bool launch(StreamQueue& queue, Task& task);
  bool wait_for_blocks(StreamQueue& queue, Task& task, Picoseconds now);
  bool move(StreamQueue& queue, Task& task);
  bool release(Task& task, Picoseconds now);
  void start_moves(Picoseconds now);
  bool serves(std::size_t engine, Direction direction) const;
  bool waits_for_engine(TaskHandle task) const;
  bool stands_before_engine(TaskHandle task) const;
  std::string what_it_waits_for(const StreamQueue& queue) const;

  sim::ClockCursor clock_;
  Cycle dispatch_cycles_;
  std::size_t queue_depth_;
  GpuPort& port_;
  memory::RequestPool requests_;
  TaskPool& tasks_;
  std::uint8_t link_number_;
  BlockDispatcher dispatcher_;
  DeviceLaunches device_launches_;
  std::vector<BlockWatcher*> watchers_;  // of kernels that kernels launch
  std::vector<StreamQueue> queues_;
  std::vector<ReferenceCounter> counters_;
  std::vector<std::uint64_t> semaphores_;             // released values, written through to memory
  std::vector<PhysicalAddress> semaphore_addresses_;  // as DefineSemaphore said
  std::vector<sim::Queue<TaskReady>*> channels_;
  std::vector<Engine> engines_;
  std::size_t copy_engines_ = 0;
  bool copies_change_bits_;
  std::deque<MoveStart> waiting_moves_[kDirections];
  sim::Queue<memory::Packet>* to_host_ = nullptr;
  sim::Queue<BlockClaim>* claims_ = nullptr;  // null: no core executes blocks
  sim::Queue<BlockGrant>* grants_ = nullptr;
  sim::Queue<BlockDone>* done_by_cores_ = nullptr;
  Picoseconds next_dispatch_ps_ = 0;
  bool faulted_ = false;
  WorkDistributorStatistics statistics_{*this, "front_end."};
  sim::State queued_{statistics_, "queued_tasks", "tasks", "tasks in the queues of streams", [this] {
                       std::uint64_t tasks = 0;
                       for (const StreamQueue& queue : queues_) tasks += queue.tasks.size();
                       return tasks;
                     }};
};

}  // namespace duet::gpu
