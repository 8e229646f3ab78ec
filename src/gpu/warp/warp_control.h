// The effects of indexed branches, barriers, special registers and calls on a warp's lanes, for each model of
// time. The model decides where a warp waits and when it goes on. Source: PTX ISA 9.0, brx, bar, mov.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "gpu/warp/barriers.h"
#include "gpu/warp/device_services.h"
#include "gpu/warp/reconvergence_stack.h"
#include "ptx/semantics/warp.h"

namespace duet::gpu {

// The value of a lane of an indexed branch: an index, or a function's address.
template <unsigned W>
std::uint64_t branch_value(const ptx::Warp<W>& warp, const ptx::MicroOp& op, unsigned lane) {
  return op.type == ptx::Type::U64 ? warp.lanes64(op.sources[0])[lane] : warp.lanes32(op.sources[0])[lane];
}
// Beyond the table when it names none of its targets.
template <unsigned W>
std::size_t table_index(const ptx::Warp<W>& warp, const ptx::MicroOp& op, const ptx::Kernel& kernel,
                        unsigned lane) {
  const std::uint64_t value = branch_value<W>(warp, op, lane);
  if (op.type != ptx::Type::U64) return value;
  const std::vector<Address>& addresses = kernel.code_addresses[op.target];
  const auto found = std::lower_bound(addresses.begin(), addresses.end(), value);
  return found != addresses.end() && *found == value ? static_cast<std::size_t>(found - addresses.begin())
                                                     : addresses.size();
}

// The first lane whose callee's frame would lie beyond its local memory.
template <unsigned W>
std::optional<unsigned> overflowing_lane(const ptx::Warp<W>& warp, const ptx::MicroOp& call, const Grid& grid,
                                         std::uint64_t lanes) {
  const std::uint32_t* stack_pointer = warp.lanes32(call.sources[0]);
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (stack_pointer[lane] + static_cast<Bytes>(call.address_offset) > grid.local_bytes()) return lane;
  }
  return std::nullopt;
}

// Paths of an indexed branch, falling through first; or the lane with an index beyond the table.
template <unsigned W>
struct IndexedPaths {
  std::array<ReconvergenceStack::Path, W + 1> paths;
  std::size_t count = 0;
  std::optional<unsigned> beyond;
};
template <unsigned W>
IndexedPaths<W> indexed_paths(const ptx::Warp<W>& warp, const ptx::MicroOp& op, const ptx::Kernel& kernel,
                              std::uint64_t lanes, std::uint64_t active, std::uint32_t next) {
  IndexedPaths<W> result;
  auto& paths = result.paths;
  const std::vector<std::uint32_t>& table = kernel.branch_tables[op.target];
  if (lanes != active) paths[result.count++] = {next, 0, active & ~lanes};
  for (std::uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const std::size_t index = table_index<W>(warp, op, kernel, lane);
    if (index >= table.size()) {
      result.beyond = lane;
      return result;
    }
    std::size_t at = 0;
    while (at < result.count && paths[at].pc != table[index]) ++at;
    if (at == result.count) paths[result.count++] = {table[index], 0, 0};
    paths[at].lanes |= 1ull << lane;
  }
  return result;
}

// The barrier, and the number of threads it waits for: 0, the whole block. With a count of the whole block,
// rounded up to warps, ended warps count as arrived.
struct BarrierUse {
  std::uint32_t id = 0;
  std::uint64_t expected = 0;
};
template <unsigned W>
BarrierUse barrier_use(const ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes,
                       std::uint64_t block_threads) {
  const unsigned first = LaneMask(lanes).lowest();
  BarrierUse use;
  if (op.source_count > 0) use.id = warp.lanes32(op.sources[0])[first];
  if (op.source_count > 1) use.expected = warp.lanes32(op.sources[1])[first];
  if (use.expected == block_threads) use.expected = 0;
  return use;
}

// Adds the lanes' predicate to a reduction; false where the instruction has none.
template <unsigned W>
bool vote_at(Barrier& barrier, const ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes) {
  const auto mode = static_cast<ptx::BarrierMode>(op.mode);
  if (mode != ptx::BarrierMode::ReducePopc && mode != ptx::BarrierMode::ReduceAnd &&
      mode != ptx::BarrierMode::ReduceOr)
    return false;
  const ptx::Operand& source = op.sources[2];
  const std::uint64_t value = warp.predicates[source.slot];
  const std::uint64_t votes = (source.negate ? ~value : value) & lanes;
  barrier.running.count += LaneMask(votes).count();
  barrier.running.all &= votes == lanes;
  barrier.running.any |= votes != 0;
  return true;
}

// The result of the completed phase.
template <unsigned W>
void deliver_reduction(ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes,
                       const BarrierReduction& result) {
  if (static_cast<ptx::BarrierMode>(op.mode) == ptx::BarrierMode::ReducePopc) {
    std::uint32_t* to = warp.destination32(op.destinations[0]);
    LaneMask(lanes).for_each([&](unsigned lane) { to[lane] = result.count; });
    return;
  }
  const bool value =
      static_cast<ptx::BarrierMode>(op.mode) == ptx::BarrierMode::ReduceAnd ? result.all : result.any;
  std::uint64_t& predicate = warp.predicates[op.predicate_destination];
  predicate = value ? predicate | lanes : predicate & ~lanes;
}

// One value for all lanes.
template <unsigned W>
void write_lanes(ptx::Warp<W>& warp, const ptx::MicroOp& op, std::uint64_t lanes, std::uint64_t value) {
  if (ptx::type_bytes(op.type) == 8) {
    std::uint64_t* to = warp.destination64(op.destinations[0]);
    LaneMask(lanes).for_each([&](unsigned lane) { to[lane] = value; });
  } else {
    std::uint32_t* to = warp.destination32(op.destinations[0]);
    LaneMask(lanes).for_each([&](unsigned lane) { to[lane] = static_cast<std::uint32_t>(value); });
  }
}

// A lane's call, but for how it reads memory.
template <unsigned W>
SystemCall system_call_of(const ptx::Warp<W>& warp, const ptx::MicroOp& op, unsigned lane,
                          const ThreadName& thread) {
  SystemCall call;
  call.function = static_cast<ptx::SystemFunction>(op.mode);
  call.thread = thread;
  for (unsigned i = 0; i < op.source_count; ++i)
    call.arguments[i] = ptx::is_word_argument(call.function, i) ? warp.lanes32(op.sources[i])[lane]
                                                                : warp.lanes64(op.sources[i])[lane];
  return call;
}

// Thread `number` of a block of this shape.
inline ThreadName thread_name(const Dim3& block, const Dim3& shape, std::uint64_t number) {
  ThreadName name;
  name.block = block;
  name.thread.x = static_cast<std::uint32_t>(number % shape.x);
  name.thread.y = static_cast<std::uint32_t>(number / shape.x % shape.y);
  name.thread.z = static_cast<std::uint32_t>(number / shape.x / shape.y);
  return name;
}

}  // namespace duet::gpu
