// The cores' side of cpu_blocks.h: the kernel of each core, and the way of a block on a core.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "machine/cores_for_gpu/block_area.h"
#include "machine/cores_for_gpu/cpu_blocks.h"
#include "preexec/blocks/context.h"

namespace duet::machine {

void CpuBlocks::write(VirtualAddress to, const void* from, std::size_t bytes) {
  if (memory_.programs().write(to, {static_cast<const std::byte*>(from), bytes}))
    throw Error("--cpu-blocks: no room for a kernel's parameters");
}

// Cores that stand at a trap, and those that have an answer.
void CpuBlocks::go_on_with_cores(Picoseconds now) {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    CoreState& state = cores_[i];
    if (!state.goes_on || *state.goes_on > now) continue;
    state.goes_on.reset();
    const bool has_block = state.block.grid != nullptr;
    if (has_block && !state.kernel->run.first_ps) state.kernel->run.first_ps = now;
    if (!has_block) state.kernel->stage = Stage::Exhausted;
    state.registers.x[rv64::kArgument0] = has_block ? state.block.block : preexec::kNoBlock;
    processor_.cores()[i]->assign(&state.registers, now);
  }
  std::vector<cpu::Core*> standing = std::exchange(standing_, {});
  std::sort(standing.begin(), standing.end(),
            [](const cpu::Core* a, const cpu::Core* b) { return a->number() < b->number(); });
  for (cpu::Core* const core : standing) core->call_client();
}

Cycle CpuBlocks::trapped(cpu::Core& core, const rv64::Trap& trap, Picoseconds now) {
  const unsigned number = core.number();
  CoreState& state = cores_[number];
  core.assign(nullptr, now);
  if (trap.cause != rv64::TrapCause::SystemCall) {
    failed(number, trap, now);
    return 0;
  }
  if (state.registers.x[rv64::kSystemCallNumber] != preexec::kNextBlock) {  // its end
    state.kernel.reset();
    return 0;
  }
  if (state.block.grid != nullptr) done(number, now);
  state.registers.pc += 4;
  Kernel& kernel = *state.kernel;
  if (std::exchange(kernel.last_claim_ps, now) != now) kernel.claims_then = 0;
  ++kernel.claims_then;
  ++kernel.run.claims;
  to_claim_.push_back({now + latency_ps_, {kernel.launch_id, number}});
  return 0;
}

void CpuBlocks::count(std::size_t number) {
  cpu::Core& core = *processor_.cores()[number];
  core.settle_statistics();
  const std::uint64_t instructions = core.statistics().instructions;
  cores_[number].kernel->run.instructions +=
      instructions - std::exchange(cores_[number].counted, instructions);
}

// The block's stores are all in L1: what is left is their way to where the GPU sees them.
void CpuBlocks::done(std::size_t number, Picoseconds now) {
  CoreState& state = cores_[number];
  count(number);
  Finished& finished = finished_.emplace_back();
  finished.kernel = state.kernel;
  finished.done.grid = state.block.grid;
  finished.done.block = state.block.block;
  finished.lines = memory_.take_written_lines(static_cast<unsigned>(number));
  finished.from_ps = now + latency_ps_;
  state.kernel->run.lines_written += finished.lines.size();
  state.block = {};
}

// The kernel fails, as it does when a block faults on an SM.
void CpuBlocks::failed(std::size_t number, const rv64::Trap& trap, Picoseconds now) {
  CoreState& state = cores_[number];
  if (state.block.grid == nullptr)
    throw Error(fmt::format("--cpu-blocks: the program of kernel '{}' traps at {:#x}", state.kernel->name,
                            state.registers.pc));
  const std::uint64_t block = state.block.block;
  gpu::BlockReport& report = reports_.emplace_back();
  report.grid = state.block.grid;
  report.fault.kind = trap.cause == rv64::TrapCause::AccessFault ? gpu::FaultKind::IllegalAddress
                                                                 : gpu::FaultKind::IllegalInstruction;
  report.fault.time_ps = now;
  report.fault.text =
      trap.cause == rv64::TrapCause::AccessFault
          ? fmt::format("kernel '{}', block {} on core {}: it cannot {} {:#x}{}", state.kernel->name, block,
                        number, trap.fault.access == rv64::Access::Store ? "write to" : "read",
                        trap.fault.address,
                        trap.fault.mapped ? ", whose page refuses it" : ", where nothing lies")
          : fmt::format("kernel '{}', block {} on core {}: an instruction that it does not have",
                        state.kernel->name, block, number);
  done(number, now);
  finished_.back().done.faulted = true;
  finished_.back().done.report = &report;
  state.kernel->stage = Stage::Exhausted;
  state.kernel.reset();
}

void CpuBlocks::start_idle(Picoseconds now) {
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    if (cores_[i].kernel != nullptr) continue;
    const auto kernel = std::find_if(kernels_.begin(), kernels_.end(), [](const KernelPointer& one) {
      return one->stage == Stage::Open && !one->complete;
    });
    if (kernel == kernels_.end()) return;
    start(i, *kernel, now);
  }
}

void CpuBlocks::start(std::size_t number, const KernelPointer& kernel, Picoseconds now) {
  CoreState& state = cores_[number];
  cpu::Core& core = *processor_.cores()[number];
  const PlacedBlockProgram& program = *kernel->program;
  const BlockLayout layout(program.program, kernel->block.count(), kernel->dynamic_shared_bytes);
  const VirtualAddress at = area_of_core(number);
  preexec::BlockContext context;
  context.parameters = (at + kParametersAt).value();
  context.symbols = (at + kSymbolsAt).value();
  context.shared = (at + kSharedAt).value();
  context.threads = (at + layout.threads_at).value();
  context.local = (at + layout.local_at).value();
  context.grid = {kernel->grid.x, kernel->grid.y, kernel->grid.z};
  context.block = {kernel->block.x, kernel->block.y, kernel->block.z};
  write(at, &context, sizeof context);
  if (!kernel->parameters.empty())
    write(at + kParametersAt, kernel->parameters.data(), kernel->parameters.size());
  for (std::size_t i = 0; i < program.symbols.size(); ++i) {
    const std::uint64_t symbol = program.symbols[i].value();
    write(at + kSymbolsAt + i * sizeof symbol, &symbol, sizeof symbol);
  }
  state.kernel = kernel;
  state.block = {};
  state.registers = {};
  state.registers.pc = program.entry;
  state.registers.x[rv64::kStackPointer] = (at + kAreaBytes).value();
  state.registers.x[rv64::kArgument0] = at.value();
  if (const std::uint64_t pages = system_.address_space().pages().generation();
      pages != std::exchange(state.generation, pages))
    core.forget_translations();
  core.settle_statistics();
  state.counted = core.statistics().instructions;
  core.assign(&state.registers, now);
}

}  // namespace duet::machine
