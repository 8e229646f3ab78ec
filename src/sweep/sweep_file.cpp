#include "sweep/sweep_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

#include "base/error.h"

namespace duet::sweep {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const toml::node& where, const std::string& what) {
  throw Error(fmt::format("{}:{}: {}", *where.source().path, where.source().begin.line, what));
}

std::string place(const toml::node& node) {
  return fmt::format("{}:{}", *node.source().path, node.source().begin.line);
}

void check_keys(const toml::table& table, std::initializer_list<const char*> known, const char* of) {
  for (const auto& [key, node] : table) {
    if (std::any_of(known.begin(), known.end(), [&](const char* name) { return key == name; })) continue;
    std::string names;
    for (const char* name : known) names += (names.empty() ? "" : ", ") + std::string(name);
    refuse(node, fmt::format("unknown key '{}' {}: there are {}", key.str(), of, names));
  }
}

Strings words(const toml::table& table, const char* key) {
  Strings result;
  const toml::node* node = table.get(key);
  if (node == nullptr) return result;
  const std::string what = fmt::format("'{}' must be a list of strings", key);
  if (!node->is_array()) refuse(*node, what);
  for (const toml::node& word : *node->as_array()) {
    if (!word.is_string()) refuse(word, what);
    result.push_back(word.as_string()->get());
  }
  return result;
}

std::string text_or(const toml::table& table, const char* key, const std::string& otherwise) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return otherwise;
  if (!node->is_string() || node->as_string()->get().empty())
    refuse(*node, fmt::format("'{}' must be a string", key));
  return node->as_string()->get();
}

Setting setting(const std::string& key, const toml::node& node) {
  if (key == kMachineAxis && !node.is_string())
    refuse(node, "machine: a name (`duet machines`) or a .toml file in quotes");
  if (const auto* number = node.as_integer())
    return {key, std::to_string(number->get()), std::to_string(number->get())};
  if (const auto* flag = node.as_boolean()) {
    const std::string text = flag->get() ? "true" : "false";
    return {key, text, text};
  }
  if (const auto* text = node.as_string()) {
    if (text->get().find_first_of("'\n\r") != std::string::npos)
      refuse(node, fmt::format("{}: no key of a machine takes this string", key));
    return {key, text->get(), "'" + text->get() + "'"};
  }
  refuse(node, fmt::format("{}: a value is a whole number, true, false or a string", key));
}

// Tables within tables, their keys joined by dots, in the file's order.
void flatten(const toml::table& table, const std::string& prefix,
             std::vector<std::pair<std::string, const toml::node*>>& all) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (node.is_table())
      flatten(*node.as_table(), name + ".", all);
    else
      all.emplace_back(name, &node);
  }
}

std::vector<std::pair<std::string, const toml::node*>> flat(const toml::table& table) {
  std::vector<std::pair<std::string, const toml::node*>> all;
  flatten(table, "", all);
  const auto position = [](const toml::node* node) {
    return std::pair(node->source().begin.line, node->source().begin.column);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return position(a.second) < position(b.second); });
  return all;
}

// Numbers by their value, whatever the order in the file; other values stay as they are.
void in_order(std::vector<Setting>& values) {
  const auto number = [](const Setting& value) {
    char* end = nullptr;
    const double one = std::strtod(value.text.c_str(), &end);
    return value.text.empty() || *end != '\0' ? std::nullopt : std::optional(one);
  };
  if (std::all_of(values.begin(), values.end(),
                  [&](const Setting& value) { return number(value).has_value(); }))
    std::stable_sort(values.begin(), values.end(),
                     [&](const Setting& a, const Setting& b) { return *number(a) < *number(b); });
}

std::vector<Axis> read_grid(const toml::table& file) {
  std::vector<Axis> grid;
  const toml::node* node = file.get("grid");
  if (node == nullptr) return grid;
  if (!node->is_table()) refuse(*node, "'grid' must be a table: [grid]");
  for (const auto& [key, list] : flat(*node->as_table())) {
    if (!list->is_array() || list->as_array()->empty())
      refuse(*list, fmt::format("{}: give its values as a list, {} = [1, 2]", key, key));
    Axis axis{key, {}};
    std::set<std::string> seen;
    for (const toml::node& value : *list->as_array()) {
      axis.values.push_back(setting(key, value));
      if (!seen.insert(axis.values.back().set).second)
        refuse(value, fmt::format("{}: {} is there twice", key, axis.values.back().text));
    }
    in_order(axis.values);
    grid.push_back(std::move(axis));
  }
  return grid;
}

// The tables of a [[name]].
std::vector<const toml::table*> tables(const toml::table& file, const char* name) {
  std::vector<const toml::table*> result;
  const toml::node* node = file.get(name);
  if (node == nullptr) return result;
  if (!node->is_array()) refuse(*node, fmt::format("write [[{}]]", name));
  for (const toml::node& one : *node->as_array()) {
    if (!one.is_table()) refuse(one, fmt::format("write [[{}]]", name));
    result.push_back(one.as_table());
  }
  return result;
}

Program read_program(const toml::table& table) {
  check_keys(table, {"name", "command", "options", "inputs"}, "of a program");
  Program program{text_or(table, "name", ""), words(table, "command"), words(table, "options"),
                  words(table, "inputs"), place(table)};
  if (program.command.empty() || program.command[0].empty())
    refuse(table, "a program needs a command: command = [\"./app\", \"--size\", \"64\"]");
  if (program.name.empty()) program.name = fs::path(program.command[0]).stem();
  for (const std::string& option : program.options) {
    const std::string name = option.substr(0, option.find('='));
    const bool is_ours = name == "--machine" || name == "--set" || name == "--out" || name == "--quiet" ||
                         name == "--no-html" || (option.size() > 1 && option[0] == '-' && option[1] != '-');
    if (is_ours)
      refuse(*table.get("options"), fmt::format("options: {} is the sweep's own: machine, base_sets, [grid] "
                                                "and --out of duet sweep say that",
                                                option));
  }
  return program;
}

Point read_point(const toml::table& table, const std::vector<Program>& programs) {
  Point point;
  for (const auto& [key, node] : flat(table)) {
    if (key != "program") {
      point.settings.push_back(setting(key, *node));
      continue;
    }
    point.program = text_or(table, "program", "");
    if (std::none_of(programs.begin(), programs.end(),
                     [&](const Program& program) { return program.name == point.program; }))
      refuse(*node, fmt::format("there is no program '{}'", point.program));
  }
  return point;
}

void read_results(const toml::table& file, SweepFile& result) {
  const toml::node* node = file.get("results");
  if (node == nullptr) return;
  if (!node->is_table()) refuse(*node, "'results' must be a table: [results]");
  const toml::table& table = *node->as_table();
  check_keys(table, {"columns", "pareto"}, "of [results]");
  result.columns = words(table, "columns");
  result.pareto = words(table, "pareto");
}

}  // namespace

SweepFile read_sweep_file(const std::string& path) {
  if (!fs::is_regular_file(path)) throw Error(fmt::format("sweep: there is no file {}", path));
  toml::table file;
  try {
    file = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
  }
  check_keys(file, {"machine", "base_sets", "program", "grid", "point", "results"}, "of a sweep");
  SweepFile result;
  result.path = path;
  result.folder = fs::absolute(path).lexically_normal().parent_path();
  result.machine = text_or(file, "machine", result.machine);
  result.base_sets = words(file, "base_sets");
  std::set<std::string> names;
  for (const toml::table* table : tables(file, "program")) {
    result.programs.push_back(read_program(*table));
    if (!names.insert(result.programs.back().name).second)
      refuse(*table,
             fmt::format("two programs are called '{}': give them names", result.programs.back().name));
  }
  if (result.programs.empty()) throw Error(fmt::format("{}: there is no [[program]]", path));
  result.grid = read_grid(file);
  for (const toml::table* table : tables(file, "point"))
    result.points.push_back(read_point(*table, result.programs));
  read_results(file, result);
  return result;
}

}  // namespace duet::sweep
