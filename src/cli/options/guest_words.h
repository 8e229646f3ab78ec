// The options of a program on simulated cores, as the commands that start it once more are given them.
//
//   {"--root", "image", "--writable", "results", "--no-environment"}
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"

namespace duet::cli {

std::vector<std::string> guest_words(const RunOptions& options);

}  // namespace duet::cli
