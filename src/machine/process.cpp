#include "machine/process.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "ptx/compiler.h"
#include "ptx/semantics/semantics.h"
#include "ptx/state_spaces.h"
#include "sim/clock_domain.h"

namespace duet::machine {

namespace {
constexpr std::uint32_t kFewestRegisters = 16;  // a thread, however many blocks are to be resident

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

static_assert(ptx::kConstWindow == memory::kConstantVirtualBase.value());

Process::Process(const config::Machine& machine, report::JournalWriter* journal, memory::HostPort& host,
                 std::function<void(const std::string&)> print, const RunOptions& options)
    : journal_(journal), options_(options), watch_(*this, options.limits, machine.gpu.core_clock_khz) {
  Options system_options;
  system_options.shuffle_seed = options.shuffle_seed;
  system_options.two_threads = options.two_threads;
  system_options.functional = options.functional;
  system_options.check_races = options.check_races;
  system_options.strict_memory = options.strict_memory;
  system_options.skip_clock_loops = options.skip_clock_loops;
  system_ = std::make_unique<System>(machine, host, services(std::move(print)), system_options);
  if (journal_ == nullptr) return;
  journal_->header().core_clock_khz = machine.gpu.core_clock_khz;
  const std::size_t statistics = system_->statistics().declared().size();
  if (statistics > report::JournalHeader::kMaxCounters)
    throw Error("this machine has " + std::to_string(statistics) + " statistics, the journal has room for " +
                std::to_string(report::JournalHeader::kMaxCounters));
  driver().on_complete = [this](const driver::CommandRecord& command) { record(command); };
  driver().on_kernel_start = [this](const gpu::Grid& grid) {
    engine().after_ticks([this, &grid] {
      at_start_[&grid] = system_->statistics().totals();
      account_->kernel_starts(grid);
    });
  };
  TaskEventMask events = options.events ? kAllTaskEvents : 0;
  if (options.trace_push_buffer) events |= mask_of(TaskEventKind::PushBufferCommand);
  account_.emplace(engine(), events != 0 ? &event_journal_.emplace(*journal_) : nullptr, events);
}

Process::~Process() = default;

gpu::DeviceServices Process::services(std::function<void(const std::string&)> print) {
  gpu::DeviceServices services;
  services.print = std::move(print);
  services.allocate = [this](std::uint32_t sm, Bytes bytes) {
    return heap_->allocate(sm, bytes, engine().now());
  };
  services.release = [this](std::uint32_t sm, VirtualAddress address) {
    return heap_->release(sm, address, engine().now());
  };
  return services;
}

bool Process::set_heap_bytes(Bytes bytes) {
  if (heap_) return false;
  heap_bytes_ = bytes;
  return true;
}

// As many arenas as fit in a part of device memory, at most one for each SM.
void Process::make_heap(const ptx::Kernel& kernel) {
  if (heap_ || !kernel.uses_heap) return;
  constexpr Bytes kPart = 4;
  const Bytes limit = round_up<Bytes>(std::max<Bytes>(heap_bytes_, 1), memory::kLineBytes);
  const auto arenas = static_cast<std::uint32_t>(
      std::clamp<Bytes>(config().gpu.dram.bytes / kPart / limit, 1, config().gpu.sm.count));
  const memory::Allocation* allocation =
      system_->address_space().allocate_device(limit * arenas, memory::AllocationKind::Heap);
  if (allocation == nullptr)
    throw Error("kernel '" + kernel.name + "': no room in device memory for its heap (" +
                std::to_string(limit * arenas) + " bytes)");
  heap_.emplace(allocation->base, limit, arenas);
}

std::unique_ptr<host::NativeThread> Process::new_thread() {
  auto thread = std::make_unique<host::NativeThread>(engine(), driver(), config().driver, &watch_);
  if (account_)
    thread->waited = [this, own = thread.get()](Picoseconds since) { account_->waited(*own, since); };
  return thread;
}

// The file's name as messages give it; just `name` when the text is not kept.
std::string Process::keep_ptx(std::string_view text, const std::string& name) {
  if (options_.ptx_folder.empty()) return name;
  std::string file = name;
  std::replace(file.begin(), file.end(), '/', '_');
  const std::string stem = file.substr(0, file.rfind(".ptx"));
  for (unsigned number = 2; !kept_ptx_.insert(file).second; ++number)
    file = stem + "-" + std::to_string(number) + ".ptx";
  std::error_code error;
  std::filesystem::create_directories(options_.ptx_folder, error);
  std::ofstream out(options_.ptx_folder + "/" + file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  return out.flush() ? options_.ptx_name + "/" + file : name;
}

LoadedModule& Process::load_module(std::string_view ptx_text, const std::string& given_name,
                                   const ManagedMemory& managed_memory, std::uint32_t most_registers) {
  const std::string name = keep_ptx(ptx_text, given_name);
  ptx::CompileOptions compile_options;
  compile_options.registers_per_thread = options_.registers_per_thread;
  compile_options.assembler_peepholes = options_.assembler_peepholes;
  compile_options.first_function = functions_;
  LoadedModule loaded;
  loaded.module = ptx::compile_module(ptx_text, name, compile_options);

  functions_ += loaded.module.functions;
  place_variables(loaded, name, managed_memory);
  for (ptx::Kernel& kernel : loaded.module.kernels) {
    if (!kernel.unsupported.empty()) continue;
    limit_registers(kernel, most_registers);
    for (ptx::Immediate& immediate : kernel.immediates)
      if (immediate.variable >= 0)
        immediate.value += loaded.variable_addresses[static_cast<std::size_t>(immediate.variable)].value();
    try {
      ptx::bind_handlers(kernel);
    } catch (const Error& error) {  // concerns only who launches this kernel
      kernel.unsupported = error.what();
      kernel.code.clear();
    }
  }
  place_code(loaded, name);
  modules_.push_back(std::move(loaded));
  return modules_.back();
}

void Process::place_variables(LoadedModule& loaded, const std::string& name,
                              const ManagedMemory& managed_memory) {
  auto& variables = loaded.module.variables;
  memory::AddressSpace& space = system_->address_space();
  loaded.variable_addresses.resize(variables.size());
  for (const bool constant : {false, true}) {
    std::vector<Bytes> offsets(variables.size());
    Bytes total = 0;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const ptx::Variable& variable = variables[i];
      if (variable.external)
        throw Error(name + ": variable '" + variable.name + "' is declared but not defined in this module");
      if (variable.constant != constant || variable.managed) continue;
      offsets[i] = round_up(total, std::max<Bytes>(variable.alignment, 1));
      total = offsets[i] + variable.bytes;
    }
    if (total == 0) continue;
    const memory::Allocation* allocation = system_->address_space().allocate_device(
        total, constant ? memory::AllocationKind::Constants : memory::AllocationKind::Module);
    if (allocation == nullptr) throw Error(name + ": no room in device memory for its variables");
    system_->settle(allocation->base, allocation->mapped_bytes);
    space.clear(allocation->base, total);
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].constant != constant || variables[i].managed) continue;
      loaded.variable_addresses[i] = allocation->base + offsets[i];
    }
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (variables[i].managed) {
      const std::byte* place = managed_memory ? managed_memory(variables[i].bytes) : nullptr;
      if (place == nullptr)
        throw Error(name + ": no memory for the managed variable '" + variables[i].name + "'" +
                    (managed_memory ? "" : ": it needs a program that the host runs"));
      loaded.variable_addresses[i] = virtual_address(place);
    }
    space.write(loaded.variable_addresses[i], variables[i].initial.data(), variables[i].initial.size());
  }
  for (std::size_t i = 0; i < variables.size(); ++i)
    for (const auto& relocation : variables[i].relocations) {
      const VirtualAddress at = loaded.variable_addresses[i] + relocation.offset;
      std::uint64_t value = 0;
      space.read(at, &value, relocation.bytes);
      value += loaded.variable_addresses[static_cast<std::size_t>(relocation.variable)].value();
      space.write(at, &value, relocation.bytes);
    }
}

// Machine code takes device memory: instruction fetches go through L2 like everything else.
void Process::place_code(LoadedModule& loaded, const std::string& name) {
  if (system_->functional()) return;
  std::vector<Bytes> offsets;
  Bytes total = 0;
  for (const ptx::Kernel& kernel : loaded.module.kernels) {
    Bytes instructions = 0;
    for (const ptx::MicroOp& op : kernel.code) instructions += op.machine_instructions;
    offsets.push_back(total);
    total += round_up<Bytes>(instructions * config().gpu.sm.instruction_bytes, memory::kLineBytes);
  }
  if (total == 0) {
    loaded.code_addresses.assign(offsets.size(), {});
    return;
  }
  const memory::Allocation* code =
      system_->address_space().allocate_device(total, memory::AllocationKind::Module);
  if (code == nullptr) throw Error(name + ": no room in device memory for its code");
  const PhysicalAddress first = system_->address_space().physical(code->base);
  for (const Bytes offset : offsets) loaded.code_addresses.push_back(first + offset);
}

// The machine's limit, .maxnreg or the loader's, and what .minnctapersm leaves to a block of .maxntid
// threads; without it, or where it cannot be had, one such block fits on an SM, as after ptxas. An assembler
// would have spilled the others to local memory. Only the machine limits a count that the user has set.
void Process::limit_registers(ptx::Kernel& kernel, std::uint32_t most) const {
  const config::Sm& sm = config().gpu.sm;
  const bool as_compiled = options_.registers_per_thread == 0;
  if (!as_compiled) most = ~0u;
  most = std::min(most, static_cast<std::uint32_t>(sm.max_registers_per_thread));
  if (as_compiled && kernel.max_registers != 0) most = std::min(most, kernel.max_registers);
  const std::uint32_t wanted = kernel.registers;
  kernel.registers = std::min(wanted, most);
  const std::uint32_t threads = std::max(kernel.max_threads, kernel.required_threads);
  const auto make_room_for = [&](std::uint32_t blocks) {
    const auto resident = [&] { return gpu::occupancy(sm, kernel, threads, 0); };
    const std::uint32_t before = kernel.registers;
    while (kernel.registers > kFewestRegisters && resident().blocks_per_sm < blocks &&
           std::string_view(resident().limit) == "registers")
      --kernel.registers;
    const bool fits = resident().blocks_per_sm >= blocks;
    if (!fits) kernel.registers = before;
    return fits;
  };
  if (as_compiled && threads != 0 && threads <= sm.max_threads_per_block &&
      (kernel.min_blocks_per_sm <= 1 || !make_room_for(kernel.min_blocks_per_sm)))
    make_room_for(1);
  if (kernel.registers < wanted) kernel.registers_wanted = wanted;
}

void Process::tell_registers(const ptx::Kernel& kernel) {
  if (kernel.registers_wanted == 0 || !told_registers_.insert(&kernel).second) return;
  std::fprintf(
      stderr,
      "duet: kernel '%s' wants %u registers a thread, the machine, the kernel or its loader allows %u: "
      "counted as %u, spills are not simulated\n",
      kernel.name.c_str(), kernel.registers_wanted, kernel.registers, kernel.registers);
}

// Local memory for every thread that can be resident, as CUDA's driver keeps it; it grows with the largest
// kernel. Kernels in flight keep the allocation that they started with.
PhysicalAddress Process::local_memory(const gpu::Grid& grid) {
  const config::Sm& sm = config().gpu.sm;
  const Bytes bytes = sm.count * sm.max_warps * sm.warp_width * round_up<Bytes>(grid.local_bytes(), 4);
  if (bytes == 0 || system_->functional()) return {};
  if (local_memory_ == nullptr || local_memory_->bytes < bytes)
    local_memory_ = system_->address_space().allocate_device(bytes, memory::AllocationKind::Module);
  if (local_memory_ == nullptr)
    throw Error("kernel '" + grid.kernel->name + "': no room in device memory for its local memory (" +
                std::to_string(bytes) + " bytes)");
  return system_->address_space().physical(local_memory_->base);
}

std::unique_ptr<gpu::Grid> Process::make_grid(const ptx::Kernel& kernel, gpu::Dim3 grid, gpu::Dim3 block,
                                              Bytes dynamic_shared_bytes, std::vector<std::byte> parameters,
                                              bool cooperative) {
  if (!kernel.unsupported.empty()) throw Error(kernel.unsupported);
  tell_registers(kernel);
  auto result = std::make_unique<gpu::Grid>();
  result->kernel = &kernel;
  result->grid = grid;
  result->block = block;
  result->dynamic_shared_bytes = dynamic_shared_bytes;
  result->parameters = std::move(parameters);
  result->launch_id = next_launch_id_++;
  result->cooperative = cooperative;
  if (cooperative) result->workspace = workspaces_.take(*system_);
  result->stack_bytes = stack_bytes_;
  result->local_physical = local_memory(*result);
  make_heap(kernel);
  for (const LoadedModule& loaded : modules_) {
    const auto& kernels = loaded.module.kernels;
    if (loaded.code_addresses.empty() || std::less<>()(&kernel, kernels.data()) ||
        !std::less<>()(&kernel, kernels.data() + kernels.size()))
      continue;
    result->code_physical = loaded.code_addresses[static_cast<std::size_t>(&kernel - kernels.data())];
    break;
  }
  return result;
}

// Settling makes bits full: those that an earlier owner left do not matter to the next one.
const memory::Allocation* Process::allocate_tracked(Bytes bytes) {
  const Bytes tracked = round_up(bytes, full_empty_granule_bytes());
  const Bytes region = config().gpu.full_empty.region_bytes;
  if (tracked < bytes || (region != 0 && (tracked > region || tracked_bytes_ > region - tracked)))
    return nullptr;
  const memory::Allocation* allocation =
      system_->address_space().allocate_device(tracked, memory::AllocationKind::Device, 0, true);
  if (allocation == nullptr) return nullptr;
  if (config().gpu.full_empty.tracked == "asked") tracked_bytes_ += tracked;
  system_->settle(allocation->base, allocation->mapped_bytes);
  if (config().gpu.full_empty.start == "empty") system_->empty_bits(allocation->base, allocation->bytes);
  return allocation;
}

void Process::empty_at_kernel_end(const memory::Allocation& allocation, bool on) {
  std::erase_if(emptied_at_kernel_end_, [&](const auto& job) { return job.address == allocation.base; });
  if (on) emptied_at_kernel_end_.push_back({allocation.base, allocation.bytes, memory::Action::Empty});
}

void Process::release_device(const memory::Allocation& allocation) {
  if (system_->address_space().tracked(allocation.base)) {
    empty_at_kernel_end(allocation, false);
    if (config().gpu.full_empty.tracked == "asked") tracked_bytes_ -= allocation.bytes;
    system_->settle(allocation.base, allocation.mapped_bytes);
  }
  system_->address_space().release(allocation.base);
}

gpu::Occupancy Process::occupancy(const ptx::Kernel& kernel, std::uint64_t threads_per_block,
                                  Bytes dynamic_shared_bytes) const {
  return gpu::occupancy(config().gpu.sm, kernel, threads_per_block, dynamic_shared_bytes);
}

void Process::mark(std::string_view name, Picoseconds time) {
  if (journal_ == nullptr) return;
  record_statistics(true);
  journal_->mark(time, name);
}

void Process::call_begins(const host::NativeThread& thread, std::uint64_t call, Picoseconds clock) {
  if (account_) account_->call_begins(thread, call, clock);
}

void Process::call_ends(const host::NativeThread& thread, std::uint64_t outer_call) {
  if (account_) account_->call_ends(thread, outer_call);
}

void Process::note_time(Picoseconds thread_clock) {
  if (journal_ == nullptr) return;
  auto& simulated = journal_->header().simulated_ps;
  const Picoseconds reached = std::max(thread_clock, engine().now());
  const driver::CommandCounts& incomplete = driver().incomplete_by_kind();
  for (std::size_t kind = 0; kind < incomplete.size(); ++kind)
    journal_->header().incomplete[index_of(static_cast<driver::CommandKind>(kind))].store(
        incomplete[kind], std::memory_order_relaxed);
  if (reached < simulated) return;
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
  record.grid[0] = grid.grid.x, record.grid[1] = grid.grid.y, record.grid[2] = grid.grid.z;
  record.block[0] = grid.block.x, record.block[1] = grid.block.y, record.block[2] = grid.block.z;
  record.queued_ps = command.queued_ps;
  record.driver_start_ps = command.driver_start_ps;
  record.start_ps = command.start_ps;
  record.end_ps = command.end_ps - grid.emptying_ps;
  record.cycles = core.cycle_at(record.end_ps) - core.cycle_at(command.start_ps);
  const gpu::GridCounts counts = system_->counts(grid);
  record.warp_instructions = counts.warp_instructions;
  record.thread_instructions = counts.thread_instructions;
  record.occupancy = static_cast<double>(fit.blocks_per_sm * fit.warps_per_block) /
                     static_cast<double>(config().gpu.sm.max_warps);
  record.issue_slots = counts.issue_slots;
  record.completed_blocks = grid.completed_blocks;
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
    progress.warp_instructions += system_->counts(*command.grid).warp_instructions;
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
  record_races(0);
  record_outside_accesses(0);
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
  record.queued_ps = record.driver_start_ps = record.start_ps = kernel_end;
  record.end_ps = command.end_ps;
  journal_->append(report::RecordType::Copy, record);
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
  record.queued_ps = command.queued_ps;
  record.driver_start_ps = command.driver_start_ps;
  record.start_ps = command.start_ps;
  if (const auto pieces = copies_in_pieces_.extract(command.call); !pieces.empty()) record = pieces.mapped();
  record.bytes += command.bytes;
  record.end_ps = command.end_ps;
  if (command.more_follow)
    copies_in_pieces_[command.call] = record;
  else
    journal_->append(report::RecordType::Copy, record);
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
