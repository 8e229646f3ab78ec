#include "machine/watch/time_account.h"

#include <algorithm>
#include <utility>

#include "host/host_thread.h"

namespace duet::machine {

namespace {

report::PathPart part_of(const driver::CommandRecord& record) {
  using Part = report::PathPart;
  switch (record.kind) {
    case driver::CommandKind::Launch:
      return Part::Kernels;
    case driver::CommandKind::Copy:
      if (record.from_host == record.to_host) return Part::OtherCopies;
      return record.from_host ? Part::HostToDevice : Part::DeviceToHost;
    case driver::CommandKind::Fill:
    case driver::CommandKind::FullEmptySet:
    case driver::CommandKind::CacheMaintenance:
      return Part::OtherCopies;
    default:
      return Part::Driver;
  }
}

}  // namespace

TimeAccount::TimeAccount(sim::Engine& engine) : engine_(engine) {
  constexpr TaskEventMask kOwn = mask_of(TaskEventKind::Command) | mask_of(TaskEventKind::Preparation) |
                                 mask_of(TaskEventKind::Kernel) | mask_of(TaskEventKind::Move);
  engine.report_events(*this, kOwn);
}

void TimeAccount::advance(Path& path, Picoseconds to, Part part) {
  if (to <= path.time) return;
  if (step_count_ < report::PathStep::kMost) {
    steps_.push_back({path.step, static_cast<std::uint32_t>(part), path.time, to});
    path.step = ++step_count_;
  }
  path.of[static_cast<std::size_t>(part)] += to - path.time;
  path.time = to;
}

std::size_t TimeAccount::going_on() const {
  std::size_t moment = 0;
  for (std::size_t i = 0; i < report::kActivities; ++i)
    if (active_[i] != 0) moment |= std::size_t{1} << i;
  return moment;
}

void TimeAccount::settle(Picoseconds now) {
  if (now <= settled_ps_) return;
  moments_[going_on()] += now - settled_ps_;
  history_.add(going_on(), settled_ps_, now);
  settled_ps_ = now;
}

void TimeAccount::change(report::Activity activity, int by) {
  active_[static_cast<std::size_t>(activity)] += by;
}

void TimeAccount::take(const sim::Event& event) {
  const bool begins = event.phase == TaskEventPhase::Begin;
  if (event.kind == TaskEventKind::Command) {
    if (begins) submitted(event);
  } else if (event.kind == TaskEventKind::Preparation) {
    begins ? prepares(event.id, event.time_ps) : prepared(event.id, event.time_ps);
  } else if (event.kind == TaskEventKind::Move || event.kind == TaskEventKind::Kernel) {
    take_later(event);
  }
}

// Those who tell of these are ticked beside the driver, which tells of the rest.
void TimeAccount::take_later(const sim::Event& event) {
  const bool begins = event.phase == TaskEventPhase::Begin;
  if (event.kind == TaskEventKind::Kernel && !begins) return;
  engine_.after_ticks(
      [this, kind = event.kind, begins, command = event.parent, unit = event.unit, now = event.time_ps] {
        settle(now);
        if (kind == TaskEventKind::Kernel)
          pending_[command].arrived_ps = now;
        else if (begins)
          move_begins(command, unit);
        else
          move_ended_[unit] = now;
      });
}

void TimeAccount::submitted(const sim::Event& event) {
  Pending& pending = pending_[event.id];
  for (auto& [number, thread] : threads_) {
    if (thread.call != event.parent) continue;
    advance(thread.path, event.time_ps, Part::Calls);
    pending.path = thread.path;
    return;
  }
  pending.path = latest();
  advance(pending.path, event.time_ps, Part::Calls);
}

// A command enters stage (ii) at the moment of its last cause.
const TimeAccount::Path& TimeAccount::cause(const Pending& pending) const {
  const Path* result = &pending.path;
  for (const Path* path : {&completion_, &driver_free_})
    if (path->time > result->time) result = path;
  return *result;
}

void TimeAccount::prepares(driver::CommandId id, Picoseconds now) {
  settle(now);
  Pending& pending = pending_[id];
  pending.path = cause(pending);
  advance(pending.path, now, Part::Driver);
  pending.preparing = true;
  begin(report::Activity::Driver);
}

void TimeAccount::prepared(driver::CommandId id, Picoseconds now) {
  Pending& pending = pending_[id];
  advance(pending.path, now, Part::Driver);
  driver_free_ = pending.path;
}

void TimeAccount::starts(Pending& pending) {
  if (pending.preparing) end(report::Activity::Driver);
  pending.preparing = false;
}

void TimeAccount::move_begins(driver::CommandId id, std::uint32_t engine) {
  Pending& pending = pending_[id];
  if (pending.copying || pending.arrived_ps != 0) return;  // bits and caches at a kernel's end
  pending.copying = true;
  const Picoseconds free = move_ended_[engine];
  if (free > pending.path.time) pending.waited_ps = free - pending.path.time;
  starts(pending);
  begin(report::Activity::Copy);
}

void TimeAccount::kernel_starts(const gpu::Grid& grid) {
  const Picoseconds now = engine_.now();
  settle(now);
  const bool beside_others = std::any_of(running_.begin(), running_.end(),
                                         [&](const auto& one) { return one.second.time_ps < now; });
  running_.emplace(grid.command, Start{now, beside_others});
  Pending& pending = pending_[grid.command];
  starts(pending);
  if (std::exchange(pending.copying, false)) end(report::Activity::Copy);  // caches were written back for it
  begin(report::Activity::Kernel);
}

// How long the kernel stood at the work distributor while others had the SMs.
void TimeAccount::wait_for_room(Pending& pending, const Start& start, Picoseconds until) {
  if (pending.arrived_ps < pending.path.time) return;
  advance(pending.path, std::min(pending.arrived_ps, until), Part::Driver);
  advance(pending.path, start.beside_others ? until : std::min(until, kernel_ended_), Part::Kernels);
}

// A command that was prepared before its stream's last one had ended (driver.read_ahead) waited for it on the
// GPU. It may start before the host could know of that end.
void TimeAccount::wait_for_stream(Pending& pending, const driver::CommandRecord& record) {
  const auto work = last_work_.find(record.stream);
  if (work == last_work_.end() || work->second.end_ps <= pending.path.time) return;
  Path path = work->second.before;
  advance(path, std::min(record.start_ps, work->second.end_ps), work->second.part);
  if (path.time <= pending.path.time) return;
  pending.waited_ps -= std::min(pending.waited_ps, path.time - pending.path.time);
  pending.path = path;
}

void TimeAccount::completed(const driver::CommandRecord& record) {
  settle(record.end_ps);
  Pending pending = pending_[record.id];
  pending_.erase(record.id);
  if (pending.path.time < record.driver_start_ps) {  // it completes without effect, after a fault
    pending.path = cause(pending);
    advance(pending.path, record.driver_start_ps, Part::Driver);
  }
  starts(pending);
  wait_for_stream(pending, record);
  if (const auto kernel = running_.find(record.id); kernel != running_.end()) {
    wait_for_room(pending, kernel->second, record.start_ps);
    running_.erase(kernel);
    end(report::Activity::Kernel);
    kernel_ended_ = record.end_ps;
  }
  const Part part = part_of(record);
  if (pending.copying) end(report::Activity::Copy);
  advance(pending.path, pending.path.time + pending.waited_ps, part);
  advance(pending.path, record.start_ps, Part::Driver);
  last_work_[record.stream] = {pending.path, part, record.end_ps};
  advance(pending.path, record.end_ps, part);
  completion_ = pending.path;
}

void TimeAccount::call_begins(const host::HostThread& thread, std::uint64_t call, Picoseconds clock) {
  const Picoseconds now = engine_.now();
  settle(now);
  Thread& own = threads_[&thread];
  if (thread.number() != 0) own.path = path_of(thread.number());
  advance(own.path, std::min(clock, now), Part::BetweenCalls);
  if (const Path& others = latest(); clock < now && others.time > own.path.time) own.path = others;
  advance(own.path, now, Part::BetweenCalls);
  own.call = call;
  if (own.depth++ == 0) begin(report::Activity::Call);
}

void TimeAccount::call_ends(const host::HostThread& thread, std::uint64_t outer_call) {
  settle(engine_.now());
  Thread& own = threads_[&thread];
  advance(own.path, engine_.now(), Part::Calls);
  own.call = outer_call;
  if (--own.depth == 0) end(report::Activity::Call);
}

// As far as it has come, its work since then left out.
TimeAccount::Path TimeAccount::path_of(std::uint64_t thread) const {
  Path path;
  if (const auto gone_on = gone_on_.find(thread); gone_on != gone_on_.end()) path = gone_on->second;
  for (const auto& [host, known] : threads_)
    if (host->number() == thread && known.path.time > path.time) path = known.path;
  return path;
}

void TimeAccount::goes_on(std::uint64_t thread, std::uint64_t because_of) {
  if (because_of == 0) return;  // its own time has passed
  Path path = path_of(because_of);
  advance(path, engine_.now(), Part::BetweenCalls);
  gone_on_[thread] = path;
}

void TimeAccount::waited(const host::HostThread& thread, Picoseconds since) {
  Path& own = threads_[&thread].path;
  advance(own, since, Part::Calls);
  if (completion_.time > own.time)
    own = completion_;
  else if (driver_free_.time > own.time)
    own = driver_free_;
}

const TimeAccount::Path& TimeAccount::latest() const {
  const Path* result = &completion_;
  if (driver_free_.time > result->time) result = &driver_free_;
  for (const auto& [number, thread] : threads_)
    if (thread.path.time >= result->time) result = &thread.path;
  for (const auto& [number, path] : gone_on_)
    if (path.time >= result->time) result = &path;
  return *result;
}

report::TimeAccount TimeAccount::up_to(Picoseconds time) const {
  const auto active = [&](report::Activity activity) {
    return active_[static_cast<std::size_t>(activity)] != 0;
  };
  report::TimeAccount result{};
  result.time_ps = time;
  result.moments_ps = moments_;
  result.open_ps = history_.open();
  result.open_start_ps = history_.open_start_ps();
  if (time > settled_ps_) {
    result.moments_ps[going_on()] += time - settled_ps_;
    result.open_ps[going_on()] += time - settled_ps_;
  }
  Path path = latest();
  const Part part = !active(report::Activity::Call)    ? Part::BetweenCalls
                    : active(report::Activity::Kernel) ? Part::Kernels
                    : active(report::Activity::Copy)   ? Part::OtherCopies
                    : active(report::Activity::Driver) ? Part::Driver
                                                       : Part::Calls;
  result.path_step = path.step;
  result.last_part = static_cast<std::uint32_t>(part);
  result.last_start_ps = std::min(path.time, time);
  if (time > path.time) path.of[static_cast<std::size_t>(part)] += time - path.time;
  result.path_ps = path.of;
  return result;
}

}  // namespace duet::machine
