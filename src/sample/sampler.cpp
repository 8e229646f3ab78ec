#include "sample/sampler.h"

namespace duet::sample {

namespace {

// Share of the allowed error for the rest of a launch.
constexpr double kShareOfError = 0.5;
// Warp instructions of a launch. Simulating a smaller one takes less time than warming its caches: about 40
// us of the host, enough to simulate about as many.
constexpr std::uint64_t kLeastWork = 50;

}  // namespace

void Sampler::begins(gpu::Grid& grid) {
  const Shape shape{grid.kernel,
                    {grid.grid.x, grid.grid.y, grid.grid.z, grid.block.x, grid.block.y, grid.block.z},
                    grid.dynamic_shared_bytes};
  std::unique_ptr<Known>& known = groups_[shape];
  if (known == nullptr) {
    const auto number = static_cast<std::uint32_t>(groups_.size() - 1);
    known.reset(new Known{number, false, Group(error_, number), nullptr});
  }
  Running running{known.get(), {}, !running_.empty()};
  for (auto& [launch, other] : running_) {
    other.overlapped = true;
    other.known->group.time_all();
  }
  if (running.overlapped) known->group.time_all();
  running.choice = known->group.next();
  running.warming = !running.choice.timed && known->after != nullptr && known->after->group.times_next();
  grid.fast_forward = !running.choice.timed && !running.warming;
  // Blocks of a cooperative grid wait for each other.
  if (!grid.fast_forward && !running.overlapped && !grid.cooperative)
    running.rate.emplace(grid.grid.count(), kShareOfError * error_);
  if (last_ != nullptr) last_->after = known.get();
  last_ = known.get();
  running_.emplace(grid.launch_id, running);
}

bool Sampler::block_ends(const gpu::Grid& grid, std::uint64_t dispatched, Picoseconds now) {
  const auto found = running_.find(grid.launch_id);
  if (found == running_.end() || !found->second.rate) return false;
  Running& running = found->second;
  return running.rate->ends(dispatched, grid.counts.warp_instructions, now) && !running.overlapped &&
         grid.children == 0 && grid.children_counts.warp_instructions == 0;
}

gpu::RecordedBlock* Sampler::begin(gpu::Grid& grid, std::uint64_t, std::uint32_t sm, Picoseconds now) {
  executes_(grid, sm);
  Running& running = running_.at(grid.launch_id);
  if (running.rate && running.drained_ps == kNever) {
    running.drained_ps = now;
    running.timed_work = grid.counts.warp_instructions;
  }
  return nullptr;
}

// All fast-forwarded blocks of the launch have executed when the last of them is held back.
Picoseconds Sampler::finished(gpu::Grid& grid, std::uint64_t, const gpu::GridCounts& counts,
                              Picoseconds now) {
  Running& running = running_.at(grid.launch_id);
  running.work += counts.warp_instructions;
  if (++running.done != grid.grid.count() - grid.timed_blocks) return now;
  if (running.rate)
    return std::max(now, running.drained_ps +
                             static_cast<Picoseconds>(running.rate->time(static_cast<double>(running.work))));
  const double time = running.known->group.forwarded(static_cast<double>(running.work));
  return std::max(now, grid.first_block_ps + static_cast<Picoseconds>(time));
}

void Sampler::ends(const gpu::Grid& grid, Picoseconds now) {
  const auto found = running_.find(grid.launch_id);
  if (found == running_.end()) return;
  const Running running = found->second;
  running_.erase(found);
  Launch launch;
  launch.grid = &grid;
  launch.group = running.known->number;
  launch.first_of_group = !running.known->told;
  running.known->told = true;
  launch.choice = running.choice;
  launch.overlapped = running.overlapped;
  launch.failed = grid.fault.kind != gpu::FaultKind::None || grid.first_block_ps == kNever;
  launch.warming = running.warming;
  launch.work = !grid.fast_forward ? grid.counts.warp_instructions : running.timed_work + running.work;
  launch.time_ps = launch.failed ? 0 : now - grid.first_block_ps;
  launch.timed_blocks = grid.timed_blocks;
  if (grid.timed_blocks != 0)
    launch.error_ps = static_cast<Picoseconds>(running.rate->error(static_cast<double>(running.work)));
  const auto error = static_cast<double>(launch.error_ps);
  if (running.warming) running.known->group.warming(static_cast<double>(launch.time_ps), error);
  if (!launch.failed && running.choice.timed && launch.work < kLeastWork) running.known->group.time_all();
  if (running.choice.timed && !launch.failed)
    running.known->group.timed(running.choice.window, static_cast<double>(launch.work),
                               static_cast<double>(launch.time_ps), error);
  tell_(launch);
}

}  // namespace duet::sample
