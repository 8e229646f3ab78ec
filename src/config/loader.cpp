#include "config/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <filesystem>
#include <map>
#include <set>

#include "base/error.h"
#include "config/derived.h"
#include "config/fields.h"
#include "config/machine_file.h"
#include "config/setting.h"

namespace duet::config {

namespace fs = std::filesystem;

namespace {

struct RawValue {
  toml::node* node;
  std::string_view source;
  const MachineFile* file;  // null: --set
  unsigned line;
  bool over_another = false;  // the file has a base with another value
  std::string where() const { return file != nullptr ? fmt::format("{}:{}", file->path, line) : "--set"; }
};

using RawValues = std::map<std::string, RawValue, std::less<>>;

bool has_keys(const RawValues& values, std::string_view prefix) {
  const auto first = values.lower_bound(prefix);
  return first != values.end() && first->first.starts_with(prefix);
}

bool is_of_a_link(std::string_view key) { return key.starts_with("link.") || key.starts_with("link["); }

bool same_value(const toml::node& one, const toml::node& other) {
  return one.value<std::int64_t>() == other.value<std::int64_t>() &&
         one.value<bool>() == other.value<bool>() && one.value<std::string>() == other.value<std::string>();
}

void flatten(const MachineFile& file, toml::table& table, const std::string& prefix, RawValues& values) {
  const bool has_base = file.table.contains("base");
  for (auto&& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    const unsigned line = node.source().begin.line;
    if (auto* inner = node.as_table()) {
      if (name == "link" && has_keys(values, "link["))
        throw Error(
            fmt::format("{}:{}: the base has several links: give all of them as [[link]]", file.path, line));
      flatten(file, *inner, name + ".", values);
      continue;
    }
    if (auto* list = node.as_array()) {
      if (name == "link") std::erase_if(values, [](const auto& value) { return is_of_a_link(value.first); });
      if (name == "level" || name == "method")
        std::erase_if(values, [&](const auto& value) { return value.first.starts_with(name + "["); });
      for (std::size_t i = 0; i < list->size(); ++i)
        flatten(file, *list->get_as<toml::table>(i),
                name == "link" && list->size() == 1 ? "link." : fmt::format("{}[{}].", name, i), values);
      continue;
    }
    const bool known = line != 0 && line <= file.comments.size();
    const std::string_view comment = known ? file.comments[line - 1] : std::string_view();
    const auto [value, is_first] = values.try_emplace(name);
    const bool over_another =
        has_base && (is_first || !same_value(*value->second.node, node) || value->second.over_another);
    value->second = {&node, comment, &file, line, over_another};
  }
}

std::string path_of(const std::string& name, const std::string& directory) {
  if (name.find('/') != std::string::npos || name.ends_with(".toml")) return name;
  const std::string path = directory + "/" + name + ".toml";
  if (fs::exists(path)) return path;
  std::string known;
  for (const auto& machine : list_machines(directory)) known += (known.empty() ? "" : ", ") + machine.name;
  throw Error(fmt::format("no machine '{}': known are {}; or give the path of a .toml file", name, known));
}

// The path of a machine named in a file.
std::string beside(const std::string& path, const std::string& name, const std::string& machines_directory) {
  const std::string near = fs::path(path).parent_path() / (name + ".toml");
  return fs::exists(near) ? near : path_of(name, machines_directory);
}

void assign(const Field& field, const RawValue& raw) {
  if (auto* const* number = std::get_if<std::uint64_t*>(&field.value)) {
    const auto value = raw.node->value_exact<std::int64_t>();
    if (!value)
      throw Error(fmt::format("{}: {} must be a whole number{}{}", raw.where(), field.key,
                              *field.unit ? " of " : "", field.unit));
    if (*value < 0 || static_cast<std::uint64_t>(*value) < field.minimum ||
        static_cast<std::uint64_t>(*value) > field.maximum)
      throw Error(fmt::format("{}: {} = {} is outside {} to {}", raw.where(), field.key, *value,
                              field.minimum, field.maximum));
    **number = static_cast<std::uint64_t>(*value);
  } else if (auto* const* flag = std::get_if<bool*>(&field.value)) {
    const auto value = raw.node->value_exact<bool>();
    if (!value) throw Error(fmt::format("{}: {} must be true or false", raw.where(), field.key));
    **flag = *value;
  } else {
    const auto value = raw.node->value_exact<std::string>();
    if (!value) throw Error(fmt::format("{}: {} must be a string in quotes", raw.where(), field.key));
    if (!field.names.empty() &&
        std::find(field.names.begin(), field.names.end(), *value) == field.names.end())
      throw Error(fmt::format("{}: {}", raw.where(), unknown_name(field.key, *value, field.names)));
    *std::get<std::string*>(field.value) = *value;
  }
}

std::string text_of(const Field& field) {
  if (auto* const* number = std::get_if<std::uint64_t*>(&field.value)) return std::to_string(**number);
  if (auto* const* flag = std::get_if<bool*>(&field.value)) return **flag ? "true" : "false";
  std::string quoted = "\"";
  for (const char c : *std::get<std::string*>(field.value)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

// The known key nearest to an unknown one, for the message.
std::string nearest_key(const std::string& key, const std::vector<Field>& fields) {
  std::string best;
  std::size_t best_distance = ~std::size_t{0};
  for (const Field& field : fields) {
    const std::string other = field.key;
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= key.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= other.size(); ++j) {
        const std::size_t above = row[j];
        row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (key[i - 1] != other[j - 1])});
        diagonal = above;
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = other;
    }
  }
  return best;
}

// "a=1,b=2" and "a=1 b=2" in two parts; both empty for one setting, or where the value is in quotes.
std::pair<std::string, std::string> two_settings(const std::string& set) {
  const auto again = set.find('=', set.find('=') + 1);
  if (again == std::string::npos || set.find_first_of("'\"") < again) return {};
  const auto second = set.find_last_of(", ;\t", again);
  if (second == std::string::npos || second + 1 == again) return {};
  const auto end = set.find_last_not_of(", ;\t", second);
  return {set.substr(0, end + 1), set.substr(second + 1)};
}

// The nodes with keys.
Topology nodes_of(const RawValues& values) {
  Topology topology;
  if (has_keys(values, "gpu.")) topology.gpu.emplace();
  if (has_keys(values, "cpu.")) topology.cpu.emplace();
  if (has_keys(values, "memory_fabric.")) topology.memory_fabric.emplace();
  if (has_keys(values, "translation.")) topology.translation.emplace();
  while (has_keys(values, fmt::format("level[{}].", topology.levels.size()))) topology.levels.emplace_back();
  while (has_keys(values, fmt::format("method[{}].", topology.methods.size())))
    topology.methods.emplace_back();
  while (has_keys(values, fmt::format("link[{}].", topology.links.size()))) topology.links.emplace_back();
  if (topology.links.empty() && has_keys(values, "link.")) topology.links.emplace_back();
  return topology;
}

// Every node: the nearest key to a wrong one may belong to any.
std::string unknown_key(const std::string& key, const RawValue& raw, Topology topology) {
  if (const std::string why = why_dropped(key); !why.empty())
    return fmt::format("{}: {} is no longer a key: {}", raw.where(), key, why);
  if (!topology.gpu && key.starts_with("driver."))
    return fmt::format("{}: {} belongs to a GPU, and there is no [gpu]", raw.where(), key);
  topology.gpu.emplace();
  topology.cpu.emplace();
  topology.memory_fabric.emplace();
  topology.translation.emplace();
  if (topology.levels.empty()) topology.levels.emplace_back();
  if (topology.methods.empty()) topology.methods.emplace_back();
  if (topology.links.empty()) topology.links.emplace_back();
  return fmt::format("{}: unknown key '{}' (nearest: {})", raw.where(), key,
                     nearest_key(key, fields_of(topology)));
}

void check_consistency(const Gpu& gpu, const std::vector<ResolvedValue>& values) {
  if (!std::has_single_bit(gpu.dram.page_bytes))
    refuse(values, "gpu.dram.page_bytes", "is not a power of two");
  if (gpu.sm.max_shared_bytes_per_block > gpu.sm.shared_bytes)
    refuse(values, "gpu.sm.max_shared_bytes_per_block",
           fmt::format("is larger than gpu.sm.shared_bytes = {}", gpu.sm.shared_bytes));
}

// The names of statistics begin with these, so no two may be alike.
void check_names(const std::vector<Level>& levels, const std::vector<ResolvedValue>& values) {
  std::set<std::string> names{
      "l1",         "l2", "sm", "dram", "link", "driver", "interconnect", "constant_cache", "memory_fabric",
      "translation"};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const std::string& name = levels[i].name;
    const bool is_name = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0;
    });
    if (!is_name || !names.insert(statistics_name(levels[i])).second)
      refuse(values, fmt::format("level[{}].name", i),
             "cannot be: a level's name is its own, of letters and digits, as L3");
  }
}

}  // namespace

namespace {

// A machine's files, the named one first.
std::vector<MachineFile> files_of(const std::string& name, const std::string& machines_directory) {
  std::vector<MachineFile> files;
  std::string path = path_of(name, machines_directory);
  for (;;) {
    for (const MachineFile& seen : files)
      if (fs::exists(path) && fs::equivalent(seen.path, path))
        throw Error(fmt::format("{}: base leads back to this file", path));
    files.push_back(read_machine_file(path));
    const auto* base = files.back().table.get("base");
    if (base == nullptr) return files;
    const auto base_name = base->value<std::string>();
    if (!base_name) throw Error(fmt::format("{}: base must be a machine's name in quotes", path));
    path = beside(path, *base_name, machines_directory);
  }
}

// The processor of another machine, for a file with cpu_of.
std::vector<MachineFile> processor_of(const std::vector<MachineFile>& files,
                                      const std::string& machines_directory) {
  for (const MachineFile& file : files) {
    const auto* other = file.table.get("cpu_of");
    if (other == nullptr) continue;
    const auto name = other->value<std::string>();
    if (!name) throw Error(fmt::format("{}: cpu_of must be a machine's name in quotes", file.path));
    std::vector<MachineFile> found =
        files_of(beside(file.path, *name, machines_directory), machines_directory);
    const bool any = std::any_of(found.begin(), found.end(),
                                 [](const MachineFile& one) { return one.table.contains("cpu"); });
    if (!any) throw Error(fmt::format("{}: cpu_of = \"{}\": that machine has no [cpu]", file.path, *name));
    for (MachineFile& one : found)
      for (auto key = one.table.begin(); key != one.table.end();)
        key = key->first.str() == "cpu" ? std::next(key) : one.table.erase(key);
    return found;
  }
  return {};
}

// gpu.l2.bytes, the size of all slices, stands for gpu.l2.sets; where no power of two of sets has the size,
// for gpu.l2.ways. The new value lives in `tables`.
void resolve_size_of_l2(RawValues& values, std::vector<toml::table>& tables) {
  const auto size = values.find(kSizeOfL2);
  if (size == values.end()) return;
  const RawValue raw = size->second;
  values.erase(size);
  const auto number = [&](const char* key) -> std::uint64_t {
    const auto at = values.find(key);
    const auto value = at == values.end() ? std::nullopt : at->second.node->value_exact<std::int64_t>();
    if (!value || *value <= 0) throw Error(fmt::format("{}: {} needs {}", raw.where(), kSizeOfL2, key));
    return static_cast<std::uint64_t>(*value);
  };
  const auto bytes = raw.node->value_exact<std::int64_t>();
  if (!bytes || *bytes <= 0)
    throw Error(fmt::format("{}: {} must be a whole number of B", raw.where(), kSizeOfL2));
  const auto wanted = static_cast<std::uint64_t>(*bytes);
  const std::uint64_t slices = number("gpu.l2_slices"), sets = number("gpu.l2.sets"),
                      ways = number("gpu.l2.ways"), line = number("gpu.l2.line_bytes");
  const std::uint64_t of_a_set = slices * ways * line, of_a_way = slices * sets * line;
  const bool by_sets = wanted % of_a_set == 0 && std::has_single_bit(wanted / of_a_set);
  if (!by_sets && wanted % of_a_way != 0) {
    const std::uint64_t below = wanted / of_a_way * of_a_way;
    throw Error(fmt::format("{}: {} = {} cannot be: with {} slices, {} sets and lines of {} B it is {}{}",
                            raw.where(), kSizeOfL2, wanted, slices, sets, line,
                            below != 0 ? fmt::format("{} or ", below) : "", below + of_a_way));
  }
  const char* const key = by_sets ? "gpu.l2.sets" : "gpu.l2.ways";
  tables.push_back(toml::parse(fmt::format("v = {}", by_sets ? wanted / of_a_set : wanted / of_a_way)));
  RawValue value = raw;
  value.node = tables.back().get("v");
  values[key] = value;
}

}  // namespace

ResolvedTopology load_topology(const std::string& name, const std::string& machines_directory,
                               const std::vector<std::string>& sets) {
  std::vector<MachineFile> files = files_of(name, machines_directory);
  std::vector<MachineFile> processor = processor_of(files, machines_directory);
  RawValues values;
  for (auto* some : {&processor, &files})
    for (auto file = some->rbegin(); file != some->rend(); ++file) flatten(*file, file->table, "", values);
  values.erase("cpu_of");
  values.erase("base");

  std::vector<toml::table> set_tables;
  set_tables.reserve(sets.size() + 1);
  for (const std::string& set : sets) {
    const auto equals = set.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("--set {}: write key=value", set));
    const std::string key = set.substr(0, equals);
    const std::string value = set.substr(equals + 1);
    if (const auto [first, second] = two_settings(set); !second.empty())
      throw Error(
          fmt::format("--set {}: each --set takes one key: write --set {} --set {}", set, first, second));
    auto parses = [&](const std::string& text) {
      if (!is_value(text)) return false;
      try {
        set_tables.push_back(toml::parse("v = " + text));
        return true;
      } catch (const toml::parse_error&) {
        return false;
      }
    };
    if (!parses(value) && !parses("'" + value + "'"))
      throw Error(fmt::format("--set {}: cannot read the value", set));
    values[key] = {set_tables.back().get("v"), "--set", nullptr, 0, true};
  }

  resolve_size_of_l2(values, set_tables);
  ResolvedTopology resolved{nodes_of(values), {}};
  const std::vector<Field> fields = fields_of(resolved.topology);
  std::vector<std::string_view> known;
  for (const Field& field : fields) known.push_back(field.key);
  std::sort(known.begin(), known.end());
  for (const auto& [key, raw] : values)
    if (!std::binary_search(known.begin(), known.end(), key))
      throw Error(unknown_key(key, raw, resolved.topology));
  resolved.values.reserve(fields.size());
  for (const Field& field : fields) {
    const auto found = values.find(field.key);
    if (found == values.end())
      throw Error(
          fmt::format("{}: key {} is missing ({})", files.front().path, field.key, field.description));
    const RawValue& raw = found->second;
    assign(field, raw);
    resolved.values.push_back({field.key, text_of(field), field.unit, field.description,
                               std::string(raw.source), raw.file != nullptr ? raw.file->name : "--set",
                               raw.where(),
                               raw.file == nullptr ? SetBy::CommandLine
                               : raw.over_another  ? SetBy::FileOverAnother
                                                   : SetBy::Machine});
  }
  check_names(resolved.topology.levels, resolved.values);
  if (resolved.topology.gpu) check_consistency(*resolved.topology.gpu, resolved.values);
  return resolved;
}

ResolvedMachine load_machine(const std::string& name, const std::string& machines_directory,
                             const std::vector<std::string>& sets) {
  auto [nodes, values] = load_topology(name, machines_directory, sets);
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("machine {} cannot be built: {}", nodes.name, what));
  };
  if (!nodes.gpu) refuse("it has no [gpu]");
  if (nodes.links.empty()) refuse("it has no [link] between host and GPU");
  if (nodes.links.size() > 1)
    refuse(fmt::format("link[1] \"{}\": there can be one link", nodes.links[1].name));
  return {{nodes.name, nodes.description, *nodes.gpu, nodes.cpu, nodes.memory_fabric, nodes.translation,
           nodes.levels, nodes.methods, nodes.links[0], nodes.driver, nodes.host},
          std::move(values)};
}

constexpr std::size_t kCommentColumn = 44;

namespace {
std::string remark_of(const ResolvedValue& value, Remarks remarks) {
  if (remarks == Remarks::Sources) return value.source.empty() ? value.description : value.source;
  std::string text;
  for (const std::string* part : {&value.unit, &value.description, &value.source})
    if (!part->empty()) text += (text.empty() ? "" : " | ") + *part;
  return text;
}
}  // namespace

std::string to_toml(const std::vector<ResolvedValue>& values, Remarks remarks) {
  std::string text = remarks == Remarks::All
                         ? "# Resolved machine file: every key with its unit, description and source.\n"
                         : "# Resolved machine file: every key with its source.\n";
  // A table stands in the file once, where its first key comes.
  struct Table {
    std::string_view name;
    std::vector<const ResolvedValue*> values;
  };
  std::vector<Table> tables;
  for (const ResolvedValue& value : values) {
    const auto dot = value.key.rfind('.');
    const std::string_view name(value.key.data(), dot == std::string::npos ? 0 : dot);
    auto table = std::find_if(tables.rbegin(), tables.rend(), [&](const Table& t) { return t.name == name; });
    if (table == tables.rend()) {
      tables.push_back({name, {}});
      table = tables.rbegin();
    }
    table->values.push_back(&value);
  }
  for (const Table& table : tables) {
    // "level[0]" is [[level]], "level[0].interconnect" a table of the last [[level]].
    const auto open = table.name.find('['), close = table.name.find(']');
    if (open != std::string_view::npos && close + 1 == table.name.size())
      text += fmt::format("\n[[{}]]\n", table.name.substr(0, open));
    else if (open != std::string_view::npos)
      text += fmt::format("\n[{}{}]\n", table.name.substr(0, open), table.name.substr(close + 1));
    else if (!table.name.empty())
      text += fmt::format("\n[{}]\n", table.name);
    for (const ResolvedValue* value : table.values) {
      const std::size_t line = text.size();
      text.append(value->key, table.name.empty() ? 0 : table.name.size() + 1);
      text.append(" = ").append(value->text);
      const std::size_t width = text.size() - line;
      text.append(width < kCommentColumn ? kCommentColumn - width : 0, ' ');
      text.append(" # ").append(remark_of(*value, remarks)) += '\n';
    }
  }
  return text;
}

std::vector<MachineName> list_machines(const std::string& machines_directory) {
  std::vector<MachineName> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(machines_directory, error)) {
    if (entry.path().extension() != ".toml") continue;
    MachineFile file = read_machine_file(entry.path());
    names.push_back({entry.path().stem(), file.table["description"].value_or<std::string>("")});
  }
  if (error)
    throw Error(fmt::format("cannot read the machines in {}: {}", machines_directory, error.message()));
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return names;
}

}  // namespace duet::config
