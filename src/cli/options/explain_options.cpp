#include "cli/options/explain_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cli/options/json_output.h"
#include "cli/usage.h"

namespace duet::cli {

namespace {

constexpr const char* kFooter =
    "Runs the program as `duet run` does, with all its options, and then explains the run. Its folder keeps\n"
    "explain.html, explain.json and explain.journal (docs/use/explain.md).\n"
    "  duet explain ./app\n"
    "  duet explain duet-out --kernel smooth --block 5      deeper, and without another run";

constexpr const char* kGroup = "What is explained";

void add_own(CLI::App& app, ExplainOptions& options) {
  app.add_option("--kernel", options.selection.kernel,
                 "the launches whose kernel's name this regular expression fits, or #N: the launch that is "
                 "command N; all of its push-buffer commands and counter points")
      ->group(kGroup);
  app.add_option("--block", options.selection.block, "the path of this block of the launch, by linear index")
      ->group(kGroup);
}

}  // namespace

void add_explain_options(CLI::App& app, ExplainOptions& options) {
  app.footer(kFooter);
  add_own(app, options);
}

ExplainOptions options_behind_folder(const CLI::App& app, ExplainOptions options) {
  const std::string folder = app.remaining()[0];
  static const std::set<std::string> kOwn = {"--kernel", "--block", "--json"};
  for (const CLI::Option* option : app.get_options())
    if (option->count() != 0 && !kOwn.contains(option->get_name()))
      throw UsageError(fmt::format("explain: {} is for a run, and {} is the folder of one: leave it out",
                                   option->get_name(), folder));
  CLI::App rest("duet explain " + folder);
  add_own(rest, options);
  add_json_option(rest, options.json, "the explanation (duet.explanation/1)");
  std::vector<std::string> words = app.remaining();
  words.erase(words.begin());
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  rest.parse(words);
  return options;
}

}  // namespace duet::cli
