// The explanation on a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "explain/explanation.h"
#include "explain/text_parts.h"
#include "explain/words.h"
#include "report/terminal/table_text.h"

namespace duet::explain {

using report::duration;

namespace {

constexpr std::size_t kRows = 16;           // of commands
constexpr Picoseconds kLongWait = 100'000;  // on the GPU: a shorter wait is its own work
constexpr std::size_t kStreams = 8;         // with listed commands

void hardware(std::string& out, const Explanation& e) {
  heading(out, "1  Hardware structure", "2.1 and 3.2", "what the machine file builds");
  for (const Level& level : e.levels) {
    out += fmt::format("  level {}: {}\n", level.level, level.of);
    for (const Part& part : level.parts)
      out += fmt::format("    {:<7} {:<43} {}\n", part.term, part.name, part.holds);
  }
}

// "#1 (its stream) until 97.052 us, then 1.2 us for the driver"
std::string waited_for(const Command& command) {
  if (command.driver_start_ps == 0) return "has not begun";
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", then ") + more; };
  const Picoseconds free = command.free_ps();
  for (const Dependency& one : command.waits_for)
    if (one.end_ps == free && free > command.queued_ps) {
      add(fmt::format("#{} ({}) until {}", one.command, one.why, moment_text(free)));
      break;
    }
  if (command.behind_ps > free)
    add(fmt::format("#{} (channel {} is in order) until {}", command.behind, command.channel,
                    moment_text(command.behind_ps)));
  if (command.driver_start_ps > std::max(free, command.behind_ps))
    add(fmt::format("the driver until {}", moment_text(command.driver_start_ps)));
  bool held = false;
  for (const Dependency& one : command.waits_for)
    if (one.end_ps > command.driver_start_ps || one.end_ps == 0) {
      add(fmt::format("on the GPU for #{} ({})", one.command, one.why));
      held = true;
    }
  if (!held && command.gpu_wait_ps() > kLongWait)
    add(fmt::format("on the GPU for {} until {}",
                    command.script == "computing" ? "a queue, a counter or room" : "an engine",
                    moment_text(command.start_ps)));
  return text.empty() ? "nothing" : text;
}

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

void organization(std::string& out, const Explanation& e) {
  std::map<std::uint32_t, std::vector<const Command*>> streams;
  for (const Command& command : e.commands) streams[command.stream].push_back(&command);
  heading(out, "2  Task organization", "2.2 and 3.1",
          fmt::format("the host's command script: {} in {}", many(e.commands_in_all, "command"),
                      many(streams.size(), "stream")));
  if (e.commands.empty()) {
    out += "  no call gave the GPU anything to do\n";
    return;
  }
  const std::size_t shown_streams = std::min(streams.size(), kStreams);
  const std::size_t rows = std::max<std::size_t>(kRows / shown_streams, 2);
  out += fmt::format("  {:<6} {:<10} {:<30} {:<22} {:>13}   waited for\n", "", "script", "what", "call",
                     "queued");
  std::size_t number = 0;
  for (const auto& [stream, commands] : streams) {
    if (++number > kStreams) break;
    out += fmt::format("  stream {}, on channel {}\n", stream, commands.front()->channel);
    for (std::size_t i = 0; i < std::min(rows, commands.size()); ++i)
      out +=
          fmt::format("  {:<6} {:<10} {:<30} {:<22} {:>13}   {}\n", fmt::format("  #{}", commands[i]->number),
                      commands[i]->script, shortened(commands[i]->what, 30), commands[i]->call_name,
                      moment_text(commands[i]->queued_ps), waited_for(*commands[i]));
    if (commands.size() > rows) out += fmt::format("    ... {} more\n", commands.size() - rows);
  }
  if (streams.size() > kStreams) out += fmt::format("  ... {} more streams\n", streams.size() - kStreams);
  if (!e.launches.empty()) {
    const Launch& launch = e.launches[e.main_launch];
    out += fmt::format(
        "  task instances (TI) of #{}: {} of level 1; {} warp instructions, each a TI of level 0 for each of "
        "its threads\n",
        launch.record.command, many(launch.blocks, "block"), launch.record.warp_instructions);
  }
  if (e.commands.size() < e.commands_in_all)
    out += fmt::format("  the first {} of {} commands are told\n", e.commands.size(), e.commands_in_all);
}

const Command* command_of(const Explanation& e, std::uint64_t number) {
  for (const Command& command : e.commands)
    if (command.number == number) return &command;
  return nullptr;
}

void push_buffer(std::string& out, const Command& command) {
  out += fmt::format("  push-buffer stream of #{}, {}: stage (ii) {} to {}\n", command.number, command.what,
                     moment_text(command.driver_start_ps), moment_text(command.prepared_ps));
  for (const PushBufferStep& step : command.steps)
    out += fmt::format("    {:>13} {:>12}  {:<17} {}\n", moment_text(step.decoded_ps),
                       step.until_next_ps != 0 ? "+" + short_time_text(step.until_next_ps) : "", step.name,
                       step.effect);
}

// The same in one line.
void short_push_buffer(std::string& out, const Command& command) {
  if (command.steps.empty()) return;
  std::string names;
  for (const PushBufferStep& step : command.steps) names += (names.empty() ? "" : ", ") + step.name;
  out += fmt::format("  push-buffer stream of #{}, {}: {}; decoded {} to {}\n", command.number, command.what,
                     names, moment_text(command.steps.front().decoded_ps),
                     moment_text(command.steps.back().decoded_ps));
}

void execution(std::string& out, const Explanation& e, const Launch* launch) {
  heading(out, "3  Task execution", "2.3 and 3.3",
          "push-buffer commands as they are decoded, and a block's path");
  if (launch != nullptr) {
    const auto before = std::find_if(e.commands.begin(), e.commands.end(),
                                     [](const Command& command) { return command.script == "data-move"; });
    if (before != e.commands.end() && e.selection.kernel.empty()) short_push_buffer(out, *before);
    if (const Command* const command = command_of(e, launch->record.command)) push_buffer(out, *command);
    block_paths(out, e, *launch);
    return;
  }
  out += "  no kernel was launched\n";
  for (const Command& command : e.commands) {
    push_buffer(out, command);
    break;
  }
}

}  // namespace

std::string many(std::uint64_t count, const char* one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

void heading(std::string& out, const char* title, const char* sections, const std::string& what) {
  out += fmt::format("\n{} (hu2016, sections {}): {}\n", title, sections, what);
}

std::string text_of(const Explanation& e) {
  std::string out = fmt::format("{} on {}: {} simulated{}\n", e.command, e.machine, duration(e.simulated_ps),
                                e.complete ? "" : ", cut off");
  out +=
      "  hu2016, Table I: PE processing element (C computes, D moves data), SE scheduling element, TU task "
      "unit, TB "
      "task buffer\n";
  const Launch* const launch = e.launches.empty() ? nullptr : &e.launches[e.main_launch];
  if (!e.selection.chosen() || launch == nullptr) {
    hardware(out, e);
    organization(out, e);
  }
  execution(out, e, launch);
  schedule(out, e, launch);
  data_movement(out, e, launch);
  return out;
}

}  // namespace duet::explain
