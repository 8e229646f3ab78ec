// The parts of report.html besides the results: the template, and the machine.
#pragma once

#include <string>
#include <vector>

#include "config/installation.h"
#include "config/loader.h"
#include "report/pages/html_report.h"

namespace duet::cli {

// The text of the template. Empty, and a line says so, where there is none; empty too where nobody wants the
// page.
std::string html_template(const config::Installation& installation, bool wanted);
std::vector<report::MachineKey> machine_keys(const std::vector<config::ResolvedValue>& values);

}  // namespace duet::cli
