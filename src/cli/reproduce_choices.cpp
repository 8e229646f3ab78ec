#include "cli/reproduce_choices.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "base/error.h"

namespace duet::cli {

namespace {

[[noreturn]] void refuse(const toml::node& where, const std::string& what) {
  throw Error(fmt::format("{}:{}: {}", *where.source().path, where.source().begin.line, what));
}

std::vector<std::string> words(const toml::table& table, const char* key) {
  std::vector<std::string> result;
  const toml::node* node = table.get(key);
  if (node == nullptr) return result;
  if (node->as_array() == nullptr) refuse(*node, fmt::format("'{}' must be a list of strings", key));
  for (const toml::node& word : *node->as_array()) {
    if (!word.is_string()) refuse(word, fmt::format("'{}' must be a list of strings", key));
    result.push_back(word.as_string()->get());
  }
  return result;
}

void check_keys(const toml::table& table, std::initializer_list<const char*> known) {
  for (const auto& [key, node] : table)
    if (std::none_of(known.begin(), known.end(), [&](const char* name) { return key == name; }))
      refuse(node, fmt::format("unknown key '{}'", key.str()));
}

std::string text(const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (node == nullptr || !node->is_string())
    refuse(table, fmt::format("a choice needs the string '{}'", key));
  return node->as_string()->get();
}

ChoiceSide side(const toml::table& choice, const char* name, const char* details) {
  ChoiceSide result{text(choice, name), {}, {}, {}};
  const toml::node* node = choice.get(details);
  if (node == nullptr) return result;
  if (!node->is_table()) refuse(*node, fmt::format("'{}' must be a table", details));
  const toml::table& table = *node->as_table();
  check_keys(table, {"options", "sets", "defines"});
  result.options = words(table, "options");
  result.sets = words(table, "sets");
  result.defines = words(table, "defines");
  return result;
}

}  // namespace

bool Choice::concerns(const std::string& benchmark) const {
  return benchmarks.empty() || std::find(benchmarks.begin(), benchmarks.end(), benchmark) != benchmarks.end();
}

std::vector<Choice> read_choices(const std::string& path) {
  toml::table file;
  try {
    file = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    throw Error(fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
  }
  check_keys(file, {"choice"});
  std::vector<Choice> choices;
  if (file.get_as<toml::array>("choice") == nullptr) return choices;
  for (const toml::node& node : *file.get_as<toml::array>("choice")) {
    if (!node.is_table()) refuse(node, "a choice must be a table");
    const toml::table& table = *node.as_table();
    check_keys(table, {"id", "question", "value", "alternative", "reason", "benchmarks", "on_value",
                       "on_alternative", "scope"});
    Choice& choice = choices.emplace_back();
    choice.id = text(table, "id");
    choice.question = text(table, "question");
    choice.reason = text(table, "reason");
    choice.value = side(table, "value", "on_value");
    choice.alternative = side(table, "alternative", "on_alternative");
    choice.benchmarks = words(table, "benchmarks");
    if (table.get("scope") != nullptr) {
      if (text(table, "scope") != "full-empty") refuse(*table.get("scope"), "'scope' can only be full-empty");
      choice.full_empty_only = true;
    }
  }
  return choices;
}

}  // namespace duet::cli
