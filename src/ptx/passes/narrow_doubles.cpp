// Finds double precision that computes with single precision alone: its operands come from narrower values
// and literals, and its results become narrower values again. In CUDA C++ a literal without an f is enough
// for it:
//
//   float y = x * 0.5 + 1;   // cvt.f64.f32, fma.rn.f64, cvt.rn.f32.f64
//
// Registers only: a double that a load, an atomic or a parameter brings, or a store takes, is no such.
#include <algorithm>
#include <vector>

#include "ptx/decode/opcode_table.h"
#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::Function;
using ir::Instruction;
using ir::Pseudo;
using ir::ValueKind;

namespace {

bool narrows(const Instruction& in) { return in.op.opcode == Opcode::Cvt && type_bytes(in.op.type) < 8; }
bool widens(const Instruction& in) {
  return in.op.opcode == Opcode::Cvt && type_bytes(in.op.source_type) < 8;
}

// Operands and results without predicates.
template <typename F>
void for_each_source(const Instruction& in, const F& f) {
  for (unsigned i = 0; i < in.op.source_count; ++i)
    if (in.sources[i].is_register()) f(in.sources[i].index);
}
template <typename F>
void for_each_result(const Instruction& in, const F& f) {
  for (unsigned i = 0; i < in.op.destination_count; ++i)
    if (in.destinations[i].is_register()) f(in.destinations[i].index);
}

// Whether its results, or its operands, are the program's own.
bool brings(const Instruction& in) {
  for (unsigned i = 0; i < in.op.source_count; ++i)
    if (in.sources[i].kind == ValueKind::Parameter && type_bytes(in.sources[i].type) == 8) return true;
  return in.op.kind == Kind::Load || in.op.kind == Kind::Atomic || in.op.kind == Kind::Image ||
         in.op.kind == Kind::SystemCall;
}
bool takes(const Instruction& in) {
  return in.op.kind == Kind::Store || in.op.kind == Kind::Atomic || in.op.kind == Kind::Image ||
         in.op.kind == Kind::SystemCall;
}

// Registers with a double of the program's: forwards from where it is read, backwards from where it is
// written.
class Wide {
 public:
  explicit Wide(const Function& function) : from_(function.registers.size()), to_(function.registers.size()) {
    for (changed_ = true; changed_;) {
      changed_ = false;
      for (const Instruction& in : function.code) forwards(in);
      for (std::size_t i = function.code.size(); i-- > 0;) backwards(function.code[i]);
    }
  }
  // A conversion's other side is narrow whatever it is.
  bool touches(const Instruction& in) const {
    bool found = false;
    if (!narrows(in)) for_each_result(in, [&](std::uint32_t reg) { found |= from_[reg] || to_[reg]; });
    if (!widens(in)) for_each_source(in, [&](std::uint32_t reg) { found |= from_[reg]; });
    return found;
  }

 private:
  void forwards(const Instruction& in) {
    if (in.pseudo != Pseudo::None || narrows(in)) return;
    bool wide = brings(in);
    if (!widens(in)) for_each_source(in, [&](std::uint32_t reg) { wide |= from_[reg]; });
    if (wide) for_each_result(in, [&](std::uint32_t reg) { mark(from_, reg); });
  }
  void backwards(const Instruction& in) {
    if (in.pseudo != Pseudo::None || widens(in) || narrows(in)) return;
    bool wide = takes(in);
    for_each_result(in, [&](std::uint32_t reg) { wide |= to_[reg]; });
    if (wide) for_each_source(in, [&](std::uint32_t reg) { mark(to_, reg); });
  }
  void mark(std::vector<bool>& of, std::uint32_t reg) {
    changed_ |= !of[reg];
    of[reg] = true;
  }

  std::vector<bool> from_, to_;
  bool changed_ = false;
};

// By block: the loops around it, as far as their code lies together.
std::vector<unsigned> loop_depths(const ControlFlow& flow) {
  std::vector<std::uint32_t> end(flow.blocks.size());  // by head: behind the loop's last block
  for (const std::uint32_t b : flow.reverse_postorder)
    for (const std::uint32_t head : flow.blocks[b].successors)
      if (head <= b) end[head] = std::max(end[head], b + 1);
  std::vector<unsigned> depth(flow.blocks.size());
  for (std::uint32_t head = 0; head < end.size(); ++head)
    for (std::uint32_t b = head; b < end[head]; ++b) ++depth[b];
  return depth;
}

// Conversions from and to double precision among them.
bool in_double(const Instruction& in) { return in.pseudo == Pseudo::None && unit_of(in.op) == Unit::Double; }

}  // namespace

void count_doubles(const Function& function, const ControlFlow& flow, Kernel& kernel) {
  kernel.narrow_doubles = kernel.narrow_conversions = 0;
  if (std::none_of(function.code.begin(), function.code.end(), in_double)) return;
  constexpr double kOfLoop[] = {1, 10, 100, 1000};
  const Wide wide(function);
  const std::vector<unsigned> depths = loop_depths(flow);
  double all = 0;
  for (std::uint32_t b = 0; b < flow.blocks.size(); ++b)
    for (std::uint32_t at = flow.blocks[b].begin; at < flow.blocks[b].end; ++at) {
      const Instruction& in = function.code[at];
      if (in.pseudo != Pseudo::None) continue;
      const double weight = kOfLoop[std::min(depths[b], 3u)] * in.op.machine_instructions;
      all += weight;
      if (in_double(in) && !wide.touches(in))
        (in.op.opcode == Opcode::Cvt ? kernel.narrow_conversions : kernel.narrow_doubles) += weight;
    }
  kernel.narrow_doubles /= std::max(all, 1.0);
  kernel.narrow_conversions /= std::max(all, 1.0);
}

}  // namespace duet::ptx
