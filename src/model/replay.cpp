#include "model/replay.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/readable_name.h"
#include "report/run_report.h"

namespace duet::model {

namespace {

using report::RecordType;

// When the first instance of each command's group was dispatched, or its first move began; commands in the
// order in which they ended.
struct Told {
  std::map<std::uint64_t, Picoseconds> first;
  std::map<std::uint64_t, std::uint64_t> finished;  // instances
};

CommandFacts facts_of(const report::KernelRecord& kernel, std::string_view name, const config::Sm& sm) {
  CommandFacts facts;
  facts.kind = ScriptKind::Computing;
  facts.name = "kernel '" + readable_name(std::string(name)) + "'";
  facts.blocks = std::uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
  const std::uint64_t threads = std::uint64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  facts.block = block_resources(sm, threads, kernel.registers, kernel.shared_bytes);
  return facts;
}

CommandFacts facts_of(const report::CopyRecord& copy) {
  CommandFacts facts;
  facts.kind = ScriptKind::Moving;
  if (copy.kind == report::CopyKind::HostToDevice) facts.movement = Movement::StageIn;
  if (copy.kind == report::CopyKind::DeviceToHost) facts.movement = Movement::StageOut;
  return facts;
}

class Replayer {
 public:
  Replayer(const report::JournalReader& journal, const config::Machine& machine, std::uint64_t logged)
      : journal_(journal),
        machine_(machine),
        logged_(logged),
        events_(machine, [this](const Violation& violation) {
          if (replay_.violations.size() < Replay::kMost) replay_.violations.push_back(violation);
          ++replay_.violations_in_all;
        }) {
    events_.on_operation = [this](const Operation& operation) { operated(operation); };
  }

  Replay run(const std::string& stats);

 private:
  void describe(RecordType type, const std::byte* record, std::size_t bytes, std::string_view text);
  void take(const report::EventRecord& record, std::string_view text);
  void operated(const Operation& operation);
  void compare(const nlohmann::json& stats);
  void compare_order(const nlohmann::json& list, const char* what, std::uint64_t& count);
  void same(const std::string& what, std::uint64_t replayed, std::uint64_t recorded);

  const report::JournalReader& journal_;
  const config::Machine& machine_;
  const std::uint64_t logged_;
  Replay replay_;
  TaskEvents events_;
  Told told_;
  std::uint64_t warps_expected_ = 0;
  bool events_there_ = false, timed_ = false;
};

// The facts that no event has, before the first event.
void Replayer::describe(RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
  if (type == RecordType::Kernel) {
    const auto kernel = report::record_as<report::KernelRecord>(record, bytes);
    events_.describe(kernel.command, facts_of(kernel, text, machine_.gpu.sm));
    const CommandFacts facts = facts_of(kernel, text, machine_.gpu.sm);
    if (kernel.fast_forwarded == 0)
      warps_expected_ += kernel.completed_blocks * facts.block[static_cast<std::size_t>(Resource::Warps)];
  } else if (type == RecordType::Copy) {
    const auto copy = report::record_as<report::CopyRecord>(record, bytes);
    // A launch's change of bits at its kernel's end is a record of the launch's command.
    if (copy.kind != report::CopyKind::FullEmptySet) events_.describe(copy.command, facts_of(copy));
  } else if (type == RecordType::Fault) {
    events_.fault();
  } else if (type == RecordType::CpuBlocks) {
    if (report::record_as<report::CpuBlocksRecord>(record, bytes).blocks != 0)
      throw Error(
          "replay: cores executed blocks of this run, which no event tells of: make it without --cpu-blocks");
  }
}

void Replayer::take(const report::EventRecord& record, std::string_view text) {
  events_there_ = events_there_ || record.kind == TaskEventKind::Queue;
  timed_ = timed_ || record.kind == TaskEventKind::Warp;
  const std::string name(text);
  events_.take({.kind = record.kind,
                .phase = record.phase,
                .stream = record.stream,
                .unit = record.unit,
                .time_ps = record.time_ps,
                .id = record.id,
                .parent = record.parent,
                .argument = record.argument,
                .name = name.c_str()});
}

void Replayer::operated(const Operation& operation) {
  ++replay_.operations;
  if (operation.level == 1) {
    if (operation.verb == Verb::Dispatch || operation.verb == Verb::MoveBegin)
      told_.first.try_emplace(operation.group, operation.time);
    if (operation.verb == Verb::Finish) ++told_.finished[operation.group];
  }
  if (replay_.log.size() >= logged_) return;
  std::string text = fmt::format("{:>6}.{:06} us  level {}  {:<10}  {}", operation.time / 1'000'000,
                                 operation.time % 1'000'000, operation.level, name_of(operation.verb),
                                 events_.name(operation.level, operation.group));
  if (operation.verb == Verb::Dispatch || operation.verb == Verb::Finish)
    text += fmt::format(", task instance {} on PE {}", operation.index, operation.unit);
  replay_.log.push_back(std::move(text));
}

void Replayer::same(const std::string& what, std::uint64_t replayed, std::uint64_t recorded) {
  ++replay_.compared;
  if (replayed != recorded && replay_.differences.size() < Replay::kMost)
    replay_.differences.push_back({what, replayed, recorded});
}

// Each of the list began when the replay says, and no group in it has more or fewer instances.
void Replayer::compare_order(const nlohmann::json& list, const char* what, std::uint64_t& count) {
  for (const nlohmann::json& one : list) {
    const auto command = one.at("command").get<std::uint64_t>();
    const std::string name = fmt::format("{} #{} (command {}): ", what, ++count, command);
    const auto first = told_.first.find(command);
    if (one.contains("completed_blocks")) {
      const auto blocks = one.at("completed_blocks").get<std::uint64_t>();
      same(name + "completed_blocks", told_.finished[command], blocks);
      if (blocks == 0) continue;
    } else if (one.at("kind") == "full_empty_set") {
      continue;  // of a launch: it begins when the kernel has ended
    }
    if (first != told_.first.end())
      same(name + "start_ps", first->second, one.at("start_ps").get<std::uint64_t>());
    else
      same(name + "operations", 0, 1);
  }
}

void Replayer::compare(const nlohmann::json& stats) {
  const nlohmann::json& counters = stats.at("counters");
  const EventCounts& counts = events_.counts();
  replay_.counts = counts;
  replay_.cut_off = !stats.at("complete").get<bool>();
  compare_order(stats.at("kernels"), "kernel", replay_.kernels);
  compare_order(stats.at("copies"), "copy", replay_.copies);
  if (replay_.cut_off) return;
  const auto counter = [&](const char* name, std::uint64_t replayed) {
    if (counters.contains(name)) same(name, replayed, counters.at(name).get<std::uint64_t>());
  };
  counter("driver.commands", counts.commands_ended);
  counter("front_end.commands", counts.push_buffer_commands);
  counter("front_end.tasks", counts.queued);
  counter("front_end.blocks", counts.blocks);
  counter("copy_engine.moves", counts.moves);
  counter("copy_engine.bytes", counts.moved_bytes);
  if (timed_) same("warps of completed blocks", counts.warps, warps_expected_);
}

Replay Replayer::run(const std::string& stats) {
  journal_.for_each([this](RecordType type, const std::byte* record, std::size_t bytes,
                           std::string_view text) { describe(type, record, bytes, text); });
  journal_.for_each(
      [this](RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
        if (type == RecordType::Event) take(report::record_as<report::EventRecord>(record, bytes), text);
      });
  if (!events_there_ && events_.counts().commands != 0)
    throw Error(
        "replay: this journal has no queues and dependencies: make it again with this version's `duet "
        "explain`");
  try {
    const nlohmann::json parsed = nlohmann::json::parse(stats);
    if (parsed.at("complete").get<bool>()) events_.finish();
    compare(parsed);
  } catch (const nlohmann::json::exception& error) {
    throw Error(fmt::format("replay: stats.json: {}", error.what()));
  }
  return std::move(replay_);
}

}  // namespace

Replay replay_of(const report::JournalReader& journal, const config::Machine& machine,
                 const std::string& stats, std::uint64_t logged) {
  return Replayer(journal, machine, logged).run(stats);
}

std::string text_of(const Replay& replay) {
  const EventCounts& c = replay.counts;
  std::string text;
  for (const std::string& line : replay.log) text += "  " + line + "\n";
  text += fmt::format(
      "level 2: {} commands\nlevel 1: {} push-buffer commands, {} tasks in stream queues, {} kernels, {} "
      "blocks, {} "
      "moves of {} bytes\nlevel 0: {} warps\n",
      c.commands, c.push_buffer_commands, c.queued, c.kernels, c.blocks, c.moves, c.moved_bytes, c.warps);
  text += fmt::format("rules: {} operations, {} violations\n", replay.operations, replay.violations_in_all);
  for (const Violation& one : replay.violations)
    text += fmt::format("  {} at {}.{:06} us: {}\n", name_of(one.rule), one.time / 1'000'000,
                        one.time % 1'000'000, one.text);
  text += fmt::format("stats.json: {} numbers of {} kernels, {} copies and the run compared, {} differ{}\n",
                      replay.compared, replay.kernels, replay.copies, replay.differences.size(),
                      replay.cut_off ? "; the run was cut off: its totals are not compared" : "");
  for (const Difference& one : replay.differences)
    text += fmt::format("  {}: replayed {}, stats.json has {}\n", one.what, one.replayed, one.recorded);
  return text;
}

std::string json_of(const Replay& replay) {
  using Ordered = nlohmann::ordered_json;
  const EventCounts& c = replay.counts;
  Ordered violations = Ordered::array(), differences = Ordered::array();
  for (const Violation& one : replay.violations)
    violations.push_back({{"rule", name_of(one.rule)},
                          {"time_ps", one.time},
                          {"level", one.level},
                          {"group", one.group},
                          {"text", one.text}});
  for (const Difference& one : replay.differences)
    differences.push_back({{"what", one.what}, {"replayed", one.replayed}, {"recorded", one.recorded}});
  const Ordered json{{"schema", "duet.model_replay/1"},
                     {"complete", !replay.cut_off},
                     {"operations", replay.operations},
                     {"counts",
                      {{"commands", c.commands},
                       {"push_buffer_commands", c.push_buffer_commands},
                       {"queued_tasks", c.queued},
                       {"kernels", c.kernels},
                       {"blocks", c.blocks},
                       {"warps", c.warps},
                       {"moves", c.moves},
                       {"moved_bytes", c.moved_bytes}}},
                     {"compared", replay.compared},
                     {"violations_in_all", replay.violations_in_all},
                     {"violations", violations},
                     {"differences", differences},
                     {"log", replay.log}};
  return json.dump(1) + "\n";
}

}  // namespace duet::model
