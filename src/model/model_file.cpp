// A model as a TOML file. Lists of names are one string with spaces between: "a b".
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <sstream>

#include "base/error.h"
#include "config/machine_file.h"
#include "model/model.h"

namespace duet::model {

namespace {

using Names = std::vector<std::string>;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 40, kMostInstances = 1 << 20;

Names words_of(const std::string& text) {
  std::istringstream stream(text);
  Names words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string joined(const std::vector<const char*>& names) {
  std::string text;
  for (const char* name : names) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

// The keys of one table, each read once; an unread key is an error.
class Keys {
 public:
  Keys(const std::string& path, const toml::table& table, std::string of, unsigned line)
      : path_(path), table_(table), of_(std::move(of)), line_(line) {}

  unsigned line() const { return line_; }
  [[noreturn]] void refuse(const char* key, const std::string& what) const {
    const toml::node* node = table_.get(key);
    throw Error(fmt::format("{}:{}: {}", path_, node != nullptr ? node->source().begin.line : line_, what));
  }
  bool has(const char* key) {
    known_.push_back(key);
    return table_.get(key) != nullptr;
  }
  std::string text(const char* key, const std::string& otherwise = {}) {
    if (!has(key)) return otherwise;
    const auto value = table_.get(key)->value_exact<std::string>();
    if (!value) refuse(key, fmt::format("{} must be a string in quotes", key));
    return *value;
  }
  std::string needed(const char* key) {
    const std::string value = text(key);
    if (value.empty()) refuse(key, fmt::format("a {} needs '{}'", of_, key));
    return value;
  }
  Names names(const char* key) { return words_of(text(key)); }
  std::uint64_t number(const char* key, std::uint64_t otherwise, std::uint64_t least,
                       std::int64_t most = 65536) {
    if (!has(key)) return otherwise;
    const auto value = table_.get(key)->value_exact<std::int64_t>();
    if (!value || *value < static_cast<std::int64_t>(least) || *value > most)
      refuse(key, fmt::format("{} must be a whole number from {} to {}", key, least, most));
    return static_cast<std::uint64_t>(*value);
  }
  bool flag(const char* key) {
    if (!has(key)) return false;
    const auto value = table_.get(key)->value_exact<bool>();
    if (!value) refuse(key, fmt::format("{} must be true or false", key));
    return *value;
  }
  // One of these words, as its place among them.
  std::size_t word(const char* key, const std::vector<const char*>& words) {
    const std::string value = needed(key);
    const auto found = std::find(words.begin(), words.end(), value);
    if (found == words.end()) refuse(key, fmt::format("{} '{}' is none of {}", key, value, joined(words)));
    return static_cast<std::size_t>(found - words.begin());
  }
  // When all possible keys of the table have been read.
  void finish() const {
    for (auto&& [key, node] : table_)
      if (std::find(known_.begin(), known_.end(), key.str()) == known_.end())
        throw Error(fmt::format("{}:{}: a {} has no key '{}': it has {}", path_, node.source().begin.line,
                                of_, std::string(key.str()), joined(known_)));
  }

 private:
  const std::string& path_;
  const toml::table& table_;
  const std::string of_;
  const unsigned line_;
  std::vector<const char*> known_;
};

// f(keys) for each [[name]].
template <typename F>
void for_each(const config::MachineFile& file, const char* name, F f) {
  const toml::node* node = file.table.get(name);
  if (node == nullptr) return;
  const toml::array* list = node->as_array();
  if (list == nullptr || !list->is_homogeneous(toml::node_type::table))
    throw Error(fmt::format("{}:{}: write [[{}]], one for each", file.path, node->source().begin.line, name));
  for (const toml::node& element : *list) {
    Keys keys(file.path, *element.as_table(), name, element.source().begin.line);
    f(keys);
    keys.finish();
  }
}

void read_levels(const config::MachineFile& file, Structure& structure) {
  std::vector<bool> there(kMostLevels);
  for_each(file, "level", [&](Keys& keys) {
    const std::uint64_t number = keys.number("level", kMostLevels, 0);
    if (number >= kMostLevels)
      keys.refuse("level", fmt::format("a level needs 'level' = 0 to {}", kMostLevels - 1));
    if (there[number]) keys.refuse("level", fmt::format("level {} is there twice", number));
    there[number] = true;
    structure.levels.resize(std::max<std::size_t>(structure.levels.size(), number + 1));
    Level& level = structure.levels[number];
    level.name = keys.text("name", fmt::format("level {}", number));
    level.tu = keys.text("tu", "task unit");
    level.tb = keys.text("tb", "task buffer");
    level.se = keys.text("se", "scheduling element");
    level.memory = keys.text("memory", "memory");
    level.hardware_channels = keys.number("hardware_channels", 1, 1);
    level.queues = keys.number("queues", 1, 1);
    level.depth = keys.number("depth", 1, 1);
    level.schedulers = keys.number("schedulers", 1, 1);
    level.memory_bytes = keys.number("bytes", 0, 1, kMostBytes);
    level.computing = keys.text("ps_c");
    level.moving = keys.text("ps_d");
    level.scheduling = keys.text("ss");
  });
  if (structure.levels.empty())
    throw Error(fmt::format("{}:1: a model needs [[level]] tables, from level 0 up", file.path));
  for (std::size_t i = 0; i < structure.levels.size(); ++i)
    if (!there[i]) throw Error(fmt::format("{}:1: level {} is missing below level {}", file.path, i, i + 1));
}

void read_arrays(const config::MachineFile& file, Structure& structure) {
  for_each(file, "array", [&](Keys& keys) {
    const std::uint64_t level = keys.number("level", kMostLevels, 0);
    if (level >= structure.depth())
      keys.refuse("level",
                  fmt::format("an array needs the 'level' that it is of, 0 to {}", structure.depth() - 1));
    Array array;
    array.moves_data = keys.word("kind", {"PE_C", "PE_D"}) == 1;
    array.name = keys.text("name", array.moves_data ? "PE_D array" : "PE_C array");
    array.count = keys.number("count", 1, 1);
    array.width = keys.number("width", 1, 1);
    array.places = keys.number("places", 1, 1);
    if (array.places != 1 && (level == 0 || array.moves_data))
      keys.refuse("places", "a PE of level 0, and a PE_D, holds one task instance: leave out 'places'");
    structure.levels[level].arrays.push_back(array);
  });
}

void read_control(Keys& keys, Script& script) {
  script.control =
      static_cast<Control>(keys.has("does") ? keys.word("does", {"note", "signal", "wait", "barrier"}) : 0);
  script.event = keys.text("event");
}

Script read_script(Keys& keys) {
  Script script;
  script.line = keys.line();
  script.kind = static_cast<ScriptKind>(keys.word("kind", {"SS", "PS_C", "PS_D"}));
  script.name = keys.needed("name");
  script.commands = keys.names("commands");
  script.channel = keys.number("channel", 0, 0);
  if (script.kind != ScriptKind::Scheduling) script.width = keys.number("width", 1, 1, kMostInstances);
  if (script.kind == ScriptKind::Scheduling) {
    read_control(keys, script);
  } else if (script.kind == ScriptKind::Computing) {
    script.runs = keys.text("runs");
    script.array = keys.text("array");
    script.needs = keys.names("needs");
    script.makes = keys.names("makes");
  } else {
    script.movement = static_cast<Movement>(keys.word("moves", {"in", "out", "within"}));
    script.data = keys.needed("data");
    script.array = keys.text("array");
    if (script.movement == Movement::Equipotent) script.makes = {keys.needed("to")};
  }
  return script;
}

void read_lists(const config::MachineFile& file, Model& model) {
  for_each(file, "list", [&](Keys& keys) {
    ScriptList& list = model.lists.emplace_back();
    list.line = keys.line();
    list.name = keys.needed("name");
    list.level = static_cast<unsigned>(keys.number("level", kMostLevels + 1, 1));
    list.columns = keys.number("columns", 1, 1);
    if (list.level > kMostLevels) keys.refuse("level", "a list needs its 'level'");
  });
  for_each(file, "script", [&](Keys& keys) {
    const std::string of = keys.needed("list");
    const auto list = std::find_if(model.lists.begin(), model.lists.end(),
                                   [&](const ScriptList& one) { return one.name == of; });
    if (list == model.lists.end()) keys.refuse("list", fmt::format("there is no [[list]] '{}'", of));
    list->scripts.push_back(read_script(keys));
  });
}

}  // namespace

Model read_model(const std::string& path) {
  const config::MachineFile file = config::read_toml_file(path, "model");
  Model model;
  model.file = path;
  {
    Keys keys(path, file.table, "model", 1);
    model.name = keys.text("name", file.name);
    model.structure.outside = keys.text("outside");
    for (const char* table : {"level", "array", "list", "script", "data"}) keys.has(table);
    keys.finish();
  }
  read_levels(file, model.structure);
  read_arrays(file, model.structure);
  for_each(file, "data", [&](Keys& keys) {
    Data data;
    data.name = keys.needed("name");
    data.bytes = keys.number("bytes", 0, 0, kMostBytes);
    data.made = keys.flag("made");
    data.shared = keys.flag("shared");
    model.data.push_back(data);
  });
  read_lists(file, model);
  check(model);
  return model;
}

}  // namespace duet::model
