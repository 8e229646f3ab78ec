// `duet model`: hu2016's descriptive model, of a file, of a machine, or as a run went through it.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/options/json_output.h"
#include "cli/run/run_folder.h"
#include "cli/usage.h"
#include "config/loader.h"
#include "model/instance.h"
#include "model/replay.h"
#include "model/run.h"
#include "report/journal/journal.h"

namespace duet::cli {

namespace {

int execute_file(const ModelOptions& options) {
  const JsonOutput output(options.json, JsonOutput::Rest::Nowhere);
  const model::Model model = model::read_model(options.file);
  const model::Execution run = model::execute(model, {.steps = options.steps});
  output.write(model::json_of(model, &run));
  std::fputs((model::text_of(model) + model::text_of(run)).c_str(), stdout);
  return 0;
}

// Its small program is executed when steps are asked for.
int show_instance(const config::Installation& installation, const ModelOptions& options) {
  const JsonOutput output(options.json, JsonOutput::Rest::Nowhere);
  const config::ResolvedTopology machine =
      config::load_topology(options.machine, installation.machines_directory, options.sets);
  const model::View view = options.view == "opencl" ? model::View::OpenCl : model::View::Cuda;
  const model::Model instance = model::instance_of(machine.topology, {view, options.host});
  std::string text = model::text_of(instance);
  std::optional<model::Execution> run;
  if (options.steps != 0) {
    run = model::execute(instance, {.steps = options.steps});
    text += model::text_of(*run);
  }
  output.write(model::json_of(instance, run ? &*run : nullptr));
  std::fputs(text.c_str(), stdout);
  return 0;
}

int replay_folder(const ModelOptions& options) {
  const JsonOutput output(options.json, JsonOutput::Rest::Nowhere);
  namespace fs = std::filesystem;
  const std::string& folder = options.replay;
  const std::string path = (fs::path(folder) / kKeptJournal).string();
  if (!fs::is_directory(folder)) throw Error(fmt::format("replay: {} is no folder of a run", folder));
  if (!fs::exists(path))
    throw Error(fmt::format("replay: {} has no {}: make the run with duet explain --out {} PROGRAM", folder,
                            kKeptJournal, folder));
  const std::optional<std::string> stats = read_file((fs::path(folder) / "stats.json").string());
  if (!stats) throw Error(fmt::format("replay: {} has no stats.json", folder));
  fs::path machine_file = fs::path(folder) / "machine.toml";
  if (!fs::exists(machine_file)) machine_file = fs::path(folder) / ".." / "machine.toml";
  const config::ResolvedMachine machine = config::load_machine(machine_file.string(), "");
  const report::JournalReader journal(path);
  const model::Replay replay = model::replay_of(journal, machine.machine, *stats, options.steps);
  output.write(model::json_of(replay));
  std::fputs(
      (fmt::format("{} through the model of {}\n", folder, machine.machine.name) + model::text_of(replay))
          .c_str(),
      stdout);
  return replay.violations.empty() && replay.differences.empty() ? 0 : 1;
}

}  // namespace

int show_model(const config::Installation& installation, const ModelOptions& options) {
  const int given = !options.file.empty() + !options.machine.empty() + !options.replay.empty();
  if (given != 1)
    throw UsageError(
        "model: give one of a .toml file, --machine NAME and --replay FOLDER (see `duet model --help`)");
  if (options.machine.empty() && (options.host || !options.sets.empty() || !options.view.empty()))
    throw Error("model: --view, --host and --set are for --machine: leave them out");
  if (!options.replay.empty()) return replay_folder(options);
  return options.machine.empty() ? execute_file(options) : show_instance(installation, options);
}

}  // namespace duet::cli
