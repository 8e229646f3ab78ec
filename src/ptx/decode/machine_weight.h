// Weights that depend on more than the size of the type, for the table of opcodes (ptx/opcodes.def): how many
// machine instructions a micro-op stands for. `power_of_two`: a product by a power of two.
#pragma once

#include "ptx/micro_op.h"

namespace duet::ptx::weights {

unsigned sum(const MicroOp& op, bool power_of_two);
unsigned product(const MicroOp& op, bool power_of_two);
unsigned division(const MicroOp& op, bool power_of_two);
unsigned absolute(const MicroOp& op, bool power_of_two);
unsigned negation(const MicroOp& op, bool power_of_two);
unsigned extremum(const MicroOp& op, bool power_of_two);
unsigned fused(const MicroOp& op, bool power_of_two);
unsigned find_bit(const MicroOp& op, bool power_of_two);
unsigned extract(const MicroOp& op, bool power_of_two);
unsigned insert(const MicroOp& op, bool power_of_two);
unsigned shift(const MicroOp& op, bool power_of_two);
unsigned test_property(const MicroOp& op, bool power_of_two);
unsigned reciprocal(const MicroOp& op, bool power_of_two);
unsigned root(const MicroOp& op, bool power_of_two);
unsigned reciprocal_root(const MicroOp& op, bool power_of_two);
unsigned scaled(const MicroOp& op, bool power_of_two);
unsigned video(const MicroOp& op, bool power_of_two);
unsigned compare_to_predicate(const MicroOp& op, bool power_of_two);
unsigned compare(const MicroOp& op, bool power_of_two);
unsigned conversion(const MicroOp& op, bool power_of_two);
unsigned vote(const MicroOp& op, bool power_of_two);
unsigned match(const MicroOp& op, bool power_of_two);
unsigned atomic(const MicroOp& op, bool power_of_two);
unsigned fence(const MicroOp& op, bool power_of_two);

}  // namespace duet::ptx::weights
