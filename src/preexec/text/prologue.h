// The parts of a generated program that are the same for every kernel.
#pragma once

#include <string>
#include <vector>

namespace duet::preexec {

// u8 to s64.
std::string types();
// Types, the context, how memory is read and the hit counter. A judge who wants to see the loads defines
// FETCH and READ, or DUET_PREEXEC_HOSTED for a program that returns to its caller on any processor.
std::string prologue();
// A function of generated programs.
struct Definition {
  std::string name, text;
};
// Those of `all` that the text calls, and those that they call; one calls only what stands before it.
std::string called(const std::vector<Definition>& all, const std::string& text);
// Definitions of the functions that the text calls, and of those that they call.
std::string operations(const std::string& text);
// Fig. 5's update, and when to stop.
std::string pace(bool adaptive);
// Which blocks to fetch for, where the GPU says so.
std::string forwarded_blocks();
// Where the program starts and ends.
std::string epilogue();

}  // namespace duet::preexec
