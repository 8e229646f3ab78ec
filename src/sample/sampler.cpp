#include "sample/sampler.h"

namespace duet::sample {

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
  if (last_ != nullptr) last_->after = known.get();
  last_ = known.get();
  running_.emplace(grid.launch_id, running);
}

// All blocks of one that is fast-forwarded have executed when the last of them is held back.
Picoseconds Sampler::finished(gpu::Grid& grid, std::uint64_t, const gpu::GridCounts& counts,
                              Picoseconds now) {
  Running& running = running_.at(grid.launch_id);
  running.work += counts.warp_instructions;
  if (++running.done != grid.grid.count()) return now;
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
  launch.work = !grid.fast_forward ? grid.counts.warp_instructions : running.work;
  launch.time_ps = launch.failed ? 0 : now - grid.first_block_ps;
  if (running.warming) running.known->group.warming(static_cast<double>(launch.time_ps));
  if (running.choice.timed && !launch.failed)
    running.known->group.timed(running.choice.window, static_cast<double>(launch.work),
                               static_cast<double>(launch.time_ps));
  tell_(launch);
}

}  // namespace duet::sample
