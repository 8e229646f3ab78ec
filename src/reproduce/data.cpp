#include "reproduce/data.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <limits>

#include "base/error.h"

namespace duet::reproduce {

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
  if (node == nullptr || !node->is_string()) refuse(table, fmt::format("the string '{}' is missing", key));
  return node->as_string()->get();
}

std::string text_or_none(const toml::table& table, const char* key) {
  return table.get(key) == nullptr ? std::string() : text(table, key);
}

std::optional<double> number(const toml::table& table, const char* key) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return std::nullopt;
  const std::optional<double> value = node->value<double>();
  if (!value) refuse(*node, fmt::format("'{}' must be a number", key));
  return value;
}

Setup setup(const toml::table& table) {
  return {text_or_none(table, "machine"), words(table, "sets"),          words(table, "options"),
          words(table, "preexec"),        text_or_none(table, "choice"), words(table, "benchmarks")};
}

const toml::table* table_or_null(const toml::table& of, const char* key) {
  const toml::node* node = of.get(key);
  if (node != nullptr && !node->is_table()) refuse(*node, fmt::format("'{}' must be a table", key));
  return node == nullptr ? nullptr : node->as_table();
}

// A file with one array of tables.
class ArrayFile {
 public:
  ArrayFile(const std::string& path, const char* array) {
    try {
      file_ = toml::parse_file(path);
    } catch (const toml::parse_error& error) {
      throw Error(fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
    }
    check_keys(file_, {array});
    if (file_.get_as<toml::array>(array) == nullptr) return;
    for (const toml::node& node : *file_.get_as<toml::array>(array)) {
      if (!node.is_table()) refuse(node, fmt::format("a {} must be a table", array));
      tables_.push_back(node.as_table());
    }
  }
  // In the file, not copied: a copy does not know its line.
  const std::vector<const toml::table*>& tables() const { return tables_; }

 private:
  toml::table file_;
  std::vector<const toml::table*> tables_;
};

ChoiceSide side(const toml::table& choice, const char* name, const char* details) {
  ChoiceSide result{text(choice, name), {}, {}, {}, {}};
  const toml::table* table = table_or_null(choice, details);
  if (table == nullptr) return result;
  check_keys(*table, {"options", "sets", "defines", "preexec"});
  result.options = words(*table, "options");
  result.sets = words(*table, "sets");
  result.defines = words(*table, "defines");
  result.preexec = words(*table, "preexec");
  return result;
}

}  // namespace

bool Choice::concerns(const std::string& benchmark) const {
  return benchmarks.empty() || std::find(benchmarks.begin(), benchmarks.end(), benchmark) != benchmarks.end();
}

std::vector<Choice> read_choices(const std::string& path) {
  std::vector<Choice> choices;
  const ArrayFile file(path, "choice");
  for (const toml::table* of_choice : file.tables()) {
    const toml::table& table = *of_choice;
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

std::vector<Claim> read_claims(const std::string& path) {
  std::vector<Claim> claims;
  const ArrayFile file(path, "claim");
  for (const toml::table* of_claim : file.tables()) {
    const toml::table& table = *of_claim;
    check_keys(table, {"id", "claim", "unit", "note", "experiment", "quantity", "paper", "low", "high",
                       "kind", "on", "control"});
    Claim& claim = claims.emplace_back();
    claim.id = text(table, "id");
    claim.claim = text(table, "claim");
    claim.unit = text_or_none(table, "unit");
    claim.note = text_or_none(table, "note");
    claim.paper = number(table, "paper");
    if (table.get("kind") != nullptr) {
      if (text(table, "kind") != "input") refuse(*table.get("kind"), "'kind' can only be input");
      claim.input = true;
    }
    claim.experiment = text_or_none(table, "experiment");
    if (claim.experiment.empty()) {
      if (claim.note.empty()) refuse(table, "a claim without an experiment needs a note that says why");
      continue;
    }
    claim.quantity = text(table, "quantity");
    const auto low = number(table, "low"), high = number(table, "high");
    if (!low && !high) refuse(table, "a claim that is measured needs 'low', 'high' or both");
    claim.low = low.value_or(-std::numeric_limits<double>::infinity());
    claim.high = high.value_or(std::numeric_limits<double>::infinity());
    if (const toml::table* on = table_or_null(table, "on")) {
      check_keys(*on, {"machine", "sets", "options", "preexec", "choice"});
      claim.on = setup(*on);
    }
    const toml::table* control = table_or_null(table, "control");
    if (control == nullptr) refuse(table, "a claim that is measured needs a control");
    check_keys(*control, {"text", "machine", "sets", "options", "preexec", "choice", "benchmarks"});
    claim.control = Claim::Control{text(*control, "text"), setup(*control)};
    claim.control->setup.control = true;
  }
  return claims;
}

const char* Claim::verdict(std::optional<double> measured) const {
  if (!measured) return "not run";
  return *measured >= low && *measured <= high ? "holds" : "falls short";
}

}  // namespace duet::reproduce
