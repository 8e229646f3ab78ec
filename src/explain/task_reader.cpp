#include "explain/task_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "explain/words.h"

namespace duet::explain {

using report::EventRecord;
using report::RecordType;

namespace {
constexpr std::size_t kBins = 12;
constexpr std::uint64_t kQuarters = 4;

std::string script_of(std::string_view kind) {
  if (kind == "launch") return "computing";
  return kind == "copy" || kind == "fill" ? "data-move" : "control";
}

// Where n of `all` things are a quarter of them more than n - 1.
bool ends_a_quarter(std::uint64_t n, std::uint64_t all) {
  return n == 1 || (all != 0 && n > 0 && n * kQuarters / all != (n - 1) * kQuarters / all);
}

void fill_bins(Launch& launch, const std::vector<std::pair<Picoseconds, std::uint64_t>>& times) {
  const Picoseconds width = (launch.longest_ps - launch.shortest_ps) / kBins + 1;
  const std::size_t count = (launch.longest_ps - launch.shortest_ps) / width + 1;
  for (std::size_t i = 0; i < count; ++i)
    launch.bins.push_back({launch.shortest_ps + i * width,
                           std::min(launch.shortest_ps + (i + 1) * width, launch.longest_ps), 0});
  for (const auto& [time, number] : times) ++launch.bins[(time - launch.shortest_ps) / width].blocks;
}

const char* step_of(report::CopyKind kind) {
  switch (kind) {
    case report::CopyKind::HostToDevice:
      return "Stage-In";
    case report::CopyKind::DeviceToHost:
      return "Stage-Out";
    case report::CopyKind::Fill:
      return "fill";
    case report::CopyKind::DeviceToDevice:
    case report::CopyKind::HostToHost:
      return "equipotent";
    default:
      return "full/empty bits";
  }
}
}  // namespace

Picoseconds Command::free_ps() const {
  Picoseconds free = queued_ps;
  for (const Dependency& dependency : waits_for)
    if (dependency.end_ps <= driver_start_ps) free = std::max(free, dependency.end_ps);
  return free;
}

Picoseconds Command::gpu_wait_ps() const {
  const Picoseconds decoded = steps.empty() ? start_ps : steps.back().decoded_ps;
  return start_ps > decoded ? start_ps - decoded : 0;
}

TaskReader::TaskReader(const report::RunReport& report, Explanation& into) : report_(report), into_(into) {
  for (std::size_t i = 0; i < into.launches.size(); ++i) launches_[into.launches[i].record.command] = i;
}

Command* TaskReader::known(std::uint64_t number) {
  const auto place = commands_.find(number);
  return place == commands_.end() ? nullptr : &into_.commands[place->second];
}

Launch* TaskReader::launch_of(std::uint64_t command) {
  const auto place = launches_.find(command);
  return place == launches_.end() ? nullptr : &into_.launches[place->second];
}

void TaskReader::read() {
  report_.journal->for_each([this](RecordType type, const std::byte* record, std::size_t bytes,
                                   std::string_view text) { this->record(type, record, bytes, text); });
  report_.for_each_running_kernel([this](const report::KernelResult& kernel) { running(kernel); });
  for (auto& [command, running] : running_) finish(*launch_of(command), running);  // cut off
  running_.clear();
  finish_commands();
}

void TaskReader::read_warps() {
  report_.journal->for_each(
      [this](RecordType type, const std::byte* record, std::size_t bytes, std::string_view) {
        if (type == RecordType::Event) warp(report::record_as<EventRecord>(record, bytes));
      });
}

void TaskReader::record(RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
  if (type == RecordType::Event) return event(report::record_as<EventRecord>(record, bytes), text);
  if (type == RecordType::Kernel) return times(report::record_as<report::KernelRecord>(record, bytes));
  if (type == RecordType::Copy) {
    const auto copy = report::record_as<report::CopyRecord>(record, bytes);
    if (known(copy.command) != nullptr) copies_[copy.command] = copy;
    return times(copy);
  }
  if (type != RecordType::ApiCall) return;
  const auto call = report::record_as<report::ApiCallRecord>(record, bytes);
  if (const auto wanted = calls_.find(call.number); wanted != calls_.end())
    wanted->second = report_.api.at(call.api).name;
}

template <typename Record>
void TaskReader::times(const Record& record) {
  if (const auto end = ends_.find(record.command); end != ends_.end()) end->second = record.end_ps;
  Command* const command = known(record.command);
  if (command == nullptr) return;
  command->driver_start_ps = record.driver_start_ps;
  command->prepared_ps = record.prepared_ps;
  command->start_ps = record.start_ps;
  command->end_ps = record.end_ps;
}

// Kernels running at the run's cut have no known end.
void TaskReader::running(const report::KernelResult& kernel) {
  times(kernel);
  if (const auto end = ends_.find(kernel.command); end != ends_.end()) end->second = 0;
  if (Command* const command = known(kernel.command); command != nullptr) command->end_ps = 0;
}

void TaskReader::event(const EventRecord& event, std::string_view name) {
  switch (event.kind) {
    case TaskEventKind::Command:
      return command(event, name);
    case TaskEventKind::Preparation:
      if (const auto start = preparation_starts_.find(event.parent);
          start != preparation_starts_.end() && event.phase == TaskEventPhase::Begin)
        start->second = event.time_ps;
      if (Command* const of = known(event.parent); of != nullptr)
        (event.phase == TaskEventPhase::Begin ? of->driver_start_ps : of->prepared_ps) = event.time_ps;
      return;
    case TaskEventKind::Dependency:
      if (Command* const of = known(event.parent); of != nullptr) {
        of->waits_for.push_back({event.id, std::string(name), 0});
        ends_[event.id] = 0;
      }
      return;
    case TaskEventKind::PushBufferCommand:
      return push_buffer(event, name);
    case TaskEventKind::Kernel:
      return kernel(event);
    case TaskEventKind::Block:
      return block(event);
    case TaskEventKind::Move:
      return move(event);
    default:
      return;
  }
}

void TaskReader::command(const EventRecord& event, std::string_view name) {
  if (event.phase == TaskEventPhase::End) {
    if (const auto end = ends_.find(event.id); end != ends_.end() && end->second == 0)
      end->second = event.time_ps;
    if (Command* const of = known(event.id); of != nullptr && of->end_ps == 0) of->end_ps = event.time_ps;
    return;
  }
  ++into_.commands_in_all;
  std::uint64_t& last_of_channel = last_of_channel_[event.unit];
  const std::uint64_t behind = std::exchange(last_of_channel, event.id);
  if (into_.commands_in_all > kCommands && launch_of(event.id) == nullptr) return;
  commands_[event.id] = into_.commands.size();
  Command& added = into_.commands.emplace_back();
  added.number = event.id;
  added.call = event.parent;
  added.kind = name;
  added.script = script_of(name);
  added.what = name;
  added.stream = event.stream;
  added.channel = event.unit;
  added.queued_ps = event.time_ps;
  added.behind = behind;
  // A command already in preparation has begun.
  const Command* const before = known(behind);
  preparation_starts_.emplace(behind, before != nullptr ? before->driver_start_ps : 0);
  if (event.parent != 0) calls_.emplace(event.parent, "");
}

void TaskReader::push_buffer(const EventRecord& event, std::string_view name) {
  Command* const of = known(event.parent);
  if (of == nullptr) return;
  if (!of->steps.empty()) of->steps.back().until_next_ps = event.time_ps - of->steps.back().decoded_ps;
  of->steps.push_back({std::string(name), event.argument, event.time_ps, 0, ""});
}

void TaskReader::kernel(const EventRecord& event) {
  Launch* const launch = launch_of(event.id);
  if (launch == nullptr) return;
  if (event.phase == TaskEventPhase::Begin) {
    launch->counter = event.unit;
    launch->set_launch_id_ps = event.time_ps;
    const bool asked = into_.selection.chosen();
    launch->point_step = (2 * launch->blocks) / (asked ? kSelectedPoints : kPoints) + 1;
    running_[event.id] = {};
    return;
  }
  launch->wait_ref_cnt_ps = event.time_ps;
  if (auto running = running_.extract(event.id); !running.empty()) finish(*launch, running.mapped());
}

void TaskReader::count(Launch& launch, Running& running, Picoseconds time) {
  running.last = {time, running.launched, running.completed};
  if (running.events++ % launch.point_step == 0) launch.points.push_back(running.last);
}

void TaskReader::block(const EventRecord& event) {
  const auto found = running_.find(event.parent);
  if (found == running_.end()) return;
  Launch& launch = *launch_of(event.parent);
  Running& running = found->second;
  if (event.phase == TaskEventPhase::End) return block_ends(launch, running, event);
  ++running.launched;
  launch.last_dispatch_ps = event.time_ps;
  running.open[event.id] = {event.unit, event.time_ps};
  const auto place = std::lower_bound(launch.sms.begin(), launch.sms.end(), event.unit,
                                      [](const SmShare& share, std::uint32_t sm) { return share.sm < sm; });
  SmShare& share = place != launch.sms.end() && place->sm == event.unit
                       ? *place
                       : *launch.sms.insert(place, {event.unit, 0, 0, event.time_ps, event.time_ps});
  ++share.blocks;
  share.most_at_once = std::max(share.most_at_once, ++running.on_sm[event.unit]);
  if (ends_a_quarter(running.launched, launch.blocks))
    launch.quarters.push_back({event.time_ps, running.launched, running.completed});
  count(launch, running, event.time_ps);
}

void TaskReader::block_ends(Launch& launch, Running& running, const EventRecord& event) {
  const auto open = running.open.extract(event.id);
  if (open.empty()) return;
  const OpenBlock& begun = open.mapped();
  ++running.completed;
  ++launch.told_blocks;
  --running.on_sm[begun.sm];
  for (SmShare& share : launch.sms)
    if (share.sm == begun.sm) share.last_ps = event.time_ps;
  running.times.emplace_back(event.time_ps - begun.begin_ps, event.id);
  if (ends_a_quarter(running.completed, launch.blocks))
    launch.quarters.push_back({event.time_ps, running.launched, running.completed});
  count(launch, running, event.time_ps);
}

// Its longest and its median block are the ones with the lowest numbers.
void TaskReader::finish(Launch& launch, Running& running) {
  if (running.events != 0 && (running.events - 1) % launch.point_step != 0)
    launch.points.push_back(running.last);
  auto& times = running.times;
  if (into_.selection.block) launch.shown = {{*into_.selection.block, 0, 0, 0, "asked for", {}}};
  if (times.empty()) return;
  const auto earlier = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  };
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>((times.size() - 1) / 2);
  std::nth_element(times.begin(), middle, times.end(), earlier);
  launch.median_ps = middle->first;
  const std::uint64_t median = middle->second;
  const auto longest = std::min_element(times.begin(), times.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  launch.longest_ps = longest->first;
  launch.shortest_ps = std::min_element(times.begin(), times.end(), earlier)->first;
  fill_bins(launch, times);
  if (into_.selection.block) return;
  launch.shown = {{longest->second, 0, 0, 0, "the longest", {}}};
  if (median != longest->second) launch.shown.push_back({median, 0, 0, 0, "the median", {}});
}

void TaskReader::move(const EventRecord& event) {
  const auto key = std::pair(event.parent, event.id);
  if (event.phase == TaskEventPhase::Begin) {
    ++into_.moves_in_all;
    if (into_.moves_in_all <= kMoves && known(event.parent) != nullptr) open_moves_[key] = event;
  } else if (const auto open = open_moves_.extract(key); !open.empty()) {
    const EventRecord& begun = open.mapped();
    into_.moves.push_back({begun.parent, begun.unit, "", begun.argument, begun.time_ps, event.time_ps});
  }
}

void TaskReader::warp(const EventRecord& event) {
  if (event.kind != TaskEventKind::Warp && event.kind != TaskEventKind::Block) return;
  Launch* const launch = launch_of(event.parent);
  if (launch == nullptr) return;
  const bool is_block = event.kind == TaskEventKind::Block, begins = event.phase == TaskEventPhase::Begin;
  for (Block& block : launch->shown) {
    if (block.number != (is_block ? event.id : event.argument)) continue;
    if (is_block) {
      block.sm = event.unit;
      (begins ? block.begin_ps : block.end_ps) = event.time_ps;
    } else if (begins) {
      block.warps.push_back({event.id, event.stream, event.time_ps, 0});
    } else {
      for (Warp& warp : block.warps)
        if (warp.index == event.id) warp.end_ps = event.time_ps;
    }
  }
}

void TaskReader::finish_commands() {
  for (Command& command : into_.commands) {
    if (const auto name = calls_.find(command.call); name != calls_.end()) command.call_name = name->second;
    for (Dependency& dependency : command.waits_for) dependency.end_ps = ends_[dependency.command];
    command.behind_ps = preparation_starts_[command.behind];
    if (const Launch* const launch = launch_of(command.number))
      command.what = launch_text(*launch);
    else if (const auto copy = copies_.find(command.number); copy != copies_.end())
      command.what = copy_text(copy->second);
    for (PushBufferStep& step : command.steps)
      step.effect = effect_text(step, command, launch_of(command.number));
  }
  // Moves of one moment come in the order of ticks.
  std::sort(into_.moves.begin(), into_.moves.end(), [](const Move& a, const Move& b) {
    return std::tie(a.begin_ps, a.engine, a.command) < std::tie(b.begin_ps, b.engine, b.command);
  });
  for (Move& move : into_.moves) {
    const auto copy = copies_.find(move.command);
    move.step = copy != copies_.end() ? step_of(copy->second.kind) : "full/empty bits";
  }
}

}  // namespace duet::explain
