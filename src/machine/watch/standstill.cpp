#include "machine/watch/standstill.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/readable_name.h"

namespace duet::machine {

namespace {

using driver::CommandId;
using driver::CommandKind;
using driver::Hold;
using memory::Action;
using memory::Agent;
using memory::Operation;
using memory::Trigger;
using memory::WaitingRequest;
using CommandState = driver::Driver::CommandState;

constexpr std::size_t kCommandsTold = 16, kGroupsTold = 12;

double microseconds(Picoseconds time) { return static_cast<double>(time / 1000) / 1000; }

const char* queue_name(unsigned queue, std::uint64_t queues) {
  constexpr const char* kNames[] = {"requests without a trigger", "triggered CPU requests",
                                    "triggered GPU requests", "triggered CPU reads"};
  if (queues == 1) return "all requests";
  if (queues == 2 && queue == 1) return "triggered requests";
  return kNames[queue];
}

const char* does(const WaitingRequest& request) {
  const bool sm = request.agent == Agent::Sm;
  if (request.operation == Operation::Atomic) return "atomics";
  if (request.operation == Operation::Read) return sm ? "loads" : "reads";
  return sm ? "stores" : "writes";
}

// "16 loads"
std::string counted(const WaitingRequest& request, std::size_t count) {
  std::string what = does(request);
  if (count == 1) what.pop_back();
  return std::to_string(count) + " " + what;
}

const char* wanted(Trigger trigger) { return trigger == Trigger::Empty ? "empty" : "full"; }
const char* opposite(Trigger trigger) { return trigger == Trigger::Empty ? "full" : "empty"; }

// Requests alike but for their words.
struct Group {
  CommandId command = 0;  // 0: not known
  WaitingRequest first;   // the oldest
  std::size_t count = 0;
  VirtualAddress low{~std::uint64_t{0}}, end;  // [low, end)
  std::set<unsigned> controllers;
  CommandId in_front = 0;  // of a satisfied request: whose request heads its queue; 0: not known
  const char* in_front_does = "requests";
};

class Examiner {
 public:
  Examiner(const MachineParts& machine, bool still) : machine_(machine) {
    for (const CommandState& state : machine_.driver.commands()) commands_[state.id] = state;
    for (auto& task : machine_.work_distributor.task_states()) tasks_[task.command] = std::move(task);
    if (machine_.memory_system != nullptr) requests_ = machine_.memory_system->waiting_requests(still);
    group();
    tell();
    find_cause(still);
  }
  Standstill take() { return std::move(result_); }

 private:
  // ---- Names ----

  std::string place(VirtualAddress address, Bytes bytes = 1) const {
    return machine_.address_space.place_of(address, bytes);
  }
  std::string what(const driver::Command& command) const {
    switch (command.kind) {
      case CommandKind::Launch:
        return fmt::format("kernel '{}'", readable_name(command.grid->kernel->name));
      case CommandKind::Copy:
        return command.copy.to.host                                       ? "copy to the host"
               : command.copy.from.host || command.copy.staged != nullptr ? "copy to the GPU"
                                                                          : "copy inside the GPU";
      case CommandKind::Fill:
        return "memset";
      case CommandKind::FullEmptySet:
        return command.full_empty.action == Action::Fill    ? "duetFullEmptySet to full"
               : command.full_empty.action == Action::Empty ? "duetFullEmptySet to empty"
                                                            : "duetFullEmptyRelease";
      case CommandKind::CacheMaintenance:
        return "cache maintenance";
      case CommandKind::EventRecord:
        return "event record";
      case CommandKind::StreamWaitEvent:
        return "wait for an event";
      case CommandKind::HostFunction:
        return "host function";
    }
    return "command";
  }
  // "kernel 'consume' (command 4, stream 1)"
  std::string who(CommandId id) const {
    const auto found = commands_.find(id);
    if (found == commands_.end()) return fmt::format("command {}", id);
    return fmt::format("{} (command {}, stream {})", what(*found->second.command), id,
                       found->second.command->stream);
  }
  std::string who(const Group& group) const {
    if (group.command != 0) return who(group.command);
    return group.first.agent == Agent::Sm ? fmt::format("a kernel on SM {}", group.first.unit) : "a copy";
  }
  std::string plain_writer(const memory::PlainWrite& by) const {
    if (by.agent == Agent::Sm) return fmt::format("a store at PTX line {}", by.pc);
    for (const auto& [id, state] : commands_)
      if (static_cast<std::uint32_t>(id) == by.pc) return who(id);
    if (const auto* copy = machine_.driver.plain_copy(by.pc))
      return fmt::format("{} (command {}, stream {})",
                         copy->fill        ? "memset"
                         : copy->from_host ? "copy to the GPU"
                                           : "copy inside the GPU",
                         by.pc, copy->stream);
    return fmt::format("copy (command {})", by.pc);
  }
  // The bytes of device memory of a command; none for a launch.
  static std::optional<std::pair<VirtualAddress, Bytes>> range(const driver::Command& command) {
    const auto extent = [](const driver::Endpoint& end, const driver::CopyJob& copy) {
      return std::pair<VirtualAddress, Bytes>(
          end.address, copy.bytes() == 0 ? 0
                                         : (copy.slices - 1) * end.slice_pitch +
                                               (copy.rows - 1) * end.row_pitch + copy.width_bytes);
    };
    switch (command.kind) {
      case CommandKind::Copy:
        return extent(command.copy.to.host ? command.copy.from : command.copy.to, command.copy);
      case CommandKind::Fill:
        return std::pair<VirtualAddress, Bytes>(
            command.fill.address,
            (command.fill.rows - 1) * command.fill.row_pitch + command.fill.width_bytes);
      case CommandKind::FullEmptySet:
        return std::pair<VirtualAddress, Bytes>(command.full_empty.address, command.full_empty.bytes);
      default:
        return std::nullopt;
    }
  }

  // The words of a group, said briefly: "words of duetMallocTracked #2".
  std::string words_of(const Group& group) const {
    const std::string text = place(group.low);
    return "words of " + text.substr(0, text.find(" ("));
  }

  // ---- Waiting requests ----

  static bool unsatisfied(const Group& group) {
    return !group.first.satisfied && group.first.trigger != Trigger::None;
  }

  CommandId command_of(const WaitingRequest& request) const {
    std::uint64_t low = request.pc;
    if (request.agent == Agent::Sm) {
      if (request.unit >= machine_.timed_sms.size()) return 0;
      low = machine_.timed_sms[request.unit]->command_of(request.requester, request.pc);
    }
    for (const auto& [id, state] : commands_)
      if (static_cast<std::uint32_t>(id) == static_cast<std::uint32_t>(low)) return id;
    return 0;
  }

  void group() {
    using Key = std::tuple<CommandId, Agent, std::uint32_t, Trigger, Operation, const void*, bool, unsigned,
                           std::uint32_t>;
    std::map<Key, std::size_t> known;
    std::map<std::pair<unsigned, unsigned>, const WaitingRequest*> heads;
    for (const WaitingRequest& request : requests_)
      if (request.queue != WaitingRequest::kNoQueue && request.place == 0)
        heads[{request.controller, request.queue}] = &request;
    for (const WaitingRequest& request : requests_) {
      const CommandId command = command_of(request);
      const std::uint32_t line = request.agent == Agent::Sm ? request.pc : 0;
      const Key key{command,           request.agent,     line,
                    request.trigger,   request.operation, machine_.address_space.find(request.address),
                    request.satisfied, request.queue,     request.written ? request.written->pc + 1 : 0};
      const auto [at, is_new] = known.emplace(key, groups_.size());
      if (is_new)
        groups_.push_back({command, request, 0, VirtualAddress(~std::uint64_t{0}), {}, {}, 0, "requests"});
      Group& group = groups_[at->second];
      if (request.since < group.first.since) group.first = request;
      ++group.count;
      group.low = std::min(group.low, request.address);
      group.end = std::max(group.end, request.address + request.bytes);
      group.controllers.insert(request.controller);
      const auto head = heads.find({request.controller, request.queue});
      if (group.in_front == 0 && head != heads.end() && head->second != &request) {
        group.in_front = command_of(*head->second);
        group.in_front_does = does(*head->second);
      }
    }
    std::stable_sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
      return std::tuple(a.first.satisfied, a.command) < std::tuple(b.first.satisfied, b.command);
    });
    for (Group& group : groups_)  // requests not yet at a controller stand behind the ones waiting there
      if (group.first.satisfied && group.in_front == 0)
        for (const Group& other : groups_)
          if (!other.first.satisfied && other.first.queue != WaitingRequest::kNoQueue) {
            group.in_front = other.command;
            group.in_front_does = does(other.first);
            break;
          }
  }

  // ---- Possible suppliers ----

  // Whether the command, when it comes, makes words of the group as they are waited for.
  bool supplies(const CommandState& state, const Group& group) const {
    const driver::Command& command = *state.command;
    const Action needed = group.first.trigger == Trigger::Empty ? Action::Empty : Action::Fill;
    Action action = Action::None;
    if (command.kind == CommandKind::Copy) action = command.copy.action;
    if (command.kind == CommandKind::FullEmptySet) {
      action = command.full_empty.action;
      if (action == Action::None) action = needed;  // a release lets anyone go
    }
    if (command.kind == CommandKind::Launch)
      return std::any_of(command.at_end.begin(), command.at_end.end(), [&](const driver::FullEmptyJob& job) {
        return job.action == needed && job.address < group.end && group.low < job.address + job.bytes;
      });
    const auto bytes = range(command);
    return action == needed && bytes && bytes->first < group.end && group.low < bytes->first + bytes->second;
  }
  // Whether a kernel has a pointer into the allocation whose words the group waits for.
  bool may_supply(const CommandState& state, const Group& group) const {
    if (state.command->kind != CommandKind::Launch || state.id == group.command) return false;
    const memory::Allocation* allocation = machine_.address_space.find(group.low);
    if (allocation == nullptr) return false;
    const auto& parameters = state.command->grid->parameters;
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= parameters.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t value = 0;
      std::memcpy(&value, &parameters[at], sizeof value);
      if (VirtualAddress(value) - allocation->base < allocation->mapped_bytes) return true;
    }
    return false;
  }

  struct Link {
    CommandId by = 0;  // 0: nothing known
    std::string text;
    Hold::Kind kind = Hold::Nothing;
    bool engine = false;
    bool words = false;
  };
  // The command before this one in its wait, if any.
  Link link(CommandId id) const {
    const auto found = commands_.find(id);
    if (found == commands_.end()) return {};
    const CommandState& state = found->second;
    if (!state.sent) {
      const Hold& hold = state.hold;
      switch (hold.kind) {
        case Hold::Nothing:
          return {};
        case Hold::Stream:
          return {hold.by, "it stands behind " + who(hold.by) + " in its stream", hold.kind};
        case Hold::Channel:
          return {hold.by,
                  fmt::format("it stands behind {} in hardware channel {}", who(hold.by), state.channel),
                  hold.kind};
        case Hold::Order:
          return {hold.by, fmt::format("it waits for {}: {}", hold.text, who(hold.by)), hold.kind};
      }
    }
    const auto task = tasks_.find(id);
    if (task == tasks_.end()) return {};
    if (task->second.behind != 0)
      return {task->second.behind, "it stands behind " + who(task->second.behind) + " in its stream",
              Hold::Stream, false};
    if (task->second.for_engine)
      for (const gpu::DataTransferEngine* engine : machine_.copy_engines)
        if (const auto progress = engine->progress(); progress && !progress->move.bits_only)
          return {progress->command,
                  fmt::format("it waits for a free copy engine; {} performs {}", engine->name(),
                              who(progress->command)),
                  Hold::Nothing, true};
    return {};
  }
  // The chain of waits from the command to `target`; empty when there is none. A wait for words is a wait for
  // the commands that would bring them.
  std::vector<Link> path(CommandId id, CommandId target, std::set<CommandId>& seen) const {
    if (!seen.insert(id).second) return {};
    std::vector<Link> next;
    if (const Link waits = link(id); waits.by != 0) next.push_back(waits);
    for (const Group& group : groups_) {
      if (group.command != id || !unsatisfied(group)) continue;
      for (const auto& [by, state] : commands_)
        if (by != id && supplies(state, group))
          next.push_back({by, "it waits for " + words_of(group), Hold::Nothing, false, true});
    }
    for (const Link& first : next) {
      if (first.by == target) return {first};
      std::vector<Link> rest = path(first.by, target, seen);
      if (rest.empty()) continue;
      rest.insert(rest.begin(), first);
      return rest;
    }
    return {};
  }

  // ---- Facts ----

  void add(std::string fact) { result_.facts.push_back(std::move(fact)); }

  std::string source(const Group& group) const {
    if (group.first.agent != Agent::Sm) return fmt::format("copy engine {}", group.first.unit);
    const auto found = commands_.find(group.command);
    const std::string place = found != commands_.end() && found->second.command->grid
                                  ? found->second.command->grid->kernel->place_of(group.first.pc)
                                  : fmt::format("PTX line {}", group.first.pc);
    return fmt::format("{}, first on SM {}", place, group.first.unit);
  }
  std::string since(const Group& group) const {
    if (group.first.queue == WaitingRequest::kNoQueue) return "; not yet at a memory controller";
    return fmt::format(", since {:.3f} us", microseconds(group.first.since));
  }

  void tell_group(const Group& group) {
    const WaitingRequest& first = group.first;
    const std::string words = place(group.low, group.end - group.low);
    if (first.trigger == Trigger::None) {
      add(fmt::format("{}: {} of {} wait for their turn ({}{})", who(group), counted(first, group.count),
                      words, source(group), since(group)));
      return;
    }
    if (!first.satisfied) {
      add(fmt::format("{} waits for {}: {} of {}, which is {} ({}{})", who(group), wanted(first.trigger),
                      counted(first, group.count), words, opposite(first.trigger), source(group),
                      since(group)));
      if (first.written)
        add(fmt::format("{} was written by {} at {:.3f} us, after it had been emptied and without filling it",
                        words, plain_writer(*first.written), microseconds(first.written->time)));
      return;
    }
    const std::string front =
        group.in_front != 0 ? fmt::format("{} of {}", group.in_front_does, who(group.in_front)) : "others";
    const std::string where =
        first.queue == WaitingRequest::kNoQueue
            ? std::string("on their way to the memory controllers")
            : fmt::format("in the queue of {} of {} memory controller{}",
                          queue_name(first.queue, machine_.config.gpu.full_empty.queues),
                          group.controllers.size(), group.controllers.size() == 1 ? "" : "s");
    add(fmt::format("{} is held up: {} of {}, which is {}, stand behind {} {} ({}{})", who(group),
                    counted(first, group.count), words, wanted(first.trigger), front, where, source(group),
                    since(group)));
  }

  std::string progress_of(const CommandState& state) const {
    const gpu::Grid& grid = *state.command->grid;
    if (grid.first_block_ps == kNever) return "waits: no block has started";
    const auto cycles = static_cast<unsigned __int128>(machine_.engine.now() - grid.first_block_ps) *
                        machine_.config.gpu.core_clock_khz / 1'000'000'000;
    return fmt::format("has run {} cycles and {} warp instructions, {} of {} blocks complete",
                       static_cast<std::uint64_t>(cycles), machine_.counts(grid).warp_instructions,
                       grid.completed_blocks, grid.grid.count());
  }

  // The report of the copy engine with the command; empty: none has it.
  std::string move_of(CommandId id) const {
    for (const gpu::DataTransferEngine* engine : machine_.copy_engines) {
      const auto progress = engine->progress();
      if (!progress || progress->command != id) continue;
      std::string text = "on " + engine->name();
      if (progress->unanswered != 0)
        text += fmt::format(", {} packet{} not answered since {:.3f} us", progress->unanswered,
                            progress->unanswered == 1 ? "" : "s", microseconds(progress->last_answer_ps));
      if (progress->lowest) text += ", the first of " + place(progress->lowest);
      return text;
    }
    return {};
  }

  void tell_command(const CommandState& state) {
    const driver::Command& command = *state.command;
    std::string text = who(state.id);
    if (const auto bytes = range(command)) {
      text += " of " + place(bytes->first, bytes->second);
      const Trigger trigger = command.copy.trigger;
      if (command.kind == CommandKind::Copy && trigger != Trigger::None)
        text += fmt::format(", waits for {}", wanted(trigger));
      if (command.kind == CommandKind::Copy && command.copy.action != Action::None)
        text += command.copy.action == Action::Fill ? ", fills" : ", empties";
    }
    const Link waits = link(state.id);
    const auto task = tasks_.find(state.id);
    if (!state.sent)
      text +=
          ": not sent; " + (waits.text.empty() ? std::string("the driver is about to serve it") : waits.text);
    else if (!waits.text.empty())
      text += ": " + waits.text;
    else if (command.kind == CommandKind::Launch)
      text += " " + progress_of(state);
    else if (command.kind == CommandKind::HostFunction)
      text += ": the program executes it";
    else if (const std::string moves = move_of(state.id); !moves.empty())
      text += ": " + moves;
    else if (task != tasks_.end())
      text += ": it waits for " + task->second.waits_for;
    else
      text += ": sent, and not yet taken by the work distributor";
    for (const Group& group : groups_) {
      if (!unsatisfied(group)) continue;
      const char* verb = group.first.trigger == Trigger::Empty ? "empty" : "fill";
      if (supplies(state, group) && state.id != group.command) {
        text += fmt::format("; it would {} what {} waits for", verb, who(group));
        break;
      }
      if (may_supply(state, group)) {
        text += fmt::format("; it has a pointer into the allocation of whose words {} waits", who(group));
        break;
      }
    }
    add(text);
  }

  void tell() {
    std::size_t told = 0;
    for (const Group& group : groups_)
      if (++told <= kGroupsTold) tell_group(group);
    if (told > kGroupsTold) add(fmt::format("and {} more kinds of requests that wait", told - kGroupsTold));
    told = 0;
    for (const auto& [id, state] : commands_)
      if (++told <= kCommandsTold) tell_command(state);
    if (told > kCommandsTold)
      add(fmt::format("and {} more commands that are not complete", told - kCommandsTold));
    std::vector<const sim::Component*> already{&machine_.driver, &machine_.work_distributor};
    for (const gpu::DataTransferEngine* engine : machine_.copy_engines) already.push_back(engine);
    if (machine_.memory_system != nullptr)
      for (const memory::DramController& controller : machine_.memory_system->controllers())
        if (!controller.waiting_requests().empty()) already.push_back(&controller);
    for (const std::string& line : machine_.engine.waiting_lines(already)) add(line);
    if (const std::string room = machine_.work_distributor.waits_for_room(); !room.empty())
      add("the work distributor waits for " + room);
  }

  // ---- Cause ----

  bool cause_of(const Group& group) {
    const WaitingRequest& first = group.first;
    const bool to_empty = first.trigger == Trigger::Empty;
    std::string& cause = result_.cause;
    const std::string waits = who(group) + " waits for " + words_of(group);
    if (first.written) {
      const std::string writer = plain_writer(*first.written);
      cause = fmt::format("{} that {} wrote without filling them: {}fill them with duetFullEmptySet", waits,
                          writer, writer.starts_with("copy") ? "give it cudaMemcpyActionFill, or " : "");
      return true;
    }
    for (const auto& [id, state] : commands_) {
      if (group.command == 0 || id == group.command || !supplies(state, group)) continue;
      const std::string how = how_it_is_kept(state, group);
      if (how.empty()) continue;
      cause = fmt::format("{} that {} is to {}, which {}", waits, who(id), to_empty ? "empty" : "fill", how);
      return true;
    }
    return false;
  }

  // How the group's command holds up another one, and the remedy; empty when it does not.
  std::string how_it_is_kept(const CommandState& state, const Group& group) const {
    std::set<CommandId> seen;
    const std::vector<Link> links = path(state.id, group.command, seen);
    if (links.empty()) return {};
    const auto any_of = [&](auto condition) { return std::any_of(links.begin(), links.end(), condition); };
    if (any_of([](const Link& l) { return l.words; })) return "cannot go before it: they wait for each other";
    const auto engine = std::find_if(links.begin(), links.end(), [](const Link& l) { return l.engine; });
    if (engine != links.end())
      return fmt::format(
          "waits for a copy engine that {} keeps: issue it earlier, or give the machine more engines "
          "(gpu.copy_engines.count is {})",
          who(engine->by), machine_.config.gpu.copy_engines.count);
    if (any_of([](const Link& l) { return l.kind == Hold::Order; }))
      return "waits for it in the order of streams: use streams made with cudaStreamNonBlocking";
    if (any_of([](const Link& l) { return l.kind == Hold::Channel; }))
      return fmt::format(
          "waits behind it in hardware channel {}, which their streams share: issue it earlier, or give the "
          "machine "
          "more channels (gpu.front_end.hardware_channels is {})",
          state.channel, machine_.config.gpu.front_end.hardware_channels);
    return fmt::format("stands behind it in the same stream: put the {} into another stream",
                       state.command->kind == CommandKind::Launch ? "kernel" : "copy");
  }

  // Requests that could go stand behind waiting ones. A request without a trigger counts only where another
  // waits for it.
  bool held_up() {
    const config::FullEmpty& config = machine_.config.gpu.full_empty;
    for (const Group& group : groups_) {
      if (!group.first.satisfied || group.in_front == 0 || group.in_front == group.command) continue;
      const Group* waiting = nullptr;
      for (const Group& other : groups_)
        if (unsatisfied(other) && other.command == group.in_front) waiting = &other;
      if (waiting == nullptr) continue;
      const auto state = commands_.find(group.command);
      const bool triggered = group.first.trigger != Trigger::None;
      if (!triggered && (state == commands_.end() || !supplies(state->second, *waiting))) continue;
      std::string& cause = result_.cause;
      cause = fmt::format("{} waits for {}; {} stands behind it in the memory controllers' queues",
                          who(*waiting), words_of(*waiting), who(group));
      if (triggered) cause += fmt::format(", though its own words are {}", wanted(group.first.trigger));
      cause += ": start it first, or ";
      const bool copies = group.first.agent != Agent::Sm && waiting->first.agent != Agent::Sm;
      if (config.queues < 3)
        cause += fmt::format("give the controllers more queues (gpu.full_empty.queues is {})", config.queues);
      else
        cause += fmt::format(
            "let the queues be looked into (gpu.full_empty.look_ahead is {}){}", config.look_ahead,
            copies && config.queues == 3 ? ", or keep copies that write from copies that read "
                                           "(gpu.full_empty.queues = 4)"
                                         : "");
      return true;
    }
    return false;
  }

  bool nobody_supplies(const Group& group) {
    for (const auto& [id, state] : commands_)
      if (id != group.command && supplies(state, group)) return false;
    const bool to_empty = group.first.trigger == Trigger::Empty;
    std::string& cause = result_.cause;
    cause = fmt::format("{} waits for {} that no command issued so far {}", who(group), words_of(group),
                        to_empty ? "empties" : "fills");
    for (const auto& [id, state] : commands_) {
      if (!may_supply(state, group)) continue;
      std::string how = how_it_is_kept(state, group);
      if (how.empty() && state.sent && state.command->grid->first_block_ps == kNever)
        how = "has no room on the SMs: start it first";
      cause += fmt::format(", unless {} does, which {}", who(id), how.empty() ? "cannot go on" : how);
      return true;
    }
    cause += to_empty
                 ? ": empty them, or release who waits with duetFullEmptyRelease"
                 : ": copy them with cudaMemcpyActionFill, or release who waits with duetFullEmptyRelease";
    return true;
  }

  void find_cause(bool still) {
    if (!still) return;
    for (const Group& group : groups_)
      if (unsatisfied(group) && cause_of(group)) return;
    if (held_up()) return;
    for (const Group& group : groups_)
      if (unsatisfied(group) && nobody_supplies(group)) return;
    for (const Group& group : groups_)
      if (unsatisfied(group)) {
        result_.cause =
            fmt::format("{} waits for {}, and who may {} them cannot go on", who(group), words_of(group),
                        group.first.trigger == Trigger::Empty ? "empty" : "fill");
        return;
      }
    for (const std::string& fact : result_.facts)
      if (const auto at = fact.find(" waits at barrier "), kernel = fact.find("of kernel '");
          at != std::string::npos && kernel < at) {
        result_.cause = fact.substr(kernel + 3, at - kernel - 3) +
                        " waits at a barrier that not all of its threads reach: see which of them arrive";
        return;
      }
    result_.cause = "what is under way waits for something that cannot happen";
  }

  const MachineParts& machine_;
  std::map<CommandId, CommandState> commands_;
  std::map<CommandId, gpu::WorkDistributor::TaskState> tasks_;
  std::vector<WaitingRequest> requests_;
  std::vector<Group> groups_;
  Standstill result_;
};

}  // namespace

std::string Standstill::lines() const {
  std::string text;
  for (const std::string& fact : facts) text += "\n  " + fact;
  return text;
}

Standstill examine(const MachineParts& machine, bool still) { return Examiner(machine, still).take(); }

}  // namespace duet::machine
