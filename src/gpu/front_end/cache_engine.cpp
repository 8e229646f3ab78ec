#include "gpu/front_end/cache_engine.h"

#include <algorithm>
#include <utility>

#include "sim/event_sink.h"

namespace duet::gpu {

using memory::CacheCommand;
using memory::Operation;

CacheEngine::CacheEngine(sim::Engine& engine, const sim::Component* parent, std::uint32_t number,
                         const memory::AddressSpace& address_space, TaskPool& tasks)
    : Component(engine, "cache engine", parent, 1, sim::Role::DataMovementElement),
      number_(number),
      address_space_(address_space),
      tasks_(tasks) {}

void CacheEngine::connect(sim::Queue<MoveStart>& starts, sim::Queue<MoveDone>& done,
                          std::vector<Slice> slices) {
  starts_ = &starts;
  done_ = &done;
  slices_ = std::move(slices);
  to_send_.resize(slices_.size());
}

void CacheEngine::start(Picoseconds now) {
  current_ = starts_->pop(now);
  const DataMove& move = tasks_[current_.task].moves[current_.move];
  command_ = tasks_[current_.task].command;
  busy_ = true;
  start_ps_ = now;
  ++statistics_.ranges;
  operations_.clear();
  if ((move.cache_operations & kCacheInvalidate) != 0) operations_.push_back(Operation::Invalidate);
  if ((move.cache_operations & kCacheClean) != 0) operations_.push_back(Operation::Clean);
  tell(TaskEventPhase::Begin, now);
}

void CacheEngine::tell(TaskEventPhase phase, Picoseconds now) {
  sim::EventSink* const sink = engine().event_sink(TaskEventKind::Move);
  if (sink == nullptr) return;
  const Task& task = tasks_[current_.task];
  const Bytes bytes = task.moves[current_.move].width_bytes;
  sink->take({.kind = TaskEventKind::Move,
              .phase = phase,
              .stream = task.stream,
              .unit = number_,
              .time_ps = now,
              .id = current_.move,
              .parent = command_,
              .argument = bytes == CacheCommand::kWhole ? 0 : bytes,
              .component = this,
              .name = "cache maintenance"});
}

// What is not mapped any more is in no cache: its owner has seen to it.
void CacheEngine::begin_operation() {
  const DataMove& move = tasks_[current_.task].moves[current_.move];
  const Operation operation = operations_.back();
  operations_.pop_back();
  const auto add = [&](PhysicalAddress base, Bytes bytes) {
    for (auto& commands : to_send_) commands.push_back({operation, 0, base, bytes});
    unanswered_ += to_send_.size();
  };
  if (move.width_bytes == CacheCommand::kWhole) return add({}, CacheCommand::kWhole);
  const VirtualAddress end = VirtualAddress(move.to) + move.width_bytes;
  for (VirtualAddress at(move.to); at < end;) {
    const memory::PageRun& run = address_space_.pages().find(at);
    if (run.bytes == 0) break;
    const VirtualAddress next = std::min(run.end(), end);
    add(run[at], next - at);
    at = next;
  }
}

void CacheEngine::send(Picoseconds now) {
  for (std::size_t i = 0; i < slices_.size(); ++i)
    for (auto& commands = to_send_[i]; !commands.empty() && slices_[i].commands->can_push(now);
         commands.pop_front())
      slices_[i].commands->push(now, commands.front());
}

Picoseconds CacheEngine::tick(Picoseconds now) {
  for (const Slice& slice : slices_)
    while (slice.done->can_pop(now)) {
      slice.done->pop(now);
      --unanswered_;
    }
  if (!busy_ && starts_->can_pop(now)) start(now);
  while (busy_ && unanswered_ == 0) {
    if (!operations_.empty()) {
      begin_operation();
      continue;
    }
    if (!done_->can_push(now)) return kNever;
    tell(TaskEventPhase::End, now);
    done_->push(now, {current_.task, false, {}, start_ps_});
    statistics_.busy_ps += now - start_ps_;
    busy_ = false;
  }
  send(now);
  Picoseconds arrival = busy_ ? kNever : starts_->next_arrival(now);
  for (const Slice& slice : slices_) arrival = std::min(arrival, slice.done->next_arrival(now));
  return arrival == kNever ? kNever : next_opportunity(arrival);
}

std::string CacheEngine::waits_for() const {
  return busy_ ? "L2, to write back or drop lines" : std::string();
}

}  // namespace duet::gpu
