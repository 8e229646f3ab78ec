#include "machine/cores_for_gpu/cpu_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/readable_name.h"
#include "machine/build/board.h"
#include "machine/cores_for_gpu/block_area.h"

namespace duet::machine {

namespace {

using memory::CoherenceKind;
using memory::CoherenceMessage;

constexpr std::uint64_t kPicosecondsTimesKilohertz = 1'000'000'000;
constexpr VirtualAddress kPrograms{0x1000'0000};
constexpr std::size_t kMostCores = 16;
constexpr std::size_t kMostLinesAsked = 512;  // at a time; the directory's queues have room for them

Processor& processor_of(System& system) {
  const auto& name = system.config().name;
  if (system.functional()) throw Error("--cpu-blocks needs the timed GPU: leave out --functional");
  Processor* const processor = system.processor();
  if (processor == nullptr || !processor->memory().shares_level())
    throw Error(fmt::format(
        "--cpu-blocks needs a machine whose cores share a level of cache with the GPU, and {} is none: try "
        "--machine fused",
        name));
  if (!system.board().memory_system()->l2_alone_is_newer())
    throw Error(
        fmt::format("--cpu-blocks needs a machine whose gpu.l1 writes through and whose L2 stands right "
                    "above the level that "
                    "cores share, and {} is none",
                    name));
  if (system.config().gpu.full_empty.granule_bytes != 0)
    throw Error(fmt::format(
        "--cpu-blocks knows no full/empty bits: set gpu.full_empty.granule_bytes = 0 of {}", name));
  if (processor->cores().size() > kMostCores)
    throw Error(fmt::format("--cpu-blocks: cpu.cores = {} of {}: {} at most", processor->cores().size(), name,
                            kMostCores));
  return *processor;
}

}  // namespace

CpuBlocks::CpuBlocks(System& system)
    : Component(system.engine(), "blocks on cores", &processor_of(system).memory().node(), 2,
                sim::Role::None),
      system_(system),
      processor_(*system.processor()),
      memory_(processor_.memory()),
      latency_ps_(system.config().link.latency_ns * kPicosecondsPerNanosecond),
      to_directory_ps_(processor_.config().to_directory_cycles * kPicosecondsTimesKilohertz /
                       processor_.config().clock_khz),
      programs_(memory_.programs(), kPrograms),
      agent_(memory_.connect_agent(*this)),
      l2_(system.board().memory_system()->connect_commander(*this)),
      cores_(processor_.cores().size()),
      to_l2_(l2_.size()) {
  const Board::CoreQueues queues = system.board().connect_cores(*this, cores_.size());
  claims_ = &queues.claims, grants_ = &queues.grants, done_ = &queues.done;
  processor_.serve(*this);
  memory_.agent_asks_from([this](Picoseconds now) { return asks_from(now); });
  memory_.let_cores_write();
  for (std::size_t i = 0; i < cores_.size(); ++i) {
    memory_.programs().map(area_of_core(i), kAreaBytes, {true, true, false});
    memory_.show_programs(processor_.cores()[i]->number(), true);
    processor_.cores()[i]->change_address_space();
  }
}

std::string CpuBlocks::why_not(const gpu::Grid& grid, const PlacedBlockProgram& program) const {
  if (program.entry == 0) return program.reason;
  if (grid.cooperative) return "a cooperative launch";
  const BlockLayout layout(program.program, grid.block.count(), grid.dynamic_shared_bytes);
  if (layout.end + kStackBytes > kAreaBytes)
    return fmt::format("a block needs {} bytes of a core's memory, which has {}", layout.end,
                       kAreaBytes - kStackBytes);
  for (const auto& [base, allocation] : system_.address_space().allocations())
    if (!allocation.in_device_memory())
      return fmt::format("the program has host memory that kernels reach ({})",
                         memory::allocation_kind_name(allocation.kind));
  return {};
}

void CpuBlocks::kernel_starts(const gpu::Grid& grid) {
  engine().after_ticks([this, &grid] {
    const PlacedBlockProgram& program = programs_.of(*grid.kernel);
    auto kernel = std::make_shared<Kernel>();
    kernel->run.command = grid.command;
    kernel->run.reason = why_not(grid, program);
    if (kernel->run.reason.empty()) kernel->program = &program;
    kernel->launch_id = grid.launch_id;
    kernel->name = readable_name(grid.kernel->name);
    kernel->parameters = grid.parameters;
    kernel->grid = grid.grid;
    kernel->block = grid.block;
    kernel->dynamic_shared_bytes = grid.dynamic_shared_bytes;
    kernel->from_ps = engine().now() + latency_ps_;
    if (kernel->program == nullptr) kernel->stage = Stage::Exhausted;
    engine().wake(*this, kernel->from_ps);
    kernels_.push_back(std::move(kernel));
  });
}

void CpuBlocks::completed(const driver::CommandRecord& command) {
  if (command.grid == nullptr) return;
  engine().after_ticks([this, id = command.id] { kernel_ended(id); });
}

// What happens at this very time does not count, so that it does not matter whether act() was before.
void CpuBlocks::kernel_ended(driver::CommandId command) {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const KernelPointer& kernel) {
    return kernel->run.command == command && !kernel->complete;
  });
  if (found == kernels_.end()) return;  // no block of it has ever been dispatched
  Kernel& kernel = **found;
  kernel.complete = true;
  BlocksOnCores run = kernel.run;
  if (kernel.last_claim_ps == engine().now()) run.claims -= kernel.claims_then;
  if (ended) ended(run);
}

Picoseconds CpuBlocks::asks_from(Picoseconds now) const {
  Picoseconds first = to_clean_.empty() ? now + latency_ps_ : now;
  for (const KernelPointer& kernel : kernels_) {
    if (kernel->stage == Stage::Told) first = std::min(first, std::max(now, kernel->from_ps));
    if (kernel->stage == Stage::CleaningL2) first = now;
  }
  for (const Finished& finished : finished_)
    if (!finished.begun) first = std::min(first, std::max(now, finished.from_ps));
  return first + to_directory_ps_;
}

Picoseconds CpuBlocks::tick(Picoseconds) {
  act_after_ticks();
  return kNever;
}

void CpuBlocks::stands(cpu::Core& core) {
  standing_.push_back(&core);
  act_after_ticks();
}

void CpuBlocks::act_after_ticks() {
  if (!std::exchange(acts_, true)) engine().after_ticks([this] { act(); });
}

void CpuBlocks::act() {
  acts_ = false;
  const Picoseconds now = engine().now();
  take_answers(now);
  go_on_with_kernels(now);
  go_on_with_cores(now);
  go_on_with_blocks(now);
  start_idle(now);
  send(now);
  if (const Picoseconds next = next_time(now); next != kNever) engine().wake(*this, next);
}

void CpuBlocks::take_answers(Picoseconds now) {
  while (agent_.answers->can_pop(now)) {
    const CoherenceMessage message = agent_.answers->pop(now);
    if (message.kind != CoherenceKind::Clean) throw Error("blocks on cores: this agent holds no line");
    const auto place = cleaning_.find(message.line.value());
    answered(place->second.front());
    place->second.pop_front();
    if (place->second.empty()) cleaning_.erase(place);
    --lines_asked_for_;
  }
  for (const MemorySystem::CommandPorts& slice : l2_)
    while (slice.done->can_pop(now)) answered(slice.done->pop(now));
  while (grants_->can_pop(now)) {
    const gpu::BlockGrant grant = grants_->pop(now);
    cores_[grant.core].block = grant;
    cores_[grant.core].goes_on = now + latency_ps_;
  }
}

std::uint32_t CpuBlocks::new_tag(std::size_t& outstanding, std::size_t answers) {
  outstanding = answers;
  if (answers != 0) waiting_[next_tag_] = &outstanding;
  return next_tag_++;
}

void CpuBlocks::answered(std::uint32_t tag) {
  const auto place = waiting_.find(tag);
  if (--*place->second == 0) waiting_.erase(place);
}

void CpuBlocks::clean_l2(Kernel& kernel) {
  memory::CacheCommand command;
  command.operation = memory::Operation::Clean;
  command.tag = new_tag(kernel.outstanding, l2_.size());
  for (auto& commands : to_l2_) commands.push_back(command);
}

void CpuBlocks::give_up(const std::vector<PhysicalAddress>& lines, std::size_t& outstanding) {
  const std::uint32_t tag = new_tag(outstanding, lines.size());
  for (const PhysicalAddress line : lines) to_clean_.emplace_back(line, tag);
}

void CpuBlocks::go_on_with_kernels(Picoseconds now) {
  for (const KernelPointer& kernel : kernels_) {
    if (kernel->stage == Stage::Told && kernel->from_ps <= now) {
      kernel->stage = Stage::CleaningL2;
      clean_l2(*kernel);
    }
    if (kernel->stage == Stage::CleaningL2 && kernel->outstanding == 0) {
      kernel->stage = Stage::GivingUpLines;
      give_up(memory_.device_lines(), kernel->outstanding);
    }
    if (kernel->stage == Stage::GivingUpLines && kernel->outstanding == 0) kernel->stage = Stage::Open;
  }
  std::erase_if(kernels_,
                [](const KernelPointer& kernel) { return kernel->complete && kernel->stage >= Stage::Open; });
}

// Lines that follow each other are one command.
void CpuBlocks::invalidate(Finished& finished) {
  finished.invalidating = true;
  const Bytes line_bytes = processor_.config().line_bytes;
  std::vector<memory::CacheCommand> commands;
  for (const PhysicalAddress line : finished.lines) {
    if (!commands.empty() && commands.back().base + commands.back().bytes == line) {
      commands.back().bytes += line_bytes;
      continue;
    }
    memory::CacheCommand& command = commands.emplace_back();
    command.operation = memory::Operation::Invalidate;
    command.base = line;
    command.bytes = line_bytes;
  }
  const std::uint32_t tag = new_tag(finished.outstanding, commands.size() * l2_.size());
  for (memory::CacheCommand& command : commands) {
    command.tag = tag;
    for (auto& slice : to_l2_) slice.push_back(command);
  }
}

void CpuBlocks::go_on_with_blocks(Picoseconds now) {
  for (auto finished = finished_.begin(); finished != finished_.end();) {
    if (!finished->begun && finished->from_ps <= now) {
      finished->begun = true;
      give_up(finished->lines, finished->outstanding);
    }
    if (finished->begun && !finished->invalidating && finished->outstanding == 0) invalidate(*finished);
    if (!finished->invalidating || finished->outstanding != 0) {
      ++finished;
      continue;
    }
    to_tell_.push_back(finished->done);
    ++finished->kernel->run.blocks;
    finished->kernel->run.last_ps = now;
    finished = finished_.erase(finished);
  }
}

void CpuBlocks::send(Picoseconds now) {
  while (!to_clean_.empty() && lines_asked_for_ < kMostLinesAsked && agent_.requests->can_push(now)) {
    const auto [line, tag] = to_clean_.front();
    to_clean_.pop_front();
    CoherenceMessage message;
    message.line = line;
    message.cache = agent_.number;
    message.kind = CoherenceKind::Clean;
    agent_.requests->push(now, message, now + to_directory_ps_);
    cleaning_[line.value()].push_back(tag);
    ++lines_asked_for_;
  }
  for (std::size_t i = 0; i < l2_.size(); ++i)
    for (auto& commands = to_l2_[i]; !commands.empty() && l2_[i].commands->can_push(now);
         commands.pop_front())
      l2_[i].commands->push(now, commands.front());
  for (; !to_claim_.empty() && to_claim_.front().first <= now && claims_->can_push(now);
       to_claim_.pop_front())
    claims_->push(now, to_claim_.front().second);
  for (; !to_tell_.empty() && done_->can_push(now); to_tell_.pop_front()) done_->push(now, to_tell_.front());
}

// The next time at which something begins, or an answer comes; queues that have room again wake this
// component.
Picoseconds CpuBlocks::next_time(Picoseconds now) const {
  Picoseconds next = kNever;
  const auto at = [&](Picoseconds time) {
    if (time > now) next = std::min(next, time);
  };
  for (const KernelPointer& kernel : kernels_)
    if (kernel->stage == Stage::Told) at(kernel->from_ps);
  for (const Finished& finished : finished_)
    if (!finished.begun) at(finished.from_ps);
  for (const CoreState& core : cores_)
    if (core.goes_on) at(*core.goes_on);
  if (!to_claim_.empty()) at(to_claim_.front().first);
  if (const Picoseconds arrival = agent_.answers->next_arrival(now); arrival != kNever) at(arrival + 1);
  return next;
}

std::string CpuBlocks::waits_for() const {
  if (!cleaning_.empty())
    return fmt::format("the directory, for {} lines to be written back", cleaning_.size());
  if (!waiting_.empty()) return "L2, to write back or drop lines";
  return {};
}

}  // namespace duet::machine
