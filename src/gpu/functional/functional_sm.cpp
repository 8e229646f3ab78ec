#include "gpu/functional/functional_sm.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/lane_mask.h"
#include "gpu/block_reports.h"
#include "gpu/functional/block_executor.h"
#include "gpu/functional/block_recorder.h"
#include "sim/statistics.h"

namespace duet::gpu {

// A resident block: when its next quantum is due, or when it has ended.
struct FunctionalSm::Resident {
  std::unique_ptr<BlockExecutor> executor;
  bool recorded = false;
  bool told = false;  // the recorder has heard of its end
  Grid* grid = nullptr;
  std::uint64_t block = 0;
  Picoseconds due_ps = 0;
  Picoseconds fault_ps = 0;
};

struct FunctionalSmStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter warp_instructions{*this, "warp_instructions", "instructions",
                                 "machine instructions issued, per warp"};
  sim::Counter blocks{*this, "blocks", "blocks", "blocks started"};
};

struct FunctionalSm::State {
  SmContext context;
  config::Gpu config;
  const DeviceServices& services;
  sim::Queue<BlockLaunch>* launches = nullptr;
  BlockReports reports;
  std::vector<Resident> resident;                       // in order of arrival
  std::vector<std::unique_ptr<BlockExecutor>> idle[2];  // recording ones are the second
  std::function<void(Picoseconds)> kernel_failed = [](Picoseconds) {};
  FunctionalSmStatistics statistics;
};

FunctionalSm::FunctionalSm(sim::Engine& engine, const sim::Component* parent, std::uint32_t number,
                           const config::Gpu& config, memory::AddressSpace& address_space,
                           const DeviceServices& services, Place place)
    : Component(engine, "SM " + std::to_string(number) + (place == Place::Own ? "" : ", functional"), parent,
                1, place == Place::Own ? sim::Role::ProcessingElement : sim::Role::None),
      state_(new State{{nullptr, nullptr, nullptr, sim::ClockDomain(config.core_clock_khz * 1000), number},
                       config,
                       services,
                       nullptr,
                       {},
                       {},
                       {},
                       [](Picoseconds) {},
                       FunctionalSmStatistics(place == Place::Own ? "sm." : "fast_forward.")}) {
  if (config.sm.warp_width == 0 || config.sm.warp_width > kMaxWarpWidth)
    throw Error("gpu.sm.warp_width is " + std::to_string(config.sm.warp_width) +
                ": a warp has 1 to 64 lanes");
  declare(state_->statistics);
  state_->context.config = &state_->config;
  state_->context.services = &state_->services;
  state_->context.address_space = &address_space;
}

FunctionalSm::~FunctionalSm() = default;

void FunctionalSm::connect(sim::Queue<BlockLaunch>& launches, sim::Queue<BlockDone>& done) {
  state_->launches = &launches;
  state_->reports.connect(done);
}

void FunctionalSm::on_failure(std::function<void(Picoseconds)> kernel_failed) {
  state_->kernel_failed = std::move(kernel_failed);
}

Picoseconds FunctionalSm::next_opportunity(Picoseconds time) const {
  return state_->context.clock.first_edge_after(time);
}

// Takes an arrived block.
void FunctionalSm::start(Picoseconds now, Cycle cycle, const BlockLaunch& launch) {
  State& s = *state_;
  Resident entry;
  BlockRecorder* const recorder = s.services.recorder;
  RecordedBlock* const record =
      recorder == nullptr ? nullptr : recorder->begin(*launch.grid, launch.block, s.context.number, now);
  entry.recorded = record != nullptr;
  auto& idle = s.idle[entry.recorded ? 1 : 0];
  if (idle.empty()) {
    entry.executor = make_block_executor(s.context, entry.recorded);
  } else {
    entry.executor = std::move(idle.back());
    idle.pop_back();
  }
  entry.grid = launch.grid;
  entry.block = launch.block;
  entry.due_ps = now;
  entry.executor->start(*launch.grid, launch.block, cycle, record);
  if (entry.executor->fault().kind != FaultKind::None) {
    entry.fault_ps = now;
    launch.grid->fail(now);
  }
  ++s.statistics.blocks;
  s.resident.push_back(std::move(entry));
}

// A quantum binds its values now; its time decides when the block goes on or ends.
void FunctionalSm::run(Picoseconds now, Cycle cycle, Resident& entry) {
  State& s = *state_;
  BlockExecutor& executor = *entry.executor;
  const bool failed = entry.grid->failed_ps.load(std::memory_order_relaxed) != kNever;
  const std::uint64_t before = executor.counts().warp_instructions;
  executor.run(executor.turn());
  s.statistics.warp_instructions += executor.counts().warp_instructions - before;
  entry.due_ps = s.context.clock.edge(std::max(executor.cycle(), cycle + 1));
  if (executor.stuck() && !executor.finished()) entry.due_ps = kNever;
  if (executor.fault().kind == FaultKind::None) return;
  entry.fault_ps = now;
  entry.grid->fail(now);
  if (!failed) s.kernel_failed(now);
}

// A block is done. A full queue wakes this SM when it has room again.
void FunctionalSm::finish(Picoseconds now, Resident& entry) {
  State& s = *state_;
  if (s.services.recorder != nullptr && !entry.told) {
    entry.told = true;
    entry.due_ps = s.services.recorder->finished(*entry.grid, entry.block, entry.executor->counts(), now);
    if (entry.due_ps > now) return;
  }
  if (!s.reports.can_send(now)) return;
  BlockReport& report = s.reports.next(*entry.grid);
  report.counts = entry.executor->counts();
  if (const Fault& fault = entry.executor->fault(); fault.kind != FaultKind::None)
    report.fault = {fault.kind, fault.text, entry.fault_ps, s.context.number};
  s.reports.send(now, {entry.grid, entry.block, s.context.number});
  s.idle[entry.recorded ? 1 : 0].push_back(std::move(entry.executor));
}

Picoseconds FunctionalSm::tick(Picoseconds now) {
  State& s = *state_;
  const Cycle cycle = s.context.clock.cycle_at(now);
  while (s.launches->can_pop(now)) start(now, cycle, s.launches->pop(now));
  Picoseconds next = kNever;
  for (Resident& entry : s.resident) {
    const bool failed = entry.grid->failed_ps.load(std::memory_order_relaxed) != kNever;
    if (entry.due_ps > now && !failed) {
      next = std::min(next, entry.due_ps);
    } else if (!entry.executor->finished()) {
      run(now, cycle, entry);
      next = std::min(next, entry.due_ps);
    } else {
      finish(now, entry);
      if (entry.executor != nullptr && entry.due_ps > now) next = std::min(next, entry.due_ps);
    }
  }
  std::erase_if(s.resident, [](const Resident& entry) { return entry.executor == nullptr; });
  return next;
}

GridCounts FunctionalSm::counts_to_tell(const Grid& grid) const {
  GridCounts counts = state_->reports.on_the_way(grid);
  for (const Resident& entry : state_->resident)
    if (entry.grid == &grid) counts += entry.executor->counts();
  return counts;
}

std::string FunctionalSm::waits_for() const {
  if (state_->resident.empty()) return {};
  std::string text;
  std::vector<const Grid*> told;
  for (const Resident& resident : state_->resident) {
    if (std::find(told.begin(), told.end(), resident.grid) != told.end()) continue;
    text += (told.empty() ? "" : "\n") + resident.executor->describe();
    told.push_back(resident.grid);
  }
  return text;
}

}  // namespace duet::gpu
