#include "machine/host/simulated_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "machine/host/processor.h"
#include "rv64/process/elf.h"
#include "rv64/process/fault_report.h"
#include "rv64/process/start.h"
#include "rv64/process/system_calls.h"
#include "sim/event_sink.h"

namespace duet::machine {

namespace {

constexpr Picoseconds kLook = 100'000'000;  // simulated time between looks at the host's clock

}  // namespace

// Linux, as far as cores see it: who runs where.
class SimulatedHost::Parts final : public ProcessorClient, cpu::SampleSink {
 public:
  Parts(Processor& processor, const rv64::ProcessOptions& program, const HostOptions& options)
      : processor_(processor),
        cpu_(processor.config()),
        options_(program),
        signal_(options.signal),
        guest_calls_(options.calls),
        watch_(options.watch),
        borrower_(options.lends_to),
        faulted_(options.faulted),
        file_(rv64::read_elf(program.arguments.at(0))),
        engine_(processor.engine()),
        memory_(processor.memory()),
        cores_(processor.cores()),
        space_(memory_),
        calls_(file_.path, space_, program.files) {
    processor.serve(*this);
    image_ = rv64::start(file_, space_, calls_.threads().current().hart, program);
    running_.resize(cpu_.cores);
    counted_until_.resize(cpu_.cores);
    counted_instructions_.resize(cpu_.cores);
    told_.resize(cpu_.cores);
    profile_.emplace(file_, image_, space_.memory(), cores_.size());
    for (const auto& core : cores_) core->sample_every(profile_cycles(), *this);
    if (borrower_ != nullptr)
      borrower_->lend_by([this](std::size_t core) { return !end_ && running_[core] == nullptr; });
  }

  rv64::ProcessEnd run();
  void stands(cpu::Core& core) override {
    serve_after_ticks();
    standing_.push_back(&core);
  }
  void rings() override {
    serve_after_ticks();
    alarm_rang_ = true;
  }
  Cycle trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) override;
  void tell_of_fault(const rv64::Trap& trap) const;
  using Arguments = std::array<std::uint64_t, 6>;
  void tell_of_bad_pointer(const Arguments& arguments, std::uint64_t result) const;
  Cycle preempted(cpu::Core& core, Picoseconds now) override;
  void schedule(Picoseconds now);

  std::vector<ThreadUse> threads() const;
  const HostProfile& profile() const { return *profile_; }
  std::uint64_t clock_khz() const { return cpu_.clock_khz; }
  // A microsecond, and an odd number, which few loops have in common with it.
  Cycle profile_cycles() const { return cpu_.clock_khz / 1000 | 1; }
  rv64::AddressSpace& space() { return space_; }

 private:
  void take(const cpu::Sample& sample) override {
    if (const rv64::Thread* const thread = running_[sample.core]) profile_->take(thread->hart, sample);
  }
  static std::int64_t nanoseconds(Picoseconds time) {
    return static_cast<std::int64_t>(time / kPicosecondsPerNanosecond);
  }
  bool has_core(const rv64::Thread& thread) const {
    return std::find(running_.begin(), running_.end(), &thread) != running_.end();
  }
  bool is_lent(std::size_t core) const {
    return running_[core] == nullptr && cores_[core]->registers() != nullptr;
  }
  void lend() {
    if (borrower_ != nullptr) borrower_->start_waiting();
  }
  void take_back(Picoseconds now);
  Cycle free_again(cpu::Core& core, Picoseconds now);
  // Time goes on, for the clocks of the program too.
  void advance_to(Picoseconds now);
  void serve_after_ticks();
  void place_waiting(Picoseconds now);
  void end();
  void tell_who_goes_on();
  void run_on(std::size_t core, rv64::Thread* thread, Picoseconds now);
  void tell_change(std::size_t core, Picoseconds now);
  void add_use(std::vector<ThreadUse>& uses, Picoseconds now) const;
  void count_use(Picoseconds now);
  Cycle begin_guest_call(cpu::Core& core, rv64::Thread& thread, Picoseconds now);
  void go_on_with_guest_calls();
  bool guest_call_ready() const { return guest_calls_ != nullptr && guest_calls_->ready(); }
  void nothing_will_happen();
  void check_time() const;
  void check_signal() const;

  Processor& processor_;
  const config::Cpu& cpu_;
  const rv64::ProcessOptions options_;
  const std::atomic<int>* const signal_;
  host::GuestCalls* const guest_calls_;
  host::TimeWatch* const watch_;
  CoreBorrower* const borrower_;
  const std::function<bool(VirtualAddress, bool)> faulted_;
  const rv64::ElfFile file_;
  sim::Engine& engine_;
  CpuMemory& memory_;
  const std::vector<std::unique_ptr<cpu::Core>>& cores_;
  rv64::AddressSpace space_;
  rv64::SystemCalls calls_;
  rv64::LoadedImage image_;
  std::optional<HostProfile> profile_;
  std::vector<cpu::Core*> standing_;        // at traps, at this time
  bool alarm_rang_ = false;                 // the same
  std::vector<rv64::Thread*> running_;      // by core
  std::vector<Picoseconds> counted_until_;  // by core: its thread has been told of its time until then
  std::vector<std::uint64_t> counted_instructions_;  // by core: these its threads have been told of
  std::vector<ThreadUse> uses_;                      // by the order of the threads' creation
  struct Told {
    std::uint64_t thread = 0;           // that has the core, as the sink of events knows it; 0: none
    std::vector<std::uint64_t> counts;  // what the core had counted when it got it
  };
  std::vector<Told> told_;               // by core
  std::map<std::uint64_t, bool> waits_;  // threads: in the operating system
  std::uint64_t acting_ = 0;             // the thread whose system call is served
  std::optional<rv64::ProcessEnd> end_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void SimulatedHost::Parts::end() {
  if (!end_) end_ = calls_.end();
  for (const auto& core : cores_) core->settle_statistics();
  count_use(engine_.now());
  for (std::size_t i = 0; i < cores_.size(); ++i) run_on(i, nullptr, engine_.now());
}

// The thread has the core from now on; null: nobody has.
void SimulatedHost::Parts::run_on(std::size_t core, rv64::Thread* thread, Picoseconds now) {
  const bool changes = running_[core] != thread;
  running_[core] = thread;
  cores_[core]->assign(thread != nullptr ? &thread->hart : nullptr, now);
  if (changes) tell_change(core, now);
}

void SimulatedHost::Parts::tell_change(std::size_t core, Picoseconds now) {
  sim::EventSink* const sink = engine_.event_sink(TaskEventKind::Thread);
  if (sink == nullptr) return;
  Told& told = told_[core];
  sim::Event event{.kind = TaskEventKind::Thread,
                   .unit = static_cast<std::uint32_t>(core),
                   .time_ps = now,
                   .component = cores_[core].get()};
  std::vector<std::uint64_t> counts = cores_[core]->statistics().counts();
  if (told.thread != 0) {
    for (std::size_t i = 0; i < counts.size(); ++i) told.counts[i] = counts[i] - told.counts[i];
    event.phase = TaskEventPhase::End;
    event.id = told.thread;
    event.counts = told.counts;
    sink->take(event);
  }
  told = {running_[core] != nullptr ? running_[core]->id : 0, std::move(counts)};
  if (told.thread == 0) return;
  event.phase = TaskEventPhase::Begin;
  event.id = told.thread;
  event.counts = {};
  event.name = running_[core]->name.data();
  sink->take(event);
}

// To those who have a core, of what they have done there since they were counted. Threads are numbered in the
// order of their creation.
void SimulatedHost::Parts::add_use(std::vector<ThreadUse>& uses, Picoseconds now) const {
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (running_[i] == nullptr) continue;
    const std::uint64_t id = running_[i]->id;
    auto use = std::lower_bound(uses.begin(), uses.end(), id,
                                [](const ThreadUse& one, std::uint64_t number) { return one.id < number; });
    if (use == uses.end() || use->id != id) use = uses.insert(use, ThreadUse{id, {}, 0, 0});
    use->core_time_ps += now - counted_until_[i];
    use->instructions += cores_[i]->statistics().instructions - counted_instructions_[i];
    use->name = running_[i]->name.data();
  }
}

void SimulatedHost::Parts::count_use(Picoseconds now) {
  add_use(uses_, now);
  for (std::size_t i = 0; i < cores_.size(); ++i)
    counted_instructions_[i] = cores_[i]->statistics().instructions;
}

std::vector<ThreadUse> SimulatedHost::Parts::threads() const {
  std::vector<ThreadUse> uses = uses_;
  add_use(uses, engine_.now());
  return uses;
}

void SimulatedHost::Parts::advance_to(Picoseconds now) {
  count_use(now);
  for (std::size_t i = 0; i < running_.size(); ++i) {
    const Picoseconds since = counted_until_[i];
    counted_until_[i] = now;
    if (running_[i] != nullptr)
      calls_.threads().executed(*running_[i],
                                static_cast<std::uint64_t>(nanoseconds(now) - nanoseconds(since)));
  }
  calls_.advance_to(nanoseconds(now));
}

// The timer first, then cores in their order, whichever has been ticked first.
void SimulatedHost::Parts::serve_after_ticks() {
  if (alarm_rang_ || !standing_.empty()) return;
  engine_.after_ticks([this] {
    if (std::exchange(alarm_rang_, false)) schedule(engine_.now());
    std::vector<cpu::Core*> cores = std::exchange(standing_, {});
    std::sort(cores.begin(), cores.end(),
              [](const auto* a, const auto* b) { return a->number() < b->number(); });
    for (cpu::Core* const core : cores)
      if (!end_) core->call_client();
    lend();
  });
}

// Threads that waited, or were not there, and can run now.
void SimulatedHost::Parts::tell_who_goes_on() {
  if (watch_ == nullptr) return;
  for (const auto& thread : calls_.threads().all()) {
    const bool waits = thread->wait && !thread->wait->outside;
    bool& waited = waits_.try_emplace(thread->id, true).first->second;
    if (std::exchange(waited, waits) && !waits) watch_->goes_on(thread->id, acting_);
  }
}

// Free cores get threads that can run.
void SimulatedHost::Parts::schedule(Picoseconds now) {
  advance_to(now);
  tell_who_goes_on();
  place_waiting(now);
  if (calls_.end()) return end();
  bool one_waits = false, executing = false;
  for (const auto& thread : calls_.threads().all()) one_waits |= !thread->wait && !has_core(*thread);
  for (std::size_t i = 0; i < running_.size(); ++i) {
    if (running_[i] == nullptr) continue;
    executing = true;
    const bool interrupted = calls_.has_signal(*running_[i]);
    if (interrupted || !one_waits)
      cores_[i]->preempt_at(interrupted ? now : kNever);
    else if (!cores_[i]->will_be_preempted())
      cores_[i]->preempt_at(now + cpu_.time_slice_us * 1'000'000);
  }
  processor_.tell_alone();
  if (const auto next = calls_.next_time(executing))
    processor_.ring_at(
        std::max<Picoseconds>(now + 1, static_cast<Picoseconds>(*next) * kPicosecondsPerNanosecond));
}

void SimulatedHost::Parts::place_waiting(Picoseconds now) {
  for (const auto& thread : calls_.threads().all()) {
    if (calls_.end()) return;
    if (thread->wait || has_core(*thread)) continue;
    const auto free = std::find_if(cores_.begin(), cores_.end(),
                                   [](const auto& core) { return core->registers() == nullptr; });
    if (free == cores_.end()) return take_back(now);
    calls_.resume(*thread);
    run_on(static_cast<std::size_t>(free - cores_.begin()), thread.get(), now);
  }
}

// Of the cores that are lent as many as threads wait for.
void SimulatedHost::Parts::take_back(Picoseconds now) {
  const auto& all = calls_.threads().all();
  auto wanted = std::count_if(all.begin(), all.end(),
                              [this](const auto& thread) { return !thread->wait && !has_core(*thread); });
  for (std::size_t i = 0; i < cores_.size() && wanted > 0; ++i) {
    if (!is_lent(i)) continue;
    --wanted;
    if (!cores_[i]->will_be_preempted()) cores_[i]->preempt_at(now);
  }
}

// A core that was lent has come back: threads that wait go first.
Cycle SimulatedHost::Parts::free_again(cpu::Core& core, Picoseconds now) {
  schedule(now);
  return core.registers() != nullptr ? cpu_.context_switch_cycles : 0;
}

void SimulatedHost::Parts::tell_of_fault(const rv64::Trap& trap) const {
  if (faulted_ && trap.cause == rv64::TrapCause::AccessFault)
    faulted_(VirtualAddress(trap.fault.address), trap.fault.access == rv64::Access::Store);
}

// Says what a pointer of a call was that has answered EFAULT. Which of them it was Linux does not say either.
void SimulatedHost::Parts::tell_of_bad_pointer(const Arguments& arguments, std::uint64_t result) const {
  if (!faulted_ || result != static_cast<std::uint64_t>(-EFAULT)) return;
  for (const std::uint64_t argument : arguments)
    if (faulted_(VirtualAddress(argument), false)) return;
}

Cycle SimulatedHost::Parts::trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) {
  rv64::Thread* const thread = running_[core.number()];
  if (thread == nullptr) {
    borrower_->trapped(core, trap, now);
    return free_again(core, now);
  }
  const std::uint64_t id = thread->id;
  advance_to(now);
  if (guest_calls_ != nullptr && trap.cause == rv64::TrapCause::SystemCall &&
      thread->hart.x[rv64::kSystemCallNumber] == kGuestCallNumber)
    return begin_guest_call(core, *thread, now);
  calls_.threads().make_current(*thread);
  Cycle spent = cpu_.system_call_cycles;
  if (trap.cause == rv64::TrapCause::SystemCall) {
    tell_who_goes_on();  // because of the time
    acting_ = id;
    Arguments arguments;
    std::copy_n(&thread->hart.x[rv64::kArgument0], arguments.size(), arguments.begin());
    calls_.serve();
    if (const rv64::Thread* const served = calls_.threads().find(id); served != nullptr && !served->wait)
      tell_of_bad_pointer(arguments, served->hart.x[rv64::kArgument0]);
    tell_who_goes_on();
    acting_ = 0;
  } else if (tell_of_fault(trap); !calls_.enter_fault_handler(trap)) {
    rv64::tell_fault(file_, image_, memory_, trap, thread->hart);
    end_ = rv64::ProcessEnd{0, rv64::SystemCalls::signal_of(trap)};
  }
  if (end_ || calls_.end()) {
    end();
    return 0;
  }
  const rv64::Thread* const still = calls_.threads().find(id);
  if (still == nullptr) waits_.erase(id);
  if (still == nullptr && guest_calls_ != nullptr) guest_calls_->forget(id);
  if (still == nullptr || still->wait) {
    run_on(core.number(), nullptr, now);
    schedule(now);
    if (core.registers() != nullptr) spent += cpu_.context_switch_cycles;
  } else {
    schedule(now);
  }
  return spent;
}

// The thread leaves its core until the call is served.
Cycle SimulatedHost::Parts::begin_guest_call(cpu::Core& core, rv64::Thread& thread, Picoseconds now) {
  guest_calls_->begin(
      {thread.id, {thread.hart.x[rv64::kArgument0], thread.hart.x[rv64::kArgument0 + 1]}, now});
  thread.hart.pc += 4;
  calls_.threads().make_current(thread);
  rv64::Thread::Wait wait;
  wait.outside = true;
  calls_.threads().wait(wait);
  run_on(core.number(), nullptr, now);
  schedule(now);
  return core.registers() != nullptr ? cpu_.context_switch_cycles : 0;
}

void SimulatedHost::Parts::go_on_with_guest_calls() {
  bool any = false;
  guest_calls_->go_on([&](std::uint64_t id, std::uint64_t result) {
    rv64::Thread* const thread = calls_.threads().find(id);
    thread->hart.x[rv64::kArgument0] = result;
    thread->wait.reset();
    any = true;
  });
  if (!any) return;
  schedule(engine_.now());
  lend();
}

Cycle SimulatedHost::Parts::preempted(cpu::Core& core, Picoseconds now) {
  rv64::Thread* const thread = running_[core.number()];
  if (thread == nullptr) {
    borrower_->preempted(core, now);
    return free_again(core, now);
  }
  const auto& all = calls_.threads().all();
  advance_to(now);
  // The next one behind it that waits for a core; none, where a signal is the reason.
  rv64::Thread* next = thread;
  const auto place = static_cast<std::size_t>(
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.get() == thread; }) -
      all.begin());
  for (std::size_t step = 1; step < all.size() && next == thread && !calls_.has_signal(*thread); ++step) {
    rv64::Thread& other = *all[(place + step) % all.size()];
    if (!other.wait && !has_core(other)) next = &other;
  }
  calls_.resume(*next);
  run_on(core.number(), next, now);
  schedule(now);
  return running_[core.number()] != thread ? cpu_.context_switch_cycles : 0;
}

void SimulatedHost::Parts::check_time() const {
  if (options_.timeout_seconds == 0) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  if (passed.count() >= options_.timeout_seconds)
    throw Stopped(124, fmt::format("{}: ended after {} s (--timeout), {} us of simulated time", file_.path,
                                   options_.timeout_seconds, engine_.now() / 1'000'000));
}

void SimulatedHost::Parts::check_signal() const {
  const int signal = signal_ == nullptr ? 0 : signal_->load();
  if (signal != 0)
    throw Stopped(128 + signal, fmt::format("interrupted by signal {}, after {} us of simulated time", signal,
                                            engine_.now() / 1'000'000));
}

rv64::ProcessEnd SimulatedHost::Parts::run() {
  schedule(0);
  while (!end_) {
    if (guest_call_ready()) {
      go_on_with_guest_calls();
      continue;
    }
    const Picoseconds now = engine_.now(), next = engine_.next_time();
    const Picoseconds call = guest_calls_ != nullptr ? guest_calls_->next_time() : kNever;
    if (next == kNever && call == kNever) {
      nothing_will_happen();
      continue;
    }
    const Picoseconds look = watch_ != nullptr ? watch_->horizon(now, std::min(next, call)) : now + kLook;
    const Picoseconds limit = std::min(look, call);
    if (!engine_.run_while_not([this] { return end_ || guest_call_ready(); }, limit)) {
      const Picoseconds then = std::min(engine_.next_time(), call);
      if (then != kNever)
        engine_.run_until(watch_ != nullptr || call == limit ? limit : std::max(limit, then - 1));
    }
    check_signal();
    if (watch_ != nullptr)
      watch_->look(engine_.now());
    else
      check_time();
  }
  return *end_;
}

// Somebody may wait for something that another call would have done.
void SimulatedHost::Parts::nothing_will_happen() {
  if (guest_calls_ == nullptr || !guest_calls_->nothing_will_happen())
    throw Deadlock(calls_.describe_deadlock());
}

SimulatedHost::SimulatedHost(Processor& processor, const rv64::ProcessOptions& program,
                             const HostOptions& options)
    : parts_(std::make_unique<Parts>(processor, program, options)) {}
SimulatedHost::~SimulatedHost() = default;
rv64::ProcessEnd SimulatedHost::run() { return parts_->run(); }
rv64::AddressSpace& SimulatedHost::space() { return parts_->space(); }
std::vector<ThreadUse> SimulatedHost::threads() const { return parts_->threads(); }
std::vector<HostStack> SimulatedHost::profile() const { return parts_->profile().stacks(); }
Picoseconds SimulatedHost::profile_period() const {
  return parts_->profile_cycles() * 1'000'000'000 / parts_->clock_khz();
}

}  // namespace duet::machine
