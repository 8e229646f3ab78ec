// Where the program is when it calls: the return addresses on the calling thread's stack, without those of
// the simulator's libraries and the C and C++ library's. The report turns them into source lines
// (report/results/host_lines.h).
//   journal record: ... + program_frames();      "@/home/me/app+0x1234@/home/me/app+0x1300"
// Left out: programs on simulated cores, whose stack is not this process's.
#pragma once

#include <string>

namespace duet::machine {

// The innermost call first, each as file + offset of the call in it; empty where nothing is known. `from`: in
// a handler of a signal, the interrupted instruction, with which they begin.
std::string program_frames(const void* from = nullptr);

}  // namespace duet::machine
