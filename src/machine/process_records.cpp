// A process's records in its journal: completed commands, findings of the checks, statistics, and its
// progress. The modules, launches and heap of a process are in process.cpp.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

#include "machine/host/processor.h"
#include "machine/host/simulated_host.h"
#include "machine/process.h"
#include "machine/record_shape.h"
#include "sim/clock_domain.h"

namespace duet::machine {

namespace {

// Nsight Compute calls it so: resident warps over what an SM holds, mean of the cycles in which it has any.
double achieved_occupancy(const gpu::GridCounts& counts, const config::Sm& sm) {
  const auto sum = [](const auto& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
  };
  const std::uint64_t slots = sum(counts.issue_slots);
  if (slots == 0) return 0;
  return static_cast<double>(sum(counts.warp_cycles) * sm.schedulers) /
         static_cast<double>(slots * sm.max_warps);
}

constexpr std::size_t index_of(driver::CommandKind kind) {
  using report::StreamCommand;
  constexpr StreamCommand kNames[] = {StreamCommand::Copy,         StreamCommand::Fill,
                                      StreamCommand::FullEmptySet, StreamCommand::CacheMaintenance,
                                      StreamCommand::Kernel,       StreamCommand::EventRecord,
                                      StreamCommand::EventWait,    StreamCommand::HostFunction};
  static_assert(std::size(kNames) == driver::kCommandKinds);
  return static_cast<std::size_t>(kNames[static_cast<std::size_t>(kind)]);
}

// The pointers among the kernel's arguments, and the allocations that they lie in, each once.
void set_arguments(report::KernelRecord& record, const gpu::Grid& grid, const memory::AddressSpace& space) {
  std::vector<std::uint32_t> seen;
  for (std::size_t at = 0; at + sizeof(Address) <= grid.parameters.size(); at += sizeof(Address)) {
    Address value = 0;
    std::memcpy(&value, &grid.parameters[at], sizeof value);
    const memory::Allocation* const allocation = space.find(VirtualAddress(value));
    if (allocation == nullptr) continue;
    constexpr std::uint64_t kMix =
        0x9e37'79b9'7f4a'7c15;  // 2^64 over the golden ratio: mixes the low bits up
    record.pointers |= std::uint64_t{1} << (value * kMix >> 58);
    if (std::find(seen.begin(), seen.end(), allocation->id) != seen.end()) continue;
    seen.push_back(allocation->id);
    (allocation->in_device_memory() ? record.device_bytes : record.host_bytes) += allocation->bytes;
  }
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
  std::strncpy(record.occupancy_limit, gpu::name_of(fit.limit), sizeof record.occupancy_limit - 1);
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
  record.warp_cycles = counts.warp_cycles;
  record.achieved_occupancy = achieved_occupancy(counts, config().gpu.sm);
  record.completed_blocks = grid.completed_blocks;
  record.fast_forwarded = grid.fast_forward && grid.timed_blocks == 0 ? 1 : 0;
  record.timed_blocks = grid.timed_blocks;
  record.narrow_doubles = grid.kernel->narrow_doubles;
  record.narrow_conversions = grid.kernel->narrow_conversions;
  set_arguments(record, grid, system_->address_space());
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
  if (profile_of_program) {
    const auto [stacks, period] = profile_of_program();
    for (const HostStack& stack : stacks) {
      report::HostStackRecord record{};
      record.period_ps = period;
      std::copy(stack.samples.begin(), stack.samples.end(), record.samples);
      journal_->append(report::RecordType::HostStack, record, stack.functions);
    }
  }
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
  for (const Completed& completed : completed_kernels_)
    journal_->kernel_statistics(completed.kernel, completed.at_start.empty()
                                                      ? sim::Statistics::Values()
                                                      : system_->statistics().since(completed.at_start, now));
  completed_kernels_.clear();
  for (const auto& feature : features_) feature->record();
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
  for (const auto& feature : features_) feature->record_end();
  publish();
}

// What a launch does to full/empty bits, or caches, after its kernel's end.
void Process::record_emptying(const driver::CommandRecord& command, Picoseconds kernel_end) {
  report::CopyRecord record{};
  record.command = command.id;
  record.call = command.call;
  record.kind = command.bytes != 0 ? report::CopyKind::FullEmptySet : report::CopyKind::CacheMaintenance;
  record.stream = command.stream;
  record.bytes = command.bytes;
  if (command.bytes != 0) record.action = static_cast<std::uint32_t>(memory::Action::Empty);
  record.queued_ps = record.driver_start_ps = record.prepared_ps = record.start_ps = kernel_end;
  record.end_ps = command.end_ps;
  journal_->append(report::RecordType::Copy, record);
}

void Process::resource_changed(const char* kind, std::uint64_t id, bool made) {
  for (const auto& feature : features_) feature->resource_changed(kind, id, made);
}

void Process::memory_in_stream(const StreamMemoryChange& change) {
  for (const auto& feature : features_) feature->memory_in_stream(change);
}

bool Process::keeps_freed_memory() const {
  return std::any_of(features_.begin(), features_.end(),
                     [](const auto& feature) { return feature->keeps_freed_memory(); });
}

void Process::call_failed(const char* call, const char* error) {
  for (const auto& feature : features_) feature->call_failed(call, error);
}

// A copy that its call submits in pieces is one record, from the first piece's begin to the last one's end.
void Process::record_copy(const driver::CommandRecord& command) {
  report::CopyRecord record{};
  const bool bits = command.kind == driver::CommandKind::FullEmptySet;
  record.kind = command.kind == driver::CommandKind::Fill               ? report::CopyKind::Fill
                : command.kind == driver::CommandKind::CacheMaintenance ? report::CopyKind::CacheMaintenance
                : bits && command.action == memory::Action::None        ? report::CopyKind::FullEmptyRelease
                : bits                                                  ? report::CopyKind::FullEmptySet
                : command.from_host && command.to_host                  ? report::CopyKind::HostToHost
                : command.from_host                                     ? report::CopyKind::HostToDevice
                : command.to_host                                       ? report::CopyKind::DeviceToHost
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
void Process::device_launch_ends(const gpu::Grid& grid) {
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
}

void Process::completed(const driver::CommandRecord& command) {
  if (!completing_) engine().after_ticks([this] { record_completed(); });
  completing_ = true;
  account_->completed(command);
  switch (command.kind) {
    case driver::CommandKind::Launch: {
      report::KernelRecord record = kernel_record(command);
      record.complete = 1;
      watch_.kernel_ended(record.start_ps, record.end_ps);
      completed_instructions_ += record.warp_instructions;
      journal_->append(report::RecordType::Kernel, record, command.grid->kernel->name);
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
    case driver::CommandKind::CacheMaintenance:
      record_copy(command);
      break;
    default:
      break;
  }
}

}  // namespace duet::machine
