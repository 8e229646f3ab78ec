// Where the program is when it calls: the return addresses on the calling thread's stack, without those of
// the simulator's libraries. The report turns them into source lines (report/results/host_lines.h).
//   journal record: ... + program_frames();      "@/home/me/app+0x1234@/home/me/app+0x1300"
// Left out: programs on simulated cores, whose stack is not this process's.
#pragma once

#include <string>

namespace duet::machine {

// The innermost call first, each as file + offset of the call in it; empty where nothing is known.
std::string program_frames();

}  // namespace duet::machine
