// The options of `duet run` for records of a run over time.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace duet::cli {

void add_trace_options(CLI::App& app, RunOptions& run);

}  // namespace duet::cli
