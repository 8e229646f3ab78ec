#include "predict/recorder.h"

#include <algorithm>
#include <bit>

#include "gpu/occupancy.h"
#include "gpu/sm/address_check.h"
#include "gpu/sm/coalescer.h"
#include "gpu/sm/shared_memory.h"
#include "gpu/warp/image_access.h"

namespace duet::predict {

namespace {

// Steps and requests of a warp are kept up to these sums over the blocks of one SM, and of all SMs; at least
// kLeastSteps.
constexpr std::uint64_t kOwnSteps = 1'500'000, kAllSteps = 24'000'000, kLeastSteps = 128;
constexpr std::uint64_t kCounted = 64;  // blocks of a grid
constexpr std::uint64_t kOwnRequests = 750'000, kAllRequests = 12'000'000, kLeastRequests = 32;

// The bytes that lanes of a warp touch within a segment of up to 128 bytes.
struct Touched {
  unsigned first = 0, bytes = 0;
  unsigned sectors = 0;  // 32 bytes each, a bit each
};

// All bytes from one to the other.
Touched touched_range(unsigned from, unsigned bytes) {
  return {from, bytes, (2u << (from + bytes - 1) / 32) - (1u << from / 32)};
}

// `step`: bytes from an element's start, for accesses word by word.
template <unsigned W>
Touched touched_by(const gpu::MemoryInstruction<W>& instruction, const gpu::MemoryPart& part,
                   std::uint32_t step, std::uint32_t segment, std::uint64_t group) {
  const std::uint32_t* const offsets = instruction.offsets.data();
  const unsigned bytes = part.steps > 1 ? 4 : instruction.bytes;
  const auto first = static_cast<unsigned>(std::countr_zero(group));
  const auto lanes = static_cast<unsigned>(std::popcount(group));
  const unsigned from = offsets[first] + step - segment;
  if (lanes == 1 || instruction.lowest == instruction.highest) return touched_range(from, bytes);
  if (instruction.consecutive && 64 - static_cast<unsigned>(std::countl_zero(group)) - first == lanes)
    return touched_range(from, 4 * lanes);
  const memory::ByteMask mask = gpu::touched_bytes(offsets, step - segment, group, bytes);
  Touched result;
  result.first = static_cast<unsigned>(mask.bits[0] != 0 ? std::countr_zero(mask.bits[0])
                                                         : 64 + std::countr_zero(mask.bits[1]));
  result.bytes = static_cast<unsigned>(std::popcount(mask.bits[0]) + std::popcount(mask.bits[1]));
  for (unsigned i = 0; i < 4; ++i)
    result.sectors |= static_cast<unsigned>((mask.bits[i / 2] >> i % 2 * 32 & 0xffffffff) != 0) << i;
  return result;
}

// Whether a warp's work may depend on the earlier work of other warps.
bool asks_others(const ptx::Kernel& kernel) {
  return std::any_of(kernel.code.begin(), kernel.code.end(), [](const ptx::MicroOp& op) {
    return op.kind == ptx::Kind::Atomic ||
           (op.kind == ptx::Kind::Load && op.semantics != ptx::MemorySemantics::Weak) || reads_clock(op);
  });
}

}  // namespace

std::uint64_t KernelRecording::kept_instructions() const {
  std::uint64_t result = 0;
  for (const auto& block : kept) result += block->executed;
  return result;
}

struct Recorder::Launch {
  KernelRecording recording;
  std::map<std::uint64_t, std::unique_ptr<Block>> open;  // blocks in execution, by number
  std::uint32_t steps = 0, requests = 0;                 // kept of a warp
  std::uint64_t kept_steps = 0;
  std::uint64_t with_rounds = 0, without_rounds = 0;  // instructions of blocks whose steps are kept
  bool keep_all = false;
  bool short_turns = false;
  Known* known = nullptr;                           // with --sampled
  const Slice* slice = nullptr;                     // of it
  bool skips = false;                               // skips blocks outside the recording
  std::map<std::uint32_t, VirtualAddress> written;  // allocations: their bases
  std::uint32_t last_written = 0, last_deciding = 0;
  bool reads_wrong = false;  // data without computed values
  std::uint64_t sms = 1;

  bool in_window(std::uint64_t block) const { return next_in_window(block) == block; }
  // The first block of a window from this one on.
  std::uint64_t next_in_window(std::uint64_t block) const {
    const std::uint64_t wave = recording.wave, blocks = recording.blocks;
    if (blocks <= 4 * wave || block < 2 * wave) return block;
    const std::uint64_t middle = blocks / 2 / wave * wave;
    if (block < middle + wave) return std::max(block, middle);
    return std::max(block, blocks - wave);
  }
  // With partial execution every n-th block is executed to its end, as a measure for the others. Odd, because
  // a side of the grid is often even: these blocks would all lie in one column.
  std::uint64_t every() const { return std::max<std::uint64_t>(recording.blocks / kCounted, 1) | 1; }
  // The first executed block from this one on.
  std::uint64_t next_executed(std::uint64_t block) const {
    const std::uint64_t standing = (block + every() - 1) / every() * every();
    if (!recording.repeated) return std::min(next_in_window(block), standing);
    return recording.partial ? recording.blocks - 1 : std::min(standing, recording.blocks - 1);
  }
  bool stands(std::uint64_t block) const {
    return block == 0 || (!recording.partial && (block % every() == 0 || block + 1 == recording.blocks));
  }
};

// Turns the lanes of an instruction into requests, as the load-store unit does.
template <unsigned W>
struct Recorder::Lanes {
  Lanes(const config::Gpu& gpu, const memory::AddressSpace& address_space)
      : check(gpu, address_space), banks(static_cast<unsigned>(gpu.sm.shared_banks)) {}
  // False: it faults.
  bool resolve(const ptx::MicroOp& op, ptx::Warp<W>& registers, std::uint64_t active, bool texel = false) {
    const bool atomic = op.kind == ptx::Kind::Atomic;
    instruction.op = &op;
    instruction.registers = &registers;
    instruction.lanes = active;
    instruction.element_bytes = atomic ? atomic_type_bytes(op.atomic_type) : ptx::type_bytes(op.type);
    instruction.bytes = instruction.element_bytes * op.vector_elements;
    instruction.wide = false;
    instruction.texel = texel;
    instruction.memory = &memory;
    return check.resolve(instruction);
  }

  gpu::AddressCheck<W> check;
  gpu::SharedMemoryBanks banks;
  gpu::MemoryInstruction<W> instruction;
  gpu::WarpMemory memory;
  std::unique_ptr<gpu::ImageAccess<W>> images;  // made when first used
};

Recorder::Recorder(const config::Machine& machine, const memory::AddressSpace& address_space, bool sampled,
                   Repeated repeated, Finish finish)
    : machine_(machine),
      address_space_(address_space),
      sampled_(sampled),
      repeated_(std::move(repeated)),
      finish_(std::move(finish)),
      memory_(machine),
      skipped_data_(address_space) {
  if (machine.gpu.sm.warp_width <= 32)
    narrow_ = std::make_unique<Lanes<32>>(machine_.gpu, address_space);
  else
    wide_ = std::make_unique<Lanes<64>>(machine_.gpu, address_space);
}

Recorder::~Recorder() = default;

Recorder::Launch& Recorder::launch_of(const gpu::Grid& grid) {
  std::unique_ptr<Launch>& launch = launches_[grid.launch_id];
  if (launch != nullptr) return *launch;
  launch = std::make_unique<Launch>();
  KernelRecording& recording = launch->recording;
  for (const auto& [other, running] : launches_) {
    if (other == grid.launch_id) continue;
    running->recording.overlapped = recording.overlapped = true;
  }
  recording.grid = &grid;
  recording.repeated = repeated_(grid);
  recording.blocks = grid.grid.count();
  const config::Sm& sm = machine_.gpu.sm;
  const gpu::Occupancy fits = gpu::occupancy(sm, *grid.kernel, grid.block.count(), grid.dynamic_shared_bytes);
  recording.blocks_per_sm = std::max(fits.blocks_per_sm, 1u);
  launch->sms = sm.count;
  launch->short_turns = asks_others(*grid.kernel);
  if (sampled_) {
    launch->known = &known_of(*grid.kernel);
    launch->slice = launch->known->slice.get();
    recording.partial = !launch->slice->by_data && !grid.cooperative;
    launch->skips =
        recording.partial || (recording.repeated && !grid.cooperative && may_be_skipped(*launch->known));
    recording.host_read = skipped_data_.host_read();
  }
  recording.wave = sm.count * recording.blocks_per_sm;
  recording.own = (std::max<std::uint64_t>(recording.blocks, 1) - 1) % sm.count / 2;
  launch->keep_all = recording.blocks <= recording.wave;
  const std::uint64_t seen = std::min(recording.blocks, 4 * recording.wave);
  const std::uint64_t kept = (seen + sm.count - 1) / sm.count;
  const std::uint64_t warps = (grid.block.count() + sm.warp_width - 1) / sm.warp_width;
  const auto of_warp = [&](std::uint64_t own, std::uint64_t all, std::uint64_t least) {
    return static_cast<std::uint32_t>(std::max(std::min(own / kept, all / seen) / warps, least));
  };
  launch->steps = of_warp(kOwnSteps, kAllSteps, kLeastSteps);
  launch->requests = of_warp(kOwnRequests, kAllRequests, kLeastRequests);
  return *launch;
}

// The module's sources are kept, so no later module's kernel is taken for this one.
Recorder::Known& Recorder::known_of(const ptx::Kernel& kernel) {
  Known& known = known_[&kernel];
  if (known.slice == nullptr || known.sources != kernel.sources)
    known = {kernel.sources, std::make_unique<Slice>(slice_of(kernel)), {}};
  return known;
}

// Whether a repeated launch of a kernel that decides by data may be skipped: no kernel has decided by its
// results.
bool Recorder::may_be_skipped(const Known& known) const {
  return known.slice->followed && std::none_of(known.written.begin(), known.written.end(),
                                               [&](std::uint32_t id) { return deciding_.contains(id); });
}

void Recorder::read_by_copy(PhysicalAddress first, std::uint64_t command) {
  if (!sampled_ || command == last_copy_) return;
  last_copy_ = command;
  for (const auto& [base, allocation] : address_space_.allocations()) {
    const PhysicalAddress begin = address_space_.physical(base);
    if (first >= begin && first < begin + allocation.mapped_bytes) deciding_.insert(allocation.id);
  }
  skipped_data_.read_by_copy(first, command);
}

// The first block of a repeated launch is executed: it shows where the launch stores, and whether it does as
// much as before. Where the kernel decides by data some more blocks are.
std::uint64_t Recorder::skips(const gpu::Grid& grid, std::uint64_t block, std::uint64_t most) {
  Launch& launch = launch_of(grid);
  KernelRecording& recording = launch.recording;
  if (!launch.skips || block == 0) return 0;
  const std::uint64_t next = launch.next_executed(block);
  const std::uint64_t count = std::min(next - block, most);
  recording.skipped += count;
  recording.done += count;
  return count;
}

gpu::RecordedBlock* Recorder::begin(gpu::Grid& grid, std::uint64_t block, std::uint32_t sm, Picoseconds now) {
  Launch& launch = launch_of(grid);
  launch.recording.first_ps = std::min(launch.recording.first_ps, now);
  if (block == 0) launch.recording.first_sm = sm;
  const bool repeated = launch.recording.repeated, partial = launch.recording.partial;
  const bool counted = repeated || !launch.in_window(block);
  if (counted && !partial && !(sampled_ && block == 0)) return nullptr;
  std::unique_ptr<Block> record;
  if (spare_.empty()) {
    record = std::make_unique<Block>();
  } else {
    record = std::move(spare_.back());
    spare_.pop_back();
  }
  record->block = block;
  const std::uint64_t warps =
      (grid.block.count() + machine_.gpu.sm.warp_width - 1) / machine_.gpu.sm.warp_width;
  record->code = &grid.kernel->code;
  record->only_counted = counted;
  record->short_turns = launch.short_turns && !counted;
  const bool mine = block % launch.sms == launch.recording.own;
  record->keeps_steps = mine || (launch.keep_all && launch.kept_steps < kAllSteps);
  record->follows_stores = sampled_;
  record->partial = !partial              ? nullptr
                    : record->keeps_steps ? &launch.slice->with_shared
                                          : &launch.slice->without_shared;
  record->counting = partial ? &launch.slice->counting : nullptr;
  record->may_stop = partial && !counted && !mine && block % launch.every() != 0;
  record->start(warps, counted ? 0 : launch.steps, counted ? 0 : launch.requests);
  return (launch.open[block] = std::move(record)).get();
}

void Recorder::access(gpu::RecordedBlock& record, std::uint32_t warp, ptx::Warp<32>& registers,
                      const ptx::MicroOp& op, std::uint64_t lanes, const gpu::BlockMemory& memory) {
  take(*narrow_, record, warp, registers, op, lanes, memory);
}

void Recorder::access(gpu::RecordedBlock& record, std::uint32_t warp, ptx::Warp<64>& registers,
                      const ptx::MicroOp& op, std::uint64_t lanes, const gpu::BlockMemory& memory) {
  take(*wide_, record, warp, registers, op, lanes, memory);
}

void Recorder::access(gpu::RecordedBlock& record, std::uint32_t warp) {
  if (record.room[warp] == 0) return;
  auto& block = static_cast<Block&>(record);
  block.add_access(warp, block.next_request(), 0);
  if (--block.request_room[warp] == 0) record.room[warp] = 0;
}

// Follows stores to memory that others read, and loads of data without computed values. The first and the
// last lane stand for all. `decides`: control or an address comes of the loaded value.
template <unsigned W>
void Recorder::follow(Launch& launch, const ptx::Warp<W>& registers, const ptx::MicroOp& op,
                      std::uint64_t active, bool decides) {
  const bool loads = op.kind == ptx::Kind::Load;
  const ptx::StateSpace space = op.space;
  if (space == ptx::StateSpace::Shared || space == ptx::StateSpace::Local || space == ptx::StateSpace::Param)
    return;
  if (loads && !decides && !skipped_data_.any()) return;
  for (const int lane : {std::countr_zero(active), 63 - std::countl_zero(active)}) {
    const ptx::Operand& source = op.sources[0];
    const std::uint64_t register_value =
        op.address_is_64_bit ? registers.lanes64(source)[lane] : registers.lanes32(source)[lane];
    const VirtualAddress address(register_value + static_cast<std::uint64_t>(op.address_offset));
    const memory::Allocation* const allocation = address_space_.find(address);
    if (allocation == nullptr) continue;
    if (!loads && allocation->id != launch.last_written) {
      launch.last_written = allocation->id;
      launch.written.emplace(allocation->id, allocation->base);
      if (!allocation->in_device_memory())
        deciding_.insert(allocation->id);  // the host may read it at any time
    }
    if (op.kind == ptx::Kind::Store) continue;
    if (decides && allocation->id != launch.last_deciding) {
      launch.last_deciding = allocation->id;
      deciding_.insert(allocation->id);
    }
    if (!skipped_data_.holds(*allocation)) continue;
    launch.reads_wrong = true;
    launch.recording.wrong_data |= decides;
  }
}

// A texture's taps are loads, one after the other.
template <unsigned W>
void Recorder::take(Lanes<W>& lanes, gpu::RecordedBlock& record, std::uint32_t warp, ptx::Warp<W>& registers,
                    const ptx::MicroOp& op, std::uint64_t active, const gpu::BlockMemory& memory) {
  auto& block = static_cast<Block&>(record);
  Launch& launch = *launches_.at(memory.grid->launch_id);
  const bool decides = sampled_ && launch.slice->deciding[record.index_of(warp, op, *memory.grid->kernel)];
  if (sampled_ && op.kind != ptx::Kind::Image) follow(launch, registers, op, active, decides);
  if (record.room[warp] == 0) return;
  const Bytes of_warp = round_up<Bytes>(memory.local_bytes, 4) * registers.width;
  const std::uint64_t place = record.block % launch.recording.wave * record.warps.size() + warp;
  lanes.memory = {
      memory.shared,      memory.shared_bytes, PhysicalAddress(machine_.gpu.dram.bytes + place * of_warp),
      memory.local_bytes, memory.parameters,   memory.parameter_bytes,
      memory.grid};
  const std::uint32_t first = block.next_request();
  std::uint32_t sent = 0, taps = 0;
  bool whole = true;
  if (op.kind == ptx::Kind::Image) {
    if (lanes.images == nullptr) lanes.images = std::make_unique<gpu::ImageAccess<W>>();
    whole = lanes.images->start(registers, op, active, address_space_);
    for (std::size_t i = 0; whole && i < lanes.images->taps().size(); ++i) {
      const auto& tap = lanes.images->taps()[i];
      if (sampled_) follow(launch, lanes.images->scratch(), tap.op, tap.lanes, decides);
      whole = lanes.resolve(tap.op, lanes.images->scratch(), tap.lanes, true);
      if (whole) sent += add_requests(lanes, block, launch);
      ++taps;
    }
  } else {
    whole = lanes.resolve(op, registers, active);
    if (whole) sent += add_requests(lanes, block, launch);
  }
  // An access that faults ends its block.
  if (!whole) return;
  block.add_access(warp, first, taps);
  record.mark_access(warp);
  std::uint32_t& room = block.request_room[warp];
  room -= std::min(room, sent);
  if (room == 0) record.room[warp] = 0;
  if (op.kind == ptx::Kind::Load && op.semantics != ptx::MemorySemantics::Weak)
    launch.recording.polls |= block.polls(warp, op);
  else
    block.moves_on(warp);
}

// Adds the requests of the resolved instruction, part by part as the load-store unit sends them. Returns
// their number.
template <unsigned W>
std::uint32_t Recorder::add_requests(Lanes<W>& lanes, Block& block, Launch& launch) {
  const gpu::MemoryInstruction<W>& instruction = lanes.instruction;
  const bool atomic = instruction.op->kind == ptx::Kind::Atomic;
  std::uint32_t sent = 0;
  for (unsigned p = 0; p < instruction.part_count; ++p) {
    const gpu::MemoryPart& part = instruction.parts[p];
    launch.recording.has_tracked |= part.tracked;
    Request request;
    if (part.path == gpu::MemoryPath::Parameters) {
      request.path = Path::Parameters;
      block.add(request);
      ++sent;
    } else if (part.path == gpu::MemoryPath::Shared) {
      request.path = Path::Shared;
      const bool one = !atomic && lanes.banks.one_pass_for_range(instruction.lowest, instruction.highest,
                                                                 instruction.bytes);
      if (!one)
        request.passes = static_cast<std::uint16_t>(lanes.banks.passes(
            instruction.offsets.data(), part.lanes, instruction.bytes, instruction.registers->width, atomic));
      block.add(request);
      ++sent;
    } else {
      for (unsigned step = 0; step < part.steps; ++step)
        for (std::uint64_t rest = part.lanes; rest != 0; ++sent)
          rest &= ~add_request(lanes, part, step * part.step_bytes, rest, block, launch);
    }
  }
  return sent;
}

// Returns the lanes of the next request.
template <unsigned W>
std::uint64_t Recorder::add_request(Lanes<W>& lanes, const gpu::MemoryPart& part, std::uint32_t step,
                                    std::uint64_t rest, Block& block, Launch& launch) {
  const gpu::MemoryInstruction<W>& instruction = lanes.instruction;
  const ptx::MicroOp& op = *instruction.op;
  const std::uint32_t* const offsets = instruction.offsets.data();
  const std::uint32_t at = offsets[std::countr_zero(rest)] + step;
  const std::uint32_t segment = at & ~(part.request_bytes - 1);
  std::uint64_t group = gpu::lanes_where<W>(offsets, step, part.group_mask, at & part.group_mask) & rest;
  const auto together = static_cast<unsigned>(machine_.gpu.sm.coalesced_threads);
  if (together != 0 && part.path != gpu::MemoryPath::ConstantCache && !instruction.texel)
    group = gpu::of_one_group(group, together);
  Request request;
  request.atomic = op.kind == ptx::Kind::Atomic;
  request.store = op.kind == ptx::Kind::Store;
  if (request.atomic) group = gpu::distinct_lanes(offsets, segment, group);
  request.path = part.path == gpu::MemoryPath::ConstantCache ? Path::ConstantCache : Path::L1;
  const PhysicalAddress first = part.base + segment;
  request.address = (request.atomic ? part.base + at : first).value();
  request.in_l1 = part.cacheability.gpu_l1;
  request.host = !part.local && request.address >= machine_.gpu.dram.bytes;
  request.passes = static_cast<std::uint16_t>(std::popcount(group) * op.vector_elements);
  const Touched touched = touched_by(instruction, part, step, segment, group);
  request.used_bytes = static_cast<std::uint8_t>(touched.bytes);
  request.first_byte = static_cast<std::uint8_t>(first.value() % 128 + touched.first);
  // A load fetches whole lines where L1 has no sectors of its own.
  const bool whole_line =
      op.kind == ptx::Kind::Load && request.in_l1 && machine_.gpu.l1.sector_bytes >= part.request_bytes;
  const unsigned sectors = whole_line ? (1u << part.request_bytes / 32) - 1 : touched.sectors;
  request.sectors = static_cast<std::uint8_t>(sectors << first.value() % 128 / 32);
  if (request.atomic)
    LaneMask(group).for_each(
        [&](unsigned lane) { ++launch.recording.atomic_words[(part.base + (offsets[lane] & ~3u)).value()]; });
  block.add(request);
  return group;
}

// Gives blocks that stopped as many instructions as the complete blocks before and after them.
void Recorder::complete(KernelRecording& recording) {
  const auto& kept = recording.kept;
  std::uint64_t added = 0;
  for (std::size_t i = 0, next = 0, last = kept.size(); i < kept.size(); ++i) {
    Block& block = *kept[i];
    if (!block.stopped) {
      last = i;
      continue;
    }
    for (next = std::max(next, i); next < kept.size() && kept[next]->stopped; ++next) {
    }
    if (last == kept.size() && next == kept.size()) return;
    const Block& before = *kept[last == kept.size() ? next : last];
    const Block& after = *kept[next == kept.size() ? last : next];
    const double way = &before == &after ? 0
                                         : static_cast<double>(block.block - before.block) /
                                               static_cast<double>(after.block - before.block);
    const double found =
        static_cast<double>(before.executed) * (1 - way) + static_cast<double>(after.executed) * way;
    const std::uint64_t all = std::max(block.executed, static_cast<std::uint64_t>(found));
    added += all - block.executed;
    block.executed = all;
  }
  if (recording.executed == 0) return;
  recording.thread_instructions += recording.thread_instructions * added / recording.executed;
  recording.executed += added;
}

Picoseconds Recorder::finished(gpu::Grid& grid, std::uint64_t number, const gpu::GridCounts& counts,
                               Picoseconds now) {
  Launch& launch = launch_of(grid);
  KernelRecording& recording = launch.recording;
  recording.executed += counts.warp_instructions;
  recording.thread_instructions += counts.thread_instructions;
  if (launch.stands(number)) recording.standing += counts.warp_instructions;
  if (const auto found = launch.open.find(number); found != launch.open.end()) {
    found->second->executed = counts.warp_instructions - found->second->dropped();
    if (found->second->only_counted) {
      if (recording.partial) {
        ++recording.counted;
        recording.executed_by_counted += counts.warp_instructions;
      }
    } else if (found->second->keeps_steps) {
      launch.kept_steps += found->second->kept;
      launch.with_rounds += counts.warp_instructions;
      launch.without_rounds += found->second->executed;
    }
    (found->second->only_counted ? spare_ : recording.kept).push_back(std::move(found->second));
    launch.open.erase(found);
  }
  if (++recording.done != recording.blocks) return now;
  if (launch.with_rounds != launch.without_rounds) {
    recording.without_rounds =
        static_cast<double>(launch.without_rounds) / static_cast<double>(launch.with_rounds);
    for (const auto& block : recording.kept)
      if (!block->keeps_steps)
        block->executed =
            static_cast<std::uint64_t>(static_cast<double>(block->executed) * recording.without_rounds);
  }
  std::sort(recording.kept.begin(), recording.kept.end(),
            [](const auto& a, const auto& b) { return a->block < b->block; });
  if (launch.known != nullptr && !recording.repeated)
    for (const auto& [id, base] : launch.written) launch.known->written.insert(id);
  complete(recording);
  const Picoseconds end = recording.first_ps + finish_(recording);
  if (recording.partial || recording.skipped != 0 || launch.reads_wrong)
    for (const auto& [id, base] : launch.written)
      if (const memory::Allocation* const there = address_space_.find(base);
          there != nullptr && there->id == id)
        skipped_data_.written(*there);
  for (auto& block : recording.kept) spare_.push_back(std::move(block));
  launches_.erase(grid.launch_id);
  return std::max(end, now);
}

}  // namespace duet::predict
