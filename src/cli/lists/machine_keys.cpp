// `duet machines keys`: every possible key of a machine file. `--markdown` writes the page.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/options/json_output.h"
#include "config/derived.h"
#include "config/fields.h"
#include "config/loader.h"
#include "gpu/sm/warp_scheduler.h"
#include "machine/rules/idle_keys.h"

namespace duet::cli {

namespace {

struct Key {
  std::string name, unit, range, description;
  std::string read_by = {};  // empty: both GPUs
  std::set<std::string> idle_where = {};

  std::string node() const {
    const std::size_t dot = name.find('.'), second = name.find('.', dot + 1);
    if (dot == std::string::npos) return "the machine";
    return name.substr(0, name.starts_with("gpu.") && second != std::string::npos ? second : dot);
  }
};

// Of whichever level or link: level[0].sets is level[N].sets.
std::string of_any(std::string key) {
  if (const std::size_t bracket = key.find('['); bracket != std::string::npos)
    key.replace(bracket + 1, key.find(']') - bracket - 1, "N");
  if (key.starts_with("link.")) key.insert(4, "[N]");
  return key;
}

std::string range_of(const config::Field& field) {
  std::string text;
  if (field.key == "gpu.sm.scheduler")  // a policy lists itself
    for (const std::string& name : gpu::WarpScheduler::names())
      text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name);
  for (const std::string_view name : field.names)
    text += fmt::format("{}\"{}\"", text.empty() ? "" : ", ", name);
  if (!text.empty()) return text;
  if (std::holds_alternative<bool*>(field.value)) return "true, false";
  if (std::holds_alternative<std::string*>(field.value)) return "text";
  return fmt::format("{} to {}", field.minimum, field.maximum);
}

class Keys {
 public:
  void add(config::Topology machine) {
    for (const config::Field& field : config::fields_of(machine)) {
      const std::string name = of_any(field.key);
      const auto [place, is_new] = places_.try_emplace(name, keys_.size());
      if (is_new) keys_.push_back({name, field.unit, range_of(field), field.description});
    }
  }
  // Adds the use of keys by a buildable machine.
  void add_use(const config::ResolvedMachine& machine) {
    using machine::OnCores;
    for (const config::ResolvedValue& value : machine.values) {
      const auto place = places_.find(of_any(value.key));
      if (place == places_.end()) continue;  // name, description
      Key& key = keys_[place->second];
      const auto why = [&](bool functional, OnCores on_cores) {
        return machine::why_idle(machine.machine, value.key, functional, on_cores);
      };
      const std::string timed = why(false, OnCores::Host);
      if (why(false, OnCores::Nothing).starts_with("only a program on the machine's cores"))
        key.read_by = "cores";
      else if (why(true, OnCores::Host).starts_with("the functional GPU does not"))
        key.read_by = "timed GPU";
      else if (timed.starts_with("only the functional GPU"))
        key.read_by = "functional GPU";
      if (!timed.empty() && key.read_by != "functional GPU") key.idle_where.insert(timed);
    }
  }
  void add(Key key) { keys_.push_back(std::move(key)); }
  const std::vector<Key>& all() const { return keys_; }

 private:
  std::vector<Key> keys_;
  std::map<std::string, std::size_t> places_;
};

Keys keys_of_all_machines(const config::Installation& installation) {
  const std::string& directory = installation.machines_directory;
  std::vector<std::string> names;
  for (const config::MachineName& machine : config::list_machines(directory)) names.push_back(machine.name);
  // The default machine has its keys first, in its order.
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name == RunOptions().machine; });
  Keys keys;
  for (const std::string& name : names) keys.add(config::load_topology(name, directory).topology);
  for (const std::string& name : names) {
    const config::Topology machine = config::load_topology(name, directory).topology;
    if (machine.gpu && machine.links.size() == 1) keys.add_use(config::load_machine(name, directory));
  }
  keys.add({config::kSizeOfL2, "B", "a size that sets or ways can have",
            "of all slices: stands for gpu.l2.sets, or, where no power of two of sets has it, gpu.l2.ways"});
  return keys;
}

constexpr const char* kKeysHead =
    "# Keys of machine files\n\n"
    "Every key that a machine file may have, and `--set KEY=VALUE` changes. This page is what `duet machines "
    "keys\n"
    "--markdown` writes. What a machine says, and where its number comes from: `duet machines show NAME`. "
    "`level[N]`\n"
    "stands for level[0], level[1] and so on, the first the nearest to the GPU, `method[N]` for a row of\n"
    "`[[method]]`; a machine with one link writes\n"
    "`link.KEY`.\n\n"
    "*read by*: nothing there: both GPUs. *timed GPU*: not with `--functional`. *cores*: only with a program "
    "on the\n"
    "machine's cores (`--host simulated`, `--preexec`, `--cpu-blocks`). The last column says where a key "
    "does "
    "nothing,\n"
    "as far as machines that come with Duet have such a place; who sets one there is told.\n";

std::string idle_text(const Key& key) {
  std::string text;
  for (const std::string& where : key.idle_where) text += (text.empty() ? "" : "; ") + where;
  return text;
}

void print_markdown(const std::vector<Key>& keys) {
  std::fputs(kKeysHead, stdout);
  std::vector<std::string> nodes;
  std::map<std::string, std::string> tables;
  for (const Key& key : keys) {
    if (!tables.contains(key.node())) nodes.push_back(key.node());
    tables[key.node()] += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", key.name, key.range, key.unit,
                                      key.description, key.read_by, idle_text(key));
  }
  for (const std::string& node : nodes)
    fmt::print(
        "\n## {}\n\n| key | values | unit | what | read by | does nothing where "
        "|\n|---|---|---|---|---|---|\n{}",
        node, tables[node]);
}

}  // namespace

int list_keys(const config::Installation& installation, const std::string& within, bool markdown,
              const std::string& json) {
  const JsonOutput output(json, JsonOutput::Rest::Nowhere);
  const Keys keys = keys_of_all_machines(installation);
  if (markdown) {
    print_markdown(keys.all());
    return 0;
  }
  std::size_t shown = 0, width = 0;
  for (const Key& key : keys.all()) width = std::max(width, key.name.size());
  for (const Key& key : keys.all()) {
    if (key.name.find(within) == std::string::npos) continue;
    ++shown;
    fmt::print("{:<{}}  {}{}{}  {}{}\n", key.name, width, key.range, key.unit.empty() ? "" : " ", key.unit,
               key.description, key.read_by.empty() ? "" : fmt::format(" ({} only)", key.read_by));
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Key& key : keys.all())
    if (key.name.find(within) != std::string::npos)
      list.push_back({{"key", key.name},
                      {"values", key.range},
                      {"unit", key.unit},
                      {"description", key.description},
                      {"read_by", key.read_by},
                      {"idle_where", key.idle_where}});
  output.write(list.dump(1));
  if (shown == 0) throw Error(fmt::format("machines: no key has '{}' in its name", within));
  return 0;
}

}  // namespace duet::cli
