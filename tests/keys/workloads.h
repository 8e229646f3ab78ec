// Small programs that between them use everything that a key of a machine file is about.
#pragma once

#include "keys/machine_run.h"

namespace duet::keys {

void arithmetic(Told& told);   // each kind of execution unit, saturated
void exchanges(Told& told);    // shuffles and barriers
void code(Told& told);         // more code than the instruction cache holds
void memory(Told& told);       // loads, stores and atomics in all patterns and state spaces
void strides(Told& told);      // loads that go on at a constant stride
void occupancy(Told& told);    // how many blocks fit on an SM
void calls(Told& told);        // every kind of API call, copies both ways, mapped memory
void pageable(Told& told);     // copies of memory that is not pinned, in pieces
void streams(Told& told);      // more commands, kernels and streams than queues have places
void hand_over(Told& told);    // a block that waits for another one
void uneven(Told& told);       // blocks whose warps end one after the other, more than there is room for
void nested(Told& told);       // kernels that a kernel launches
void heap(Told& told);         // malloc and free in a kernel
void tracked(Told& told);      // copies and kernels ordered by full/empty bits
void user_queues(Told& told);  // packets that the GPU reads itself, one of which waits for a signal
void limits(Told& told);       // calls that ask for more than there is

}  // namespace duet::keys
