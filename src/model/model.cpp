#include "model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.h"

namespace duet::model {

const char* name_of(ScriptKind kind) {
  constexpr const char* kNames[] = {"SS", "PS_C", "PS_D"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* name_of(Movement movement) {
  constexpr const char* kNames[] = {"Stage-In", "Stage-Out", "equipotent"};
  return kNames[static_cast<std::size_t>(movement)];
}

const char* name_of(Control control) {
  constexpr const char* kNames[] = {"note", "signal", "wait", "barrier"};
  return kNames[static_cast<std::size_t>(control)];
}

const ScriptList* Model::list(const std::string& list_name) const {
  const auto found =
      std::find_if(lists.begin(), lists.end(), [&](const ScriptList& one) { return one.name == list_name; });
  return found == lists.end() ? nullptr : &*found;
}

const Data* Model::datum(const std::string& data_name) const {
  const auto found =
      std::find_if(data.begin(), data.end(), [&](const Data& one) { return one.name == data_name; });
  return found == data.end() ? nullptr : &*found;
}

const ScriptList& Model::program() const {
  const auto found = std::find_if(lists.begin(), lists.end(),
                                  [&](const ScriptList& one) { return one.level == structure.depth(); });
  if (found == lists.end())
    throw Error(fmt::format("{}:1: no [[list]] of level {}, the program", file, structure.depth()));
  return *found;
}

namespace {

constexpr std::uint64_t kMostElements = 65536;

class Checker {
 public:
  explicit Checker(const Model& model) : model_(model) {}
  void all() const {
    names();
    const unsigned depth = model_.structure.depth();
    for (const Level& level : model_.structure.levels)
      for (const Array& array : level.arrays)
        if (array.count * array.width > kMostElements)
          refuse(1, fmt::format("array '{}' has more than {} PEs", array.name, kMostElements));
    for (const ScriptList& list : model_.lists) {
      if (list.level == 0 || list.level > depth)
        refuse(list.line,
               fmt::format("list '{}' of level {}: a model of {} levels has lists of level 1 to {}",
                           list.name, list.level, depth, depth));
      if (list.scripts.empty()) refuse(list.line, fmt::format("list '{}' has no [[script]]", list.name));
      for (const Script& script : list.scripts) of_script(list, script);
    }
    const auto programs = std::count_if(model_.lists.begin(), model_.lists.end(),
                                        [&](const ScriptList& list) { return list.level == depth; });
    if (programs > 1) refuse(1, fmt::format("{} lists of level {}: one is the program", programs, depth));
    (void)model_.program();
  }

 private:
  [[noreturn]] void refuse(unsigned line, const std::string& what) const {
    throw Error(model_.file.empty() ? what : fmt::format("{}:{}: {}", model_.file, line, what));
  }

  void names() const {
    std::set<std::string> seen;
    for (const ScriptList& list : model_.lists)
      if (!seen.insert(list.name).second) refuse(list.line, fmt::format("two lists '{}'", list.name));
    std::set<std::string> known;
    for (const Data& data : model_.data)
      if (!known.insert(data.name).second) refuse(1, fmt::format("two [[data]] '{}'", data.name));
  }

  void of_script(const ScriptList& list, const Script& script) const {
    const unsigned level = list.level - 1;
    const std::string who = fmt::format("{} '{}' of list '{}'", name_of(script.kind), script.name, list.name);
    if (list.columns > 1 && script.channel != 0)
      refuse(script.line,
             fmt::format("{}: a list with columns has a channel for each: leave out 'channel'", who));
    const auto known = [&](const std::string& data) {
      if (model_.datum(data) == nullptr)
        refuse(script.line, fmt::format("{}: there is no [[data]] '{}'", who, data));
    };
    for (const std::string& data : script.needs) known(data);
    for (const std::string& data : script.makes) known(data);
    if (script.kind == ScriptKind::Moving) known(script.data);
    if (script.kind == ScriptKind::Scheduling) return of_control(script, who);
    of_array(level, script, who);
    if (script.kind == ScriptKind::Computing) of_computing(level, script, who);
    const bool crosses = script.kind == ScriptKind::Moving && script.movement != Movement::Equipotent;
    if (crosses && level + 1 == model_.structure.depth() && model_.structure.outside.empty())
      refuse(
          script.line,
          fmt::format("{}: above level {} there is no memory: name one with outside = \"...\"", who, level));
  }

  void of_control(const Script& script, const std::string& who) const {
    const bool of_event = script.control == Control::Signal || script.control == Control::Wait;
    if (of_event == script.event.empty())
      refuse(script.line, of_event ? who + ": which 'event'?" : who + ": 'event' is for signal and wait");
  }

  void of_array(unsigned level, const Script& script, const std::string& who) const {
    const bool moves = script.kind == ScriptKind::Moving;
    const auto& arrays = model_.structure.levels[level].arrays;
    const bool found = std::any_of(arrays.begin(), arrays.end(), [&](const Array& array) {
      return array.moves_data == moves && (script.array.empty() || array.name == script.array);
    });
    if (!found)
      refuse(script.line, fmt::format("{}: level {} has no {} array{}", who, level, moves ? "PE_D" : "PE_C",
                                      script.array.empty() ? "" : " '" + script.array + "'"));
  }

  void of_computing(unsigned level, const Script& script, const std::string& who) const {
    if (level == 0) {
      if (!script.runs.empty())
        refuse(script.line, who + ": a script of level 0 is an instruction: leave out 'runs'");
      return;
    }
    const ScriptList* runs = model_.list(script.runs);
    if (script.runs.empty()) refuse(script.line, who + ": which list 'runs' it?");
    if (runs == nullptr) refuse(script.line, fmt::format("{}: there is no [[list]] '{}'", who, script.runs));
    if (runs->level != level)
      refuse(script.line, fmt::format("{}: list '{}' is of level {}, and has to be of level {}", who,
                                      script.runs, runs->level, level));
  }

  const Model& model_;
};

}  // namespace

void check(const Model& model) {
  if (model.structure.depth() == 0 || model.structure.depth() > kMostLevels)
    throw Error(fmt::format("a model has 1 to {} levels", kMostLevels));
  Checker(model).all();
}

}  // namespace duet::model
