// A model and its execution on the terminal: the tree of components, the scripts, the log.
#include <fmt/format.h>

#include <algorithm>

#include "model/run.h"

namespace duet::model {

namespace {

std::string bytes_text(Bytes bytes) {
  if (bytes == 0) return "no limit";
  static constexpr const char* kUnits[] = {"bytes", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (unit + 1 < std::size(kUnits) && bytes >= 1024 && bytes % 1024 == 0) bytes /= 1024, ++unit;
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

std::string many(std::uint64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string part(unsigned depth, const std::string& term, const std::string& name, const std::string& holds) {
  return fmt::format("{}  {:<9} {:<34} {}\n", std::string(2 * depth, ' '), term, name, holds);
}

std::string array_text(unsigned indent, unsigned level, const Array& array) {
  std::string holds = many(array.count, "array") + " of " + many(array.width, "PE");
  if (array.places > 1) holds += fmt::format(", {} in each", many(array.places, "task instance"));
  return part(indent, fmt::format("[{}^{}]", array.moves_data ? "PE_D" : "PE_C", level), array.name, holds);
}

// Table II: the executing parts, and their commands.
std::string table_text(const Structure& structure) {
  std::string text = "\nComponents and their scripts (Table II)\n";
  const auto row = [&](const std::string& component, const std::string& script) {
    text += fmt::format("  {:<62} {}\n", component, script);
  };
  const auto term = [](const char* what, unsigned level, const std::string& name) {
    return name.empty() ? std::string() : fmt::format("{}^{} = {}", what, level, name);
  };
  for (unsigned level = 0; level < structure.depth(); ++level) {
    const Level& of = structure.levels[level];
    for (const Array& array : of.arrays)
      row(term(array.moves_data ? "[PE_D]" : "[PE_C]", level, array.name),
          array.moves_data ? term("PS_D", level, of.moving) : term("PS_C", level, of.computing));
    row(term("TB", level, of.tb), "");
    row(term("memory", level, of.memory), "");
    row(term("SE", level, of.se), term("SS", level, of.scheduling));
    const bool top = level + 1 == structure.depth();
    row(term("TU", level, of.tu), top ? "" : term("SS", level + 1, structure.levels[level + 1].scheduling));
  }
  return text;
}

// Tables III and IV.
std::string commands_text(const Structure& structure) {
  std::string text;
  for (unsigned level = structure.depth(); level-- > 0;) {
    if (structure.levels[level].commands.empty()) continue;
    text += fmt::format("\nScript commands of level {}\n", level);
    for (const Level::CommandName& command : structure.levels[level].commands)
      text += fmt::format("  {:<24} {}\n", command.name, command.does);
  }
  return text;
}

std::string level_text(const Level& level, unsigned number, unsigned indent) {
  std::string text = fmt::format("{}level {}: {}\n", std::string(2 * indent, ' '), number, level.name);
  text +=
      part(indent, fmt::format("TU^{}", number), level.tu, many(level.hardware_channels, "hardware channel"));
  text += part(indent, fmt::format("TB^{}", number), level.tb,
               fmt::format("{} of {}", many(level.queues, "queue"), many(level.depth, "task group")));
  text += part(indent, fmt::format("SE^{}", number), level.se,
               level.schedulers == 1 ? "" : fmt::format("{} at once", level.schedulers));
  text += part(indent, fmt::format("memory^{}", number), level.memory, bytes_text(level.memory_bytes));
  for (const Array& array : level.arrays) text += array_text(indent, number, array);
  return text;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string does_text(const Script& script) {
  if (script.kind == ScriptKind::Scheduling)
    return script.event.empty() ? name_of(script.control)
                                : fmt::format("{} '{}'", name_of(script.control), script.event);
  std::string text =
      script.kind == ScriptKind::Moving ? fmt::format("{} of {}", name_of(script.movement), script.data)
      : script.runs.empty()             ? many(script.width, "task instance")
                            : fmt::format("{} of {}", many(script.width, "task instance"), script.runs);
  if (!script.needs.empty()) text += ", needs " + joined(script.needs);
  if (!script.makes.empty()) text += ", makes " + joined(script.makes);
  return text;
}

std::string list_text(const ScriptList& list) {
  std::string text = fmt::format("  SL^{} {}{}\n", list.level, list.name,
                                 list.columns > 1 ? fmt::format(", {} columns", list.columns) : "");
  for (const Script& script : list.scripts) {
    text += fmt::format(
        "    {:<6} {:<16} channel {}  {}\n", fmt::format("{}^{}", name_of(script.kind), list.level - 1),
        script.name, list.columns > 1 ? "of each column" : std::to_string(script.channel), does_text(script));
    if (!script.commands.empty())
      text += fmt::format("{:11}SC^{}: {}\n", "", list.level - 1, joined(script.commands));
  }
  return text;
}

}  // namespace

std::string text_of(const Model& model) {
  const unsigned depth = model.structure.depth();
  std::string text = fmt::format("{}: d = {}\n\nHardware structure\n", model.name, depth);
  unsigned indent = 1;
  if (!model.structure.outside.empty()) text += fmt::format("  above: {}\n", model.structure.outside);
  for (unsigned level = depth; level-- > 0; ++indent)
    text += level_text(model.structure.levels[level], level, indent);
  const bool named = std::any_of(model.structure.levels.begin(), model.structure.levels.end(),
                                 [](const Level& level) { return !level.scheduling.empty(); });
  if (named) text += table_text(model.structure);
  text += commands_text(model.structure);
  if (model.lists.empty()) return text;
  text += "\nTask organization\n";
  for (unsigned level = depth; level > 0; --level)
    for (const ScriptList& list : model.lists)
      if (list.level == level) text += list_text(list);
  return text;
}

std::string text_of(const Execution& execution) {
  std::size_t unit = 4, task = 4;
  for (const LogEntry& entry : execution.log) {
    unit = std::max(unit, entry.unit.size());
    task = std::max(task, entry.instance.size());
  }
  std::string text =
      fmt::format("\nExecution\n  step level {:<{}}  {:<{}}  operation\n", "unit", unit, "task", task);
  for (const LogEntry& entry : execution.log)
    text += fmt::format("  {:>4} {:>5} {:<{}}  {:<{}}  {}\n", entry.step, entry.level, entry.unit, unit,
                        entry.instance, task, entry.operation);
  text += fmt::format("\n{} after {}\n", execution.finished ? "finished" : "cut off",
                      many(execution.steps, "step"));
  for (std::size_t level = execution.counts.size(); level-- > 0;) {
    const LevelCounts& c = execution.counts[level];
    text += fmt::format("  level {}: {}, {}, {}, {}, {}\n", level, many(c.commands, "script command"),
                        many(c.groups, "group"), many(c.instances, "task instance"), many(c.moves, "move"),
                        many(c.controls, "control script"));
  }
  return text;
}

}  // namespace duet::model
