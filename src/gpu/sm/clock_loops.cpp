#include "gpu/sm/clock_loops.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "gpu/sm/timed_kernel.h"

namespace duet::gpu {

namespace {

using ptx::Bank;
using ptx::Kind;
using ptx::MicroOp;
using ptx::Opcode;
using ptx::Type;

bool is_integer(Type type) {
  return type >= Type::B8 && type <= Type::S64 && type != Type::B128 && ptx::type_bytes(type) >= 4;
}

bool orders(ptx::Comparison comparison) {
  return comparison >= ptx::Comparison::Lt && comparison <= ptx::Comparison::Ge;
}

// A possible clock loop.
class Candidate {
 public:
  Candidate(const ptx::Kernel& kernel, const TimedKernel& timed, std::uint32_t first, std::uint32_t branch)
      : kernel_(kernel), timed_(timed), loop_{first, branch, {}} {}

  std::optional<ClockLoop> examine() {
    if (!rounds_are_alike()) return std::nullopt;
    bool reads = false;
    for (std::uint32_t at = loop_.first; at < loop_.branch; ++at) {
      reads = reads || reads_clock(kernel_.code[at]);
      if (!follow(at)) return std::nullopt;
    }
    if (!reads || loop_.comparisons.empty()) return std::nullopt;
    return std::move(loop_);
  }

 private:
  std::span<const std::uint16_t> read(std::uint32_t at) const {
    const TimedOp& op = timed_.ops[at];
    return {timed_.entries.data() + op.first_entry, op.read_entries};
  }
  std::span<const std::uint16_t> written(std::uint32_t at) const {
    const TimedOp& op = timed_.ops[at];
    return {timed_.entries.data() + op.first_entry + op.read_entries, op.write_entries};
  }

  // Straight code without effects: no instruction reads a result of the round before.
  bool rounds_are_alike() const {
    std::set<std::uint16_t> later;
    for (std::uint32_t at = loop_.first; at < loop_.branch; ++at) {
      const MicroOp& op = kernel_.code[at];
      const bool harmless =
          op.kind == Kind::Arithmetic || op.kind == Kind::Special || op.opcode == Opcode::Nanosleep;
      if (!harmless || op.guard != ptx::kNoPredicate || op.carry_in || op.carry_out) return false;
      later.insert(written(at).begin(), written(at).end());
    }
    for (std::uint32_t at = loop_.first; at <= loop_.branch; ++at) {
      for (const std::uint16_t entry : read(at))
        if (later.contains(entry)) return false;
      for (const std::uint16_t entry : written(at)) later.erase(entry);
    }
    return true;
  }

  // +1 for a source that rises with the clock, -1 for one that falls.
  int direction(const ptx::Operand& source) const {
    if (source.bank != Bank::Register) return 0;
    const auto found = clocks_.find(static_cast<std::uint16_t>(source.slot));
    return found == clocks_.end() ? 0 : found->second;
  }

  // False: a clock's value is used in a way that loses its order.
  bool follow(std::uint32_t at) {
    const MicroOp& op = kernel_.code[at];
    int clock = 0;
    unsigned which = 0, clocks = 0;
    for (unsigned i = 0; i < op.source_count; ++i)
      if (const int found = direction(op.sources[i]); found != 0) clock = found, which = i, ++clocks;
    if (op.opcode == Opcode::Setp && clocks == 1) {
      if (!is_integer(op.type) || !orders(op.comparison)) return false;
      loop_.comparisons.push_back({at, which, clock < 0});
      return true;
    }
    if (clocks > 1 || (clocks == 1 && !keeps_order(op))) return false;
    if (op.opcode == Opcode::Sub && which == 1) clock = -clock;
    for (const std::uint16_t entry : written(at))
      if (reads_clock(op))
        clocks_[entry] = 1;
      else if (clocks == 1)
        clocks_[entry] = clock;
      else
        clocks_.erase(entry);
    return true;
  }

  bool keeps_order(const MicroOp& op) const {
    if (op.saturate || !is_integer(op.type)) return false;
    switch (op.opcode) {
      case Opcode::Mov:
      case Opcode::Add:
      case Opcode::Sub:
        return true;
      case Opcode::Cvt:
        return is_integer(op.source_type);
      case Opcode::And:  // the lower half alone
        return std::any_of(op.sources.begin(), op.sources.begin() + op.source_count,
                           [&](const ptx::Operand& source) { return is_lower_half(source); });
      default:
        return false;
    }
  }

  bool is_lower_half(const ptx::Operand& source) const {
    return source.bank == Bank::Immediate &&
           std::any_of(kernel_.immediates.begin(), kernel_.immediates.end(), [&](const auto& immediate) {
             return immediate.slot == source.slot && immediate.bytes == 8 && immediate.value == 0xffff'ffff &&
                    immediate.variable < 0;
           });
  }

  const ptx::Kernel& kernel_;
  const TimedKernel& timed_;
  ClockLoop loop_;
  std::map<std::uint16_t, int> clocks_;  // scoreboard entries
};

}  // namespace

std::vector<ClockLoop> find_clock_loops(const ptx::Kernel& kernel, const TimedKernel& timed) {
  std::vector<ClockLoop> loops;
  for (std::uint32_t at = 0; at < kernel.code.size(); ++at) {
    const MicroOp& op = kernel.code[at];
    if (op.kind != Kind::Branch || op.guard == ptx::kNoPredicate || op.target >= at) continue;
    if (auto loop = Candidate(kernel, timed, op.target, at).examine()) loops.push_back(*std::move(loop));
  }
  return loops;
}

}  // namespace duet::gpu
