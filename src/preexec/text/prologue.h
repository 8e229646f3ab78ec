// The parts of a generated program common to all kernels.
#pragma once

#include <string>
#include <vector>

namespace duet::preexec {

// u8 to s64.
std::string types();
// Types, the context, reads of memory and the hit counter. To see the loads, a judge defines FETCH and READ,
// or DUET_PREEXEC_HOSTED for a program that returns to its caller on any processor.
std::string prologue();
// A function of generated programs.
struct Definition {
  std::string name, text;
};
// The definitions of `all` called by the text, and their callees; a definition calls only earlier ones.
std::string called(const std::vector<Definition>& all, const std::string& text);
// Definitions of the functions called by the text, and of their callees.
std::string operations(const std::string& text);
// Fig. 5's update, where it is bounded with the most, and when to stop.
std::string pace(bool adaptive, bool bounded);
// The wait for the GPU.
std::string paced_blocks();
// The blocks to fetch for, from the GPU.
std::string forwarded_blocks();
// Where the program starts and ends.
std::string epilogue();

}  // namespace duet::preexec
