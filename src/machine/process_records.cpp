// What a process leaves in its journal: commands that have completed, findings of the checks, statistics, and
// how far it is. The modules, launches and heap of a process are in process.cpp.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "machine/host/processor.h"
#include "machine/host/simulated_host.h"
#include "machine/process.h"
#include "predict/predictor.h"
#include "sample/sampler.h"
#include "sim/clock_domain.h"

namespace duet::machine {

namespace {

template <typename Record>
void set_shape(Record& record, const gpu::Grid& grid) {
  record.grid[0] = grid.grid.x, record.grid[1] = grid.grid.y, record.grid[2] = grid.grid.z;
  record.block[0] = grid.block.x, record.block[1] = grid.block.y, record.block[2] = grid.block.z;
}
constexpr std::size_t index_of(driver::CommandKind kind) {
  using report::StreamCommand;
  constexpr StreamCommand kNames[] = {StreamCommand::Copy,         StreamCommand::Fill,
                                      StreamCommand::FullEmptySet, StreamCommand::Kernel,
                                      StreamCommand::EventRecord,  StreamCommand::EventWait,
                                      StreamCommand::HostFunction};
  static_assert(std::size(kNames) == driver::kCommandKinds);
  return static_cast<std::size_t>(kNames[static_cast<std::size_t>(kind)]);
}
}  // namespace

void Process::mark(std::string_view name, Picoseconds time) {
  if (journal_ == nullptr) return;
  record_statistics(true);
  journal_->mark(time, name);
}

void Process::call_begins(const host::HostThread& thread, std::uint64_t call, Picoseconds clock) {
  if (account_) account_->call_begins(thread, call, clock);
}

void Process::call_ends(const host::HostThread& thread, std::uint64_t outer_call) {
  if (account_) account_->call_ends(thread, outer_call);
}

void Process::thread_goes_on(std::uint64_t thread, std::uint64_t because_of) {
  if (account_) account_->goes_on(thread, because_of);
}

void Process::note_time(Picoseconds thread_clock) {
  if (journal_ == nullptr) return;
  auto& simulated = journal_->header().simulated_ps;
  const Picoseconds reached = std::max(thread_clock, engine().now());
  const driver::CommandCounts& incomplete = driver().incomplete_by_kind();
  auto& written = journal_->header().incomplete;
  [&]<std::size_t... kKind>(std::index_sequence<kKind...>) {  // each place is known when this is compiled
    (written[index_of(static_cast<driver::CommandKind>(kKind))].store(incomplete[kKind],
                                                                      std::memory_order_relaxed),
     ...);
  }
  (std::make_index_sequence<driver::kCommandKinds>());
  if (reached < simulated) return;
  const auto append = [this](report::RecordType type, const auto& list) {
    journal_->append(type, list.data(), list.size() * sizeof list[0]);
  };
  account_->take_steps([&](const auto& steps) { append(report::RecordType::PathSteps, steps); });
  if (const auto stretches = account_->take_stretches(); !stretches.empty())
    append(report::RecordType::MomentStretches, stretches);
  journal_->publish_account(account_->up_to(reached));
  simulated = reached;
}

report::KernelRecord Process::kernel_record(const driver::CommandRecord& command) const {
  const gpu::Grid& grid = *command.grid;
  const sim::ClockDomain core(config().gpu.core_clock_khz * 1000);
  const auto fit = occupancy(*grid.kernel, grid.block.count(), grid.dynamic_shared_bytes);
  report::KernelRecord record{};
  record.command = command.id;
  record.call = command.call;
  record.stream = command.stream;
  record.registers = grid.kernel->registers;
  record.blocks_per_sm = fit.blocks_per_sm;
  std::strncpy(record.occupancy_limit, fit.limit, sizeof record.occupancy_limit - 1);
  record.shared_bytes = fit.shared_per_block;
  set_shape(record, grid);
  record.queued_ps = command.queued_ps;
  record.driver_start_ps = command.driver_start_ps;
  record.prepared_ps = command.prepared_ps;
  record.start_ps = command.start_ps;
  record.end_ps = command.end_ps - grid.emptying_ps;
  record.cycles = core.cycle_at(record.end_ps) - core.cycle_at(command.start_ps);
  gpu::GridCounts counts = system_->counts(grid);
  counts += grid.children_counts;
  record.warp_instructions = counts.warp_instructions;
  record.thread_instructions = counts.thread_instructions;
  record.occupancy = static_cast<double>(fit.blocks_per_sm * fit.warps_per_block) /
                     static_cast<double>(config().gpu.sm.max_warps);
  record.issue_slots = counts.issue_slots;
  record.completed_blocks = grid.completed_blocks;
  record.fast_forwarded = grid.fast_forward && grid.timed_blocks == 0 ? 1 : 0;
  record.timed_blocks = grid.timed_blocks;
  return record;
}

sim::Statistics::Values Process::record_statistics(bool with_states) {
  sim::Statistics& statistics = system_->statistics();
  const sim::Statistics::Values values = statistics.totals(with_states);
  const bool first = recorded_.empty();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!first && values[i] == recorded_[i]) continue;
    const sim::Statistic& declared = statistics.declared()[i];
    journal_->set_counter(i, declared.name.c_str(), values[i], declared.kind == sim::StatisticKind::State);
  }
  recorded_ = values;
  return values;
}

void Process::record_components() {
  sim::Statistics& statistics = system_->statistics();
  if (!described_) {
    described_ = true;
    std::map<const sim::Component*, std::uint32_t> numbers;
    std::vector<report::ComponentDescription> descriptions;
    for (const sim::Statistics::Part& part : statistics.parts()) {
      const sim::Component& component = *part.component;
      numbers[&component] = static_cast<std::uint32_t>(descriptions.size());
      report::ComponentDescription& description = descriptions.emplace_back();
      std::strncpy(description.name, component.name().c_str(), sizeof description.name - 1);
      std::strncpy(description.role, sim::role_name(component.role()), sizeof description.role - 1);
      description.parent = component.parent() == nullptr ? report::ComponentDescription::kNoParent
                                                         : numbers.at(component.parent());
      description.level = static_cast<std::uint32_t>(component.level());
      description.first_value = static_cast<std::uint32_t>(part.first);
      description.value_count = static_cast<std::uint32_t>(part.count);
    }
    journal_->describe_components(descriptions, statistics.statistic_of_value());
  }
  std::uint64_t* const values = journal_->next_component_values();
  if (values == nullptr) return;
  std::uint64_t& written = component_values_[values];
  statistics.of_components(values, written);
  written = statistics.reads();
  journal_->publish_component_values(engine().now());
}

// The names of all statistics are there from the start, so that whoever ends this process leaves results.
void Process::describe_processor() {
  const Processor* const processor = system_->processor();
  if (processor == nullptr || !options_.simulated_host) return;
  const config::Cpu& cpu = processor->config();
  report::JournalHeader::Processor& described = journal_->header().processor;
  described.clock_khz = cpu.clock_khz;
  described.has_l2 = cpu.l2.sets != 0;
  described.has_l3 = cpu.l3.sets != 0;
  record_statistics();
}

void Process::record_threads() {
  if (!threads_of_program) return;
  std::vector<report::ThreadDescription> threads;
  for (const ThreadUse& use : threads_of_program()) {
    report::ThreadDescription& thread = threads.emplace_back();
    thread.id = use.id;
    use.name.copy(thread.name, sizeof thread.name - 1);
    thread.core_time_ps = use.core_time_ps;
    thread.instructions = use.instructions;
  }
  journal_->publish_threads(threads);
}

void Process::publish_processor() {
  if (journal_ == nullptr || !threads_of_program) return;
  system_->statistics().look();
  record_components();
  record_threads();
}

void Process::program_ended(int status, int signal) {
  if (journal_ == nullptr) return;
  record_statistics();
  record_components();
  record_threads();
  note_time(engine().now());
  report::JournalHeader::Processor& processor = journal_->header().processor;
  processor.status = status;
  processor.signal = signal;
  processor.ended = 1;
}

// At a time at which commands have completed, after all ticks: what is counted then does not depend on who
// was ticked first.
void Process::record_completed() {
  completing_ = false;
  const sim::Statistics::Values now = record_statistics();
  for (const std::uint64_t launch : completed_launches_) record_outside_accesses(launch);
  completed_launches_.clear();
  for (const Completed& completed : completed_kernels_)
    journal_->kernel_statistics(completed.kernel, completed.at_start.empty()
                                                      ? sim::Statistics::Values()
                                                      : system_->statistics().since(completed.at_start, now));
  completed_kernels_.clear();
  if (lines_) lines_->record();
  if (!driver().outstanding()) record_components();
}

void Process::publish() {
  if (journal_ == nullptr) return;
  note_time(0);
  report::Progress& progress = journal_->next_progress();
  progress.simulated_ps = engine().now();
  progress.warp_instructions = completed_instructions_;
  progress.kernel_count = 0;
  driver().for_each_running_kernel([&](driver::CommandRecord command) {
    command.end_ps = engine().now();
    progress.warp_instructions +=
        system_->counts(*command.grid).warp_instructions + command.grid->children_counts.warp_instructions;
    if (progress.kernel_count == report::Progress::kMaxKernels) return;
    report::RunningKernel& kernel = progress.kernels[progress.kernel_count++];
    kernel.record = kernel_record(command);
    std::strncpy(kernel.name, command.grid->kernel->name.c_str(), sizeof kernel.name - 1);
    kernel.name[sizeof kernel.name - 1] = 0;
  });
  published_kernels_ = progress.kernel_count != 0;
  journal_->publish_progress();
}

void Process::publish_end() {
  if (journal_ == nullptr) return;
  record_statistics();
  record_components();
  record_threads();
  record_races(0);
  record_findings();
  record_outside_accesses(0);
  if (lines_) {
    driver().for_each_running_kernel(
        [&](const driver::CommandRecord& command) { lines_->changed(*command.grid->kernel); });
    lines_->record();
  }
  publish();
}

// What a launch does to full/empty bits after its kernel's end.
void Process::record_emptying(const driver::CommandRecord& command, Picoseconds kernel_end) {
  report::CopyRecord record{};
  record.command = command.id;
  record.call = command.call;
  record.kind = report::CopyKind::FullEmptySet;
  record.stream = command.stream;
  record.bytes = command.bytes;
  record.action = static_cast<std::uint32_t>(memory::Action::Empty);
  record.queued_ps = record.driver_start_ps = record.prepared_ps = record.start_ps = kernel_end;
  record.end_ps = command.end_ps;
  journal_->append(report::RecordType::Copy, record);
}

void Process::record_preexecution_options() {
  std::string text = std::string("mode=") + name_of(options_.preexecution.mode) + '\n';
  for (const auto& [key, value] : settings(options_.preexecution)) text += key + '=' + value + '\n';
  journal_->append(report::RecordType::PreexecutionOptions, text.data(), 0, text);
}

void Process::record_preexecution(const PreexecutionRun& run) {
  if (journal_ == nullptr) return;
  report::PreexecutionRecord record{};
  record.command = run.command;
  record.started_ps = run.started_ps.value_or(0);
  record.ended_ps = run.ended_ps.value_or(0);
  record.on_core_ps = run.on_core_ps;
  record.interruptions = run.interruptions;
  record.private_hits = run.private_hits;
  record.stale_hits = run.stale_hits;
  record.wrong_hits = run.wrong_hits;
  record.lines_dropped = run.lines_dropped;
  record.block_writes = run.block_writes;
  record.started = run.started_ps.has_value();
  record.ended = run.ended_ps.has_value();
  record.accesses = static_cast<std::uint32_t>(run.program->accesses);
  record.covered = static_cast<std::uint32_t>(run.program->covered);
  record.instructions = run.instructions;
  record.loads = run.loads;
  record.suppressed_loads = run.suppressed_loads;
  record.requests = run.requests;
  record.l3_hits = run.l3_hits;
  record.lines_from_memory = run.lines_from_memory;
  record.polls = run.polls;
  record.skip_factor = run.program->skip_factor;
  record.samples = static_cast<std::uint32_t>(run.skip_factors.size());
  std::vector<std::byte> bytes(sizeof record + run.skip_factors.size() * sizeof(report::SkipFactorSample));
  std::memcpy(bytes.data(), &record, sizeof record);
  for (std::size_t i = 0; i < run.skip_factors.size(); ++i) {
    const report::SkipFactorSample sample{run.skip_factors[i].time_ps, run.skip_factors[i].skip_factor};
    std::memcpy(bytes.data() + sizeof record + i * sizeof sample, &sample, sizeof sample);
  }
  std::string text = run.program->reason;
  for (const std::string& line : run.program->not_prefetched) text += '\n' + line;
  journal_->append(report::RecordType::Preexecution, bytes.data(), bytes.size(), text);
}

void Process::record_cpu_blocks(const BlocksOnCores& run) {
  if (journal_ == nullptr) return;
  report::CpuBlocksRecord record{};
  record.command = run.command;
  record.blocks = run.blocks;
  record.claims = run.claims;
  record.instructions = run.instructions;
  record.lines_written = run.lines_written;
  record.first_ps = run.first_ps.value_or(0);
  record.last_ps = run.last_ps.value_or(0);
  journal_->append(report::RecordType::CpuBlocks, &record, sizeof record, run.reason);
}

// What the run checks, and from now on every allocation that is made and released.
void Process::record_checks() {
  const std::string words = check::text_of(options_.check);
  journal_->append(report::RecordType::Checks, words.data(), 0, words);
  system_->address_space().on_change = [this](const memory::Allocation& allocation, bool made) {
    if (!made && system_->checker() != nullptr) system_->checker()->global().released(allocation);
    if (!options_.check.leaks || allocation.call == nullptr) return;
    report::ResourceRecord record{};
    record.id = allocation.base.value();
    record.bytes = allocation.bytes;
    record.made = made;
    record.number = allocation.call_number;
    journal_->append(report::RecordType::Resource, record, allocation.call);
  };
}

void Process::resource_changed(const char* kind, std::uint64_t id, bool made) {
  if (!options_.check.leaks || journal_ == nullptr) return;
  report::ResourceRecord record{};
  record.id = id;
  record.made = made;
  record.number = static_cast<std::uint32_t>(id);
  journal_->append(report::RecordType::Resource, record, kind);
}

void Process::record_predictions() {
  system_->on_prediction([this](const predict::Prediction& prediction) {
    const predict::SmTimes& times = prediction.times;
    report::PredictionRecord record{};
    record.command = prediction.recording->grid->command;
    record.time_ps = prediction.time_ps;
    std::copy(prediction.without_ps.begin(), prediction.without_ps.end(), record.without_ps);
    record.roofline_ps = prediction.roofline_ps;
    record.hong_kim_ps = prediction.hong_kim_ps;
    record.issue_slots = times.slots;
    const double busy[] = {times.load_store_busy, times.port_busy, times.l2_busy, times.dram_busy,
                           times.atomics_busy};
    std::copy(std::begin(busy), std::end(busy), record.busy);
    record.computed_share = times.computed_share;
    record.l1_requests = times.l1_requests;
    record.l1_hits = times.l1_hits;
    record.requests_below = times.requests_below;
    record.dram_requests = times.dram_requests;
    record.doubts = prediction.doubts;
    record.repeated = prediction.repeated;
    record.partial = prediction.recording->partial;
    journal_->append(report::RecordType::Prediction, record, prediction.recording->grid->kernel->name);
  });
}

void Process::record_sampling() {
  system_->on_sampled([this](const sample::Launch& launch) {
    const gpu::Grid& grid = *launch.grid;
    report::SampleRecord record{};
    record.command = grid.command;
    record.error_percent = options_.sample_error_percent;
    record.group = launch.group;
    record.window = launch.choice.window;
    record.timed = launch.choice.timed;
    record.warming = launch.warming;
    record.overlapped = launch.overlapped;
    record.failed = launch.failed;
    set_shape(record, grid);
    record.dynamic_shared_bytes = grid.dynamic_shared_bytes;
    record.work = launch.work;
    record.timed_blocks = launch.timed_blocks;
    record.time_ps = launch.time_ps;
    record.error_ps = launch.error_ps;
    journal_->append(report::RecordType::Sample, &record, sizeof record,
                     launch.first_of_group ? grid.kernel->name : std::string());
  });
}

void Process::record_findings() {
  if (system_->checker() == nullptr && !findings_) return;
  check::Findings& findings = findings_ ? *findings_ : system_->checker()->findings();
  findings.take_changed([this](std::size_t number, const check::Finding& finding) {
    report::FindingRecord record{};
    record.number = number;
    record.count = finding.count;
    journal_->append(report::RecordType::Finding, record,
                     std::string(check::check_of(finding.kind)) + '\n' + check::name_of(finding.kind) + '\n' +
                         finding.text);
  });
}

void Process::record_races(driver::CommandId writer) {
  const memory::AddressSpace& space = system_->address_space();
  for (const memory::Race& race : system_->races(writer)) {
    const driver::CommandLabel &reader = driver().label(race.reader),
                               &writer_label = driver().label(race.writer);
    report::RaceRecord record{};
    record.reader = {race.reader, reader.stream, race.reader_is_kernel};
    record.writer = {race.writer, writer_label.stream, race.writer_is_kernel};
    record.first = space.pages().virtual_of(race.first).value();
    record.last = space.pages().virtual_of(race.last).value();
    record.bytes = race.bytes;
    record.read_ps = race.read_ps;
    record.written_ps = race.written_ps;
    record.sm = race.first_of_kernel.unit;
    record.ptx_line = race.first_of_kernel.ptx_line;
    const ptx::Kernel* const kernel = race.reader_is_kernel ? reader.kernel : writer_label.kernel;
    journal_->append(report::RecordType::Race, record,
                     reader.name + '\n' + writer_label.name + '\n' +
                         (kernel != nullptr ? kernel->place_of(record.ptx_line) : ""));
  }
  record_conflicts(writer);
}

void Process::record_conflicts(driver::CommandId command) {
  const memory::AddressSpace& space = system_->address_space();
  for (const memory::Conflict& conflict : system_->conflicts(command)) {
    report::ConflictRecord record{};
    std::string text;
    const memory::Conflict::Side* const sides[] = {&conflict.first, &conflict.second};
    for (std::size_t i = 0; i < 2; ++i) {
      const memory::Conflict::Side& side = *sides[i];
      const driver::CommandLabel& label = driver().label(side.command);
      record.sides[i] = {{side.command, label.stream, side.kernel}, side.writes, side.ptx_line};
      text +=
          label.name + '\n' + (side.kernel ? label.kernel->place_of(side.ptx_line) : std::string()) + '\n';
    }
    const VirtualAddress first = space.pages().virtual_of(conflict.lowest);
    record.first = first.value();
    record.last = space.pages().virtual_of(conflict.highest).value();
    record.bytes = conflict.bytes;
    journal_->append(report::RecordType::Conflict, record,
                     text + space.place_of(first, record.last - record.first + 1));
  }
}

void Process::record_outside_accesses(std::uint64_t launch) {
  const memory::AddressSpace& space = system_->address_space();
  for (const gpu::OutsideAccess& access : system_->outside_accesses(launch)) {
    const gpu::OutsidePosition lowest = gpu::outside_position(access.lowest, space),
                               highest = gpu::outside_position(access.highest, space);
    const gpu::OutsidePosition& farthest = highest.distance_bytes > lowest.distance_bytes ? highest : lowest;
    report::OutsideRecord record{};
    record.kind = access.kind == ptx::Kind::Load    ? report::OutsideKind::Read
                  : access.kind == ptx::Kind::Store ? report::OutsideKind::Write
                                                    : report::OutsideKind::Atomic;
    record.accesses = access.accesses;
    record.lowest = access.lowest.value();
    record.highest = access.highest.value();
    record.distance_bytes = farthest.distance_bytes;
    record.before = farthest.before;
    record.several = access.lowest != access.highest;
    journal_->append(report::RecordType::Outside, record,
                     access.kernel->name + '\n' + access.place + '\n' + farthest.allocation);
  }
}

// A copy that its call submits in pieces is one record, from the first piece's begin to the last one's end.
void Process::record_copy(const driver::CommandRecord& command) {
  report::CopyRecord record{};
  const bool bits = command.kind == driver::CommandKind::FullEmptySet;
  record.kind = command.kind == driver::CommandKind::Fill        ? report::CopyKind::Fill
                : bits && command.action == memory::Action::None ? report::CopyKind::FullEmptyRelease
                : bits                                           ? report::CopyKind::FullEmptySet
                : command.from_host && command.to_host           ? report::CopyKind::HostToHost
                : command.from_host                              ? report::CopyKind::HostToDevice
                : command.to_host                                ? report::CopyKind::DeviceToHost
                                                                 : report::CopyKind::DeviceToDevice;
  record.command = command.id;
  record.call = command.call;
  record.stream = command.stream;
  record.trigger = static_cast<std::uint32_t>(command.trigger);
  record.action = static_cast<std::uint32_t>(command.action);
  record.pageable = command.pageable;
  record.queued_ps = command.queued_ps;
  record.driver_start_ps = command.driver_start_ps;
  record.prepared_ps = command.prepared_ps;
  record.start_ps = command.start_ps;
  if (const auto pieces = copies_in_pieces_.extract(command.call); !pieces.empty()) record = pieces.mapped();
  record.bytes += command.bytes;
  record.end_ps = command.end_ps;
  if (command.more_follow)
    copies_in_pieces_[command.call] = record;
  else
    journal_->append(report::RecordType::Copy, record);
}

// One that a kernel has launched. What it has counted is the command's too, and not its parent's.
void Process::record_launched(const gpu::Grid& grid) {
  report::LaunchedRecord record{};
  record.command = grid.command;
  record.number = grid.launch_id;
  record.parent = grid.parent->parent == nullptr ? 0 : grid.parent->launch_id;
  set_shape(record, grid);
  record.launched_ps = grid.launched_ps;
  record.start_ps = std::min(grid.first_block_ps, engine().now());
  record.end_ps = engine().now();
  const gpu::GridCounts counts = system_->counts(grid);
  record.warp_instructions = counts.warp_instructions;
  record.thread_instructions = counts.thread_instructions;
  journal_->append(report::RecordType::Launched, record, grid.kernel->name);
  completed_launches_.push_back(grid.launch_id);
  if (lines_) lines_->completed(*grid.kernel);
}

void Process::record(const driver::CommandRecord& command) {
  if (!completing_) engine().after_ticks([this] { record_completed(); });
  completing_ = true;
  account_->completed(command);
  record_races(command.id);
  if (command.grid != nullptr) completed_launches_.push_back(command.grid->launch_id);
  switch (command.kind) {
    case driver::CommandKind::Launch: {
      report::KernelRecord record = kernel_record(command);
      record.complete = 1;
      watch_.kernel_ended(record.start_ps, record.end_ps);
      completed_instructions_ += record.warp_instructions;
      journal_->append(report::RecordType::Kernel, record, command.grid->kernel->name);
      if (lines_ && !command.grid->fast_forward) lines_->completed(*command.grid->kernel);
      // One that was skipped after a fault has not started, and nothing rose while it ran.
      auto start = at_start_.extract(command.grid);
      completed_kernels_.push_back(
          {kernel_records_++, start.empty() ? sim::Statistics::Values() : std::move(start.mapped())});
      if (command.grid->emptying_ps != 0) record_emptying(command, record.end_ps);
      const gpu::Fault& fault = command.grid->fault;
      if (fault.kind != gpu::FaultKind::None)
        journal_->append(report::RecordType::Fault, &record, 0, fault.text);
      if (published_kernels_) publish();  // it runs no longer
      break;
    }
    case driver::CommandKind::Copy:
    case driver::CommandKind::Fill:
    case driver::CommandKind::FullEmptySet:
      record_copy(command);
      break;
    default:
      break;
  }
}

}  // namespace duet::machine
