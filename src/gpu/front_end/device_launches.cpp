#include "gpu/front_end/device_launches.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "sim/clock_domain.h"

namespace duet::gpu {

namespace {

Picoseconds core_time(const config::Gpu& gpu, std::uint64_t cycles) {
  return sim::ClockDomain(gpu.core_clock_khz * 1000).edge(cycles);
}

}  // namespace

DeviceLaunches::DeviceLaunches(BlockDispatcher& dispatcher, const config::Gpu& gpu)
    : dispatcher_(dispatcher),
      interval_ps_(core_time(gpu, gpu.front_end.device_launch_interval_cycles)),
      tail_ps_(core_time(gpu, gpu.front_end.device_tail_launch_cycles)) {}

void DeviceLaunches::add(DeviceLaunch launch) {
  ++launch.grid->parent->children;
  ++pending_;
  // Calls of one time come in an order that nothing may depend on.
  const auto key = [](const DeviceLaunch& l) {
    return std::tuple(l.ready_ps, l.grid->parent->launch_id, l.block);
  };
  auto place = launches_.end();
  while (place != launches_.begin() && key(launch) < key(*std::prev(place))) --place;
  static_cast<DeviceLaunch&>(*launches_.emplace(place)) = std::move(launch);
}

bool DeviceLaunches::is_foremost(const Launch& launch) const {
  const Grid& parent = *launch.grid->parent;
  if (launch.order == DeviceLaunch::Order::FireAndForget) return true;
  const bool tail = launch.order == DeviceLaunch::Order::Tail;
  const bool blocks_to_come = parent.completed_blocks < parent.grid.count();
  if (tail && blocks_to_come && parent.fault.kind == FaultKind::None) return false;
  bool earlier = true;
  for (const Launch& other : launches_) {
    if (&other == &launch) {
      earlier = false;
      continue;
    }
    if (other.grid->parent != &parent) continue;
    const bool before = tail ? other.order != DeviceLaunch::Order::Tail || earlier
                             : earlier && other.order == DeviceLaunch::Order::Stream &&
                                   other.block == launch.block && other.stream == launch.stream;
    if (before) return false;
  }
  return true;
}

bool DeviceLaunches::may_start(Launch& launch, Picoseconds now) {
  if (launch.started) return false;
  if (!launch.foremost) {
    if (launch.order != DeviceLaunch::Order::Tail && launch.ready_ps > now) return false;
    if (!is_foremost(launch)) return false;
    launch.foremost = true;
    if (launch.order == DeviceLaunch::Order::Tail)
      launch.ready_ps = std::max(launch.ready_ps, now + tail_ps_);
  }
  return launch.ready_ps <= now && free_ps_ <= now;
}

bool DeviceLaunches::has_ended(const Launch& launch) const {
  const Grid& grid = *launch.grid;
  return launch.started && grid.children == 0 && grid.completed_blocks + launch.dropped == grid.grid.count();
}

// Its parent takes over what it counted, and its fault.
void DeviceLaunches::end(Launch& launch) {
  Grid& grid = *launch.grid;
  dispatcher_.end(grid);
  on_end(grid);
  Grid& parent = *grid.parent;
  parent.children_counts += grid.counts;
  parent.children_counts += grid.children_counts;
  if (grid.fault.kind != FaultKind::None && parent.fault.kind == FaultKind::None) parent.fault = grid.fault;
  --parent.children;
}

void DeviceLaunches::advance(Picoseconds now) {
  for (bool progress = true; progress;) {
    progress = false;
    for (auto launch = launches_.begin(); launch != launches_.end();) {
      if (may_start(*launch, now)) {
        launch->started = progress = true;
        free_ps_ = now + interval_ps_;
        --pending_;
        Grid& grid = *launch->grid;
        on_start(grid);
        // What its parent's fault has made void is not executed.
        if (grid.parent->fault.kind != FaultKind::None)
          launch->dropped = grid.grid.count();
        else
          dispatcher_.add(grid, 0, grid.grid.count(), 0, &launch->counts);
      }
      if (!has_ended(*launch)) {
        ++launch;
        continue;
      }
      progress = true;
      end(*launch);
      launch = launches_.erase(launch);
    }
  }
}

void DeviceLaunches::failed(const Grid& grid) {
  const auto launch = std::find_if(launches_.begin(), launches_.end(),
                                   [&](const Launch& l) { return l.grid.get() == &grid; });
  launch->dropped += dispatcher_.left(grid);
  dispatcher_.drop(grid);
}

Picoseconds DeviceLaunches::next_ready(Picoseconds now) const {
  Picoseconds next = kNever;
  for (const Launch& launch : launches_)
    if (!launch.started && std::max(launch.ready_ps, free_ps_) > now)
      next = std::min(next, std::max(launch.ready_ps, free_ps_));
  return next;
}

}  // namespace duet::gpu
