#include "predict/slice.h"

#include <algorithm>
#include <limits>

#include "predict/counted_loops.h"
#include "ptx/image.h"

namespace duet::predict {

namespace {

using gpu::PartialCode;
using ptx::Bank;
using ptx::Kind;
using ptx::MicroOp;
using ptx::StateSpace;

// The sources of an access for its addresses; the stored values stand behind them.
unsigned address_sources(const MicroOp& op) {
  if (op.kind != Kind::Image) return std::min<unsigned>(op.source_count, 1);
  if (op.opcode != ptx::Opcode::Sust) return op.source_count;
  return 1 + std::min(ptx::coordinates_of(ptx::ImageMode::of(op).geometry), 2u);
}

bool accesses_memory(const MicroOp& op) {
  return op.kind == Kind::Load || op.kind == Kind::Store || op.kind == Kind::Atomic || op.kind == Kind::Image;
}

// Instructions that are not followed.
bool unknown(const ptx::Kernel& kernel) {
  return kernel.names_bits || std::any_of(kernel.code.begin(), kernel.code.end(), [](const MicroOp& op) {
           return op.kind == Kind::Call || op.kind == Kind::Return || op.kind == Kind::SystemCall ||
                  op.opcode == ptx::Opcode::Nanosleep || ptx::reads_clock(op) ||
                  (op.kind == Kind::BranchIndexed && op.type == ptx::Type::U64);
         });
}

// The accesses whose addresses are wanted.
enum class Asked : std::uint8_t { All, NotShared, Stores };

// The wanted results, by the instructions from the end to the beginning (strong liveness: a computation wants
// its sources where its result is wanted).
class Wanted {
 public:
  Wanted(const ptx::Kernel& kernel, Asked asked)
      : kernel_(kernel),
        asked_(asked),
        words_((kernel.register_slots + kernel.predicates + 1 + 63) / 64),
        before_(kernel.code.size() * words_),
        after_(words_),
        wanted_(kernel.code.size()) {
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::size_t i = kernel_.code.size(); i-- > 0;) changed |= step(static_cast<std::uint32_t>(i));
    }
  }

  // Control or an address comes of its results.
  bool results_wanted(std::size_t i) const { return wanted_[i]; }
  bool executed(std::size_t i) const {
    const MicroOp& op = kernel_.code[i];
    switch (op.kind) {
      case Kind::Arithmetic:
      case Kind::Special:
      case Kind::Load:
      case Kind::Image:
        return wanted_[i];
      case Kind::Store:
        return stored_wanted(op);
      case Kind::Atomic:
        return wanted_[i] || stored_wanted(op);
      case Kind::Nop:
        return false;
      default:
        return true;  // Exchange, too: its lanes wait for each other
    }
  }
  // Executed: nothing of it is told.
  PartialCode::Told told(const MicroOp& op) const {
    if (!accesses_memory(op)) return PartialCode::Told::Executed;
    if (op.kind == Kind::Image || asked_ == Asked::All) return PartialCode::Told::Address;
    if (asked_ == Asked::NotShared)
      return op.space == StateSpace::Shared ? PartialCode::Told::Access : PartialCode::Told::Address;
    const bool others_read = op.space == StateSpace::Global || op.space == StateSpace::Generic;
    return others_read && op.kind != Kind::Load ? PartialCode::Told::Address : PartialCode::Told::Executed;
  }

 private:
  // Of accesses to shared and local memory whose results are wanted.
  bool stored_wanted(const MicroOp& op) const {
    return (op.space == StateSpace::Shared && shared_wanted_) ||
           (op.space == StateSpace::Local && local_wanted_) ||
           (op.space == StateSpace::Generic && (shared_wanted_ || local_wanted_));
  }
  bool test(std::uint32_t entry) const { return (after_[entry / 64] >> entry % 64 & 1) != 0; }
  void add(std::uint32_t entry) { after_[entry / 64] |= std::uint64_t{1} << entry % 64; }
  void drop(std::uint32_t entry) { after_[entry / 64] &= ~(std::uint64_t{1} << entry % 64); }
  std::uint32_t predicate(std::uint32_t index) const { return kernel_.register_slots + index; }

  void add(const MicroOp& op, unsigned first, unsigned end) {
    const bool quad = ptx::type_bytes(op.type) == 16;
    for (unsigned i = first; i < end; ++i) {
      const ptx::Operand& source = op.sources[i];
      if (source.bank == Bank::Predicate) add(predicate(source.slot));
      if (source.bank != Bank::Register) continue;
      add(source.slot);
      if (quad && source.slot + 2 < kernel_.register_slots) add(source.slot + 2);
    }
  }
  template <typename F>
  void for_results(const MicroOp& op, const F& f) const {
    for (unsigned i = 0; i < op.destination_count; ++i) {
      if (op.destinations[i] == ptx::kNoRegister) continue;
      f(op.destinations[i]);
      if (ptx::type_bytes(op.type) == 16) f(op.destinations[i] + 2u);
    }
    for (const std::uint8_t p : {op.predicate_destination, op.predicate_destination_second})
      if (p != ptx::kNoPredicate) f(predicate(p));
    if (op.carry_out) f(predicate(kernel_.predicates));
  }
  void join(std::uint32_t successor) {
    if (successor >= kernel_.code.size()) return;
    for (std::size_t w = 0; w < words_; ++w) after_[w] |= before_[successor * words_ + w];
  }
  void join_successors(const MicroOp& op, std::uint32_t i) {
    std::fill(after_.begin(), after_.end(), 0);
    const bool guarded = op.guard != ptx::kNoPredicate;
    if (op.kind == Kind::Branch) join(op.target);
    if (op.kind == Kind::BranchIndexed)
      for (const std::uint32_t target : kernel_.branch_tables[op.target]) join(target);
    const bool leaves = op.kind == Kind::Branch || op.kind == Kind::BranchIndexed || op.kind == Kind::Exit;
    if (!leaves || guarded) join(i + 1);
  }

  bool step(std::uint32_t i) {
    const MicroOp& op = kernel_.code[i];
    join_successors(op, i);
    bool changed = false;
    bool wanted = false;
    for_results(op, [&](std::uint32_t entry) { wanted |= test(entry); });
    if (wanted && !wanted_[i]) {
      wanted_[i] = changed = true;
      const bool reads = op.kind == Kind::Load || op.kind == Kind::Atomic;
      if (reads && op.space == StateSpace::Shared) shared_wanted_ = true;
      if (reads && op.space == StateSpace::Local) local_wanted_ = true;
    }
    if (op.guard == ptx::kNoPredicate) for_results(op, [&](std::uint32_t entry) { drop(entry); });
    const bool executes = executed(i);
    if (executes && op.kind == Kind::Exchange && !wanted) {
      if (op.source_count != 0) add(op, op.source_count - 1u, op.source_count);
    } else if (executes) {
      add(op, 0, op.source_count);
      if (op.carry_in) add(predicate(kernel_.predicates));
    } else if (told(op) == PartialCode::Told::Address) {
      add(op, 0, address_sources(op));
    }
    const bool is_told = told(op) != PartialCode::Told::Executed;  // the access itself counts too
    if ((executes || is_told) && op.guard != ptx::kNoPredicate) add(predicate(op.guard));
    std::uint64_t* const before = &before_[i * words_];
    for (std::size_t w = 0; w < words_; ++w) {
      changed |= before[w] != after_[w];
      before[w] = after_[w];
    }
    return changed;
  }

  const ptx::Kernel& kernel_;
  const Asked asked_;
  const std::size_t words_;
  std::vector<std::uint64_t> before_;  // by instruction: registers, predicates, carry whose values are wanted
  std::vector<std::uint64_t> after_;   // the current instruction
  std::vector<bool> wanted_;
  bool shared_wanted_ = false, local_wanted_ = false;
};

// Where control may come from elsewhere than from the instruction before.
std::vector<bool> entries_of(const ptx::Kernel& kernel) {
  std::vector<bool> result(kernel.code.size() + 1);
  for (std::size_t i = 0; i < kernel.code.size(); ++i) {
    const MicroOp& op = kernel.code[i];
    if (op.kind != Kind::Branch && op.kind != Kind::BranchIndexed) continue;
    result[std::min<std::size_t>(op.reconvergence, kernel.code.size())] = true;
    if (op.kind == Kind::Branch) result[op.target] = true;
  }
  for (const auto& table : kernel.branch_tables)
    for (const std::uint32_t target : table) result[std::min<std::size_t>(target, kernel.code.size())] = true;
  return result;
}

// Left-out code becomes a branch over it; the branch counts for all of it.
PartialCode partial_code(const ptx::Kernel& kernel, const Wanted& wanted) {
  constexpr unsigned kMost = std::numeric_limits<std::uint16_t>::max();
  const std::vector<bool> entries = entries_of(kernel);
  PartialCode result;
  result.code = kernel.code;
  result.told.resize(kernel.code.size(), PartialCode::Told::Executed);
  result.steps.resize(kernel.code.size(), 1);
  for (std::size_t i = kernel.code.size(); i-- > 0;) {
    MicroOp& op = result.code[i];
    if (wanted.executed(i)) continue;
    result.told[i] = wanted.told(op);
    if (result.told[i] != PartialCode::Told::Executed) continue;
    MicroOp over;
    over.opcode = ptx::Opcode::Branch;
    over.kind = Kind::Branch;
    over.uniform_branch = true;
    over.target = over.reconvergence = static_cast<std::uint32_t>(i + 1);
    over.machine_instructions = op.machine_instructions;
    over.ptx_line = op.ptx_line;
    const bool joined = i + 1 < kernel.code.size() && !entries[i + 1] && !wanted.executed(i + 1) &&
                        wanted.told(kernel.code[i + 1]) == PartialCode::Told::Executed;
    if (joined) {
      const MicroOp& next = result.code[i + 1];
      const unsigned sum = over.machine_instructions + next.machine_instructions;
      if (sum <= kMost && result.steps[i + 1] < kMost) {
        over.target = over.reconvergence = next.target;
        over.machine_instructions = static_cast<std::uint16_t>(sum);
        result.steps[i] = static_cast<std::uint16_t>(result.steps[i + 1] + 1);
      }
    }
    op = over;
  }
  return result;
}

}  // namespace

Slice slice_of(const ptx::Kernel& kernel) {
  Slice result;
  const Wanted wanted(kernel, Asked::All);
  result.deciding.resize(kernel.code.size());
  const bool any = unknown(kernel);
  result.by_data = any;
  result.followed = !any;
  for (std::size_t i = 0; i < kernel.code.size(); ++i) {
    const MicroOp& op = kernel.code[i];
    const bool followed = op.space == StateSpace::Shared || op.space == StateSpace::Local ||
                          op.space == StateSpace::Param || op.space == StateSpace::Const;
    result.deciding[i] = any || wanted.results_wanted(i);
    const bool reads = op.kind == Kind::Load || op.kind == Kind::Atomic || op.kind == Kind::Image;
    if (reads && wanted.results_wanted(i) && (op.kind == Kind::Image || !followed)) result.by_data = true;
  }
  if (result.by_data) return result;
  result.with_shared = partial_code(kernel, wanted);
  result.without_shared = partial_code(kernel, Wanted(kernel, Asked::NotShared));
  result.counting = partial_code(kernel, Wanted(kernel, Asked::Stores));
  find_counted_loops(kernel, result.counting);
  return result;
}

}  // namespace duet::predict
