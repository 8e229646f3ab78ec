// The commands other than runs, as words of the command line:
//
//   const Subcommand machines = machines_command(app);
//   app.parse(...); if (machines.app->parsed()) return machines.act(installation);
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "config/installation.h"

namespace duet::cli {

// Its words, and its action; its options live with the action.
struct Subcommand {
  CLI::App* app;
  std::function<int(const config::Installation&)> act;
};

// `help` and `version`, for the list of commands; main.cpp reads them as --help and --version.
void add_word_commands(CLI::App& duet);
Subcommand cc_command(CLI::App& duet);
Subcommand nvcc_command(CLI::App& duet);
Subcommand hsacc_command(CLI::App& duet);
Subcommand machines_command(CLI::App& duet);
Subcommand model_command(CLI::App& duet);
Subcommand advise_command(CLI::App& duet);
Subcommand compare_command(CLI::App& duet);
Subcommand stats_command(CLI::App& duet);
Subcommand statistics_command(CLI::App& duet);
Subcommand ptx_command(CLI::App& duet);
Subcommand preexec_command(CLI::App& duet);
Subcommand reproduce_command(CLI::App& duet);
Subcommand reference_command(CLI::App& duet);

}  // namespace duet::cli
