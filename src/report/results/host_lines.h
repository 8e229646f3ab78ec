// Source lines of the program's own calls: the frames that machine/watch/host_frames.h has kept become
// "app.cu:12", by the debug information of the program's files, which addr2line reads.
//   resolve_host_lines(facts);   "launched at @=k@/home/me/app+0x1234" becomes "launched at
//   /home/me/app.cu:12"
// Frames inside CUDA's headers, and stubs that compilers make for the kernel named behind "=", are passed
// over. Left out: without debug information it is the function, and without symbols the file and the offset.
#pragma once

#include <string>
#include <vector>

namespace duet::report {

void resolve_host_lines(const std::vector<std::string*>& facts);

}  // namespace duet::report
