#include "check/block_check.h"

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/lane_mask.h"
#include "base/readable_name.h"
#include "ptx/memory_order.h"
#include "ptx/state_spaces.h"

namespace duet::check {

using ptx::Kind;
using ptx::StateSpace;

namespace {

std::string hexadecimal(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

const char* verb(const ptx::MicroOp& op) {
  return op.kind == Kind::Load ? "read" : op.kind == Kind::Store ? "write" : "atomic";
}

bool is_memory(const ptx::MicroOp& op) {
  return op.kind == Kind::Load || op.kind == Kind::Store || op.kind == Kind::Atomic;
}

// An atomic addition of zero: a read.
bool adds_nothing(const ptx::Kernel& kernel, const ptx::MicroOp& op) {
  if (op.atomic_operation != AtomicOperation::Add && op.atomic_operation != AtomicOperation::Or) return false;
  const ptx::Operand& value = op.sources[1];
  if (value.bank != ptx::Bank::Immediate) return false;
  return std::any_of(kernel.immediates.begin(), kernel.immediates.end(),
                     [&](const ptx::Immediate& immediate) {
                       return immediate.slot == value.slot && immediate.value == 0 && immediate.variable < 0;
                     });
}

bool reads(const ptx::MicroOp& op) { return op.kind != Kind::Store; }
bool writes(const ptx::MicroOp& op) { return op.kind != Kind::Load; }

// Of a variable inside a function its own: "tile" of "_ZZ6kernelPiE4tile".
std::string own_name(const std::string& name) {
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), &std::free);
  if (text == nullptr) return name;
  const std::string full = text.get();
  const std::size_t at = full.rfind("::");
  return at == std::string::npos ? full : full.substr(at + 2);
}

Address window_of(Address generic) {
  for (const Address base : {ptx::kSharedWindow, ptx::kLocalWindow, ptx::kParamWindow})
    if (generic - base < ptx::kWindowBytes) return base;
  return 0;
}

}  // namespace

void BlockCheck::start(const Launch& launch, std::uint64_t number) {
  const bool other_kernel = prepared_ != launch.kernel;
  launch_ = launch;
  number_ = number;
  checker_.launched(launch);
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  warps_ = static_cast<unsigned>((threads + launch.width - 1) / launch.width);
  too_large_ = std::uint64_t{warps_} * launch.width > (1u << Touch::kThreadBits);
  if (other_kernel) prepare(*launch.kernel);
  polled_.clear();
  for (std::vector<unsigned>& warps : warps_at_) warps.clear();
  shared_.start(order_, launch.shared_bytes + 16, piece_);
  order_.start(warps_, !launch.kernel->independent_threads);
  if (launch.kernel->independent_threads && checks_.sync) arrivals_.start(warps_);
  if (checks_.races) of_grid_.start(checker_.order_in(launch), static_cast<std::uint32_t>(number), warps_);
  if (checks_.init && launch.local_bytes != 0)
    local_.assign(std::size_t{warps_} * launch.width * launch.local_bytes, 0);
}

void BlockCheck::prepare(const ptx::Kernel& kernel) {
  prepared_ = &kernel;
  passes_on_ = false;
  polls_ = polling_loads(kernel);
  unsigned in_shared = 16, in_global = 16;
  for (const ptx::MicroOp& op : kernel.code) {
    passes_on_ |= op.kind == Kind::Fence || (is_memory(op) && (ptx::acquires(op) || ptx::releases(op)));
    if (!is_memory(op)) continue;
    const unsigned bytes =
        std::max(op.kind == Kind::Atomic ? atomic_type_bytes(op.atomic_type) : ptx::type_bytes(op.type), 1u);
    const bool generic = op.space == StateSpace::Generic;
    if (generic || op.space == StateSpace::Shared) in_shared = std::min(in_shared, bytes);
    if (generic || op.space == StateSpace::Global) in_global = std::min(in_global, bytes);
  }
  piece_ = in_shared;
  grid_shift_ = static_cast<unsigned>(std::countr_zero(in_global));
}

std::uint64_t BlockCheck::access(const Access& access) {
  switch (access.op->space) {
    case StateSpace::Shared:
      return shared(access, access.lanes, access.addresses);
    case StateSpace::Local:
      return local(access, access.lanes, access.addresses);
    case StateSpace::Global:
    case StateSpace::Const:
      return global(access, access.lanes);
    case StateSpace::Param:
      return access.lanes;
    case StateSpace::Generic:
      break;
  }
  std::uint64_t allowed = 0;
  for (std::uint64_t rest = access.lanes; rest != 0;) {
    const Address window = window_of(access.addresses[std::countr_zero(rest)]);
    std::uint64_t same = 0;
    std::uint64_t offsets[64];
    LaneMask(rest).for_each([&](unsigned lane) {
      if (window_of(access.addresses[lane]) != window) return;
      same |= std::uint64_t{1} << lane;
      offsets[lane] = access.addresses[lane] - window;
    });
    allowed |= window == ptx::kSharedWindow  ? shared(access, same, offsets)
               : window == ptx::kLocalWindow ? local(access, same, offsets)
               : window == 0                 ? global(access, same)
                                             : same;
    rest &= ~same;
  }
  return allowed;
}

// ---- Texts of findings ----

// Known source lines stand for all instructions made of them, in either order.
Findings::Key BlockCheck::key(FindingKind kind, const ptx::MicroOp& op, const ptx::MicroOp* other) {
  const std::uint64_t at = checker_.line_number(*launch_.kernel, op.ptx_line);
  const std::uint64_t and_at = other == nullptr ? 0 : checker_.line_number(*launch_.kernel, other->ptx_line);
  const void* const kernel = launch_.kernel->sources == nullptr ? launch_.kernel : nullptr;
  return {kind, kernel, std::max(at, and_at), std::min(at, and_at)};
}

std::string BlockCheck::side(const ptx::MicroOp& op, unsigned thread) const {
  return std::string(verb(op)) + " by " + thread_text(launch_, number_, thread) + ", " +
         launch_.kernel->place_of(op.ptx_line);
}

std::string BlockCheck::shared_place(std::uint64_t address) const {
  const std::vector<ptx::SharedArray>& arrays = launch_.kernel->shared_arrays;
  const ptx::SharedArray* in = nullptr;
  for (const ptx::SharedArray& array : arrays)
    if (address >= array.offset && (array.bytes == 0 || address - array.offset < array.bytes)) in = &array;
  const std::string plain = "shared memory at " + hexadecimal(address);
  if (in == nullptr) return plain;
  return plain + " ('" + own_name(in->name) + "' + " + std::to_string(address - in->offset) + ")";
}

void BlockCheck::outside(const Access& access, unsigned lane, const char* space, std::uint64_t address,
                         const std::string& where, FindingKind kind) {
  found(key(kind, *access.op), [&] {
    return std::string(kind == FindingKind::Misaligned     ? "misaligned access"
                       : kind == FindingKind::UseAfterFree ? "access to memory that was released"
                                                           : "access out of bounds") +
           " of " + std::to_string(access.bytes) + " bytes at " + hexadecimal(address) + " of " + space +
           " memory, kernel '" + readable_name(launch_.kernel->name) + "'" + (where.empty() ? "" : ": ") +
           where + "\n" + side(*access.op, access.warp * launch_.width + lane);
  });
}

void BlockCheck::beside(const Access& access, unsigned lane, VirtualAddress address) {
  const memory::AddressSpace& space = checker_.global().space();
  const Region* const gone =
      space.find(address) == nullptr ? checker_.global().find_released(address) : nullptr;
  std::string where;
  if (gone != nullptr) {
    where = std::to_string(address - gone->base()) + " bytes into " + gone->name() + ", which was released";
  } else if (const memory::Allocation* nearest = space.find(address);
             nearest != nullptr || (nearest = space.nearest(address)) != nullptr) {
    std::string name = space.place_of(nearest->base);
    name.erase(name.rfind(" + "));
    const bool before = address < nearest->base;
    where = before ? std::to_string(nearest->base - address) + " bytes before " + name
                   : "ends " +
                         std::to_string(address + access.bytes -
                                        (nearest->base + checker_.global().bytes_of(*nearest))) +
                         " bytes past the end of " + name;
  } else {
    where = "nothing is allocated";
  }
  outside(access, lane, "global", address.value(), where,
          gone != nullptr ? FindingKind::UseAfterFree : FindingKind::OutOfBounds);
}

void BlockCheck::unwritten(const Access& access, unsigned lane, FindingKind kind, const std::string& where) {
  found(key(kind, *access.op), [&] {
    return "read of what nobody has written, " + where + ", kernel '" + readable_name(launch_.kernel->name) +
           "'\n" + side(*access.op, access.warp * launch_.width + lane);
  });
}

// Accesses that share a place on purpose: two atomic ones; a volatile one at a place where a thread waits for
// a value; and the plain read with which a loop around a compare-and-swap begins, as CUDA's guide writes it.
bool BlockCheck::meant_to_meet(const ptx::MicroOp& one, std::uint32_t pc, const ptx::MicroOp& other,
                               std::uint32_t other_pc, std::uint64_t address) const {
  const Strength strength = strength_of(one), others = strength_of(other);
  const auto reads_before = [](const ptx::MicroOp& load, const ptx::MicroOp& atomic) {
    return load.kind == Kind::Load && atomic.kind == Kind::Atomic &&
           atomic.atomic_operation == AtomicOperation::CompareAndSwap;
  };
  if (reads_before(one, other) || reads_before(other, one)) return true;
  if (strength == Strength::Weak || others == Strength::Weak) return false;
  return strength == Strength::Atomic || others == Strength::Atomic || polls_[pc] || polls_[other_pc] ||
         polled_.contains(address);
}

void BlockCheck::race(const Access& access, std::uint64_t address, unsigned lane, const Touch& other) {
  const ptx::MicroOp& other_op = launch_.kernel->code[other.pc()];
  if (meant_to_meet(*access.op, access.pc, other_op, other.pc(), address)) return;
  found(key(FindingKind::SharedRace, *access.op, &other_op), [&] {
    return "race in " + shared_place(address) + ", kernel '" + readable_name(launch_.kernel->name) +
           "': two threads of a block, and no barrier between them\n" + side(other_op, other.thread()) +
           "\n" + side(*access.op, access.warp * launch_.width + lane);
  });
}

// ---- Shared and local memory ----

// Reads come before the access, writes behind it.
void BlockCheck::pass(const Access& access, std::uint64_t lanes, const std::uint64_t* addresses, bool reads,
                      bool of_block) {
  StrongAccess strong = strong_access(*access.op);
  (reads ? strong.writes : strong.reads) = false;
  LaneMask(lanes).for_each([&](unsigned lane) {
    if (!of_block && !strong.of_block) of_grid_.pass(access.warp, addresses[lane], strong, order_);
    order_.pass(access.warp, addresses[lane], strong);
  });
}

// The aligned lanes of a run inside the block's memory. The others become findings.
std::uint64_t BlockCheck::each_inside_shared(const Access& access, const LaneRun& run,
                                             const std::uint64_t* offsets) {
  const std::uint64_t all = LaneMask::first(run.lanes).bits() << run.first;
  const auto inside = [&](std::uint64_t offset) {
    return offset < launch_.shared_bytes && launch_.shared_bytes - offset >= access.bytes;
  };
  const auto aligned = [&](std::uint64_t offset) { return (offset & (access.alignment - 1)) == 0; };
  std::uint64_t good = all;
  LaneMask(all).for_each([&](unsigned lane) {
    const bool straight = aligned(offsets[lane]);
    if (straight && inside(offsets[lane])) return;
    good &= ~(std::uint64_t{1} << lane);
    if (!checks_.memory) return;
    outside(
        access, lane, "shared", offsets[lane],
        straight ? "the block has " + std::to_string(launch_.shared_bytes) + " bytes of it" : std::string(),
        straight ? FindingKind::OutOfBounds : FindingKind::Misaligned);
  });
  return good;
}

std::uint64_t BlockCheck::shared(const Access& access, std::uint64_t lanes, const std::uint64_t* offsets) {
  const ptx::MicroOp& op = *access.op;
  LaneRun runs[kMostRuns];
  unsigned count = split(lanes, offsets, access.bytes, runs);
  std::uint64_t inside = lanes;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t lowest = offsets[runs[i].first];
    const std::uint64_t highest = offsets[runs[i].first + runs[i].lanes - 1];
    const std::uint64_t room = launch_.shared_bytes - access.bytes;  // negative: as good as none
    if ((lowest & (access.alignment - 1)) != 0 || lowest > highest || highest > room ||
        room > launch_.shared_bytes) [[unlikely]]
      inside &= ~(LaneMask::first(runs[i].lanes).bits() << runs[i].first) |
                each_inside_shared(access, runs[i], offsets);
  }
  const std::uint64_t allowed = checks_.memory ? inside : lanes;
  if ((!checks_.races && !checks_.init) || too_large_ || inside == 0) return allowed;
  if (inside != lanes) count = split(inside, offsets, access.bytes, runs);
  const Strength strength = strength_of(op);
  const bool passes = passes_on_ && strength != Strength::Weak;
  if (passes && reads(op)) pass(access, inside, offsets, true, true);
  if (polls_[access.pc]) LaneMask(inside).for_each([&](unsigned lane) { polled_.insert(offsets[lane]); });
  SharedAccess at;
  at.warp = access.warp;
  at.width = launch_.width;
  at.lanes = inside;
  at.addresses = offsets;
  at.bytes = access.bytes;
  at.first =
      Touch(order_.time(access.warp), access.warp * launch_.width, strength == Strength::Atomic, access.pc);
  at.strong = strength != Strength::Weak;
  at.values = access.values;
  const auto race_at = [&](std::uint64_t address, unsigned lane, const Touch& other, bool) {
    if (checks_.races) race(access, address, lane, other);
  };
  const auto unwritten_at = [&](std::uint64_t address, unsigned lane) {
    if (checks_.init) unwritten(access, lane, FindingKind::UninitialisedShared, shared_place(address));
  };
  if (reads(op))
    for (unsigned i = 0; i < count; ++i) shared_.read(at, runs[i], race_at, unwritten_at);
  if (writes(op))
    for (unsigned i = 0; i < count; ++i) shared_.write(at, runs[i], race_at);
  if (passes && writes(op)) pass(access, inside, offsets, false, true);
  if (order_.take_by_step()) in_step(op);
  return allowed;
}

// Lanes of a warp rely on their step, which kernels for sm_70 and later have not.
void BlockCheck::in_step(const ptx::MicroOp& op) {
  checker_.findings().note(
      "kernel '" + readable_name(launch_.kernel->name) +
      "' orders lanes of a warp by their instructions alone (" + launch_.kernel->place_of(op.ptx_line) +
      "): right below sm_70, and a race from there on unless __syncwarp() stands between; "
      "compile with -arch=sm_70 and --check finds the places");
}

// A word with some written bytes counts as written, as a structure's padding is never written.
std::uint64_t BlockCheck::local(const Access& access, std::uint64_t lanes, const std::uint64_t* offsets) {
  std::uint64_t allowed = lanes;
  LaneMask(lanes).for_each([&](unsigned lane) {
    const bool aligned = (offsets[lane] & (access.alignment - 1)) == 0;
    if (!aligned || offsets[lane] >= launch_.local_bytes ||
        launch_.local_bytes - offsets[lane] < access.bytes) {
      if (!checks_.memory) return;
      allowed &= ~(std::uint64_t{1} << lane);
      return outside(
          access, lane, "local", offsets[lane],
          aligned ? "the thread has " + std::to_string(launch_.local_bytes) + " bytes of it" : std::string(),
          aligned ? FindingKind::OutOfBounds : FindingKind::Misaligned);
    }
    if (!checks_.init) return;
    const unsigned thread = access.warp * launch_.width + lane;
    std::uint8_t* const bytes = local_.data() + thread * launch_.local_bytes + offsets[lane];
    if (reads(*access.op) && std::all_of(bytes, bytes + access.bytes, [](std::uint8_t b) { return b == 0; }))
      unwritten(access, lane, FindingKind::UninitialisedLocal,
                "local memory at " + hexadecimal(offsets[lane]));
    if (writes(*access.op)) std::fill(bytes, bytes + access.bytes, std::uint8_t{1});
  });
  return allowed;
}

// ---- Global memory ----

void BlockCheck::touch(Region& region, const Access& access, const LaneRun& run, VirtualAddress address,
                       Bytes bytes) {
  const ptx::MicroOp& op = *access.op;
  if (checks_.init && region.keeps_written()) {
    const Bytes offset = address - region.base();
    if (reads(op) && !region.written(offset, bytes)) {
      Bytes at = 0;
      while (region.written(offset + at, 1)) ++at;
      unwritten(access, run.first + static_cast<unsigned>(run.one_address ? 0 : at / access.bytes),
                FindingKind::UninitialisedGlobal, checker_.global().space().place_of(address + at));
    }
  }
  if (writes(op)) region.set_written(address - region.base(), bytes);
  if (checks_.memory && region.in_stream_order && region.last_user != launch_.command)
    checker_.used_in_stream(region, launch_.command,
                            side(op, access.warp * launch_.width + run.first) +
                                checker_.call_text("launched at", launch_.command));
  if (!checks_.races) return;
  if (!too_large_ && op.space != StateSpace::Const) in_kernel(region, access, run, address);
  const Strength strength = strength_of(op);
  if (strength == Strength::Atomic || polls_[access.pc] || (strength != Strength::Weak && writes(op)))
    checker_.synchronises(launch_.command, address, writes(op));
  if (strength == Strength::Atomic || polls_[access.pc]) return;
  LineUse use;
  use.command = launch_.command;
  use.writes = writes(op);
  use.witness = {access.pc, static_cast<std::uint32_t>(number_),     static_cast<std::uint16_t>(access.warp),
                 run.first, static_cast<std::uint8_t>(access.bytes), 0,
                 0};
  checker_.use(region, address, bytes, use);
}

// Races with the kernel's other threads.
void BlockCheck::in_kernel(Region& region, const Access& access, const LaneRun& run, VirtualAddress address) {
  GridShadow* const shadow = region.in_kernel();
  if (shadow == nullptr) return;
  GridAccess at;
  at.launch = launch_.number;
  at.block = static_cast<std::uint32_t>(number_);
  at.first = Touch(order_.time(access.warp), access.warp * launch_.width,
                   strength_of(*access.op) == Strength::Atomic, access.pc);
  at.address = address.value();
  at.lane = run.first;
  at.lanes = run.lanes;
  at.bytes = access.bytes;
  at.one_address = run.one_address;
  at.writes = writes(*access.op);
  at.shift = grid_shift_;
  at.values = access.values;
  shadow->access(
      at,
      [&](const GridTouch& now, const GridTouch& earlier, unsigned lane) {
        return races(access, now, earlier, lane);
      },
      [&](std::uint64_t place, unsigned lane, const GridTouch& earlier) {
        race_in_global(access, place, lane, earlier);
      });
}

bool BlockCheck::races(const Access& access, const GridTouch& now, const GridTouch& earlier,
                       unsigned lane) const {
  const Touch &own = now.touch, &other = earlier.touch;
  if (own.synchronises() && other.synchronises()) return false;
  const unsigned warp = other.thread() / launch_.width;
  const bool strong = strength_of(*access.op) != Strength::Weak;
  if (earlier.block != now.block)
    return !of_grid_.ordered(earlier.block, warp, other.stamp(), access.warp, strong);
  if (own.thread() == other.thread()) return false;
  // Two lanes of one store at one place are a race even where lanes run in step.
  if (order_.lockstep() && warp == access.warp)
    return other.pc() == own.pc() && other.stamp() == own.stamp() && !own.synchronises() &&
           writes(*access.op) && other.thread() % launch_.width < lane &&
           (access.lanes >> other.thread() % launch_.width & 1) != 0 &&
           access.addresses[lane] - access.addresses[other.thread() % launch_.width] < access.bytes;
  return !order_.ordered(other.stamp(), warp, access.warp, strong);
}

// Volatile accesses of two blocks meet on purpose where the block has waited for nothing: whichever value it
// sees is as good. A plain read beside atomic operations does likewise, and a read by an atomic operation.
void BlockCheck::race_in_global(const Access& access, std::uint64_t address, unsigned lane,
                                const GridTouch& other) {
  const Touch& touch = other.touch;
  const ptx::MicroOp& other_op = launch_.kernel->code[touch.pc()];
  if (meant_to_meet(*access.op, access.pc, other_op, touch.pc(), address)) return;
  const bool of_two_blocks = other.block != number_;
  if (of_two_blocks && polled_.empty() && strength_of(*access.op) != Strength::Weak &&
      strength_of(other_op) != Strength::Weak)
    return;
  const auto reads_beside = [this](const ptx::MicroOp& one, const ptx::MicroOp& atomic) {
    return atomic.kind == Kind::Atomic && (one.kind == Kind::Load || adds_nothing(*launch_.kernel, atomic));
  };
  if (reads_beside(*access.op, other_op) || reads_beside(other_op, *access.op)) return;
  found(key(FindingKind::GlobalRace, *access.op, &other_op), [&] {
    return "race in " + checker_.global().space().place_of(VirtualAddress(address)) + ", kernel '" +
           readable_name(launch_.kernel->name) + "': two threads of " +
           (of_two_blocks ? "different blocks, and no fence and flag order them"
                          : "a block, and no barrier between them") +
           "\n" + verb(other_op) + " by " + thread_text(launch_, other.block, touch.thread()) + ", " +
           launch_.kernel->place_of(other_op.ptx_line) + "\n" +
           side(*access.op, access.warp * launch_.width + lane);
  });
}

bool BlockCheck::lane_in_global(const Access& access, unsigned lane, VirtualAddress address) {
  if (checks_.memory && (address.value() & (access.alignment - 1)) != 0) {
    outside(access, lane, "global", address.value(), {}, FindingKind::Misaligned);
    return false;
  }
  Region* const region = checker_.global().find(address);
  if (region == nullptr || !region->holds(address, access.bytes)) {
    if (!checks_.memory) return true;
    beside(access, lane, address);
    return false;
  }
  touch(*region, access, {static_cast<std::uint8_t>(lane), 1, true}, address, access.bytes);
  return true;
}

// The lanes of a run that may go on.
std::uint64_t BlockCheck::run_in_global(const Access& access, const LaneRun& run) {
  const VirtualAddress address(access.addresses[run.first]);
  const Bytes bytes = run.one_address ? access.bytes : Bytes{run.lanes} * access.bytes;
  std::uint64_t allowed = LaneMask::first(run.lanes).bits() << run.first;
  if (Region* const region = checker_.global().find(address);
      (address.value() & (access.alignment - 1)) == 0 && region != nullptr && region->holds(address, bytes)) {
    touch(*region, access, run, address, bytes);
    return allowed;
  }
  LaneMask(allowed).for_each([&](unsigned lane) {
    if (!lane_in_global(access, lane, VirtualAddress(access.addresses[lane])))
      allowed &= ~(std::uint64_t{1} << lane);
  });
  return allowed;
}

std::uint64_t BlockCheck::global(const Access& access, std::uint64_t lanes) {
  const bool passes = checks_.races && passes_on_ && strength_of(*access.op) != Strength::Weak;
  if (passes && reads(*access.op)) pass(access, lanes, access.addresses, true, false);
  if (polls_[access.pc])
    LaneMask(lanes).for_each([&](unsigned lane) { polled_.insert(access.addresses[lane]); });
  LaneRun runs[kMostRuns];
  const unsigned count = split(lanes, access.addresses, access.bytes, runs);
  std::uint64_t allowed = 0;
  for (unsigned i = 0; i < count; ++i) allowed |= run_in_global(access, runs[i]);
  if (passes && writes(*access.op)) pass(access, allowed, access.addresses, false, false);
  return allowed;
}

void BlockCheck::image_stored(std::uint64_t lanes, const std::uint64_t* addresses, unsigned bytes) {
  LaneMask(lanes).for_each([&](unsigned lane) {
    const VirtualAddress address(addresses[lane]);
    Region* const region = checker_.global().find(address);
    if (region != nullptr && region->holds(address, bytes))
      region->set_written(address - region->base(), bytes);
  });
}

}  // namespace duet::check
