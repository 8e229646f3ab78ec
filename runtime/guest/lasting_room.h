// Memory of a program on simulated cores for a call's answer by pointer: a name, an array. It is there until
// the next such answer about the same thing.
#pragma once

#include "process/program_side.h"

namespace duet::guest {

// Room for `bytes` bytes, at multiples of 16. `owner`: the subject of the answer. 0 where the program may
// have no more memory.
std::uint64_t lasting_room(process::ProgramSide& program, const void* owner, Bytes bytes);
// The same, with these bytes in it.
std::uint64_t lasting_copy(process::ProgramSide& program, const void* owner, const void* from, Bytes bytes);
// A constant text, once for all callers.
std::uint64_t lasting_text(process::ProgramSide& program, const char* text);

}  // namespace duet::guest
