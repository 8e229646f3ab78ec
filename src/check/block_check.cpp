#include "check/block_check.h"

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/lane_mask.h"
#include "base/readable_name.h"
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

// Whether others may wait for the access.
bool synchronises(const ptx::MicroOp& op) {
  return op.kind == Kind::Atomic || op.semantics != ptx::MemorySemantics::Weak;
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
  if (other_kernel) {
    prepared_ = launch.kernel;
    passes_on_ = false;
    piece_ = 16;
    for (const ptx::MicroOp& op : launch.kernel->code) {
      if (!is_memory(op)) continue;
      passes_on_ |= op.kind == Kind::Atomic ? op.atomic_operation == AtomicOperation::CompareAndSwap ||
                                                  op.atomic_operation == AtomicOperation::Exchange
                                            : synchronises(op);
      if (op.space != StateSpace::Shared && op.space != StateSpace::Generic) continue;
      const unsigned bytes =
          op.kind == Kind::Atomic ? atomic_type_bytes(op.atomic_type) : ptx::type_bytes(op.type);
      piece_ = std::min(piece_, std::max(bytes, 1u));
    }
  }
  shared_.start(order_, launch.shared_bytes + 16, piece_);
  order_.start(warps_, !launch.kernel->independent_threads);
  if (checks_.init && launch.local_bytes != 0)
    local_.assign(std::size_t{warps_} * launch.width * launch.local_bytes, 0);
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
  checker_.findings().add({kind, launch_.kernel, access.op->ptx_line, 0}, [&] {
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
                   : "ends " + std::to_string(address + access.bytes - (nearest->base + nearest->bytes)) +
                         " bytes past the end of " + name;
  } else {
    where = "nothing is allocated";
  }
  outside(access, lane, "global", address.value(), where,
          gone != nullptr ? FindingKind::UseAfterFree : FindingKind::OutOfBounds);
}

void BlockCheck::unwritten(const Access& access, unsigned lane, FindingKind kind, const std::string& where) {
  checker_.findings().add({kind, launch_.kernel, access.op->ptx_line, 0}, [&] {
    return "read of what nobody has written, " + where + ", kernel '" + readable_name(launch_.kernel->name) +
           "'\n" + side(*access.op, access.warp * launch_.width + lane);
  });
}

void BlockCheck::race(const Access& access, std::uint64_t address, unsigned lane, const Touch& other,
                      bool other_writes) {
  const ptx::MicroOp& other_op = launch_.kernel->code[other.pc()];
  // A loop around a compare-and-swap begins with a plain read, as CUDA's guide writes it.
  const auto pair = [](const ptx::MicroOp& one, const ptx::MicroOp& two) {
    return one.kind == Kind::Load && two.kind == Kind::Atomic;
  };
  if (passes_on_ && (pair(*access.op, other_op) || pair(other_op, *access.op))) return;
  checker_.findings().add(
      {FindingKind::SharedRace, launch_.kernel, access.op->ptx_line,
       std::uint64_t{other_op.ptx_line} << 1 | other_writes},
      [&] {
        return "race in " + shared_place(address) + ", kernel '" + readable_name(launch_.kernel->name) +
               "': two threads of a block, and no barrier between them\n" + side(other_op, other.thread()) +
               "\n" + side(*access.op, access.warp * launch_.width + lane);
      });
}

// ---- Shared and local memory ----

void BlockCheck::pass(const Access& access, std::uint64_t lanes, const std::uint64_t* addresses, bool reads,
                      bool writes) {
  LaneMask(lanes).for_each([&](unsigned lane) { order_.pass(access.warp, addresses[lane], reads, writes); });
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
  const bool passes = passes_on_ && synchronises(op);
  if (passes && reads(op)) pass(access, inside, offsets, true, false);
  SharedAccess at;
  at.warp = access.warp;
  at.width = launch_.width;
  at.lanes = inside;
  at.addresses = offsets;
  at.bytes = access.bytes;
  at.first = Touch(order_.time(access.warp), access.warp * launch_.width, synchronises(op), access.pc);
  at.values = access.values;
  const auto race_at = [&](std::uint64_t address, unsigned lane, const Touch& other, bool other_writes) {
    if (checks_.races) race(access, address, lane, other, other_writes);
  };
  const auto unwritten_at = [&](std::uint64_t address, unsigned lane) {
    if (checks_.init) unwritten(access, lane, FindingKind::UninitialisedShared, shared_place(address));
  };
  if (reads(op))
    for (unsigned i = 0; i < count; ++i) shared_.read(at, runs[i], race_at, unwritten_at);
  if (writes(op))
    for (unsigned i = 0; i < count; ++i) shared_.write(at, runs[i], race_at);
  if (passes && writes(op)) pass(access, inside, offsets, false, true);
  return allowed;
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

void BlockCheck::touch(Region& region, const Access& access, unsigned lane, VirtualAddress address,
                       Bytes bytes, bool in_row) {
  const ptx::MicroOp& op = *access.op;
  if (checks_.init && region.keeps_written()) {
    const Bytes offset = address - region.base();
    if (reads(op) && !region.written(offset, bytes)) {
      Bytes at = 0;
      while (region.written(offset + at, 1)) ++at;
      unwritten(access, lane + static_cast<unsigned>(in_row ? at / access.bytes : 0),
                FindingKind::UninitialisedGlobal, checker_.global().space().place_of(address + at));
    }
  }
  if (writes(op)) region.set_written(address - region.base(), bytes);
  if (!checks_.races) return;
  if (synchronises(op)) return checker_.synchronises(launch_.command, address, writes(op));
  LineUse use;
  use.command = launch_.command;
  use.writes = writes(op);
  use.witness = {access.pc,
                 static_cast<std::uint32_t>(number_),
                 static_cast<std::uint16_t>(access.warp),
                 static_cast<std::uint8_t>(lane),
                 static_cast<std::uint8_t>(access.bytes),
                 0,
                 0};
  checker_.use(region, address, bytes, use);
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
  touch(*region, access, lane, address, access.bytes, false);
  return true;
}

// The lanes of a run that may go on.
std::uint64_t BlockCheck::run_in_global(const Access& access, const LaneRun& run) {
  const VirtualAddress address(access.addresses[run.first]);
  const Bytes bytes = run.one_address ? access.bytes : Bytes{run.lanes} * access.bytes;
  std::uint64_t allowed = LaneMask::first(run.lanes).bits() << run.first;
  if (Region* const region = checker_.global().find(address);
      (address.value() & (access.alignment - 1)) == 0 && region != nullptr && region->holds(address, bytes)) {
    touch(*region, access, run.first, address, bytes, !run.one_address);
    return allowed;
  }
  LaneMask(allowed).for_each([&](unsigned lane) {
    if (!lane_in_global(access, lane, VirtualAddress(access.addresses[lane])))
      allowed &= ~(std::uint64_t{1} << lane);
  });
  return allowed;
}

std::uint64_t BlockCheck::global(const Access& access, std::uint64_t lanes) {
  const bool passes = passes_on_ && synchronises(*access.op);
  if (passes) pass(access, lanes, access.addresses, reads(*access.op), false);
  LaneRun runs[kMostRuns];
  const unsigned count = split(lanes, access.addresses, access.bytes, runs);
  std::uint64_t allowed = 0;
  for (unsigned i = 0; i < count; ++i) allowed |= run_in_global(access, runs[i]);
  if (passes && writes(*access.op)) pass(access, allowed, access.addresses, false, true);
  return allowed;
}

// ---- Barriers ----

std::uint64_t BlockCheck::started(unsigned warp) const {
  const std::uint64_t threads = std::uint64_t{launch_.block[0]} * launch_.block[1] * launch_.block[2];
  const std::uint64_t left = threads - std::uint64_t{warp} * launch_.width;
  return LaneMask::first(static_cast<unsigned>(std::min<std::uint64_t>(launch_.width, left))).bits();
}

void BlockCheck::arrives(unsigned warp, const ptx::MicroOp& op, unsigned id, bool whole, std::uint64_t lanes,
                         std::uint64_t live) {
  order_.arrive(id, warp, static_cast<ptx::BarrierMode>(op.mode) != ptx::BarrierMode::Arrive);
  if (!checks_.sync) return;
  const auto thread = [&](std::uint64_t of) { return warp * launch_.width + LaneMask(of).lowest(); };
  const auto found = [&](FindingKind kind, const char* what, std::uint64_t others, const char* why) {
    checker_.findings().add({kind, launch_.kernel, op.ptx_line, id}, [&] {
      return std::string(what) + ", kernel '" + readable_name(launch_.kernel->name) + "', barrier " +
             std::to_string(id) + "\nreached by " + thread_text(launch_, number_, thread(lanes)) + ", " +
             launch_.kernel->place_of(op.ptx_line) + "\n" + why + " " +
             thread_text(launch_, number_, thread(others));
    });
  };
  if (lanes != live)
    found(FindingKind::DivergentBarrier, "barrier in divergent code: not all threads of the warp reach it",
          live & ~lanes, "not reached here by");
  if (const std::uint64_t gone = started(warp) & ~live; whole && gone != 0)
    found(FindingKind::BarrierAfterExit, "barrier of the whole block behind which threads have ended", gone,
          "ended before it:");
}

void BlockCheck::meets(unsigned warp, const ptx::MicroOp& op, std::uint64_t lanes, std::uint64_t live,
                       const std::uint32_t* members) {
  order_.warp_met(warp);
  if (!checks_.sync) return;
  const auto found = [&](unsigned lane, const std::string& why) {
    checker_.findings().add({FindingKind::LaneMask, launch_.kernel, op.ptx_line, 0}, [&] {
      return std::string(ptx::opcode_name(op.opcode)) + " with a wrong mask of lanes " +
             hexadecimal(members[lane]) + ", kernel '" + readable_name(launch_.kernel->name) + "': " + why +
             "\nexecuted by " + thread_text(launch_, number_, warp * launch_.width + lane) + ", " +
             launch_.kernel->place_of(op.ptx_line);
    });
  };
  LaneMask(lanes).for_each([&](unsigned lane) {
    if ((members[lane] >> lane & 1) == 0)
      found(lane, "the thread is not in its own mask");
    else if (const std::uint64_t gone = members[lane] & started(warp) & ~live; gone != 0)
      found(lane, "it names lane " + std::to_string(LaneMask(gone).lowest()) + ", which has ended");
  });
}

}  // namespace duet::check
