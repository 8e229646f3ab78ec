// `duet model`: hu2016's descriptive model, of a file, of a machine, or as a run went through it.
#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "model/run.h"

namespace duet::cli {

namespace {

int execute_file(const ModelOptions& options) {
  const model::Model model = model::read_model(options.file);
  const model::Execution run = model::execute(model, {.steps = options.steps});
  if (!options.json.empty()) write_file(options.json, model::json_of(model, &run));
  std::fputs((model::text_of(model) + model::text_of(run)).c_str(), stdout);
  return 0;
}

}  // namespace

int show_model(const config::Installation&, const ModelOptions& options) {
  if (options.file.empty()) throw Error("model of what? give a .toml file (see `duet model --help`)");
  return execute_file(options);
}

}  // namespace duet::cli
