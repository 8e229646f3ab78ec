// The groups of `duet run --help`, which explain and predict share.
#pragma once

#include <CLI/CLI.hpp>

namespace duet::cli {

// Puts every option of a run into its group. An option that has one already keeps it.
void group_run_options(CLI::App& app);

}  // namespace duet::cli
