// The GPU driver, with all commands of a host, as an event-driven state machine. It never blocks a host
// thread and touches no byte of the program. A call passes three stages (lustig2013 §6.1): (i) enqueue into
// the driver, charged to the calling thread (host/host_thread.h); (ii) the driver prepares the command; (iii)
// the command executes on the GPU. A command may be stalled between them. The driver serves one stage (ii) at
// a time and is free during stage (iii). A command enters stage (ii) only when its stream predecessor's ACKs
// have returned, unless `driver.read_ahead`. The API passes in the costs of calls and the rules between
// streams (StreamRules). Streams are mapped onto hardware channels (hu2016 §3.4): commands of one channel
// enter stage (ii) strictly in the order of their submission. So one channel makes false dependencies between
// streams; with many channels the oldest ready head of any channel is served.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/address.h"
#include "config/machine.h"
#include "gpu/front_end/push_buffer.h"
#include "gpu/grid.h"
#include "memory/address_space.h"
#include "memory/request.h"
#include "sim/engine.h"

namespace duet::gpu {
class GpuPort;
}

namespace duet::driver {

using StreamId = std::uint32_t;   // from 0
using EventId = std::uint32_t;    // from 1
using CommandId = std::uint64_t;  // from 1, in submission order

// What a stream's commands have to do with those of other streams: the rules are the API's.
enum class StreamOrder : std::uint8_t {
  Alone,
  Joins,   // wait for all earlier commands of the barrier stream
  Barrier  // wait for all earlier commands of streams that join; there is at most one such stream
};
struct StreamRules {
  StreamOrder order = StreamOrder::Alone;
  int priority = 0;       // a smaller number is served first
  const char* name = "";  // of a barrier stream, for reports: "the default stream"
};

enum class CommandKind : std::uint8_t {
  Copy,
  Fill,
  FullEmptySet,
  CacheMaintenance,
  Launch,
  EventRecord,
  StreamWaitEvent,
  HostFunction
};
inline constexpr std::size_t kCommandKinds = static_cast<std::size_t>(CommandKind::HostFunction) + 1;
using CommandCounts = std::array<std::uint64_t, kCommandKinds>;  // by kind

// One side of a copy: a device virtual address, or a host pointer (pinned, pageable or a staging buffer).
struct Endpoint {
  bool host = false;
  VirtualAddress address;                // of the host its pointer value
  Bytes row_pitch = 0, slice_pitch = 0;  // used when the copy has more than one row or slice
};

struct CopyJob {
  Endpoint to, from;
  Bytes width_bytes = 0;
  std::uint64_t rows = 1, slices = 1;
  // Source bytes staged at the call (pageable host memory, kernel-independent constants): `from` is then
  // ignored. Dense rows.
  std::shared_ptr<const std::vector<std::byte>> staged;
  // Where cores and GPU have one DRAM, the bytes for pageable memory: `to` is then the caller's to write,
  // when the command is complete. Dense rows.
  std::shared_ptr<std::vector<std::byte>> bounced;
  // The processor moves it through a staging buffer, as one side is pageable (driver.staging); for reports.
  bool pageable = false;
  // Of full/empty bits (lustig2013 §4.4): of the accesses to the device's side, which is tracked memory. Only
  // for copies between host and device.
  memory::Trigger trigger = memory::Trigger::None;
  memory::Action action = memory::Action::None;
  Bytes bytes() const { return width_bytes * rows * slices; }
};

struct FillJob {
  VirtualAddress address;
  Bytes row_pitch = 0, width_bytes = 0;
  std::uint64_t rows = 1;
  std::uint32_t pattern = 0;
  unsigned pattern_bytes = 1;  // 1, 2, 4
};

// Changes full/empty bits and no data. Action::None: lets go what waits there for its trigger.
struct FullEmptyJob {
  VirtualAddress address;
  Bytes bytes = 0;
  memory::Action action = memory::Action::Fill;
};

// Has the GPU's L2 write back a range, or all that it holds (bytes: CacheCommand::kWhole), or give it up, or
// both.
struct CacheJob {
  VirtualAddress address;
  Bytes bytes = 0;
  bool clean = false, invalidate = false;
};

struct Command {
  CommandKind kind = CommandKind::Copy;
  std::uint64_t call = 0;  // the API's number of the call that submits it; 0: of none
  // What its call costs: a row of the machine file, which the API chooses.
  const config::CallLatency* cost = nullptr;
  StreamId stream = 0;
  bool more_follow = false;  // a copy that its call submits in pieces: not the last
  CopyJob copy;
  FillJob fill;
  FullEmptyJob full_empty;
  std::unique_ptr<gpu::Grid> grid;
  std::vector<FullEmptyJob>
      at_end;  // of a launch: what it does to full/empty bits when its blocks have ended
  // Of a launch, before its kernel begins and when its blocks have ended; of CacheMaintenance, the first.
  std::vector<CacheJob> caches_before, caches_after;
  EventId event = 0;
  CommandId after = 0;  // of a StreamWaitEvent without an event: it waits for this command, of any stream
  // Runs in simulated time when the stream reaches it; must not call the driver.
  std::function<void()> host_function;
  // In its place, where the program is not in this process: whoever runs it begins, and says when it has
  // ended (host_function_ended).
  std::function<void(CommandId)> begin_host_function;
  bool after_fault = false;     // the host function runs in a faulted device's streams, too
  std::optional<int> priority;  // of a launch, in place of its stream's
  // A launch by a queue of the program's, which the GPU reads itself: the driver keeps its record, and
  // whoever serves such queues says when it has ended (outside_launch_ended).
  bool outside = false;
};

// What the driver reports when a command is complete, for statistics and timeline.
struct CommandRecord {
  CommandId id = 0;
  std::uint64_t call = 0;  // that submitted it
  CommandKind kind = CommandKind::Copy;
  StreamId stream = 0;
  Picoseconds queued_ps = 0;        // end of stage (i)
  Picoseconds driver_start_ps = 0;  // stage (ii) begins
  Picoseconds prepared_ps = 0;      // stage (ii) ends: all of it is sent
  Picoseconds start_ps = 0;         // stage (iii) begins: first packet, first block dispatched
  Picoseconds end_ps = 0;           // all ACKs have returned, the host could know
  Bytes bytes = 0;                  // of a launch: whose full/empty bits it changes at its end
  bool from_host = false, to_host = false;
  bool pageable = false;     // CopyJob::pageable
  bool more_follow = false;  // Command::more_follow
  // Of full/empty bits: a copy's, or what a FullEmptySet does (None: it releases).
  memory::Trigger trigger = memory::Trigger::None;
  memory::Action action = memory::Action::None;
  const gpu::Grid* grid = nullptr;  // valid during the callback
};

// What a command is called in reports.
struct CommandLabel {
  std::string name;  // of a launch the kernel's
  StreamId stream = 0;
  const ptx::Kernel* kernel = nullptr;  // of a launch
};

// A place in a stream between commands, with which it is ordered as they are.
struct StreamPoint {
  std::size_t number = 0;   // 0: none
  CommandId submitted = 0;  // the last command of all streams then
  StreamId stream = 0;
};

// For reports: what keeps a command from the driver's stage (ii).
struct Hold {
  enum Kind : std::uint8_t {
    Nothing,
    Stream,   // an earlier command of its stream
    Order,    // CUDA's order between streams
    Channel,  // an earlier command of its hardware channel
  };
  Kind kind = Nothing;
  const char* text = "";
  CommandId by = 0;
};

// Hears of commands, in ticks of the driver; any number do. A record is valid during the call.
class CommandWatcher {
 public:
  virtual ~CommandWatcher() = default;
  virtual void submitted(CommandId, const Command&) {}  // before anything happens to it
  virtual void launch_sent(const CommandRecord&) {}     // to the GPU: stage (ii) of a launch ends
  virtual void completed(const CommandRecord&) {}
};

using gpu::GpuPort;  // gpu/front_end/gpu_port.h: the side of the GPU that takes what the driver has prepared

class Driver : public sim::Component {
 public:
  Driver(sim::Engine& engine, const sim::Component* parent, const config::Machine& config, GpuPort& gpu);
  ~Driver() override;

  StreamId create_stream(const StreamRules& rules);
  // The stream's commands still run; its id is not given again.
  void destroy_stream(StreamId stream);
  bool stream_exists(StreamId stream) const;
  EventId create_event();
  void destroy_event(EventId event);
  bool event_exists(EventId event) const;

  // Whether another command fits into the queue of the stream's channel; if not, time must pass.
  bool can_submit(StreamId stream) const;
  // Stage (i) has ended at engine().now().
  CommandId submit(Command command);
  // All of its blocks have ended, with its grid's fault where it has one.
  void outside_launch_ended(CommandId id);
  // The doorbell of a user queue, as its processor numbers it: so many packets are written.
  void ring_user_queue(std::uint32_t queue, std::uint64_t packets);
  // Of a command whose begin_host_function has been called.
  void host_function_ended(CommandId id);

  // Asking is how the host learns that something is complete, where that is kept (keep_order).
  bool complete(CommandId id) const;
  // Everything submitted so far is complete (of a barrier stream: in all streams that join).
  bool stream_idle(StreamId stream) const;
  bool all_idle() const;
  // The same for who only looks on.
  bool has_completed(CommandId id) const;
  bool outstanding() const;
  // How many of each kind are submitted and not complete.
  const CommandCounts& incomplete_by_kind() const;
  // A launch has been submitted and is not complete.
  bool kernel_outstanding() const;
  CommandId last_submitted(StreamId stream) const;  // 0: none yet
  CommandId last_submitted() const;                 // of all streams
  // What a command submitted to the stream now would have to wait for: the last command of each stream.
  std::vector<CommandId> predecessors(StreamId stream) const;
  // Event: not recorded yet counts as complete, as in CUDA. Time of the completed record; nothing while
  // pending or never recorded.
  bool event_complete(EventId event) const;
  bool event_recorded(EventId event) const;
  std::optional<Picoseconds> event_time(EventId event) const;

  // From now on, before the first command: which commands CUDA orders is kept.
  void keep_order();
  bool ordered(CommandId earlier, CommandId later) const;
  // Whether the host has learnt by CUDA's rules that the command is complete.
  bool known_to_host(CommandId id) const;
  // Called when the host may have learnt something, inside the call that tells it.
  void on_host_learns(std::function<void()> told);
  const CommandLabel& label(CommandId id) const;
  // The same for points: of what is submitted to the stream now.
  StreamPoint point(StreamId stream);
  bool ordered(const StreamPoint& earlier, CommandId later) const;
  bool ordered(CommandId earlier, const StreamPoint& later) const;
  bool ordered(const StreamPoint& earlier, const StreamPoint& later) const;

  // Kernels whose first block has started and whose completion the driver has not yet seen, oldest command
  // first. The records have no end.
  void for_each_running_kernel(const std::function<void(const CommandRecord&)>& f) const;

  // For reports: the commands that are not complete, oldest first. Valid until the driver goes on.
  struct CommandState {
    CommandId id = 0;
    const Command* command = nullptr;
    std::size_t channel = 0;
    bool sent = false;  // stage (ii) has ended
    Hold hold;          // of one that has not entered it
  };
  std::vector<CommandState> commands() const;
  // Of a copy or a fill that is complete and wrote memory with full/empty bits without filling it: the latest
  // of them are kept. Null: not that, or too long ago.
  struct PlainCopy {
    StreamId stream = 0;
    bool fill = false;  // cudaMemset and the like
    bool from_host = false;
  };
  const PlainCopy* plain_copy(std::uint32_t id_low_bits) const;

  // The first fault of a kernel; every command after it completes without effect (CUDA's sticky errors are
  // the runtime's).
  const std::optional<gpu::Fault>& fault() const;

  // Of work on the processor (config::Driver::Handlers), for statistics.
  void filled_pages(std::uint64_t pages);
  void interrupted();

  // From now on; in the order in which they are named.
  void watch(CommandWatcher& watcher) { watchers_.push_back(&watcher); }

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  bool settle_statistics() override;

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::vector<CommandWatcher*> watchers_;
};

}  // namespace duet::driver
