#include "cli/options/option_groups.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace duet::cli {

namespace {

struct Group {
  const char* name;
  std::vector<std::string_view> options;
};

const std::vector<Group>& groups() {
  static const std::vector<Group> kGroups = {
      {"Machine", {"--machine", "--set", "--registers", "--method"}},
      {"Results", {"--out", "--json", "--quiet", "--no-html", "--records"}},
      {"Less time, less detail",
       {"--functional", "--sample", "--sample-error", "--skip-kernels", "--kernels", "--count-kernels"}},
      {"Limits", {"--timeout", "--max-cycles", "--spin-diagnosis"}},
      {"A closer look", {"--lines", "--interval", "--trace-detail", "--events", "--trace-push-buffer"}},
      {"Faults of the program",
       {"--check", "--check-exit", "--check-output", "--check-races", "--strict-memory"}},
      {"Host code and clocks",
       {"--host", "--root", "--writable", "--no-environment", "--host-time", "--clock", "--clock-loops"}},
      {"Cores that help the GPU", {"--preexec", "--preexec-set", "--profile", "--cpu-blocks"}},
      {"Debugging of Duet", {"--shuffle", "--two-threads", "--peepholes"}},
      {"A kernel of a .ptx file", {"--kernel", "--grid", "--block", "--shared", "--arg", "--dump"}},
  };
  return kGroups;
}

}  // namespace

void group_run_options(CLI::App& app) {
  for (CLI::Option* const option : app.get_options([](const CLI::Option*) { return true; })) {
    if (option->get_lnames().empty() || option->get_group() != "Options") continue;
    const std::string name = "--" + option->get_lnames().front();
    for (const Group& group : groups())
      if (std::find(group.options.begin(), group.options.end(), name) != group.options.end()) {
        option->group(group.name);
        break;
      }
  }
}

}  // namespace duet::cli
