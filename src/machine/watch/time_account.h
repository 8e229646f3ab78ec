// Where the time of a run went, kept while the run goes on. Two accounts, and each adds up to the run:
//
// - Moments: the activities of each moment (a kernel, a copy, the driver, a call of the program, any of these
//   together), each moment counted once.
// - Critical path: the work that the program's end had to wait for. Each piece of work has its latest cause:
//   a command its call, the driver's last command or a completion; a blocked host thread the completion that
//   let it go; a waiting thread on the machine's cores the work of the other thread. Each piece of work
//   carries the path that led to it. Of the past only the first 60,000 steps of all paths and the order of
//   moments (machine/watch/moment_history.h) are kept, for drawing them.
//
// Left out: the causes of a kernel's or copy's own length (a kernel waiting for full/empty bits is a kernel),
// and polls: a polling program is in its calls.
#pragma once

#include <array>
#include <map>
#include <unordered_map>
#include <vector>

#include "driver/driver.h"
#include "machine/watch/moment_history.h"
#include "report/journal/journal.h"
#include "sim/engine.h"
#include "sim/event_sink.h"

namespace duet::host {
class HostThread;
}

namespace duet::machine {

class TimeAccount : public sim::EventSink {
 public:
  explicit TimeAccount(sim::Engine& engine);

  void take(const sim::Event& event) override;
  void kernel_starts(const gpu::Grid& grid);
  void completed(const driver::CommandRecord& record);
  // The machine stands where the call begins. `clock`: the thread's before it, which may be behind the
  // machine when other threads have been at work.
  void call_begins(const host::HostThread& thread, std::uint64_t call, Picoseconds clock);
  void call_ends(const host::HostThread& thread, std::uint64_t outer_call);
  // The thread has been blocked since then until now.
  void waited(const host::HostThread& thread, Picoseconds since);

  // A thread of a program on the machine's cores (host::HostThread::number) begins, or goes on after it has
  // waited in the operating system: because of another one, or 0: of none.
  void goes_on(std::uint64_t thread, std::uint64_t because_of);

  // Both accounts up to `time`, which is not earlier than the machine.
  report::TimeAccount up_to(Picoseconds time) const;
  // Calls f with the steps of paths since it was last asked, where there are any.
  template <typename F>
  void take_steps(F f) {
    if (steps_.empty()) return;
    f(steps_);
    steps_.clear();
  }
  std::vector<report::MomentStretch> take_stretches() { return history_.take(); }

 private:
  using Part = report::PathPart;
  // How a moment came about: `of` adds up to `time`.
  struct Path {
    Picoseconds time = 0;
    std::array<Picoseconds, report::kPathParts> of{};
    std::uint32_t step = 0;  // the last one that is kept (report::PathStep)
  };
  struct Thread {
    Path path;
    std::uint64_t call = 0;  // 0: outside
    unsigned depth = 0;      // calls inside calls
  };
  struct Pending {
    Path path;                   // to the last stage that the command has ended
    bool preparing = false;      // from the beginning of stage (ii) to its start on the GPU
    bool copying = false;        // its first packet has gone
    Picoseconds arrived_ps = 0;  // of a kernel: when the work distributor had it; 0: not yet
    Picoseconds waited_ps = 0;   // of a copy: how long another had its engine
  };
  struct Start {
    Picoseconds time_ps;
    bool beside_others;
  };
  // The last complete command of a stream.
  struct Work {
    Path before;  // to its start
    Part part{};
    Picoseconds end_ps = 0;
  };

  // Up to then it was this; what lies before its time changes nothing.
  void advance(Path& path, Picoseconds to, Part part);
  void begin(report::Activity activity) { change(activity, 1); }
  void end(report::Activity activity) { change(activity, -1); }
  void change(report::Activity activity, int by);
  void settle(Picoseconds now);
  std::size_t going_on() const;
  void take_later(const sim::Event& event);
  void submitted(const sim::Event& event);
  void prepares(driver::CommandId id, Picoseconds now);
  void prepared(driver::CommandId id, Picoseconds now);
  void move_begins(driver::CommandId id, std::uint32_t engine);
  void starts(Pending& pending);
  void wait_for_stream(Pending& pending, const driver::CommandRecord& record);
  void wait_for_room(Pending& pending, const Start& start, Picoseconds until);
  const Path& latest() const;
  Path path_of(std::uint64_t thread) const;
  const Path& cause(const Pending& pending) const;

  sim::Engine& engine_;
  Picoseconds settled_ps_ = 0;
  std::array<Picoseconds, report::kMomentKinds> moments_{};
  MomentHistory history_;
  std::array<int, report::kActivities> active_{};
  std::map<const host::HostThread*, Thread> threads_;
  std::map<std::uint64_t, Path> gone_on_;  // by number of a thread: how it went on when it last did
  std::unordered_map<driver::CommandId, Pending> pending_;
  std::unordered_map<driver::CommandId, Start> running_;  // kernels
  std::map<std::uint32_t, Picoseconds> move_ended_;       // by data transfer engine
  std::map<driver::StreamId, Work> last_work_;
  Picoseconds kernel_ended_ = 0;
  std::vector<report::PathStep> steps_;  // not yet taken
  std::uint32_t step_count_ = 0;
  Path driver_free_, completion_;  // when the driver last ended a stage (ii), the host last a wait
};

}  // namespace duet::machine
