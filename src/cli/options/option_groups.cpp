#include "cli/options/option_groups.h"

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
      {"Machine", {"--machine", "--set", "--registers"}},
      {"Results", {"--out", "--json", "--quiet", "--no-html", "--records"}},
      {"Less time, less detail",
       {"--functional", "--sample", "--sample-error", "--skip-kernels", "--kernels", "--count-kernels"}},
      {"Limits", {"--timeout", "--max-cycles", "--spin-diagnosis"}},
      {"A closer look", {"--lines", "--interval", "--trace-detail", "--events", "--trace-push-buffer"}},
      {"Faults of the program",
       {"--check", "--check-exit", "--check-output", "--check-races", "--strict-memory"}},
      {"Host code and clocks", {"--host", "--root", "--writable", "--host-time", "--clock", "--clock-loops"}},
      {"Cores that help the GPU", {"--preexec", "--preexec-set", "--profile", "--cpu-blocks"}},
      {"Debugging of Duet", {"--shuffle", "--two-threads", "--peepholes"}},
      {"A kernel of a .ptx file", {"--kernel", "--grid", "--block", "--shared", "--arg", "--dump"}},
  };
  return kGroups;
}

}  // namespace

void group_run_options(CLI::App& app) {
  for (const Group& group : groups())
    for (const std::string_view name : group.options)
      if (CLI::Option* const option = app.get_option_no_throw(std::string(name));
          option != nullptr && option->get_group() == "Options")
        option->group(group.name);
}

}  // namespace duet::cli
