// Profiles for `duet run --preexec profiled` (yang2012 section 4.2): the fastest skip_factor of each kernel
// of a program, in a file beside the program, APP.preexec.json:
//
//   {"schema": "duet.preexec_profile/1", "machine": "fused", "command": ["./app"],
//    "kernels": {"vec_add": {"skip_factor": 96, "cycles": {"32": 415205, "64": ...}}}}
#pragma once

#include <string>

#include "cli/commands.h"

namespace duet::cli {

std::string profile_path(const RunOptions& options);
// Throws duet::Error for options of pre-execution that contradict each other or have no effect.
void check_preexecution(const RunOptions& options);
// Runs the command once with each skip_factor of the paper, and writes its profile. Throws duet::Error when
// a run fails.
void make_profile(const config::Installation& installation, const RunOptions& options);
// Where a profile is needed: the command's. Throws duet::Error when it is not there, or of another machine.
void read_profile(RunOptions& options);

}  // namespace duet::cli
