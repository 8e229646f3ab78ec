// The command line described, from its definition: a manual page, and completions for shells.
//   write_manual(out, app);      man(7), as `man -l FILE` shows it
//   write_completion(out, app, Shell::Bash);
#pragma once

#include <CLI/CLI.hpp>
#include <iosfwd>

namespace duet::cli {

enum class Shell : std::uint8_t { Bash, Zsh, Fish };

// For the program, its commands and theirs. Hidden options are left out.
void write_manual(std::ostream& out, const CLI::App& program);
void write_completion(std::ostream& out, const CLI::App& program, Shell shell);

}  // namespace duet::cli
