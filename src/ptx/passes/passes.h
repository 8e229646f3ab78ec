// The passes that compile_module (compiler.cpp) runs over each kernel, in its order.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/ir.h"
#include "ptx/kernel.h"
#include "ptx/passes/control_flow.h"

namespace duet::ptx {

// The entry with every call replaced by the callee's body, and calls to the system's functions by SystemCall;
// functions on call cycles are routines of their own. Throws ir::Unsupported (with the line in the text) for
// unknown functions.
ir::Routines inline_calls(ir::ParsedModule& module, const ir::Function& entry);

// Reads of kernel parameters become Parameter operands; the .param variables of inlined calls become
// registers, or local memory where they are addressed in other ways than by whole elements.
void lower_parameters(ir::ParsedModule& module, ir::Function& function);

// One function of all routines, their parameters lowered. A call saves its live registers in its frame on the
// thread's stack in local memory, moves the stack pointer and jumps; a return is an indexed branch over the
// calls.
ir::Function join_routines(ir::ParsedModule& module, ir::Routines& routines, Kernel& kernel);

// Gives shared, local and parameter variables their offsets; fills the kernel's sizes.
void lay_out_variables(const ir::ParsedModule& module, ir::Function& function, Kernel& kernel);

// The assembler's peepholes (copy propagation, folding, fusion of integer mul and add, dead code); keeps
// results bit-identical.
void optimise(ir::Function& function, const ControlFlow& flow);

// Reads values into registers that the machine's instructions do not take as operand.
void place_operands(ir::Function& function, ControlFlow& flow);

// Moves loads towards the front of their basic blocks; nothing that may touch the same memory is crossed.
void hoist_loads(ir::Function& function, const ControlFlow& flow);

struct Allocation {
  std::vector<std::uint32_t> slot;  // by virtual register; predicates: their number
  std::uint32_t registers = 0, register_slots = 0, predicates = 0;
};
// Throws ir::Unsupported when predicates or slots run out. Copies whose ends got one slot become Removed.
Allocation allocate_registers(ir::Function& function, const ControlFlow& flow);

// By block: whether its last instruction, a branch, goes back in a loop in which lanes may wait for others:
// one with atomic operations, volatile or ordered loads, fences or nanosleep.
std::vector<bool> waiting_loops(const ir::Function& function, const ControlFlow& flow);

// Whether the instruction's last source is the mask of its lanes.
bool waits_for_members(const MicroOp& op);

// Fills Kernel::narrow_doubles and narrow_conversions.
void count_doubles(const ir::Function& function, const ControlFlow& flow, Kernel& kernel);

// Writes code, immediates, parameter slots and branch tables of the kernel.
void emit(const ir::Function& function, const ControlFlow& flow, const Allocation& allocation,
          const std::vector<std::int32_t>& variable_number, Kernel& kernel);

}  // namespace duet::ptx
