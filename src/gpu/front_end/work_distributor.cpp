#include "gpu/front_end/work_distributor.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/readable_name.h"
#include "sim/event_sink.h"

namespace duet::gpu {

using memory::Packet;

WorkDistributor::WorkDistributor(sim::Engine& engine, const sim::Component* parent, const config::Gpu& config,
                                 GpuPort& port, TaskPool& tasks, OccupancyFunction occupancy,
                                 std::uint8_t link_number)
    : Component(engine, "work distributor", parent, 1, sim::Role::SchedulingElement),
      clock_(config.core_clock_khz * 1000),
      dispatch_cycles_(std::max<Cycle>(config.front_end.dispatch_cycles_per_block, 1)),
      queue_depth_(config.front_end.queue_depth),
      port_(port),
      requests_(&port.pool),
      tasks_(tasks),
      link_number_(link_number),
      dispatcher_(engine, config, occupancy),
      device_launches_(dispatcher_, config),
      queues_(config.front_end.queue_width),
      counters_(config.front_end.reference_counters),
      copies_change_bits_(config.copy_engines.bit_engines == 0) {
  device_launches_.on_start = [this](const Grid& grid) { tell_device_launch(grid, TaskEventPhase::Begin); };
  device_launches_.on_end = [this](const Grid& grid) {
    tell_device_launch(grid, TaskEventPhase::End);
    for (BlockWatcher* watcher : watchers_) watcher->device_launch_ends(grid);
  };
}

void WorkDistributor::launch_from_device(DeviceLaunch launch) {
  ++statistics_.device_launches;
  device_launches_.add(std::move(launch));
  engine().wake_after(*this, engine().now());
}

void WorkDistributor::collect_blocks(Picoseconds now) {
  BlockDone done;
  while (dispatcher_.completed(now, done)) count(done);
  while (done_by_cores_ != nullptr && done_by_cores_->can_pop(now)) count(done_by_cores_->pop(now));
}

void WorkDistributor::count(const BlockDone& done) {
  take_report(done);
  ++done.grid->completed_blocks;
  ++statistics_.blocks;
  if (done.grid->parent != nullptr) {
    if (done.faulted) device_launches_.failed(*done.grid);
    return;
  }
  dispatcher_.done(*done.grid);
  for (StreamQueue& queue : queues_) {
    if (queue.grid != done.grid) continue;
    ReferenceCounter& counter = counters_[queue.counter];
    ++counter.blocks.completed;
    if (!done.faulted) break;
    // What has not been dispatched is counted as launched and complete: nothing of it will run.
    const std::uint64_t dropped = dispatcher_.left(*done.grid);
    dispatcher_.drop(*done.grid);
    counter.blocks.launched += dropped;
    counter.blocks.completed += dropped;
    tasks_[queue.tasks.front()].status = TaskStatus::KernelFault;
    break;
  }
}

// A claim that finds no room for its answer is taken when there is some.
void WorkDistributor::serve_claims(Picoseconds now) {
  while (claims_ != nullptr && claims_->can_pop(now) && grants_->can_push(now)) {
    const BlockClaim claim = claims_->pop(now);
    BlockGrant grant = dispatcher_.take_last(claim.launch_id);
    grant.core = claim.core;
    grants_->push(now, grant);
  }
}

void WorkDistributor::collect_moves(Picoseconds now) {
  for (Engine& engine : engines_) {
    if (!engine.done->can_pop(now)) continue;
    const MoveDone done = engine.done->pop(now);
    engine.busy = false;
    Task& task = tasks_[done.task];
    task.start_ps = std::min(task.start_ps, done.start_ps);
    task.waits_for_move = false;
    if (task.grid != nullptr && task.blocks_end_ps != 0) task.grid->emptying_ps = now - task.blocks_end_ps;
    ++task.next_step;
    if (!done.faulted) continue;
    task.status = TaskStatus::CopyFault;
    task.fault_address = done.fault_address;
    faulted_ = true;
  }
}

bool WorkDistributor::released(std::uint64_t semaphore, std::uint64_t value) const {
  return semaphore < semaphores_.size() && semaphores_[semaphore] >= value;
}

bool WorkDistributor::acquirable(const Task& task) const {
  for (const TaskStep& step : task.steps) {
    if (step.opcode != PushBufferOpcode::AcquireSemaphore) return true;
    if (!released(step.argument, step.argument2)) return false;
  }
  return true;
}

// Moves the oldest task that has a place from its channel into the queue of its stream.
bool WorkDistributor::admit(Picoseconds now) {
  sim::Queue<TaskReady>* oldest = nullptr;
  StreamQueue* place = nullptr;
  for (sim::Queue<TaskReady>* channel : channels_) {
    if (!channel->can_pop(now)) continue;
    const Task& task = tasks_[channel->front().task];
    if (!acquirable(task)) continue;
    if (oldest != nullptr && tasks_[oldest->front().task].age < task.age) continue;
    StreamQueue* own = nullptr;
    StreamQueue* free = nullptr;
    for (StreamQueue& queue : queues_) {
      if (queue.tasks.empty()) {
        if (free == nullptr) free = &queue;
      } else if (queue.stream == task.stream && !task.alone) {
        own = &queue;
      }
    }
    if (own == nullptr) own = free;
    if (own == nullptr || own->tasks.size() == queue_depth_) continue;
    oldest = channel;
    place = own;
  }
  if (oldest == nullptr) return false;
  const TaskHandle handle = oldest->pop(now).task;
  place->stream = tasks_[handle].stream;
  place->tasks.push_back(handle);
  tell_queue(*place, handle, TaskEventPhase::Begin, now);
  return true;
}

// Executes commands of the stream until one has to wait; returns whether any was executed.
bool WorkDistributor::run(StreamQueue& queue, Picoseconds now) {
  bool progress = false;
  while (!queue.tasks.empty()) {
    Task& task = tasks_[queue.tasks.front()];
    if (task.next_step == task.steps.size()) {
      if (task.ended != nullptr) {
        if (!task.ended->can_push(now)) break;
        task.ended->push(now, {task.packet});
      }
      tell_queue(queue, queue.tasks.front(), TaskEventPhase::End, now);
      engine().between_ticks([this, handle = queue.tasks.front()] { tasks_.release(handle); });
      queue.tasks.pop_front();
      progress = true;
      continue;
    }
    if (!execute(queue, task, now)) break;
    ++task.next_step;
    progress = true;
  }
  return progress;
}

// Whether the task's next command is done.
bool WorkDistributor::execute(StreamQueue& queue, Task& task, Picoseconds now) {
  const TaskStep& step = task.step();
  switch (step.opcode) {
    case PushBufferOpcode::DefineSemaphore:
      if (step.argument >= semaphores_.size()) {
        semaphores_.resize(step.argument + 1, 0);
        semaphore_addresses_.resize(step.argument + 1);
      }
      semaphore_addresses_[step.argument] = PhysicalAddress(step.argument2);
      return true;
    case PushBufferOpcode::AcquireSemaphore:
      return released(step.argument, step.argument2);
    case PushBufferOpcode::ReleaseSemaphore:
      return release(task, now);
    case PushBufferOpcode::CopyRange:
    case PushBufferOpcode::FillRange:
    case PushBufferOpcode::FullEmptyRange:
    case PushBufferOpcode::CacheRange:
      return move(queue, task);
    default:
      break;
  }
  if (step.opcode == PushBufferOpcode::SetLaunchID) {
    if (faulted_) task.status = TaskStatus::Skipped;
    const std::string refusal = faulted_ ? std::string() : dispatcher_.refusal(*task.grid);
    if (!refusal.empty()) {
      task.grid->fault = {FaultKind::LaunchTooLarge, "kernel '" + task.grid->kernel->name + "': " + refusal};
      task.status = TaskStatus::KernelFault;
      faulted_ = true;
    }
    if (task.status != TaskStatus::Ok) return true;
    if (!take_counter(queue, now)) return false;
    tell_kernel(task, queue.counter, TaskEventPhase::Begin, now);
    return true;
  }
  if (queue.counter == kNone) return true;  // the kernel is skipped
  ReferenceCounter& counter = counters_[queue.counter];
  switch (step.opcode) {
    case PushBufferOpcode::SetRefCntValue:
      counter.value = step.argument;
      return true;
    case PushBufferOpcode::ResetRefCnt:
      if (counter.blocks.completed != counter.blocks.launched) return false;
      counter.blocks.launched = counter.blocks.completed = 0;
      return true;
    case PushBufferOpcode::Launch:
      return launch(queue, task);
    case PushBufferOpcode::WaitRefCnt:
      return wait_for_blocks(queue, task, now);
    default:
      throw Error("push buffer: the work distributor cannot execute " +
                  std::string(push_buffer_command_name(step.opcode)));
  }
}

bool WorkDistributor::take_counter(StreamQueue& queue, Picoseconds now) {
  for (std::size_t i = 0; i < counters_.size() && queue.counter == kNone; ++i) {
    if (counters_[i].busy) continue;
    counters_[i] = {};
    counters_[i].busy = true;
    queue.counter = i;
  }
  const bool taken = queue.counter != kNone, waited = queue.counter_wait_since != kNever;
  if (waited) statistics_.counter_wait_ps += now - queue.counter_wait_since;
  if (!taken && !waited) ++statistics_.counter_waits;
  queue.counter_wait_since = taken ? kNever : now;
  return taken;
}

bool WorkDistributor::settle_statistics() {
  const Picoseconds now = engine().now();
  for (StreamQueue& queue : queues_) {
    if (queue.counter_wait_since == kNever) continue;
    statistics_.counter_wait_ps += now - queue.counter_wait_since;
    queue.counter_wait_since = now;
  }
  return true;
}

void WorkDistributor::tell_queue(const StreamQueue& queue, TaskHandle task, TaskEventPhase phase,
                                 Picoseconds now) const {
  sim::EventSink* const sink = engine().event_sink(TaskEventKind::Queue);
  if (sink == nullptr) return;
  const std::uint64_t command = tasks_[task].command;
  sink->take({.kind = TaskEventKind::Queue,
              .phase = phase,
              .stream = queue.stream,
              .unit = static_cast<std::uint32_t>(&queue - queues_.data()),
              .time_ps = now,
              .id = command,
              .parent = command,
              .component = this});
}

void WorkDistributor::tell_device_launch(const Grid& grid, TaskEventPhase phase) const {
  sim::EventSink* const sink = engine().event_sink(TaskEventKind::Kernel);
  if (sink == nullptr) return;
  sink->take({.kind = TaskEventKind::Kernel,
              .phase = phase,
              .stream = grid.stream,
              .time_ps = engine().now(),
              .id = grid.number(),
              .parent = grid.parent->number(),
              .argument = grid.grid.count(),
              .component = this,
              .name = grid.kernel->name.c_str()});
}

void WorkDistributor::tell_kernel(const Task& task, std::size_t counter, TaskEventPhase phase,
                                  Picoseconds now) const {
  sim::EventSink* const sink = engine().event_sink(TaskEventKind::Kernel);
  if (sink == nullptr) return;
  sink->take({.kind = TaskEventKind::Kernel,
              .phase = phase,
              .stream = task.stream,
              .unit = static_cast<std::uint32_t>(counter),
              .time_ps = now,
              .id = task.command,
              .parent = task.command,
              .argument = task.grid->grid.count(),
              .component = this,
              .name = task.grid->kernel->name.c_str()});
}

bool WorkDistributor::launch(StreamQueue& queue, Task& task) {
  if (task.status != TaskStatus::Ok) {  // an earlier run of this kernel has faulted
    counters_[queue.counter].blocks.launched += task.step().argument2;
    counters_[queue.counter].blocks.completed += task.step().argument2;
    return true;
  }
  queue.grid = task.grid;
  dispatcher_.add(*task.grid, task.step().argument, task.step().argument2, task.priority,
                  &counters_[queue.counter].blocks);
  return true;
}

bool WorkDistributor::wait_for_blocks(StreamQueue& queue, Task& task, Picoseconds now) {
  ReferenceCounter& counter = counters_[queue.counter];
  if (counter.blocks.completed < counter.value || task.grid->children != 0) return false;
  tell_kernel(task, queue.counter, TaskEventPhase::End, now);
  counter.busy = false;
  queue.counter = kNone;
  queue.grid = nullptr;
  dispatcher_.end(*task.grid);
  task.start_ps = task.grid->first_block_ps;
  task.blocks_end_ps = now;
  if (task.grid->fault.kind != FaultKind::None) {
    task.status = TaskStatus::KernelFault;
    faulted_ = true;
  }
  return true;
}

bool WorkDistributor::move(StreamQueue& queue, Task& task) {
  if (task.waits_for_move) return false;
  if (faulted_) {
    if (task.status == TaskStatus::Ok) task.status = TaskStatus::Skipped;
    return true;
  }
  task.waits_for_move = true;
  const auto index = static_cast<std::uint32_t>(task.step().argument);
  const DataMove& own = task.moves[index];
  const Direction direction = own.cache_operations != 0          ? kCaches
                              : own.bits_only                    ? kBits
                              : (own.flags & kCopyFromHost) != 0 ? kToGpu
                              : (own.flags & kCopyToHost) != 0   ? kToHost
                                                                 : kInside;
  waiting_moves_[direction].push_back({queue.tasks.front(), index});
  return false;
}

bool WorkDistributor::release(Task& task, Picoseconds now) {
  if (!to_host_->can_push(now)) return false;
  const std::uint64_t semaphore = task.step().argument;
  if (semaphore >= semaphores_.size() || !semaphore_addresses_[semaphore])
    throw Error("push buffer: ReleaseSemaphore of semaphore " + std::to_string(semaphore) +
                ", which is not defined");
  semaphores_[semaphore] = task.step().argument2;
  SemaphoreRelease written;
  written.value = task.step().argument2;
  written.start_ps = std::min(task.start_ps, now);
  written.time_ps = now;
  written.status = static_cast<std::uint64_t>(task.status);
  written.fault_address = task.fault_address.value();
  Packet packet;
  packet.request = requests_.allocate();
  memory::Request& request = requests_[packet.request];
  request.operation = memory::Operation::Write;
  request.kind = memory::RequestKind::Copy;
  request.agent = memory::Agent::FrontEnd;
  request.address = semaphore_addresses_[semaphore];
  request.bytes = sizeof written;
  request.tag = semaphore;
  request.mask = memory::ByteMask::first(request.bytes);
  std::memcpy(request.data.data(), &written, sizeof written);
  packet.kind = memory::PacketKind::Release;
  packet.payload_bytes = request.bytes;
  packet.source = link_number_;
  packet.destination = port_.driver_number;
  to_host_->push(now, packet);
  ++statistics_.semaphore_releases;
  return true;
}

bool WorkDistributor::serves(std::size_t engine, Direction direction) const {
  if (engines_[engine].kind == EngineKind::Caches || direction == kCaches)
    return engines_[engine].kind == EngineKind::Caches && direction == kCaches;
  if (engines_[engine].kind == EngineKind::Bits) return direction == kBits;
  if (direction == kBits) return copies_change_bits_;
  if (copy_engines_ == 1 || direction == kInside) return true;
  return (engine % 2 == 0) == (direction == kToGpu);
}

bool WorkDistributor::waits_for_engine(TaskHandle task) const {
  for (const auto& moves : waiting_moves_)
    for (const MoveStart& move : moves)
      if (move.task == task) return true;
  return false;
}

void WorkDistributor::start_moves(Picoseconds now) {
  for (std::size_t direction = 0; direction < kDirections; ++direction)
    for (std::size_t i = 0; i < engines_.size() && !waiting_moves_[direction].empty(); ++i) {
      Engine& engine = engines_[i];
      if (engine.busy || !serves(i, static_cast<Direction>(direction)) || !engine.starts->can_push(now))
        continue;
      engine.starts->push(now, waiting_moves_[direction].front());
      waiting_moves_[direction].pop_front();
      engine.busy = true;
    }
}

Picoseconds WorkDistributor::tick(Picoseconds now) {
  collect_blocks(now);
  collect_moves(now);
  serve_claims(now);
  if (!device_launches_.empty()) device_launches_.advance(now);
  for (bool progress = true; progress;) {
    progress = false;
    while (admit(now)) progress = true;
    for (StreamQueue& queue : queues_)
      if (!queue.tasks.empty() && run(queue, now)) progress = true;
  }
  start_moves(now);
  const Picoseconds launch = device_launches_.empty() ? kNever : device_launches_.next_ready(now);
  if (!dispatcher_.waiting()) return launch;
  if (now >= next_dispatch_ps_) {
    // No block can go: a completed block or room in an SM's queue wakes this component.
    if (!dispatcher_.dispatch(now)) return launch;
    next_dispatch_ps_ = clock_.edge_after(now, dispatch_cycles_);
  }
  return dispatcher_.waiting() ? std::min(next_dispatch_ps_, launch) : launch;
}

// Its step is a move for which no engine is free.
bool WorkDistributor::stands_before_engine(TaskHandle task) const {
  switch (tasks_[task].step().opcode) {
    case PushBufferOpcode::CopyRange:
    case PushBufferOpcode::FillRange:
    case PushBufferOpcode::FullEmptyRange:
    case PushBufferOpcode::CacheRange:
      return waits_for_engine(task);
    default:
      return false;
  }
}

// What the first task of a stream's queue waits for.
std::string WorkDistributor::what_it_waits_for(const StreamQueue& queue) const {
  const Task& task = tasks_[queue.tasks.front()];
  switch (task.step().opcode) {
    case PushBufferOpcode::SetLaunchID:
      return "a free reference counter";
    case PushBufferOpcode::AcquireSemaphore:
      return "semaphore " + std::to_string(task.step().argument);
    case PushBufferOpcode::WaitRefCnt:
    case PushBufferOpcode::ResetRefCnt: {
      const ReferenceCounter& counter = counters_[queue.counter];
      if (counter.blocks.completed >= counter.value && task.grid->children != 0)
        return std::to_string(task.grid->children) + " kernels that kernel '" +
               readable_name(task.grid->kernel->name) + "' has launched";
      return "blocks of kernel '" + readable_name(task.grid->kernel->name) + "' (" +
             std::to_string(counter.blocks.completed) + " of " + std::to_string(counter.value) +
             " complete, " + std::to_string(counter.blocks.launched) + " launched)";
    }
    case PushBufferOpcode::CopyRange:
    case PushBufferOpcode::FillRange:
    case PushBufferOpcode::FullEmptyRange:
    case PushBufferOpcode::CacheRange:
      return stands_before_engine(queue.tasks.front())            ? "a free copy engine"
             : task.step().opcode == PushBufferOpcode::CacheRange ? "L2, to write back or drop lines"
                                                                  : "a copy";
    default:
      return push_buffer_command_name(task.step().opcode);
  }
}

std::vector<WorkDistributor::TaskState> WorkDistributor::task_states() const {
  std::vector<TaskState> states;
  for (const StreamQueue& queue : queues_) {
    std::uint64_t before = 0;
    for (const TaskHandle handle : queue.tasks) {
      const Task& task = tasks_[handle];
      if (before != 0)
        states.push_back({task.command, "", before, false});
      else if (task.next_step != task.steps.size())
        states.push_back({task.command, what_it_waits_for(queue), 0, stands_before_engine(handle)});
      before = task.command;
    }
  }
  for (const sim::Queue<TaskReady>* channel : channels_) {
    if (channel->size() == 0) continue;
    const Task& task = tasks_[channel->front().task];
    const bool acquires = !acquirable(task);
    states.push_back({task.command, acquires ? "the event that it waits for" : "a stream queue", 0, false});
  }
  return states;
}

std::string WorkDistributor::waits_for() const {
  std::string report;
  const auto add = [&](const std::string& text) { report += (report.empty() ? "" : ", ") + text; };
  for (const StreamQueue& queue : queues_)
    if (!queue.tasks.empty() &&
        tasks_[queue.tasks.front()].next_step != tasks_[queue.tasks.front()].steps.size())
      add("stream " + std::to_string(queue.stream) + ": " + what_it_waits_for(queue));
  const std::string room = dispatcher_.waits_for();
  if (!room.empty()) add(room);
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i]->size() != 0) {
      const Task& task = tasks_[channels_[i]->front().task];
      add("channel " + std::to_string(i) + ": " +
          (acquirable(task) ? "a stream queue for stream " + std::to_string(task.stream)
                            : "a semaphore for stream " + std::to_string(task.stream)));
    }
  return report;
}

}  // namespace duet::gpu
