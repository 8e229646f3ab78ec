#include "machine/process.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/readable_name.h"
#include "machine/build/board.h"
#include "machine/features.h"
#include "machine/host/processor.h"
#include "machine/no_device_memory.h"
#include "ptx/compiler.h"
#include "ptx/semantics/semantics.h"
#include "ptx/state_spaces.h"

namespace duet::machine {

namespace {
constexpr std::uint32_t kFewestRegisters = 16;  // a thread, however many blocks are to be resident
}  // namespace

static_assert(ptx::kConstWindow == memory::kConstantVirtualBase.value());

Process::Process(const config::Machine& machine, report::JournalWriter* journal, memory::HostPort& host,
                 std::function<void(const std::string&)> print, const RunOptions& options)
    : journal_(journal), options_(options), watch_(*this, options.limits, machine.gpu.core_clock_khz) {
  features_ = features_of(options);
  system_ = std::make_unique<System>(machine, host, services(std::move(print)), options, features_);
  if (journal_ != nullptr) begin_recording();
  attach(features_, *system_, journal_);
}

Process::~Process() = default;

void Process::begin_recording() {
  journal_->header().core_clock_khz = config().gpu.core_clock_khz;
  const std::size_t statistics = system_->statistics().declared().size();
  if (statistics > report::JournalHeader::kMaxCounters)
    throw Error("this machine has " + std::to_string(statistics) + " statistics, the journal has room for " +
                std::to_string(report::JournalHeader::kMaxCounters));
  describe_processor();
  account_.emplace(engine());
  driver().watch(*this);
  system_->board().work_distributor().watch(*this);
}

CoreBorrower* Process::borrower() const {
  for (const auto& feature : features_)
    if (CoreBorrower* const borrower = feature->borrower(); borrower != nullptr) return borrower;
  return nullptr;
}

HostPages* Process::host_pages() const {
  for (const auto& feature : features_)
    if (HostPages* const pages = feature->host_pages(); pages != nullptr) return pages;
  return nullptr;
}

// Of features the first that hears: what they do with a time comes after what is recorded of it.
void Process::kernel_starts(const gpu::Grid& grid) {
  engine().after_ticks([this, &grid] {
    at_start_[&grid] = system_->statistics().totals();
    account_->kernel_starts(grid);
  });
}

gpu::DeviceServices Process::services(std::function<void(const std::string&)> print) {
  gpu::DeviceServices services;
  services.print = std::move(print);
  services.allocate = [this](std::uint32_t sm, Bytes bytes) { return heap_allocate(sm, bytes); };
  services.release = [this](std::uint32_t sm, VirtualAddress address) { return heap_release(sm, address); };
  services.launches = [this](gpu::Grid& grid, const gpu::SystemCall& call) {
    return launcher_.call(grid, call);
  };
  return services;
}

bool Process::set_heap_bytes(Bytes bytes) {
  if (heap_) return false;
  heap_bytes_ = bytes;
  return true;
}

const ptx::Kernel* Process::find_kernel(Address address) const {
  for (const LoadedModule& loaded : modules_)
    for (const ptx::Kernel& kernel : loaded.module.kernels)
      if (ptx::kernel_address(kernel.name) == address) return &kernel;
  return nullptr;
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
  heap_base_ = allocation->base;
  heap_.emplace(heap_base_, limit, arenas);
}

std::unique_ptr<host::NativeThread> Process::new_thread() {
  auto thread = std::make_unique<host::NativeThread>(engine(), driver(), config().driver, &watch_);
  account_for(*thread);
  return thread;
}

std::unique_ptr<host::GuestThread> Process::new_thread(host::GuestCalls& calls) {
  auto thread = std::make_unique<host::GuestThread>(engine(), driver(), config().driver, &watch_, calls);
  account_for(*thread);
  return thread;
}

void Process::account_for(host::HostThread& thread) {
  if (account_) thread.waited = [this, &thread](Picoseconds since) { account_->waited(thread, since); };
}

std::string Process::keep_text(std::string_view text, const std::string& name) {
  if (options_.ptx_folder.empty()) return name;
  std::string file = name;
  std::replace(file.begin(), file.end(), '/', '_');
  const std::size_t dot = std::min(file.rfind('.'), file.size());
  const std::string stem = file.substr(0, dot), extension = file.substr(dot);
  for (unsigned number = 2; !kept_texts_.insert(file).second; ++number)
    file = stem + "-" + std::to_string(number) + extension;
  std::error_code error;
  std::filesystem::create_directories(options_.ptx_folder, error);
  std::ofstream out(options_.ptx_folder + "/" + file, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  return out.flush() ? options_.ptx_name + "/" + file : name;
}

LoadedModule& Process::load_module(std::string_view ptx_text, const std::string& given_name,
                                   const ManagedMemory& managed_memory, std::uint32_t most_registers) {
  const std::string name = keep_text(ptx_text, given_name);
  ptx::CompileOptions compile_options;
  compile_options.registers_per_thread = options_.registers_per_thread;
  compile_options.assembler_peepholes = options_.assembler_peepholes;
  compile_options.ptx_instructions = system_->config().gpu.sm.ptx_instructions;
  compile_options.first_function = functions_;
  compile_options.names_exchanges = system_->services().checker != nullptr;
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
  for (const auto& feature : features_) feature->module_loaded(modules_.back(), ptx_text, name);
  return modules_.back();
}

void Process::place_variables(LoadedModule& loaded, const std::string& name,
                              const ManagedMemory& managed_memory) {
  auto& variables = loaded.module.variables;
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
    if (allocation == nullptr) throw NoDeviceMemory(name + ": no room in device memory for its variables");
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].constant != constant || variables[i].managed) continue;
      loaded.variable_addresses[i] = allocation->base + offsets[i];
    }
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].managed) continue;
    const std::byte* place = managed_memory ? managed_memory(variables[i].bytes) : nullptr;
    if (place == nullptr)
      throw Error(name + ": no memory for the managed variable '" + variables[i].name + "'" +
                  (managed_memory ? "" : ": it needs a program that the host runs"));
    loaded.variable_addresses[i] = virtual_address(place);
  }
  fill_variables(loaded);
}

// What lies in a program that is not here its runtime fills.
void Process::fill_variables(const LoadedModule& loaded) {
  const auto& variables = loaded.module.variables;
  memory::AddressSpace& space = system_->address_space();
  const auto is_here = [&](std::size_t i) {
    const VirtualAddress address = loaded.variable_addresses[i];
    return !variables[i].managed || !space.memory().backing(space.physical(address)).through_port;
  };
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!is_here(i)) continue;
    const VirtualAddress at = loaded.variable_addresses[i];
    if (!variables[i].managed) system_->settle(at, variables[i].bytes);
    space.clear(at, variables[i].bytes);
    space.write(at, variables[i].initial.data(), variables[i].initial.size());
  }
  for (std::size_t i = 0; i < variables.size(); ++i)
    for (const auto& relocation : variables[i].relocations) {
      if (!is_here(i)) break;
      const VirtualAddress at = loaded.variable_addresses[i] + relocation.offset;
      std::uint64_t value = 0;
      space.read(at, &value, relocation.bytes);
      value += loaded.variable_addresses[static_cast<std::size_t>(relocation.variable)].value();
      space.write(at, &value, relocation.bytes);
    }
}

void Process::restore_variables() {
  for (const LoadedModule& loaded : modules_) fill_variables(loaded);
  if (!heap_) return;
  heap_.reset();
  release_device(*system_->address_space().find(heap_base_));
}

void Process::reset(bool begins) {
  for (const auto& feature : features_) feature->reset(begins);
}

// Machine code takes device memory: instruction fetches go through L2 like everything else.
void Process::place_code(LoadedModule& loaded, const std::string& name) {
  if (system_->functional() && !system_->time_of_model()) return;
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
           resident().limit == gpu::OccupancyLimit::Registers)
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
  if (bytes == 0 || (system_->functional() && !system_->time_of_model())) return {};
  if (local_memory_ == nullptr || local_memory_->bytes < bytes)
    local_memory_ = system_->address_space().allocate_device(bytes, memory::AllocationKind::Module);
  if (local_memory_ == nullptr)
    throw Error("kernel '" + grid.kernel->name + "': no room in device memory for its local memory (" +
                std::to_string(bytes) + " bytes)");
  return system_->address_space().physical(local_memory_->base);
}

std::unique_ptr<gpu::Grid> Process::make_grid(const ptx::Kernel& kernel, gpu::Dim3 grid, gpu::Dim3 block,
                                              Bytes dynamic_shared_bytes, std::vector<std::byte> parameters,
                                              bool cooperative, gpu::Grid* parent) {
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
  result->parent = parent;
  result->fast_forward = parent != nullptr && parent->fast_forward;
  for (const auto& feature : features_) feature->grid_made(*result);
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
  if (!system_->no_full_empty().empty()) throw Error(system_->no_full_empty());
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

void Process::settle_host(const memory::Allocation& allocation) {
  if (!memory::in_l2(system_->address_space().pages().find(allocation.base).attributes.home)) return;
  system_->settle(allocation.base, std::max<Bytes>(allocation.bytes, 1));
}

PhysicalAddress Process::frame_of(VirtualAddress page) {
  return system_->processor()->memory().place_of(page);
}

gpu::Occupancy Process::occupancy(const ptx::Kernel& kernel, std::uint64_t threads_per_block,
                                  Bytes dynamic_shared_bytes) const {
  return gpu::occupancy(config().gpu.sm, kernel, threads_per_block, dynamic_shared_bytes);
}

}  // namespace duet::machine
