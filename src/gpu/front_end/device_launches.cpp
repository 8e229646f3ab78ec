#include "gpu/front_end/device_launches.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace duet::gpu {

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

bool DeviceLaunches::may_start(const Launch& launch, Picoseconds now) const {
  if (launch.started || launch.ready_ps > now) return false;
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
        --pending_;
        Grid& grid = *launch->grid;
        on_start(grid);
        // What its parent's fault has made void is not executed.
        if (grid.parent->fault.kind != FaultKind::None)
          launch->dropped = grid.grid.count();
        else
          dispatcher_.add(grid, 0, grid.grid.count(), 0, &launch->launched);
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
    if (!launch.started && launch.ready_ps > now) next = std::min(next, launch.ready_ps);
  return next;
}

}  // namespace duet::gpu
