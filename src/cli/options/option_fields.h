// The options of a run (machine/option_field.h) as words of a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <vector>

#include "machine/option_field.h"

namespace duet::cli {

CLI::Validator above_zero();
void add_fields(CLI::App& app, const std::vector<machine::OptionField>& fields);

}  // namespace duet::cli
