#include <nlohmann/json.hpp>

#include "model/run.h"

namespace duet::model {

namespace {

using Json = nlohmann::ordered_json;

Json level_json(const Level& level, unsigned number) {
  Json arrays = Json::array();
  for (const Array& array : level.arrays)
    arrays.push_back({{"kind", array.moves_data ? "PE_D" : "PE_C"},
                      {"name", array.name},
                      {"count", array.count},
                      {"width", array.width},
                      {"places", array.places}});
  Json commands = Json::array();
  for (const Level::CommandName& command : level.commands)
    commands.push_back({{"name", command.name}, {"does", command.does}});
  return {{"level", number},
          {"name", level.name},
          {"tu", level.tu},
          {"hardware_channels", level.hardware_channels},
          {"tb", level.tb},
          {"queues", level.queues},
          {"depth", level.depth},
          {"se", level.se},
          {"schedulers", level.schedulers},
          {"memory", level.memory},
          {"memory_bytes", level.memory_bytes},
          {"arrays", arrays},
          {"ps_c", level.computing},
          {"ps_d", level.moving},
          {"ss", level.scheduling},
          {"commands", commands}};
}

Json script_json(const Script& script) {
  Json json{{"kind", name_of(script.kind)},
            {"name", script.name},
            {"channel", script.channel},
            {"commands", script.commands}};
  if (script.kind == ScriptKind::Scheduling) {
    json["does"] = name_of(script.control);
    if (!script.event.empty()) json["event"] = script.event;
    return json;
  }
  json["width"] = script.width;
  if (script.kind == ScriptKind::Computing && !script.runs.empty()) json["runs"] = script.runs;
  if (script.kind == ScriptKind::Moving) {
    json["moves"] = name_of(script.movement);
    json["data"] = script.data;
  }
  json["needs"] = script.needs;
  json["makes"] = script.makes;
  return json;
}

Json execution_json(const Execution& execution) {
  Json operations = Json::array(), counts = Json::array();
  for (const LogEntry& entry : execution.log)
    operations.push_back({{"step", entry.step},
                          {"level", entry.level},
                          {"unit", entry.unit},
                          {"instance", entry.instance},
                          {"operation", entry.operation}});
  for (std::size_t level = 0; level < execution.counts.size(); ++level) {
    const LevelCounts& c = execution.counts[level];
    counts.push_back({{"level", level},
                      {"script_commands", c.commands},
                      {"groups", c.groups},
                      {"task_instances", c.instances},
                      {"moves", c.moves},
                      {"control_scripts", c.controls}});
  }
  return {{"finished", execution.finished},
          {"steps", execution.steps},
          {"counts", counts},
          {"operations", operations}};
}

}  // namespace

std::string json_of(const Model& model, const Execution* execution) {
  Json levels = Json::array(), lists = Json::array(), data = Json::array();
  for (unsigned level = 0; level < model.structure.depth(); ++level)
    levels.push_back(level_json(model.structure.levels[level], level));
  for (const ScriptList& list : model.lists) {
    Json scripts = Json::array();
    for (const Script& script : list.scripts) scripts.push_back(script_json(script));
    lists.push_back(
        {{"name", list.name}, {"level", list.level}, {"columns", list.columns}, {"scripts", scripts}});
  }
  for (const Data& one : model.data)
    data.push_back({{"name", one.name}, {"bytes", one.bytes}, {"made", one.made}, {"shared", one.shared}});
  const Json json{{"schema", "duet.model/1"},
                  {"name", model.name},
                  {"depth", model.structure.depth()},
                  {"outside", model.structure.outside},
                  {"levels", levels},
                  {"script_lists", lists},
                  {"data", data},
                  {"execution", execution == nullptr ? Json() : execution_json(*execution)}};
  return json.dump(1) + "\n";
}

}  // namespace duet::model
