// The words of `duet explain` beyond `duet run`'s.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace duet::cli {

void add_explain_options(CLI::App& app, ExplainOptions& options);
// Options of `duet explain FOLDER`, also behind the folder. Throws duet::Error where there are options of a
// run.
ExplainOptions options_behind_folder(const CLI::App& app, ExplainOptions options);

}  // namespace duet::cli
