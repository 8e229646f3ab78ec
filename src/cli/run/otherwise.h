// What else would answer where a run is ended by its limit of time.
#pragma once

#include <string>

#include "cli/commands.h"

namespace duet::cli {

// "`duet predict`, --sample or --functional": what this run may have and does not use; empty: nothing.
std::string otherwise(const RunOptions& options);

}  // namespace duet::cli
