#include "machine/host/cpu_maintenance.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace duet::machine {

using memory::CacheCommand;
using memory::CoherenceKind;
using memory::CoherenceMessage;

namespace {

constexpr std::uint64_t kPicosecondsTimesKilohertz = 1'000'000'000;
constexpr std::size_t kMostAsked = 16;  // lines at a time: a core's loop does not run further ahead

Picoseconds cycles(const config::Cpu& config, std::uint64_t count) {
  return count * kPicosecondsTimesKilohertz / config.clock_khz;
}

std::uint64_t lines_of(const CpuMaintenance::Range& range, Bytes line_bytes) {
  if (range.bytes == 0) return 0;
  const PhysicalAddress first = range.base.aligned_down(line_bytes);
  return (range.base + (range.bytes - 1) - first) / line_bytes + 1;
}

}  // namespace

CpuMaintenance::CpuMaintenance(sim::Engine& engine, CpuMemory& memory, const config::Cpu& config,
                               const config::MemoryFabric::Maintenance& costs)
    : Component(engine, "cache maintenance of cores", &memory.node(), 2, sim::Role::None),
      memory_(memory),
      config_(config),
      costs_(costs),
      entry_ps_(cycles(config, config.system_call_cycles)),
      to_directory_ps_(cycles(config, config.to_directory_cycles)),
      agent_(memory.connect_agent(*this)),
      below_(memory.connect_commander(*this)) {
  memory.agent_asks_from(
      [this](Picoseconds now) { return now + to_directory_ps_ + (jobs_.empty() ? entry_ps_ : 0); });
}

std::uint64_t CpuMaintenance::begin(Job job) {
  const Picoseconds from = std::max(engine().now() + entry_ps_, not_before_ps_);
  jobs_.push_back({++last_id_, std::move(job), from});
  if (jobs_.size() == 1) engine().wake(*this, from);
  return last_id_;
}

// By range each line of it is asked for, by set and way each line that is held.
void CpuMaintenance::start_lines(Picoseconds now) {
  const Pending& current = jobs_.front();
  stage_ = Stage::Lines;
  started_ps_ = now;
  ++statistics_.jobs;
  const Bytes line_bytes = config_.line_bytes;
  std::uint64_t looked_at = 0;
  Picoseconds time = 0;
  if (current.job.ranges.empty()) {
    for (const PhysicalAddress line : memory_.held_lines()) to_ask_.push_back(line);
    looked_at = config_.l3.sets * config_.l3.ways;
    for (const config::Cpu::Cache* const cache : {&config_.l1, &config_.l2})
      looked_at += cache->sets * cache->ways * config_.cores;
    time = cycles(config_, looked_at * costs_.cpu_set_way_cycles);
  } else {
    for (const Range& range : current.job.ranges) {
      const std::uint64_t lines = lines_of(range, line_bytes);
      const PhysicalAddress first = range.base.aligned_down(line_bytes);
      for (std::uint64_t i = 0; i < lines; ++i)
        if (memory_.holds_line(first + i * line_bytes)) to_ask_.push_back(first + i * line_bytes);
      looked_at += lines;
    }
    time = cycles(config_, looked_at * costs_.cpu_line_cycles);
  }
  statistics_.lines += looked_at;
  statistics_.held += to_ask_.size();
  not_before_ps_ = now + time;
}

void CpuMaintenance::send_lines(Picoseconds now) {
  for (; !to_ask_.empty() && asked_ < kMostAsked && agent_.requests->can_push(now); to_ask_.pop_front()) {
    CoherenceMessage message;
    message.line = to_ask_.front();
    message.cache = agent_.number;
    message.kind = CoherenceKind::Clean;
    agent_.requests->push(now, message, now + to_directory_ps_);
    ++asked_;
  }
}

void CpuMaintenance::command_below(memory::Operation operation) {
  CacheCommand command;
  command.operation = operation;
  if (jobs_.front().job.ranges.empty()) to_command_.push_back(command);
  for (const Range& range : jobs_.front().job.ranges) {
    command.base = range.base;
    command.bytes = range.bytes;
    to_command_.push_back(command);
  }
  commanded_ = to_command_.size();
}

void CpuMaintenance::send_commands(Picoseconds now) {
  for (; !to_command_.empty() && below_->commands->can_push(now); to_command_.pop_front())
    below_->commands->push(now, to_command_.front());
}

void CpuMaintenance::finish(Picoseconds now) {
  statistics_.busy_ps += now - started_ps_;
  completed_ = jobs_.front().id;
  jobs_.pop_front();
  stage_ = Stage::Idle;
  if (!jobs_.empty()) jobs_.front().from_ps = std::max(jobs_.front().from_ps, now);
}

Picoseconds CpuMaintenance::tick(Picoseconds now) {
  for (; agent_.answers->can_pop(now); agent_.answers->pop(now)) --asked_;
  if (below_)
    for (; below_->done->can_pop(now); below_->done->pop(now)) --commanded_;
  while (!jobs_.empty()) {
    const CacheOperations& operations = jobs_.front().job.operations;
    if (stage_ == Stage::Idle) {
      if (now < jobs_.front().from_ps) return jobs_.front().from_ps;
      start_lines(now);
    }
    if (stage_ == Stage::Lines) {
      send_lines(now);
      if (asked_ != 0 || !to_ask_.empty()) break;
      if (now < not_before_ps_) return not_before_ps_;
      stage_ = Stage::Cleaning;
      if (below_ && operations.clean) command_below(memory::Operation::Clean);
    }
    send_commands(now);
    if (commanded_ != 0) break;
    if (stage_ == Stage::Cleaning) {
      stage_ = Stage::Invalidating;
      if (below_ && operations.invalidate) command_below(memory::Operation::Invalidate);
      send_commands(now);
      if (commanded_ != 0) break;
    }
    finish(now);
  }
  Picoseconds arrival = agent_.answers->next_arrival(now);
  if (below_) arrival = std::min(arrival, below_->done->next_arrival(now));
  return arrival == kNever ? kNever : next_opportunity(arrival);
}

std::string CpuMaintenance::waits_for() const {
  if (asked_ != 0) return fmt::format("the directory, for {} lines to be written back", asked_);
  return commanded_ != 0 ? "the cache below the directory, to write back or drop lines" : std::string();
}

}  // namespace duet::machine
