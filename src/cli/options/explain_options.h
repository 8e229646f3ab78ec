// The words of `duet explain` that `duet run` does not have.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace duet::cli {

void add_explain_options(CLI::App& app, ExplainOptions& options);
// Of `duet explain FOLDER`, which may also stand behind the folder. Throws duet::Error where there are
// options of a run.
ExplainOptions options_behind_folder(const CLI::App& app, ExplainOptions options);

}  // namespace duet::cli
