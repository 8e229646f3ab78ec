#include "machine/cores_for_gpu/preexecution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "preexec/context.h"

namespace duet::machine {

namespace {

using preexec::Context;

constexpr std::uint64_t kPrograms = 0x1000'0000, kAreas = 0x8000'0000;
// Ids of blocks follow at 128 KiB (preexecution_blocks.cpp); the stack is at the end.
constexpr Bytes kAreaBytes = 1_MiB, kParametersAt = 4096, kSymbolsAt = 64_KiB;
constexpr Picoseconds kLookEvery = 1'000'000;
constexpr Bytes kElementBytes = 4;  // yang2012 section 4.1: a line has so many floats

Processor& processor_of(System& system) {
  if (system.functional()) throw Error("--preexec needs the timed GPU: leave out --functional");
  Processor* const processor = system.processor();
  if (processor == nullptr || !processor->memory().shares_level())
    throw Error(fmt::format(
        "--preexec needs a machine whose cores share a level of cache with the GPU, and {} is none: try "
        "--machine fused",
        system.config().name));
  return *processor;
}

unsigned lines_a_step(const System& system) {
  const config::Cpu& cpu = *system.config().cpu;
  const config::Cpu::Cache& outermost = cpu.l2.sets != 0 ? cpu.l2 : cpu.l1;
  const Bytes lines = outermost.prefetcher == "next-line" ? 1 + outermost.prefetch_lines : 1;
  return static_cast<unsigned>(lines * cpu.line_bytes / kElementBytes);
}

}  // namespace

Preexecution::Preexecution(System& system, const PreexecutionOptions& options, Occupancy occupancy, bool lent)
    : system_(system),
      engine_(system.engine()),
      processor_(processor_of(system)),
      memory_(processor_.memory()),
      options_(options),
      occupancy_(std::move(occupancy)),
      lent_(lent),
      base_(lent ? rv64::kUserAddressEnd : 0),  // apart from those of a program that has the cores too
      programs_(options, memory_.programs(), base_ + kPrograms, lines_a_step(system)),
      stop_(engine_, memory_, processor_.config(),
            system.config().link.latency_ns * kPicosecondsPerNanosecond),
      cores_(processor_.cores().size()),
      timer_("pre-execution timer", *this, [this] { look(); }),
      forward_timer_("block ids timer", *this, [this] { forward_all(); }) {
  if (options_.blocks == "forwarded" || options_.waves_ahead != 0)
    forwarder_.emplace(engine_, memory_, processor_.config(),
                       system.config().link.latency_ns * kPicosecondsPerNanosecond, "block ids");
  if (!lent_) processor_.serve(*this);
  memory_.remember_gpu_writes();
  for (std::size_t i = 0; i < cores_.size(); ++i)
    memory_.programs().map(area(i), kAreaBytes, {true, true, false});
}

VirtualAddress Preexecution::area(std::size_t core) const { return base_ + kAreas + core * kAreaBytes; }

void Preexecution::write(VirtualAddress to, const void* from, std::size_t bytes) {
  if (memory_.programs().write(to, {static_cast<const std::byte*>(from), bytes}))
    throw Error("preexec: no room for a kernel's parameters");
}

template <typename T>
T Preexecution::context_value(std::size_t core, std::size_t offset) {
  T value;
  memory_.peek(memory_.place_in_programs(area(core) + offset), sizeof value,
               reinterpret_cast<std::byte*>(&value), CpuMemory::kNobody);
  return value;
}

void Preexecution::launched(const driver::CommandRecord& command) {
  const gpu::Grid& grid = *command.grid;
  Job job;
  job.run.command = command.id;
  job.run.program = &programs_.of(grid);
  job.parameters = grid.parameters;
  job.grid = grid.grid;
  job.block = grid.block;
  job.concurrent_blocks = static_cast<std::uint32_t>(
      std::max<std::uint64_t>(1, occupancy_(grid).blocks_per_sm * system_.config().gpu.sm.count));
  if (options_.blocks == "forwarded")
    job.order.emplace(system_.config().gpu.front_end.block_order, job.grid.count());
  engine_.after_ticks([this, job = std::move(job)]() mutable {
    waiting_.push_back(std::move(job));
    start_waiting();
  });
}

void Preexecution::completed(const driver::CommandRecord& command) {
  if (command.grid == nullptr) return;
  engine_.after_ticks([this, id = command.id] { kernel_ended(id); });
}

void Preexecution::start_waiting() {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (processor_.cores()[i]->registers() != nullptr || (lent_ && !(may_take_ && may_take_(i)))) continue;
    if (cores_[i].job) enter(i);
    if (cores_[i].job || cores_[i].stopping || cores_[i].writing()) continue;
    const auto next = std::find_if(waiting_.begin(), waiting_.end(),
                                   [](const Job& job) { return job.run.program->entry != 0; });
    if (next == waiting_.end()) continue;
    Job job = std::move(*next);
    waiting_.erase(next);
    start(i, std::move(job));
  }
  processor_.tell_alone();
  if (options_.mode == PreexecutionMode::Adaptive &&
      std::any_of(cores_.begin(), cores_.end(), [](const CoreState& core) { return core.job.has_value(); }))
    look_later();
}

void Preexecution::look_later() {
  if (!std::exchange(looks_, true)) engine_.wake(timer_, engine_.now() + kLookEvery);
}

void Preexecution::write_context(std::size_t number, const Job& job) {
  const PreexecutionProgram& program = *job.run.program;
  const VirtualAddress at = area(number);
  Context context;
  context.parameters = (at + kParametersAt).value();
  context.symbols = (at + kSymbolsAt).value();
  context.grid = {job.grid.x, job.grid.y, job.grid.z};
  context.block = {job.block.x, job.block.y, job.block.z};
  context.concurrent_blocks = job.concurrent_blocks;
  context.skip_factor = program.skip_factor;
  context.batch_size = options_.batch_size;
  context.threshold = options_.threshold;
  context.lowering = static_cast<std::uint32_t>(
      options_.lowering == "as_printed" ? preexec::Lowering::AsPrinted : preexec::Lowering::NotBelowInitial);
  context.thread_ids = static_cast<std::uint32_t>(
      options_.thread_ids == "clamped" ? preexec::ThreadIds::Clamped : preexec::ThreadIds::AsPrinted);
  context.skip_factor_most = options_.skip_factor_most;
  context.first_block = options_.first_wave * job.concurrent_blocks;
  context.waves_ahead = options_.waves_ahead;
  if (forwarder_) begin_blocks(number, context, job);
  write(at, &context, sizeof context);
  if (!job.parameters.empty()) write(at + kParametersAt, job.parameters.data(), job.parameters.size());
  for (std::size_t i = 0; i < program.symbols.size(); ++i) {
    const std::uint64_t symbol = program.symbols[i].value();
    write(at + kSymbolsAt + i * sizeof symbol, &symbol, sizeof symbol);
  }
}

void Preexecution::start(std::size_t number, Job job) {
  CoreState& state = cores_[number];
  write_context(number, job);
  state.registers = {};
  state.registers.pc = job.run.program->entry;
  state.registers.x[rv64::kStackPointer] = (area(number) + kAreaBytes).value();
  state.registers.x[rv64::kArgument0] = area(number).value();
  state.before = state.left = processor_.cores()[number]->statistics().counts();
  state.had_core_ps = 0;
  state.ended = false;
  if (forwarder_) forward_later();
  job.run.started_ps = engine_.now();
  if (options_.private_caches == "drop")
    job.run.lines_dropped = processor_.cores()[number]->drop_lines(engine_.now());
  state.job = std::move(job);
  enter(number);
}

// The core is the program's, from now on or again.
void Preexecution::enter(std::size_t number) {
  CoreState& state = cores_[number];
  cpu::Core& core = *processor_.cores()[number];
  const std::vector<std::uint64_t> counts = core.statistics().counts();
  for (std::size_t i = 0; i < counts.size(); ++i) state.before[i] += counts[i] - state.left[i];
  state.since = engine_.now();
  show_programs(number, true);
  if (const std::uint64_t now = system_.address_space().pages().generation();
      now != std::exchange(state.generation, now))
    core.forget_translations();
  core.assign(&state.registers, engine_.now(), lent_ ? processor_.config().context_switch_cycles : 0);
}

void Preexecution::leave(std::size_t number, Picoseconds now) {
  CoreState& state = cores_[number];
  cpu::Core& core = *processor_.cores()[number];
  core.assign(nullptr, now);
  show_programs(number, false);
  state.left = core.statistics().counts();
  state.had_core_ps += now - state.since;
}

void Preexecution::show_programs(std::size_t number, bool on) {
  cpu::Core& core = *processor_.cores()[number];
  memory_.show_programs(core.number(), on);
  core.change_address_space();
  core.suppress_load_faults(on);
}

void Preexecution::stands(cpu::Core& core) {
  if (standing_.empty())
    engine_.after_ticks([this] {
      std::vector<cpu::Core*> cores = std::exchange(standing_, {});
      std::sort(cores.begin(), cores.end(),
                [](const cpu::Core* a, const cpu::Core* b) { return a->number() < b->number(); });
      for (cpu::Core* const core : cores) core->call_client();
      start_waiting();
    });
  standing_.push_back(&core);
}

// The program has come to its end.
Cycle Preexecution::trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) {
  CoreState& state = cores_[core.number()];
  if (trap.cause != rv64::TrapCause::SystemCall)
    throw Error(fmt::format("preexec: the program of command {} traps at {:#x}", state.job->run.command,
                            state.registers.pc));
  if (!state.ended) {
    state.job->run.ended_ps = now;
    count(core.number());
    finished_.push_back(std::move(*state.job));
  }
  state.job.reset();
  leave(core.number(), now);
  return 0;
}

Cycle Preexecution::preempted(cpu::Core& core, Picoseconds now) {
  ++cores_[core.number()].job->run.interruptions;
  leave(core.number(), now);
  return 0;
}

// Brings up to date what is known of a program that runs.
void Preexecution::count(std::size_t number) {
  CoreState& state = cores_[number];
  cpu::Core& core = *processor_.cores()[number];
  const bool has_core = core.registers() == &state.registers;
  if (has_core) core.settle_statistics();
  PreexecutionRun& run = state.job->run;
  run.on_core_ps = state.had_core_ps + (has_core ? engine_.now() - state.since : 0);
  const std::vector<std::uint64_t> counts = has_core ? core.statistics().counts() : state.left;
  const auto& declared = core.statistics().declared();
  const std::pair<const char*, std::uint64_t*> wanted[] = {{"instructions", &run.instructions},
                                                           {"loads", &run.loads},
                                                           {"suppressed_loads", &run.suppressed_loads},
                                                           {"requests", &run.requests},
                                                           {"l3_hits", &run.l3_hits},
                                                           {"lines_from_memory", &run.lines_from_memory},
                                                           {"private_hits", &run.private_hits},
                                                           {"stale_hits", &run.stale_hits},
                                                           {"wrong_hits", &run.wrong_hits}};
  for (std::size_t i = 0; i < declared.size(); ++i)
    for (const auto& [name, value] : wanted)
      if (std::strcmp(declared[i].name, name) == 0) *value = counts[i] - state.before[i];
  run.polls = context_value<std::uint64_t>(number, offsetof(Context, polls));
}

void Preexecution::kernel_ended(driver::CommandId command) {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    CoreState& state = cores_[i];
    if (!state.job || state.job->run.command != command) continue;
    state.ended = state.stopping = true;
    count(i);
    if (ended) ended(state.job->run);
    stop_.set(memory_.place_in_programs(area(i) + offsetof(Context, stop)), [this, i] {
      engine_.after_ticks([this, i] {
        cores_[i].stopping = false;
        start_waiting();
      });
    });
    return;
  }
  const auto remove_from = [&](auto& jobs) {
    const auto job =
        std::find_if(jobs.begin(), jobs.end(), [&](const Job& one) { return one.run.command == command; });
    if (job == jobs.end()) return;
    if (ended) ended(job->run);
    jobs.erase(job);
  };
  remove_from(waiting_);
  remove_from(finished_);
}

void Preexecution::look() {
  looks_ = false;
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (!cores_[i].job || cores_[i].ended) continue;
    const auto now = context_value<std::uint32_t>(i, offsetof(Context, current_skip_factor));
    std::vector<PreexecutionRun::Sample>& samples = cores_[i].job->run.skip_factors;
    if (now != 0 && (samples.empty() || samples.back().skip_factor != now))
      samples.push_back({engine_.now(), now});
    look_later();
  }
}

}  // namespace duet::machine
