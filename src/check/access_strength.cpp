#include "check/access_strength.h"

#include <algorithm>

#include "ptx/memory_order.h"
#include "ptx/state_spaces.h"

namespace duet::check {

using ptx::Kind;
using ptx::MemorySemantics;
using ptx::MicroOp;

Strength strength_of(const MicroOp& op) {
  if (op.kind == Kind::Atomic) return Strength::Atomic;
  if (op.semantics == MemorySemantics::Weak)
    return op.cache == ptx::CacheOperator::CacheGlobal || op.cache == ptx::CacheOperator::Volatile
               ? Strength::Volatile
               : Strength::Weak;
  return op.semantics == MemorySemantics::Volatile ? Strength::Volatile : Strength::Atomic;
}

StrongAccess strong_access(const MicroOp& op) {
  return {op.kind != Kind::Store, op.kind != Kind::Load, ptx::acquires(op), ptx::releases(op),
          op.scope == ptx::MemoryScope::Cta};
}

namespace {

// The registers and predicates that hold a value, or anything made of it.
class Taint {
 public:
  explicit Taint(const ptx::Kernel& kernel)
      : registers_(kernel.register_slots + std::size_t{2}), predicates_(kernel.predicates + std::size_t{1}) {}
  void of(const MicroOp& load) { set(load, true); }
  void follow(const MicroOp& op) {
    bool tainted = guarded(op);
    for (unsigned i = 0; i < op.source_count; ++i) {
      const ptx::Operand& source = op.sources[i];
      if (source.bank == ptx::Bank::Predicate) tainted |= predicates_[source.slot];
      if (source.bank == ptx::Bank::Register) tainted |= registers_[source.slot];
    }
    set(op, tainted);
  }
  bool guarded(const MicroOp& op) const { return op.guard != ptx::kNoPredicate && predicates_[op.guard]; }

 private:
  void set(const MicroOp& op, bool value) {
    for (unsigned i = 0; i < op.destination_count && i < op.destinations.size(); ++i)
      if (op.destinations[i] != ptx::kNoRegister) registers_[op.destinations[i]] = value;
    for (const std::uint8_t predicate : {op.predicate_destination, op.predicate_destination_second})
      if (predicate != ptx::kNoPredicate) predicates_[predicate] = value;
  }
  std::vector<bool> registers_, predicates_;
};

struct Loop {
  std::uint32_t first, last;  // its instructions; the last one goes back
};

bool works(const MicroOp& op) {
  return (op.kind == Kind::Store && op.space != ptx::StateSpace::Local) ||
         (op.kind == Kind::Barrier && static_cast<ptx::BarrierMode>(op.mode) != ptx::BarrierMode::Warp);
}

// Whether the loop can come from the load to the load again without a store or a barrier.
bool waits(const ptx::Kernel& kernel, const Loop& loop, std::uint32_t load) {
  std::vector<bool> reached(loop.last + 1 - loop.first);
  std::vector<std::uint32_t> open{load + 1};
  while (!open.empty()) {
    const std::uint32_t at = open.back();
    open.pop_back();
    if (at < loop.first || at > loop.last || reached[at - loop.first]) continue;
    if (at == load) return true;
    reached[at - loop.first] = true;
    const MicroOp& op = kernel.code[at];
    const bool guarded = op.guard != ptx::kNoPredicate;
    if (op.kind == Kind::Branch) open.push_back(op.target);
    if (guarded || (op.kind != Kind::Branch && !works(op))) open.push_back(at + 1);
  }
  return false;
}

// Whether the loop ends by the loaded value, or by one that is computed where the value says so.
bool ends_by(const ptx::Kernel& kernel, const Loop& loop, std::uint32_t load) {
  Taint taint(kernel);
  for (unsigned round = 0; round < 2; ++round) {
    std::uint32_t skipped = 0;  // up to here a branch by the value may have come past
    for (std::uint32_t at = round == 0 ? load : loop.first; at <= loop.last; ++at) {
      const MicroOp& op = kernel.code[at];
      if (at == load) {
        taint.of(op);
      } else if (op.kind == Kind::Branch) {
        const bool leaves = op.target < loop.first || op.target > loop.last || at == loop.last;
        if (leaves && taint.guarded(op)) return true;
        if (taint.guarded(op)) skipped = std::max(skipped, op.target);
      } else if (at < skipped) {
        taint.of(op);
      } else {
        taint.follow(op);
      }
    }
  }
  return false;
}

bool same_place(const MicroOp& one, const MicroOp& two) {
  return one.kind == two.kind && one.space == two.space && one.sources[0] == two.sources[0] &&
         one.address_offset == two.address_offset;
}

}  // namespace

std::vector<bool> polling_loads(const ptx::Kernel& kernel) {
  constexpr std::uint32_t kInFront = 64;
  std::vector<bool> polls(kernel.code.size());
  for (std::uint32_t last = 0; last < kernel.code.size(); ++last) {
    const MicroOp& back = kernel.code[last];
    if (back.kind != Kind::Branch || back.target > last) continue;
    const Loop loop{back.target, last};
    for (std::uint32_t at = loop.first; at < last; ++at) {
      const MicroOp& op = kernel.code[at];
      if (op.kind != Kind::Load || strength_of(op) == Strength::Weak || !ends_by(kernel, loop, at) ||
          !waits(kernel, loop, at))
        continue;
      polls[at] = true;
      for (std::uint32_t before = loop.first; before-- > 0 && loop.first - before < kInFront;)
        if (same_place(op, kernel.code[before]) && strength_of(kernel.code[before]) != Strength::Weak)
          polls[before] = true;
    }
  }
  return polls;
}

}  // namespace duet::check
