// Issues loads early, as an assembler's scheduler does: within runs of instructions without control, barrier
// or fence, the next load of the run, with its address's computation, goes first while few loaded values wait
// for their use. Everything else keeps its order, and so does every access that may touch the memory of a
// store or atomic. Leaves out: latencies of other instructions, and motion between basic blocks.
#include <algorithm>

#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::Pseudo;

namespace {

// The most registers of loaded values waiting for their first use at once. An estimate, not a figure of
// ptxas: with it the tiled matrix product of workloads/micro has 34 registers, against 38 by ptxas.
constexpr unsigned kWaitingRegisters = 16;

bool is_movable_load(const Instruction& in) {
  return in.op.kind == Kind::Load && in.op.semantics == MemorySemantics::Weak && !in.op.names_bits();
}
// No load of any memory goes before it: it may show that others have written.
bool is_ordering(const MicroOp& op) { return op.semantics != MemorySemantics::Weak || op.names_bits(); }
bool in_run(const Instruction& in) {
  if (in.pseudo != Pseudo::None) return false;
  return in.op.kind == Kind::Arithmetic || in.op.kind == Kind::Load || in.op.kind == Kind::Store ||
         in.op.kind == Kind::Atomic;
}
// Lanes exchange values or read the active mask: these keep their order among each other.
bool is_exchange(const Instruction& in) {
  switch (in.op.opcode) {
    case Opcode::Shfl:
    case Opcode::Vote:
    case Opcode::Match:
    case Opcode::Activemask:
    case Opcode::Redux:
    case Opcode::Elect:
      return true;
    default:
      return false;
  }
}
bool may_overlap(const MicroOp& load, const MicroOp& other) {
  if (load.space == StateSpace::Const || load.space == StateSpace::Param) return false;
  return load.space == other.space || load.space == StateSpace::Generic || other.space == StateSpace::Generic;
}

class Scheduler {
 public:
  explicit Scheduler(Function& function)
      : function_(function),
        last_definition_(function.registers.size(), kNone),
        readers_(last_definition_.size()) {}

  void run(std::uint32_t begin, std::uint32_t end) {
    loads_.clear();
    for (std::uint32_t i = begin; i < end; ++i)
      if (is_movable_load(function_.code[i])) loads_.push_back(i - begin);
    if (loads_.empty() || end - begin < 2) return;
    begin_ = begin;
    nodes_.assign(end - begin, {});
    depend();
    order();
    std::vector<Instruction> code;
    code.reserve(nodes_.size());
    for (const auto n : order_) code.push_back(function_.code[begin + n]);
    std::copy(code.begin(), code.end(), function_.code.begin() + begin);
  }

 private:
  struct Node {
    std::vector<std::uint32_t> before;   // must be issued first
    std::vector<std::uint32_t> readers;  // of its loaded value
    bool issued = false;
    unsigned waiting = 0;  // registers held for a load's first reader
  };

  void depend() {
    std::vector<std::uint32_t> touched, weak_loads;
    std::uint32_t last_ordered = kNone, last_exchange = kNone, last_carry = kNone;
    std::vector<std::uint32_t> ordered;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      const Instruction& in = function_.code[begin_ + n];
      Node& node = nodes_[n];
      const auto after = [&](std::uint32_t other) {
        if (other != kNone && other != n) node.before.push_back(other);
      };
      const auto use = [&](std::uint32_t r) {
        after(last_definition_[r]);
        if (last_definition_[r] != kNone) nodes_[last_definition_[r]].readers.push_back(n);
        readers_[r].push_back(n);
        touched.push_back(r);
      };
      ir::for_each_use(in, use);
      if (in.guarded()) ir::for_each_definition(in, use);
      ir::for_each_definition(in, [&](std::uint32_t r) {
        after(last_definition_[r]);
        for (const auto reader : readers_[r]) after(reader);
        readers_[r].clear();
        last_definition_[r] = n;
        touched.push_back(r);
      });
      if (in.op.carry_in || in.op.carry_out) {
        after(last_carry);
        last_carry = n;
      }
      if (is_exchange(in)) {
        after(last_exchange);
        last_exchange = n;
      }
      if (is_movable_load(in)) {
        for (const auto other : ordered)
          if (may_overlap(in.op, function_.code[begin_ + other].op) ||
              is_ordering(function_.code[begin_ + other].op))
            after(other);
        weak_loads.push_back(n);
      } else if (in.op.kind != Kind::Arithmetic) {
        after(last_ordered);
        for (const auto load : weak_loads) after(load);
        last_ordered = n;
        ordered.push_back(n);
      }
    }
    for (const auto r : touched) {
      last_definition_[r] = kNone;
      readers_[r].clear();
    }
  }

  void issue(std::uint32_t n) {
    Node& node = nodes_[n];
    node.issued = true;
    order_.push_back(n);
    for (const auto other : node.before)
      if (nodes_[other].waiting != 0 && std::find(nodes_[other].readers.begin(), nodes_[other].readers.end(),
                                                  n) != nodes_[other].readers.end()) {
        waiting_ -= nodes_[other].waiting;
        nodes_[other].waiting = 0;
      }
    const Instruction& in = function_.code[begin_ + n];
    if (!is_movable_load(in) || node.readers.empty()) return;
    for (unsigned d = 0; d < in.op.destination_count; ++d)
      if (in.destinations[d].is_register())
        node.waiting += ir::slots_of(function_.registers[in.destinations[d].index]);
    waiting_ += node.waiting;
  }

  // The instructions that a load still needs, itself included, in program order; false when it needs the
  // result of a load waiting for its use, or of an unissued one: such a load gains nothing by going first.
  bool needed(std::uint32_t load, std::vector<std::uint32_t>& list) {
    list.assign(1, load);
    ++mark_value_;
    mark_.resize(std::max(mark_.size(), nodes_.size()), 0);
    mark_[load] = mark_value_;
    for (std::size_t at = 0; at < list.size(); ++at)
      for (const auto other : nodes_[list[at]].before) {
        if (nodes_[other].waiting != 0) return false;
        if (nodes_[other].issued || mark_[other] == mark_value_) continue;
        if (function_.code[begin_ + other].op.kind != Kind::Arithmetic) return false;
        mark_[other] = mark_value_;
        list.push_back(other);
      }
    std::sort(list.begin(), list.end());
    return true;
  }

  void order() {
    order_.clear();
    waiting_ = 0;
    std::size_t next_load = 0;
    std::uint32_t next = 0;
    std::vector<std::uint32_t> list;
    while (order_.size() < nodes_.size()) {
      while (next_load < loads_.size() && nodes_[loads_[next_load]].issued) ++next_load;
      while (nodes_[next].issued) ++next;
      if (next_load < loads_.size() && waiting_ < kWaitingRegisters && needed(loads_[next_load], list))
        for (const auto n : list) issue(n);
      else
        issue(next);  // whatever precedes the first in program order is issued
    }
  }

  Function& function_;
  std::uint32_t begin_ = 0;
  std::vector<std::uint32_t> loads_, order_, last_definition_;
  std::vector<std::vector<std::uint32_t>> readers_;
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> mark_;
  std::uint64_t mark_value_ = 0;
  unsigned waiting_ = 0;
};

}  // namespace

void hoist_loads(Function& function, const ControlFlow& flow) {
  // Instructions removed by earlier passes would cut the runs.
  Scheduler scheduler(function);
  for (const auto b : flow.reverse_postorder) {
    const Block& block = flow.blocks[b];
    std::stable_partition(function.code.begin() + block.begin, function.code.begin() + block.end,
                          [](const Instruction& in) { return in.pseudo == Pseudo::Removed; });
    for (std::uint32_t i = block.begin; i < block.end;) {
      std::uint32_t end = i;
      while (end < block.end && in_run(function.code[end])) ++end;
      if (end > i) scheduler.run(i, end);
      i = std::max(end, i + 1);
    }
  }
}

}  // namespace duet::ptx
