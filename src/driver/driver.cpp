// Serves the commands in time: stage (ii) with its latency, push-buffer bytes and doorbell; then completion
// when the stream's semaphore has been released and the release has crossed the link. Left out: the CPU work
// and interrupts of a stage (the native host has no simulated core).
#include "driver/driver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>

#include "base/command_work.h"
#include "base/error.h"
#include "driver/command_book.h"
#include "driver/command_feed.h"
#include "driver/command_order.h"
#include "gpu/front_end/gpu_port.h"
#include "sim/event_sink.h"
#include "sim/statistics.h"

namespace duet::driver {

namespace {
constexpr std::size_t kPlainCopiesKept = 1024;

const char* command_kind_name(CommandKind kind) {
  static constexpr const char* kNames[] = {"copy",   "fill",         "full/empty bits", "cache maintenance",
                                           "launch", "event record", "event wait",      "host function"};
  return kNames[static_cast<std::size_t>(kind)];
}

CommandWork work_of(CommandKind kind) {
  switch (kind) {
    case CommandKind::Launch:
      return CommandWork::Computes;
    case CommandKind::Copy:
    case CommandKind::Fill:
    case CommandKind::FullEmptySet:
    case CommandKind::CacheMaintenance:
      return CommandWork::Moves;
    default:
      return CommandWork::Schedules;
  }
}
}  // namespace

struct DriverStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter commands{*this, "commands", "commands", "commands completed"};
  sim::Counter stage_two_ps{*this, "stage_two_ps", "ps", "time with a command in stage (ii)"};
  sim::Counter room_wait_ps{*this, "room_wait_ps", "ps",
                            "of this, time in which a prepared command found no room in its push buffer"};
};

struct HandlerStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter pages{*this, "filled_pages", "pages", "entries of the GPU's page table written"};
  sim::Counter interrupts{*this, "interrupts", "interrupts", "that ended a thread's sleep"};
};

struct Driver::State {
  State(Driver& driver, const config::Machine& machine, gpu::GpuPort& port)
      : owner(driver),
        config(machine.driver),
        gpu(port),
        book(machine.gpu.front_end.hardware_channels, machine.driver.read_ahead),
        feed(machine.gpu.front_end, port),
        statistics(driver, "driver.") {
    const config::Driver::Handlers& handlers = machine.driver.handlers;
    if (handlers.on_cores || handlers.page_ns != 0 || handlers.interrupt_ns != 0)
      handler_statistics.emplace(driver, "driver.");
  }

  Driver& owner;
  const config::Driver config;
  gpu::GpuPort& gpu;
  CommandBook book;
  CommandFeed feed;
  CommandId serving = 0;  // in stage (ii); 0: the driver is free
  Picoseconds stage_end_ps = 0;
  Picoseconds counted_ps = 0;  // up to when the time in stage (ii) is in the statistics
  bool encoded = false;
  std::optional<gpu::Fault> fault;
  std::optional<CommandOrder> order;
  std::function<void()> host_learns = [] {};
  std::map<CommandId, PlainCopy> plain_copies;
  std::deque<memory::Packet> user_doorbells;  // that wait for the link
  std::vector<CommandId> launched;            // kernels that are sent and not complete, in order
  DriverStatistics statistics;
  std::optional<HandlerStatistics> handler_statistics;  // where there are any

  void add_to_order(const Command& command);
  void tell(TaskEventKind kind, CommandId id, TaskEventPhase phase, Picoseconds now);
  std::vector<CommandId> told_predecessors(StreamId stream) const;
  void tell_dependencies(CommandId id, const std::vector<CommandId>& before, Picoseconds now);
  void receive(Picoseconds now);
  void finish(const gpu::SemaphoreRelease& release, Picoseconds now);
  void complete(CommandId id, Picoseconds event_time, Picoseconds now);
  void begin_outside(CommandId id);
  void tell_launch_sent(CommandId id);
  void ring_user_queues(Picoseconds now);
  void keep_plain_copy(const PendingCommand& pending);
  bool start_next(Picoseconds now);
  bool end_stage(Picoseconds now);
  Picoseconds serve(Picoseconds now);
  void count_stage(Picoseconds now);
};

Driver::Driver(sim::Engine& engine, const sim::Component* parent, const config::Machine& config,
               gpu::GpuPort& gpu)
    : Component(engine, "driver", parent, 2, sim::Role::None),
      state_(std::make_unique<State>(*this, config, gpu)) {}

Driver::~Driver() = default;

void Driver::filled_pages(std::uint64_t pages) {
  if (state_->handler_statistics) state_->handler_statistics->pages += pages;
}

void Driver::interrupted() {
  if (state_->handler_statistics) ++state_->handler_statistics->interrupts;
}

StreamId Driver::create_stream(const StreamRules& rules) { return state_->book.add_stream(rules); }

void Driver::destroy_stream(StreamId stream) { state_->book.streams.at(stream).exists = false; }

bool Driver::stream_exists(StreamId stream) const {
  return stream < state_->book.streams.size() && state_->book.streams[stream].exists;
}

EventId Driver::create_event() {
  state_->book.events.emplace_back();
  return static_cast<EventId>(state_->book.events.size());
}

void Driver::destroy_event(EventId event) { state_->book.events.at(event - 1).exists = false; }

bool Driver::event_exists(EventId event) const {
  return event != 0 && event <= state_->book.events.size() && state_->book.events[event - 1].exists;
}

bool Driver::can_submit(StreamId stream) const {
  return state_->book.waiting[state_->book.channel_of(stream)].size() < state_->config.queue_commands;
}

CommandId Driver::submit(Command command) {
  if (!stream_exists(command.stream))
    throw Error("driver: stream " + std::to_string(command.stream) + " does not exist");
  const bool needs_event = command.kind == CommandKind::EventRecord ||
                           (command.kind == CommandKind::StreamWaitEvent && command.after == 0);
  if (needs_event && !event_exists(command.event))
    throw Error("driver: event " + std::to_string(command.event) + " does not exist");
  if (command.cost == nullptr) throw Error("driver: a command without a cost");
  if (command.kind == CommandKind::Launch && command.grid == nullptr)
    throw Error("driver: a launch without a grid");
  if (state_->order) state_->add_to_order(command);
  const std::vector<CommandId> before = state_->told_predecessors(command.stream);
  const CommandId id = state_->book.add(std::move(command), engine().now());
  for (CommandWatcher* watcher : watchers_) watcher->submitted(id, state_->book[id].command);
  state_->tell(TaskEventKind::Command, id, TaskEventPhase::Begin, engine().now());
  state_->tell_dependencies(id, before, engine().now());
  if (state_->book[id].command.outside)
    state_->begin_outside(id);
  else
    engine().wake(*this, engine().now());
  return id;
}

// A doorbell without room on the link is sent when there is some, which wakes the driver.
void Driver::State::ring_user_queues(Picoseconds now) {
  while (!user_doorbells.empty() && gpu.to_gpu->can_push(now)) {
    gpu.to_gpu->push(now, user_doorbells.front());
    user_doorbells.pop_front();
  }
}

void Driver::State::begin_outside(CommandId id) {
  PendingCommand& pending = book[id];
  gpu::Grid& grid = *pending.command.grid;
  grid.stream = pending.command.stream;
  if (grid.launch_id == 0) grid.launch_id = id;
  pending.record.driver_start_ps = pending.record.prepared_ps = owner.engine().now();
  tell_launch_sent(id);
}

void Driver::State::tell_launch_sent(CommandId id) {
  PendingCommand& pending = book[id];
  launched.push_back(id);
  pending.record.grid = pending.command.grid.get();
  for (CommandWatcher* watcher : owner.watchers_) watcher->launch_sent(pending.record);
}

void Driver::ring_user_queue(std::uint32_t queue, std::uint64_t packets) {
  memory::Packet doorbell;
  doorbell.kind = memory::PacketKind::Doorbell;
  doorbell.payload_bytes = sizeof doorbell.argument;
  doorbell.tag = static_cast<std::uint16_t>(queue);
  doorbell.source = state_->gpu.driver_number;
  doorbell.destination = state_->gpu.packet_processor_number;
  doorbell.argument = packets;
  state_->user_doorbells.push_back(doorbell);
  engine().wake(*this, engine().now());
}

void Driver::outside_launch_ended(CommandId id) {
  PendingCommand& pending = state_->book[id];
  const gpu::Grid& grid = *pending.command.grid;
  const Picoseconds now = engine().now();
  pending.record.start_ps = std::min(grid.first_block_ps, now);
  if (!state_->fault && grid.fault.kind != gpu::FaultKind::None) state_->fault = grid.fault;
  state_->complete(id, now, now);
}

void Driver::host_function_ended(CommandId id) {
  state_->complete(id, engine().now(), engine().now());
  engine().wake(*this, engine().now());
}

void Driver::State::tell(TaskEventKind kind, CommandId id, TaskEventPhase phase, Picoseconds now) {
  sim::EventSink* const sink = owner.engine().event_sink(kind);
  if (sink == nullptr) return;
  const CommandRecord& record = book[id].record;
  sink->take({.kind = kind,
              .phase = phase,
              .stream = record.stream,
              .unit = static_cast<std::uint32_t>(book.channel_of(record.stream)),
              .time_ps = now,
              .id = id,
              .parent = kind == TaskEventKind::Command ? record.call : id,
              .argument = static_cast<std::uint64_t>(work_of(record.kind)),
              .component = &owner,
              .name = command_kind_name(record.kind)});
}

// Those that are not complete, where somebody looks.
std::vector<CommandId> Driver::State::told_predecessors(StreamId stream) const {
  if (owner.engine().event_sink(TaskEventKind::Dependency) == nullptr) return {};
  std::vector<CommandId> before = book.predecessors(stream);
  std::erase_if(before, [this](CommandId id) { return book.done(id); });
  return before;
}

void Driver::State::tell_dependencies(CommandId id, const std::vector<CommandId>& before, Picoseconds now) {
  sim::EventSink* const sink = owner.engine().event_sink(TaskEventKind::Dependency);
  if (sink == nullptr) return;
  const PendingCommand& pending = book[id];
  const auto tell_one = [&](CommandId earlier, const char* why) {
    sink->take({.kind = TaskEventKind::Dependency,
                .stream = pending.record.stream,
                .time_ps = now,
                .id = earlier,
                .parent = id,
                .component = &owner,
                .name = why});
  };
  for (const CommandId earlier : before)
    tell_one(earlier, book.at(earlier).record.stream == pending.record.stream ? "its stream"
                                                                              : "the default stream's order");
  if (pending.waits_for_record != 0) tell_one(pending.waits_for_record, "an event");
}

void Driver::State::add_to_order(const Command& command) {
  std::vector<CommandId> before = book.predecessors(command.stream);
  if (command.kind == CommandKind::StreamWaitEvent) before.push_back(book.waited_for(command));
  order->add(command, before, book.streams_before(command.stream));
}

bool Driver::complete(CommandId id) const {
  const bool done = state_->book.done(id);
  if (done && state_->order) {
    state_->order->host_knows(id);
    state_->host_learns();
  }
  return done;
}

bool Driver::has_completed(CommandId id) const { return state_->book.done(id); }

bool Driver::stream_idle(StreamId stream) const {
  const CommandBook& book = state_->book;
  const bool barrier = book.is_barrier(stream);
  const bool idle = barrier ? book.joined_idle() : book.streams.at(stream).pending.empty();
  if (idle && state_->order) {
    for (std::size_t s = 0; s < book.streams.size(); ++s)
      if (s == stream || (barrier && book.streams[s].joins())) {
        state_->order->host_knows(book.streams[s].last);
        state_->order->host_knows_points(static_cast<StreamId>(s));
      }
    state_->host_learns();
  }
  return idle;
}

bool Driver::all_idle() const {
  const bool idle = !outstanding();
  if (idle && state_->order) {
    for (std::size_t s = 0; s < state_->book.streams.size(); ++s) {
      state_->order->host_knows(state_->book.streams[s].last);
      state_->order->host_knows_points(static_cast<StreamId>(s));
    }
    state_->host_learns();
  }
  return idle;
}

bool Driver::outstanding() const { return !state_->book.idle(); }
const CommandCounts& Driver::incomplete_by_kind() const { return state_->book.incomplete_by_kind(); }

bool Driver::kernel_outstanding() const { return state_->book.kernel_outstanding(); }

void Driver::keep_order() { state_->order.emplace(); }
bool Driver::ordered(CommandId earlier, CommandId later) const {
  return state_->order->before(earlier, later);
}
bool Driver::known_to_host(CommandId id) const { return state_->order->known_to_host(id); }
void Driver::on_host_learns(std::function<void()> told) { state_->host_learns = std::move(told); }
const CommandLabel& Driver::label(CommandId id) const { return state_->order->label(id); }
StreamPoint Driver::point(StreamId stream) {
  const CommandBook& book = state_->book;
  return state_->order->point(stream, book.predecessors(stream), book.streams_before(stream));
}
bool Driver::ordered(const StreamPoint& earlier, CommandId later) const {
  return state_->order->before(earlier, later);
}
bool Driver::ordered(CommandId earlier, const StreamPoint& later) const {
  return state_->order->before(earlier, later);
}
bool Driver::ordered(const StreamPoint& earlier, const StreamPoint& later) const {
  return state_->order->before(earlier, later);
}

CommandId Driver::last_submitted(StreamId stream) const { return state_->book.streams.at(stream).last; }

CommandId Driver::last_submitted() const { return state_->book.last(); }

std::vector<CommandId> Driver::predecessors(StreamId stream) const {
  std::vector<CommandId> result = state_->book.predecessors(stream);
  std::erase_if(result, [this](CommandId id) { return state_->book.done(id); });
  return result;
}

bool Driver::event_complete(EventId event) const {
  return complete(state_->book.events.at(event - 1).record);
}

bool Driver::event_recorded(EventId event) const { return state_->book.events.at(event - 1).record != 0; }

std::optional<Picoseconds> Driver::event_time(EventId event) const {
  return state_->book.events.at(event - 1).time;
}

void Driver::for_each_running_kernel(const std::function<void(const CommandRecord&)>& f) const {
  for (const CommandId id : state_->launched) {
    const PendingCommand& pending = state_->book[id];
    if (pending.command.grid->first_block_ps == kNever) continue;
    CommandRecord record = pending.record;
    record.start_ps = pending.command.grid->first_block_ps;
    record.grid = pending.command.grid.get();
    f(record);
  }
}

std::vector<Driver::CommandState> Driver::commands() const {
  std::vector<CommandState> result;
  for (const CommandId id : state_->book.incomplete()) {
    const PendingCommand& pending = state_->book.at(id);
    CommandState state{
        id, &pending.command, state_->book.channel_of(pending.command.stream), pending.sent, {}};
    if (!pending.sent && id != state_->serving) state.hold = state_->book.hold(id);
    result.push_back(state);
  }
  return result;
}

const Driver::PlainCopy* Driver::plain_copy(std::uint32_t id_low_bits) const {
  for (const auto& [id, copy] : state_->plain_copies)
    if (static_cast<std::uint32_t>(id) == id_low_bits) return &copy;
  return nullptr;
}

const std::optional<gpu::Fault>& Driver::fault() const { return state_->fault; }

void Driver::State::receive(Picoseconds now) {
  while (gpu.from_gpu->can_pop(now)) {
    const memory::Packet packet = gpu.from_gpu->pop(now);
    if (packet.kind == memory::PacketKind::GetPointer) {
      feed.consumed(packet.tag, packet.argument);
      continue;
    }
    const memory::Request& request = gpu.pool[packet.request];
    std::byte* semaphore = gpu.memory.bytes(request.address);
    std::memcpy(semaphore, request.data.data(), request.bytes);
    owner.engine().between_ticks(
        [&pool = gpu.pool, own = packet.request] { pool.part_of(own).release(own); });
    gpu::SemaphoreRelease release;
    std::memcpy(&release, semaphore, sizeof release);
    finish(release, now);
  }
}

void Driver::State::finish(const gpu::SemaphoreRelease& release, Picoseconds now) {
  PendingCommand& pending = book[release.value];
  pending.record.start_ps = release.start_ps;
  const auto status = static_cast<gpu::TaskStatus>(release.status);
  if (!fault && status == gpu::TaskStatus::KernelFault) fault = pending.command.grid->fault;
  if (!fault && status == gpu::TaskStatus::CopyFault) {
    char address[32];
    std::snprintf(address, sizeof address, "0x%llx", static_cast<unsigned long long>(release.fault_address));
    fault = gpu::Fault{gpu::FaultKind::IllegalAddress,
                       "a move of " + std::to_string(pending.record.bytes) + " bytes in stream " +
                           std::to_string(pending.record.stream) + ": nothing is mapped at " + address};
  }
  complete(release.value, release.time_ps, now);
}

void Driver::State::complete(CommandId id, Picoseconds event_time, Picoseconds now) {
  PendingCommand& pending = book[id];
  if (pending.command.kind == CommandKind::EventRecord) {
    Event& event = book.events[pending.command.event - 1];
    if (event.record == id) event.time = event_time;
  }
  const CommandKind kind = pending.command.kind;
  if (kind == CommandKind::Copy || kind == CommandKind::Fill) keep_plain_copy(pending);
  feed.close(pending);
  std::erase(launched, id);
  pending.record.end_ps = now;
  pending.record.grid = pending.command.grid.get();
  ++statistics.commands;
  tell(TaskEventKind::Command, id, TaskEventPhase::End, now);
  for (CommandWatcher* watcher : owner.watchers_) watcher->completed(pending.record);
  book.complete(id);
}

void Driver::State::keep_plain_copy(const PendingCommand& pending) {
  const Command& command = pending.command;
  const bool fill = command.kind == CommandKind::Fill;
  if (!fill && (command.copy.to.host || command.copy.action == memory::Action::Fill)) return;
  const VirtualAddress address = fill ? command.fill.address : command.copy.to.address;
  if (!gpu.address_space.tracked(address)) return;
  plain_copies[pending.record.id] = {command.stream, fill, pending.record.from_host};
  if (plain_copies.size() > kPlainCopiesKept) plain_copies.erase(plain_copies.begin());
}

// Lets the oldest ready command enter stage (ii); false when there is none.
bool Driver::State::start_next(Picoseconds now) {
  const CommandId id = book.oldest_ready();
  if (id == 0) return false;
  PendingCommand& pending = book[id];
  book.waiting[book.channel_of(pending.command.stream)].pop_front();
  pending.record.driver_start_ps = now;
  if (fault && !pending.command.after_fault) {  // it completes without effect
    pending.record.prepared_ps = pending.record.start_ps = now;
    complete(id, now, now);
    return true;
  }
  serving = id;
  counted_ps = now;
  tell(TaskEventKind::Preparation, id, TaskEventPhase::Begin, now);
  encoded = false;
  stage_end_ps = now + pending.command.cost->driver_ns * kPicosecondsPerNanosecond;
  return true;
}

// At the end of stage (ii): false while the push buffer or the link lacks room.
bool Driver::State::end_stage(Picoseconds now) {
  PendingCommand& pending = book[serving];
  if (pending.command.kind == CommandKind::HostFunction) {
    const CommandId id = serving;
    count_stage(now);
    tell(TaskEventKind::Preparation, id, TaskEventPhase::End, now);
    serving = 0;
    pending.record.prepared_ps = pending.record.start_ps = now;
    const bool runs = !fault || pending.command.after_fault;
    if (runs && pending.command.begin_host_function) {
      pending.sent = true;
      pending.command.begin_host_function(id);
      return true;
    }
    if (runs && pending.command.host_function) pending.command.host_function();
    complete(id, now, now);
    return true;
  }
  const StreamId stream = pending.command.stream;
  if (!encoded) feed.encode(pending, book.streams[stream], book.channel_of(stream));
  encoded = true;
  if (!feed.send(now)) return false;
  count_stage(now);
  pending.sent = true;
  pending.record.prepared_ps = now;
  tell(TaskEventKind::Preparation, serving, TaskEventPhase::End, now);
  if (pending.command.kind == CommandKind::Launch) tell_launch_sent(serving);
  serving = 0;
  return true;
}

void Driver::State::count_stage(Picoseconds now) {
  if (serving == 0) return;
  statistics.stage_two_ps += now - counted_ps;
  if (now > stage_end_ps) statistics.room_wait_ps += now - std::max(counted_ps, stage_end_ps);
  counted_ps = now;
}

bool Driver::settle_statistics() {
  state_->count_stage(engine().now());
  return true;
}

// Serves commands until the driver has to wait, and returns until when (kNever: for something from outside).
Picoseconds Driver::State::serve(Picoseconds now) {
  for (;;) {
    if (serving == 0 && !start_next(now)) return kNever;
    if (serving == 0) continue;
    if (stage_end_ps > now) return stage_end_ps;
    // Room comes with a get pointer or with a free place in the link's queue; both wake the driver.
    if (!end_stage(now)) return kNever;
  }
}

Picoseconds Driver::tick(Picoseconds now) {
  state_->receive(now);
  state_->ring_user_queues(now);
  const Picoseconds next = state_->serve(now);
  const Picoseconds arrival = state_->gpu.from_gpu->next_arrival(now);
  return arrival == kNever ? next : std::min(next, next_opportunity(arrival));
}

std::string Driver::waits_for() const {
  if (state_->serving != 0 && state_->encoded)
    return "room in the push buffer for command " + std::to_string(state_->serving);
  return state_->book.waits_for();
}

}  // namespace duet::driver
