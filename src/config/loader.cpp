// Reads machine files with toml++; the comments, which toml++ drops, are taken from the lines of the values.
#include "config/loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "base/error.h"
#include "config/fields.h"

namespace duet::config {

namespace fs = std::filesystem;

namespace {

struct RawValue {
  toml::node* node;
  std::string source;
  std::string file;
  unsigned line;
};

struct File {
  std::string path;
  toml::table table;
  std::vector<std::string> lines;
};

File read_file(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw Error(fmt::format("cannot read machine file {}", path));
  std::stringstream text;
  text << in.rdbuf();
  File file{path, {}, {}};
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);) file.lines.push_back(line);
  try {
    file.table = toml::parse(text.str(), path);
  } catch (const toml::parse_error& e) {
    throw Error(fmt::format("{}:{}: {}", path, e.source().begin.line, e.description()));
  }
  return file;
}

// The comment behind a value: the first '#' outside quotes.
std::string comment_of(const std::string& line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') quoted = !quoted;
    if (line[i] == '#' && !quoted) {
      const auto first = line.find_first_not_of("# \t", i);
      return first == std::string::npos ? "" : line.substr(first);
    }
  }
  return {};
}

void flatten(File& file, toml::table& table, const std::string& prefix,
             std::map<std::string, RawValue>& values) {
  for (auto&& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (auto* inner = node.as_table()) {
      flatten(file, *inner, name + ".", values);
      continue;
    }
    const unsigned line = node.source().begin.line;
    values[name] = {&node, line != 0 && line <= file.lines.size() ? comment_of(file.lines[line - 1]) : "",
                    file.path, line};
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

void assign(const Field& field, const RawValue& raw, const std::string& where) {
  if (auto* const* number = std::get_if<std::uint64_t*>(&field.value)) {
    const auto value = raw.node->value_exact<std::int64_t>();
    if (!value)
      throw Error(fmt::format("{}: {} must be a whole number{}{}", where, field.key,
                              *field.unit ? " of " : "", field.unit));
    if (*value < 0 || static_cast<std::uint64_t>(*value) < field.minimum ||
        static_cast<std::uint64_t>(*value) > field.maximum)
      throw Error(fmt::format("{}: {} = {} is outside {} to {}", where, field.key, *value, field.minimum,
                              field.maximum));
    **number = static_cast<std::uint64_t>(*value);
  } else if (auto* const* flag = std::get_if<bool*>(&field.value)) {
    const auto value = raw.node->value_exact<bool>();
    if (!value) throw Error(fmt::format("{}: {} must be true or false", where, field.key));
    **flag = *value;
  } else {
    const auto value = raw.node->value_exact<std::string>();
    if (!value) throw Error(fmt::format("{}: {} must be a string in quotes", where, field.key));
    if (field.choices != nullptr &&
        ("|" + std::string(field.choices) + "|").find("|" + *value + "|") == std::string::npos)
      throw Error(fmt::format("{}: {} must be one of {}", where, field.key, field.choices));
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

// The known key that differs least from an unknown one, for the message.
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

void check_consistency(const Machine& m) {
  if (!std::has_single_bit(m.gpu.dram.page_bytes))
    throw Error(fmt::format("machine {}: gpu.dram.page_bytes = {} is not a power of two", m.name,
                            m.gpu.dram.page_bytes));
  if (m.gpu.sm.max_shared_bytes_per_block > m.gpu.sm.shared_bytes)
    throw Error(fmt::format(
        "machine {}: gpu.sm.max_shared_bytes_per_block is larger than gpu.sm.shared_bytes", m.name));
}

}  // namespace

ResolvedMachine load_machine(const std::string& name, const std::string& machines_directory,
                             const std::vector<std::string>& sets) {
  std::vector<File> files;
  std::string path = path_of(name, machines_directory);
  for (;;) {
    for (const File& seen : files)
      if (fs::exists(path) && fs::equivalent(seen.path, path))
        throw Error(fmt::format("{}: base leads back to this file", path));
    files.push_back(read_file(path));
    const auto* base = files.back().table.get("base");
    if (base == nullptr) break;
    const auto base_name = base->value<std::string>();
    if (!base_name) throw Error(fmt::format("{}: base must be a machine's name in quotes", path));
    const std::string beside = fs::path(path).parent_path() / (*base_name + ".toml");
    path = fs::exists(beside) ? beside : path_of(*base_name, machines_directory);
  }
  std::map<std::string, RawValue> values;
  for (auto file = files.rbegin(); file != files.rend(); ++file) flatten(*file, file->table, "", values);
  values.erase("base");

  std::vector<toml::table> set_tables;
  set_tables.reserve(sets.size());
  for (const std::string& set : sets) {
    const auto equals = set.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Error(fmt::format("--set {}: write key=value", set));
    const std::string key = set.substr(0, equals);
    std::string value = set.substr(equals + 1);
    auto parses = [&](const std::string& text) {
      try {
        set_tables.push_back(toml::parse("v = " + text));
        return true;
      } catch (const toml::parse_error&) {
        return false;
      }
    };
    if (!parses(value) && !parses("'" + value + "'"))
      throw Error(fmt::format("--set {}: cannot read the value", set));
    values[key] = {set_tables.back().get("v"), "--set", "--set", 0};
  }

  ResolvedMachine resolved;
  const std::vector<Field> fields = fields_of(resolved.machine);
  for (const auto& [key, raw] : values) {
    const bool known =
        std::any_of(fields.begin(), fields.end(), [&](const Field& f) { return f.key == key; });
    if (known) continue;
    const std::string where = raw.line != 0 ? fmt::format("{}:{}", raw.file, raw.line) : "--set";
    throw Error(fmt::format("{}: unknown key '{}' (nearest: {})", where, key, nearest_key(key, fields)));
  }
  for (const Field& field : fields) {
    const auto found = values.find(field.key);
    if (found == values.end())
      throw Error(
          fmt::format("{}: key {} is missing ({})", files.front().path, field.key, field.description));
    const RawValue& raw = found->second;
    assign(field, raw, raw.line != 0 ? fmt::format("{}:{}", raw.file, raw.line) : "--set");
    const std::string file = raw.line != 0 ? fs::path(raw.file).filename().string() : raw.file;
    resolved.values.push_back({field.key, text_of(field), field.unit, field.description, raw.source, file});
  }
  check_consistency(resolved.machine);
  return resolved;
}

std::string to_toml(const ResolvedMachine& resolved) {
  std::string text = "# Resolved machine file: every key with its unit, description and source.\n";
  // A table stands in the file once, where its first key comes.
  const auto table_of = [](const std::string& key) {
    const auto dot = key.rfind('.');
    return dot == std::string::npos ? std::string() : key.substr(0, dot);
  };
  std::vector<std::string> tables;
  for (const ResolvedValue& value : resolved.values)
    if (std::find(tables.begin(), tables.end(), table_of(value.key)) == tables.end())
      tables.push_back(table_of(value.key));
  for (const std::string& table : tables) {
    if (!table.empty()) text += fmt::format("\n[{}]\n", table);
    for (const ResolvedValue& value : resolved.values) {
      if (table_of(value.key) != table) continue;
      const std::string key = table.empty() ? value.key : value.key.substr(table.size() + 1);
      const std::string comment = value.source.empty() ? value.description : value.source;
      text += fmt::format("{:<44} # {}\n", fmt::format("{} = {}", key, value.text), comment);
    }
  }
  return text;
}

std::vector<MachineName> list_machines(const std::string& machines_directory) {
  std::vector<MachineName> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(machines_directory, error)) {
    if (entry.path().extension() != ".toml") continue;
    File file = read_file(entry.path());
    names.push_back({entry.path().stem(), file.table["description"].value_or<std::string>("")});
  }
  if (error)
    throw Error(fmt::format("cannot read the machines in {}: {}", machines_directory, error.message()));
  std::sort(names.begin(), names.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return names;
}

}  // namespace duet::config
