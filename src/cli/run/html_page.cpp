#include "cli/run/html_page.h"

#include <cstdio>
#include <optional>
#include <utility>

#include "base/file.h"

namespace duet::cli {

std::string html_template(const config::Installation& installation, bool wanted) {
  if (!wanted) return "";
  std::optional<std::string> text = read_file(installation.report_template);
  if (!text)
    std::fprintf(
        stderr,
        "duet: no report.html: %s is missing from this installation: build it again, or say --no-html\n",
        installation.report_template.c_str());
  return std::move(text).value_or("");
}

std::vector<report::MachineKey> machine_keys(const std::vector<config::ResolvedValue>& values) {
  std::vector<report::MachineKey> keys;
  keys.reserve(values.size());
  for (const config::ResolvedValue& value : values)
    keys.push_back({value.key, value.text, value.unit, value.description, value.source});
  return keys;
}

}  // namespace duet::cli
