// Calls without inlining: a stack of frames in local memory grows upwards behind the kernel's own local
// variables. A frame holds a function's local variables, the parameters and return values too large for a
// register, then the registers its calls save. Every register of a caller that is live across a call is
// saved. So only the stack pointer and values between caller and callee stay in registers meanwhile, and the
// routines share one register file without knowledge of each other. Left out: an assembler's calling
// convention would not save registers that the callee does not touch. The condition code is not saved: PTX
// does not preserve it across calls (PTX ISA 9.0, section 9.7.2).
#include <algorithm>
#include <map>

#include "ptx/passes/liveness.h"
#include "ptx/passes/passes.h"

namespace duet::ptx {

using ir::Function;
using ir::Instruction;
using ir::kNone;
using ir::ParsedModule;
using ir::Pseudo;
using ir::Routine;
using ir::RoutineCall;
using ir::Routines;
using ir::Value;
using ir::ValueKind;

namespace {

class Joiner {
 public:
  Joiner(ParsedModule& module, Routines& routines, Kernel& kernel)
      : module_(module), routines_(routines), function_(routines.function), kernel_(kernel) {}

  Function run() {
    for (Routine& routine : routines_.routines) lower(routine);
    if (routines_.routines.size() == 1) {
      function_.code = std::move(routines_.routines[0].code);
      return std::move(function_);
    }
    kernel_.uses_stack = true;
    stack_pointer_ = function_.add_register(Type::U32);
    passing_.assign(function_.registers.size(), false);
    for (const auto r : routines_.transfers) passing_[r] = true;
    for (const RoutineCall& call : routines_.calls)
      for (const RoutineCall::Piece& piece : call.returns) passing_[piece.value.index] = true;

    for (Routine& routine : routines_.routines) find_saved(routine);
    // Pairs first, so nothing lies between.
    for (auto& list : saved_)
      std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(bytes_of(b), a) < std::pair(bytes_of(a), b);
      });
    for (std::uint32_t u = 0; u < routines_.routines.size(); ++u) lay_out(u);
    for (std::uint32_t u = 0; u < routines_.routines.size(); ++u) write(u);
    function_.code = std::move(code_);
    for (std::size_t u = 1; u < routines_.routines.size(); ++u)
      kernel_.called_functions.push_back({routines_.routines[u].entry_label, routines_.routines[u].name});
    return std::move(function_);
  }

 private:
  struct Frame {
    std::map<std::uint32_t, Bytes> offset;  // of variables
    Bytes saved = 0;                        // where the saved registers start
    Bytes bytes = 0;
  };

  void lower(Routine& routine) {
    function_.code = std::move(routine.code);
    lower_parameters(module_, function_);
    routine.code = std::move(function_.code);
  }

  // Finds the registers to save for each of the routine's calls.
  void find_saved(Routine& routine) {
    function_.code.swap(routine.code);
    const ControlFlow flow = build_control_flow(function_);
    const Liveness live = find_liveness(function_, flow);
    saved_.resize(routines_.calls.size());
    std::vector<std::uint32_t> alive, place(function_.registers.size(), kNone);
    const auto add = [&](std::uint32_t r) {
      if (place[r] != kNone || passing_[r]) return;
      place[r] = static_cast<std::uint32_t>(alive.size());
      alive.push_back(r);
    };
    const auto remove = [&](std::uint32_t r) {
      if (place[r] == kNone) return;
      alive[place[r]] = alive.back();
      place[alive.back()] = place[r];
      alive.pop_back();
      place[r] = kNone;
    };
    for (const auto b : flow.reverse_postorder) {
      for (const auto r : alive) place[r] = kNone;
      alive.clear();
      for (const auto r : live.live_out[b]) add(r);
      for (std::uint32_t i = flow.blocks[b].end; i-- > flow.blocks[b].begin;) {
        const Instruction& in = function_.code[i];
        if (in.pseudo == Pseudo::Call) saved_[in.call] = alive;
        if (in.pseudo != Pseudo::None) continue;
        if (!in.guarded()) ir::for_each_definition(in, remove);
        ir::for_each_use(in, add);
      }
    }
    function_.code.swap(routine.code);
  }
  Bytes bytes_of(std::uint32_t reg) const { return type_bytes(function_.registers[reg]) == 8 ? 8 : 4; }

  void lay_out(std::uint32_t u) {
    const Routine& routine = routines_.routines[u];
    Frame& frame = frames_.emplace_back();
    const auto place = [&](std::uint32_t variable) {
      const auto [at, fresh] = frame.offset.try_emplace(variable, 0);
      if (!fresh) return;
      const ir::IrVariable& v = module_.variables[variable];
      at->second = round_up(frame.saved, v.alignment);
      frame.saved = at->second + v.bytes;
      alignment_ = std::max(alignment_, v.alignment);
    };
    for (const auto variable : routine.frame_parameters) place(variable);
    Bytes saved = 0;
    for (const Instruction& in : routine.code) {
      if (in.pseudo == Pseudo::Call) {
        Bytes bytes = 0;
        for (const auto r : saved_[in.call]) bytes += bytes_of(r);
        saved = std::max(saved, bytes);
      }
      // The entry runs once a thread: its variables stay where they are.
      for (unsigned s = 0; u != 0 && s < in.op.source_count; ++s)
        if (is_local(in.sources[s])) place(in.sources[s].index);
    }
    frame.saved = round_up(frame.saved, Bytes{8});
    frame.bytes = frame.saved + saved;
  }
  bool is_local(const Value& value) const {
    return value.kind == ValueKind::Variable && module_.variables[value.index].space == StateSpace::Local;
  }
  Bytes frame_bytes(std::uint32_t u) const { return round_up(frames_[u].bytes, alignment_); }

  Instruction make(Opcode opcode, Type type) const { return ir::instruction(opcode, type, line_); }
  Value stack_pointer() const { return Value::reg(stack_pointer_, Type::U32); }
  void access(Opcode opcode, Value value, Type type, Bytes offset) {
    Instruction in = make(opcode, type);
    in.op.space = StateSpace::Local;
    in.op.address_is_64_bit = false;
    in.op.address_offset = static_cast<std::int64_t>(offset);
    in.add_source(stack_pointer());
    value.type = type;
    if (opcode == Opcode::Load)
      in.add_destination(value);
    else
      in.add_source(value);
    code_.push_back(in);
  }
  void move_stack_pointer(Opcode opcode, Bytes by) {
    if (by == 0) return;
    Instruction in = make(opcode, Type::U32);
    in.add_destination(stack_pointer());
    in.add_source(stack_pointer());
    in.add_source(Value::immediate(by, Type::U32));
    code_.push_back(in);
  }

  void save(std::uint32_t reg, Bytes offset) {
    const Type type = bytes_of(reg) == 8 ? Type::B64 : Type::B32;
    Value value = Value::reg(reg, type);
    if (function_.registers[reg] == Type::Pred) {
      Instruction select = make(Opcode::Selp, Type::B32);
      value = Value::reg(function_.add_register(Type::B32), Type::B32);
      select.add_destination(value);
      select.add_source(Value::immediate(1, Type::B32));
      select.add_source(Value::immediate(0, Type::B32));
      select.add_source(Value::reg(reg, Type::Pred));
      code_.push_back(select);
    }
    access(Opcode::Store, value, type, offset);
  }
  void restore(std::uint32_t reg, Bytes offset) {
    if (function_.registers[reg] != Type::Pred) {
      const Type type = bytes_of(reg) == 8 ? Type::B64 : Type::B32;
      return access(Opcode::Load, Value::reg(reg, type), type, offset);
    }
    const Value value = Value::reg(function_.add_register(Type::B32), Type::U32);
    access(Opcode::Load, value, Type::B32, offset);
    Instruction compare = make(Opcode::Setp, Type::U32);
    compare.op.source_type = Type::U32;
    compare.op.comparison = Comparison::Ne;
    compare.add_source(value);
    compare.add_source(Value::immediate(0, Type::U32));
    compare.predicate = reg;
    code_.push_back(compare);
  }

  void call(std::uint32_t u, std::uint32_t index) {
    const RoutineCall& call = routines_.calls[index];
    const Routine& callee = routines_.routines[call.routine];
    const Frame& frame = frames_[call.routine];
    Bytes at = frames_[u].saved;
    for (const auto r : saved_[index]) {
      save(r, at);
      at += bytes_of(r);
    }
    move_stack_pointer(Opcode::Add, frame_bytes(u));
    for (const RoutineCall::Piece& piece : call.arguments)
      access(Opcode::Store, piece.value, piece.type, frame.offset.at(piece.variable) + piece.offset);

    auto& returns = function_.branch_tables[return_table(callee)];
    Instruction number = make(Opcode::Mov, Type::U32);
    number.add_destination(Value::reg(routines_.return_number, Type::U32));
    number.add_source(Value::immediate(returns.size(), Type::U32));
    code_.push_back(number);
    Instruction jump = make(Opcode::Call, Type::None);
    jump.label = callee.entry_label;
    jump.return_label = function_.labels++;
    jump.op.address_offset = static_cast<std::int64_t>(frame_bytes(call.routine));
    jump.add_source(stack_pointer());
    code_.push_back(jump);
    returns.push_back(jump.return_label);
    Instruction mark = make(Opcode::Nop, Type::None);
    mark.pseudo = Pseudo::Label;
    mark.label = jump.return_label;
    code_.push_back(mark);

    for (const RoutineCall::Piece& piece : call.returns)
      access(Opcode::Load, piece.value, piece.type, frame.offset.at(piece.variable) + piece.offset);
    move_stack_pointer(Opcode::Sub, frame_bytes(u));
    at = frames_[u].saved;
    for (const auto r : saved_[index]) {
      restore(r, at);
      at += bytes_of(r);
    }
  }
  std::uint32_t return_table(const Routine& routine) const { return routine.code.back().label; }

  // A variable of the frame lies at the stack pointer.
  void place_local(Instruction& in, const Frame& frame) {
    for (unsigned s = 0; s < in.op.source_count; ++s) {
      Value& value = in.sources[s];
      if (!is_local(value)) continue;
      const Bytes offset = frame.offset.at(value.index) + value.bits;
      const bool memory = in.op.kind == Kind::Load || in.op.kind == Kind::Store || in.op.kind == Kind::Atomic;
      if (s == 0 && memory && in.op.space == StateSpace::Local) {
        in.op.address_offset += static_cast<std::int64_t>(offset);
        in.op.address_is_64_bit = false;
        value = stack_pointer();
        continue;
      }
      const bool wide = type_bytes(value.type) == 8;
      const Value address =
          Value::reg(function_.add_register(wide ? Type::U64 : Type::U32), wide ? Type::U64 : Type::U32);
      Value base = stack_pointer();
      if (wide) {
        Instruction widen = make(Opcode::Cvt, Type::U64);
        widen.op.source_type = Type::U32;
        base = Value::reg(function_.add_register(Type::U64), Type::U64);
        widen.add_destination(base);
        widen.add_source(stack_pointer());
        code_.push_back(widen);
      }
      Instruction add = make(Opcode::Add, address.type);
      add.add_destination(address);
      add.add_source(base);
      add.add_source(Value::immediate(offset, address.type));
      code_.push_back(add);
      const Type type = value.type;
      value = address;
      value.type = type;
      if (s == 0 && memory) in.op.address_is_64_bit = wide;
    }
  }

  void write(std::uint32_t u) {
    const Routine& routine = routines_.routines[u];
    if (u == 0) {
      ir::IrVariable stack;
      stack.space = StateSpace::Local;
      stack.alignment = alignment_;
      module_.variables.push_back(stack);
      line_ = routine.code.empty() ? 0 : routine.code.front().op.ptx_line;
      Instruction start = make(Opcode::Mov, Type::U32);
      start.add_destination(stack_pointer());
      start.add_source(
          Value::variable(static_cast<std::uint32_t>(module_.variables.size() - 1), 0, Type::U32));
      code_.push_back(start);
    }
    for (const Instruction& original : routine.code) {
      if (original.op.ptx_line != 0) line_ = original.op.ptx_line;
      if (original.pseudo == Pseudo::Call) {
        call(u, original.call);
        continue;
      }
      Instruction in = original;
      if (u != 0) place_local(in, frames_[u]);
      code_.push_back(in);
    }
  }

  ParsedModule& module_;
  Routines& routines_;
  Function& function_;
  Kernel& kernel_;
  std::uint32_t stack_pointer_ = kNone;
  Bytes alignment_ = 8;
  std::vector<bool> passing_;                      // registers never saved
  std::vector<std::vector<std::uint32_t>> saved_;  // by call
  std::vector<Frame> frames_;                      // by routine
  std::vector<Instruction> code_;
  std::uint32_t line_ = 0;
};

}  // namespace

Function join_routines(ParsedModule& module, Routines& routines, Kernel& kernel) {
  return Joiner(module, routines, kernel).run();
}

}  // namespace duet::ptx
