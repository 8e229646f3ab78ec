#include "sweep/plan.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "config/derived.h"
#include "config/loader.h"

namespace duet::sweep {

namespace fs = std::filesystem;

namespace {

std::string hash_text(std::uint64_t number) { return fmt::format("{:016x}", number); }

// Duet's program and libraries.
std::string hash_of_duet(const config::Installation& installation) {
  const fs::path prefix = installation.prefix;
  std::set<fs::path> files{prefix / "bin/duet"};
  for (const auto& entry : fs::recursive_directory_iterator(prefix / "lib/duet"))
    if (entry.is_regular_file() && !entry.is_symlink()) files.insert(entry.path());
  std::uint64_t result = kHashOfNothing;
  for (const fs::path& file : files)
    result = hash(read_file(file).value_or(""), hash(file.lexically_relative(prefix).string(), result));
  return hash_text(result);
}

// As a shell would find it, beside the file first; empty: nowhere.
fs::path program_file(const fs::path& folder, const std::string& word) {
  const fs::path near = folder / word;
  if (fs::is_regular_file(near)) return near;
  if (word.find('/') != std::string::npos) return {};
  const char* const path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (std::size_t begin = 0, end; begin < folders.size(); begin = end + 1) {
    end = std::min(folders.find(':', begin), folders.size());
    const fs::path file = fs::path(folders.substr(begin, end - begin)) / word;
    if (fs::is_regular_file(file) && access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

// A program with the common data of all its runs.
struct Prepared {
  const Program* program;
  Strings command;
  nlohmann::json files;  // content by name
};

Prepared prepare(const SweepFile& file, const Program& program) {
  Prepared result{&program, program.command, nlohmann::json::object()};
  const std::string& first = program.command[0];
  const fs::path found = program_file(file.folder, first);
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("{}: program '{}': {}", program.where, program.name, what));
  };
  if (found.empty()) refuse(fmt::format("there is no program {} (beside the file, or in PATH)", first));
  if (!first.ends_with(".ptx") && access(found.c_str(), X_OK) != 0)
    refuse(fmt::format("{} cannot be executed", first));
  const auto content = [&](const fs::path& path) {
    const auto text = read_file(path);
    if (!text) refuse(fmt::format("{} cannot be read", path.string()));
    return hash_text(hash(*text));
  };
  result.files[first] = content(found);
  if (fs::is_regular_file(file.folder / first) && first.find('/') == std::string::npos)
    result.command[0] = "./" + first;
  for (std::size_t i = 1; i < program.command.size(); ++i) {
    const fs::path path = file.folder / program.command[i];
    std::error_code ignored;  // a word may be no path at all
    if (fs::is_regular_file(path, ignored)) result.files[program.command[i]] = content(path);
  }
  for (const std::string& input : program.inputs) {
    if (!fs::is_regular_file(file.folder / input)) refuse(fmt::format("inputs: there is no file {}", input));
    result.files[input] = content(file.folder / input);
  }
  return result;
}

struct Machine {
  std::string name;
  Strings sets;
};

Machine machine_of(const SweepFile& file, const std::vector<Setting>& settings) {
  Machine machine{file.machine, file.base_sets};
  for (const Setting& setting : settings)
    if (setting.key == kMachineAxis)
      machine.name = setting.text;
    else
      machine.sets.push_back(setting.key + "=" + setting.set);
  // Relative to the sweep's file.
  if (machine.name.find('/') != std::string::npos || machine.name.ends_with(".toml"))
    machine.name = (file.folder / machine.name).lexically_normal();
  return machine;
}

std::vector<std::vector<Setting>> combinations(const std::vector<Axis>& grid) {
  std::vector<std::vector<Setting>> all{{}};
  for (const Axis& axis : grid) {
    std::vector<std::vector<Setting>> next;
    for (const auto& before : all)
      for (const Setting& value : axis.values) {
        next.push_back(before);
        next.back().push_back(value);
      }
    all = std::move(next);
  }
  return all;
}

class Planner {
 public:
  Planner(const config::Installation& installation, const SweepFile& file, const Knowledge& knowledge)
      : installation_(installation), file_(file), knowledge_(knowledge), duet_(hash_of_duet(installation)) {
    for (const Axis& axis : file.grid) plan_.axes.push_back(axis.key);
    for (const Point& point : file.points)
      for (const Setting& setting : point.settings)
        if (std::find(plan_.axes.begin(), plan_.axes.end(), setting.key) == plan_.axes.end())
          plan_.axes.push_back(setting.key);
  }

  Plan make() {
    std::vector<Prepared> programs;
    for (const Program& program : file_.programs) programs.push_back(prepare(file_, program));
    const bool has_grid = !file_.grid.empty() || file_.points.empty();
    for (const Prepared& program : programs)
      if (has_grid)
        for (const auto& settings : combinations(file_.grid)) add(program, settings);
    for (const Point& point : file_.points)
      for (const Prepared& program : programs)
        if (point.program.empty() || point.program == program.program->name) add(program, point.settings);
    return std::move(plan_);
  }

 private:
  using Values = std::map<std::string, std::string>;

  const Values& values_of(const Machine& machine) {
    std::string key = machine.name;
    for (const std::string& set : machine.sets) key += '\n' + set;
    const auto [at, is_new] = values_.try_emplace(key);
    if (!is_new) return at->second;
    const auto resolved = config::load_topology(machine.name, installation_.machines_directory, machine.sets);
    for (const config::ResolvedValue& value : resolved.values) at->second[value.key] = value.text;
    if (resolved.topology.gpu)
      at->second[config::kSizeOfL2] = std::to_string(config::capacity_of_l2(*resolved.topology.gpu));
    return at->second;
  }

  void add(const Prepared& prepared, const std::vector<Setting>& settings) try {
    const Program& program = *prepared.program;
    const Machine machine = machine_of(file_, settings);
    const Values& values = values_of(machine);
    Run run{{plan_.runs.size() + 1, "", {}, file_.folder, {}}, program.name, {}};
    run.work.words = {"--machine", machine.name};
    for (const std::string& set : machine.sets) run.work.words.insert(run.work.words.end(), {"--set", set});
    for (const Strings* part : {&program.options, &prepared.command})
      run.work.words.insert(run.work.words.end(), part->begin(), part->end());
    for (const std::string& line : knowledge_.check_run(run.work.words))
      if (remarks_.insert(without_value(line)).second) plan_.remarks.push_back(without_value(line));
    for (const std::string& axis : plan_.axes) run.axes.push_back(cell(axis, settings, machine, values));
    std::uint64_t machine_hash = kHashOfNothing;
    for (const auto& [key, value] : values) machine_hash = hash(key + "=" + value + "\n", machine_hash);
    run.work.identity = {{"command", program.command},
                         {"options", program.options},
                         {"machine", fs::path(machine.name).stem().string()},
                         {"sets", machine.sets},
                         {"machine_values", hash_text(machine_hash)},
                         {"files", prepared.files},
                         {"duet", duet_}};
    run.work.id = hash_text(hash(run.work.identity.dump()));
    plan_.runs.push_back(std::move(run));
  } catch (const Error& error) {
    std::string settings_text;
    for (const Setting& setting : settings)
      settings_text += fmt::format(", {} = {}", setting.key, setting.text);
    throw Error(fmt::format("{}: program {}{}: {}", file_.path.string(), prepared.program->name,
                            settings_text, error.what()));
  }

  // "--set: KEY = 8 does nothing: ...": once for all values of an axis.
  static std::string without_value(std::string line) {
    const auto begin = line.find(" = "), end = line.find(" does nothing");
    if (begin != std::string::npos && end != std::string::npos && begin < end) line.erase(begin, end - begin);
    return line;
  }

  // Strings without their quotes.
  static std::string cell(const std::string& axis, const std::vector<Setting>& settings,
                          const Machine& machine, const Values& values) {
    for (const Setting& setting : settings)
      if (setting.key == axis) return setting.text;
    if (axis == kMachineAxis) return fs::path(machine.name).stem();
    const auto value = values.find(axis);
    if (value == values.end()) return "";
    const std::string& text = value->second;
    return text.size() > 1 && text[0] == '"' ? text.substr(1, text.size() - 2) : text;
  }

  const config::Installation& installation_;
  const SweepFile& file_;
  const Knowledge& knowledge_;
  std::string duet_;
  std::map<std::string, Values> values_;
  std::set<std::string> remarks_;
  Plan plan_;
};

}  // namespace

nlohmann::json to_json(const Work& work) {
  return {{"number", work.number},
          {"id", work.id},
          {"identity", work.identity},
          {"directory", work.directory},
          {"words", work.words}};
}

Work work_of(const nlohmann::json& json) {
  return {json.at("number"), json.at("id"), json.at("identity"), json.at("directory"), json.at("words")};
}

Plan make_plan(const config::Installation& installation, const SweepFile& file, const Knowledge& knowledge) {
  return Planner(installation, file, knowledge).make();
}

bool is_counted(const std::string& statistic, const Plan& plan, const Knowledge& knowledge) {
  std::set<std::string> seen;
  const auto look = [&](const Run& run, bool with_sets) {
    const Strings sets = with_sets ? run.work.identity.at("sets").get<Strings>() : Strings();
    std::string key = run.work.words[1];
    for (const std::string& set : sets) key += '\n' + set;
    if (!seen.insert(key).second) return false;
    try {
      return knowledge.statistics(run.work.words[1], sets).contains(statistic);
    } catch (const Error&) {
      return false;  // a machine complete with its sets alone
    }
  };
  for (const bool with_sets : {false, true})
    for (const Run& run : plan.runs)
      if (look(run, with_sets)) return true;
  return false;
}

}  // namespace duet::sweep
