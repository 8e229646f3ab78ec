// Copy coalescing and register assignment by greedy colouring of live ranges in dominance order (reverse
// postorder of definitions), optimal for programs whose values are defined once, and close to it for
// compilers' output. Two colourings: one over mixed 32- and 64-bit registers, 64-bit values in even pairs and
// around R1, as the hardware's file has them (Kernel::registers), and one with the widths apart
// (Kernel::register_slots). Predicates are a class of their own. Leaves out: spilling; the occupancy check
// refuses a kernel with more registers than the machine's.
#include <algorithm>
#include <numeric>

#include "ptx/passes/liveness.h"
#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::Pseudo;

namespace {

enum class Class : std::uint8_t { Narrow, Wide, Predicate };
Class class_of(Type type) {
  if (type == Type::Pred) return Class::Predicate;
  return type_bytes(type) == 8 ? Class::Wide : Class::Narrow;
}

// Lanes read other lanes' sources, or several destinations are written one after the other: no destination
// may lie over a source.
bool destinations_early(const Instruction& in) {
  switch (in.op.opcode) {
    case Opcode::Shfl:
    case Opcode::Match:
    case Opcode::Redux:
    case Opcode::Unpack:
      return true;
    default:
      return in.op.kind == Kind::SystemCall;
  }
}

bool is_copy(const Instruction& in) {
  return in.pseudo == Pseudo::None && in.op.opcode == Opcode::Mov && !in.guarded() &&
         in.op.source_count == 1 && in.sources[0].is_register() && !in.sources[0].negate &&
         !in.sources[0].absolute;
}
std::uint32_t copy_destination(const Instruction& in) {
  return in.op.type == Type::Pred ? in.predicate : in.destinations[0].index;
}

class Allocator {
 public:
  Allocator(Function& function, const ControlFlow& flow)
      : function_(function), flow_(flow), count_(static_cast<std::uint32_t>(function.registers.size())) {}

  Allocation run() {
    live_ = find_liveness(function_, flow_);
    interferences();
    coalesce();
    order();
    Allocation result;
    result.slot.assign(count_, kNone);
    result.predicates = colour_class(Class::Predicate, result.slot, 0);
    const std::uint32_t wide_slots = colour_class(Class::Wide, result.slot, 0);
    result.register_slots = colour_class(Class::Narrow, result.slot, wide_slots);
    std::vector<std::uint32_t> mixed(count_, kNone);
    result.registers = std::min(colour_mixed(mixed), result.register_slots + 2);
    for (std::uint32_t r = 0; r < count_; ++r) result.slot[r] = result.slot[find(r)];
    if (result.predicates > 254)
      throw ir::Unsupported{"a kernel with more than 254 live predicates is not supported"};
    if (result.register_slots >= kNoRegister)
      throw ir::Unsupported{"a kernel with more than 65534 live registers is not supported"};
    remove_copies(result);
    return result;
  }

 private:
  void interfere(std::uint32_t a, std::uint32_t b) {
    if (a == b) return;
    const bool predicate_a = function_.registers[a] == Type::Pred;
    const bool predicate_b = function_.registers[b] == Type::Pred;
    if (predicate_a != predicate_b) return;
    neighbours_[a].push_back(b);
    neighbours_[b].push_back(a);
  }

  void interferences() {
    neighbours_.resize(count_);
    std::vector<std::uint32_t> live;
    std::vector<std::uint32_t> position(count_, kNone);
    const auto add = [&](std::uint32_t r) {
      if (position[r] != kNone) return;
      position[r] = static_cast<std::uint32_t>(live.size());
      live.push_back(r);
    };
    const auto remove = [&](std::uint32_t r) {
      if (position[r] == kNone) return;
      live[position[r]] = live.back();
      position[live.back()] = position[r];
      live.pop_back();
      position[r] = kNone;
    };
    for (const auto b : flow_.reverse_postorder) {
      for (const auto r : live) position[r] = kNone;
      live.clear();
      for (const auto r : live_.live_out[b]) add(r);
      for (std::uint32_t i = flow_.blocks[b].end; i-- > flow_.blocks[b].begin;) {
        const Instruction& in = function_.code[i];
        if (in.pseudo != Pseudo::None) continue;
        ir::for_each_definition(in, add);
        const bool copy = is_copy(in);
        ir::for_each_definition(in, [&](std::uint32_t d) {
          for (const auto r : live)
            if (!copy || r != in.sources[0].index) interfere(d, r);
          if (destinations_early(in)) ir::for_each_use(in, [&](std::uint32_t u) { interfere(d, u); });
        });
        if (!in.guarded()) ir::for_each_definition(in, remove);
        ir::for_each_use(in, add);
      }
      // Values live into the entry without a definition still hold a place there.
      if (b == 0)
        for (const auto a : live)
          for (const auto c : live)
            if (a < c) interfere(a, c);
    }
    for (auto& list : neighbours_) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  }

  std::uint32_t find(std::uint32_t r) {
    while (parent_[r] != r) r = parent_[r] = parent_[parent_[r]];
    return r;
  }

  void coalesce() {
    parent_.resize(count_);
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const auto b : flow_.reverse_postorder)
      for (std::uint32_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i) {
        const Instruction& in = function_.code[i];
        if (!is_copy(in)) continue;
        const std::uint32_t d = find(copy_destination(in)), s = find(in.sources[0].index);
        if (d == s || class_of(function_.registers[d]) != class_of(function_.registers[s])) continue;
        // neighbours_ of representatives stay sorted lists of representatives' members: test both ways.
        if (adjacent(d, s)) continue;
        const std::uint32_t keep = neighbours_[d].size() >= neighbours_[s].size() ? d : s,
                            drop = keep == d ? s : d;
        parent_[drop] = keep;
        std::vector<std::uint32_t> merged;
        merged.reserve(neighbours_[keep].size() + neighbours_[drop].size());
        std::set_union(neighbours_[keep].begin(), neighbours_[keep].end(), neighbours_[drop].begin(),
                       neighbours_[drop].end(), std::back_inserter(merged));
        for (const auto n : neighbours_[drop]) {
          auto& list = neighbours_[n];
          const auto at = std::lower_bound(list.begin(), list.end(), keep);
          if (at == list.end() || *at != keep) list.insert(at, keep);
        }
        neighbours_[keep] = std::move(merged);
        neighbours_[drop].clear();
      }
  }
  bool adjacent(std::uint32_t a, std::uint32_t b) const {
    const auto& list = neighbours_[a];
    return std::binary_search(list.begin(), list.end(), b);
  }

  void order() {
    std::vector<bool> seen(count_);
    const auto visit = [&](std::uint32_t r) {
      r = find(r);
      if (!seen[r]) {
        seen[r] = true;
        order_.push_back(r);
      }
    };
    for (const auto r : live_.live_in.empty() ? std::vector<std::uint32_t>{} : live_.live_in[0]) visit(r);
    for (const auto b : flow_.reverse_postorder)
      for (std::uint32_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i)
        if (function_.code[i].pseudo == Pseudo::None) ir::for_each_definition(function_.code[i], visit);
  }

  // Lowest free slot (or aligned pair) outside the neighbours of `r`.
  std::uint32_t lowest(std::uint32_t r, unsigned width, const std::vector<std::uint32_t>& slot,
                       std::uint32_t base, bool stack_pointer = false) {
    taken_.clear();
    if (stack_pointer) taken_ = {false, true};
    for (const auto neighbour : neighbours_[r]) {
      const std::uint32_t n = find(neighbour);
      if (slot[n] == kNone) continue;
      const unsigned slots = class_of(function_.registers[n]) == Class::Wide ? 2 : 1;
      if (slot[n] + slots > taken_.size()) taken_.resize(slot[n] + slots + 2);
      for (unsigned i = 0; i < slots; ++i) taken_[slot[n] + i] = true;
    }
    for (std::uint32_t s = base;; s += width) {
      bool free = true;
      for (unsigned i = 0; i < width; ++i)
        if (s + i < taken_.size() && taken_[s + i]) free = false;
      if (free) return s;
    }
  }

  std::uint32_t colour_class(Class wanted, std::vector<std::uint32_t>& slot, std::uint32_t base) {
    const unsigned width = wanted == Class::Wide ? 2 : 1;
    std::uint32_t used = base;
    for (const auto r : order_) {
      if (class_of(function_.registers[r]) != wanted) continue;
      slot[r] = lowest(r, width, slot, base);
      used = std::max(used, slot[r] + width);
    }
    return used;
  }
  std::uint32_t colour_mixed(std::vector<std::uint32_t>& slot) {
    std::uint32_t used = 2;  // R1 holds the stack pointer in every kernel
    for (const auto r : order_) {
      const Class c = class_of(function_.registers[r]);
      if (c == Class::Predicate) continue;
      const unsigned width = c == Class::Wide ? 2 : 1;
      slot[r] = lowest(r, width, slot, 0, true);
      used = std::max(used, slot[r] + width);
    }
    return used;
  }

  void remove_copies(const Allocation& allocation) {
    for (Instruction& in : function_.code)
      if (is_copy(in) &&
          class_of(function_.registers[copy_destination(in)]) ==
              class_of(function_.registers[in.sources[0].index]) &&
          allocation.slot[copy_destination(in)] == allocation.slot[in.sources[0].index])
        in.pseudo = Pseudo::Removed;
  }

  Function& function_;
  const ControlFlow& flow_;
  const std::uint32_t count_;
  Liveness live_;
  std::vector<std::vector<std::uint32_t>> neighbours_;
  std::vector<std::uint32_t> parent_, order_;
  std::vector<bool> taken_;
};

}  // namespace

Allocation allocate_registers(Function& function, const ControlFlow& flow) {
  return Allocator(function, flow).run();
}

}  // namespace duet::ptx
