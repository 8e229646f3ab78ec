// The task unit, TU (hu2016, sections 2.1, 2.3): it allocates contexts, reads scripts and puts their groups
// into the queues of the task buffer, and deallocates contexts. One of these a step.
#include <fmt/format.h>

#include <algorithm>

#include "model/runner.h"

namespace duet::model {

bool Runner::task_unit(Node& node) {
  return retire(node) || deallocate(node) || allocate(node) || read(node);
}

// A group has ended: its context in the TB is free, and with the last one of a channel the queue.
bool Runner::retire(Node& node) {
  for (Node::Queue& queue : node.queues) {
    if (queue.groups.empty()) continue;
    Group& group = *queue.groups.front();
    if (group.ended == 0 || group.ended == step_) continue;
    log(node, level_of(node).tu, group.name, fmt::format("end the group: queue {} goes on", group.queue));
    tell(operation(Verb::End, node, group));
    Operation leave = operation(Verb::Leave, node, group);
    leave.unit = group.queue;
    tell(leave);
    queue.groups.erase(queue.groups.begin());
    if (queue.groups.empty()) queue.of = nullptr;
    --group.parent->open_groups;
    group.parent->since = step_;
    return true;
  }
  return false;
}

// An instance has nothing left to do: its data goes, and its place on the PE is free.
bool Runner::deallocate(Node& node) {
  const auto done = std::find_if(node.residents.begin(), node.residents.end(), [&](const Instance* one) {
    return one->allocated && one->since != step_ && one->open_groups == 0 && one->read_all();
  });
  if (done == node.residents.end()) return false;
  Instance& instance = **done;
  log(node, level_of(node).tu, instance.name, "deallocate the context");
  node.residents.erase(done);
  if (instance.group == nullptr) {
    execution_.finished = true;
    return true;
  }
  node.memory_used -= instance.reserved;
  --node.seat->residents;
  instance_ends(*node.above, *instance.group, instance.index, node.unit);
  return true;
}

// The script's entries for each hardware channel, in the order of the list (section 2.4: logical channels
// share hardware channels).
void Runner::make_feeds(Node& node, Instance& instance) {
  const std::uint64_t hardware = level_of(node).hardware_channels;
  instance.feeds.resize(hardware);
  for (const Script& script : instance.list->scripts)
    for (std::uint64_t column = 0; column < instance.list->columns; ++column) {
      auto group = std::make_unique<Group>();
      group->number = next_group_++;
      group->script = &script;
      group->parent = &instance;
      group->channel = instance.list->columns > 1 ? column : script.channel;
      group->name = fmt::format("{}/{}", instance.name, script.name);
      if (instance.list->columns > 1) group->name += fmt::format("@{}", column);
      Operation submit = operation(Verb::Submit, node, *group);
      tell(submit);
      instance.feeds[group->channel % hardware].entries.push_back({&script, group->channel, group.get()});
      groups_.push_back(std::move(group));
    }
}

bool Runner::allocate(Node& node) {
  for (Instance* const instance : node.residents) {
    if (instance->allocated || (instance->since == step_ && step_ > 1)) continue;
    instance->allocated = true;
    instance->since = step_;
    make_feeds(node, *instance);
    log(node, level_of(node).tu, instance->name, "allocate a context");
    return true;
  }
  return false;
}

Node::Queue* Runner::queue_for(Node& node, const Instance& instance, std::uint64_t channel) {
  Node::Queue* free = nullptr;
  for (Node::Queue& queue : node.queues) {
    if (queue.of == &instance && queue.channel == channel)
      return queue.groups.size() < level_of(node).depth ? &queue : nullptr;
    if (queue.of == nullptr && free == nullptr) free = &queue;
  }
  return free;
}

// A command of a script; with the last one its group goes into its channel's queue, if there is room.
bool Runner::read(Node& node, Instance& instance, Instance::Feed& feed) {
  const Instance::Entry& entry = feed.entries[feed.next];
  const auto& commands = entry.script->commands;
  const bool last = feed.command + 1 >= commands.size();
  Node::Queue* const queue = last ? queue_for(node, instance, entry.channel) : nullptr;
  if (last && queue == nullptr) return false;
  Group& group = *entry.group;
  if (feed.command == 0) tell(operation(Verb::Fetch, node, group));
  std::string text = fmt::format("read {}", commands.empty() ? entry.script->name : commands[feed.command]);
  ++counts(node).commands;
  ++feed.command;
  if (last) {
    feed.command = 0;
    ++feed.next;
    ++instance.open_groups;
    queue->of = &instance;
    queue->channel = entry.channel;
    queue->groups.push_back(&group);
    group.entered = step_;
    group.queue = static_cast<std::uint64_t>(queue - node.queues.data());
    Operation enter = operation(Verb::Enter, node, group);
    enter.unit = group.queue;
    tell(enter);
    text += fmt::format("; into queue {}", group.queue);
  }
  log(node, level_of(node).tu, group.name, text);
  return true;
}

bool Runner::read(Node& node) {
  std::size_t feeds = 0;
  for (const Instance* instance : node.residents) feeds += instance->feeds.size();
  for (std::size_t i = 0; i < feeds; ++i) {
    std::size_t place = (node.feed_turn + i) % feeds;
    for (Instance* instance : node.residents) {
      if (place >= instance->feeds.size()) {
        place -= instance->feeds.size();
        continue;
      }
      Instance::Feed& feed = instance->feeds[place];
      if (feed.done() || instance->since == step_ || !read(node, *instance, feed)) break;
      node.feed_turn = (node.feed_turn + i + 1) % feeds;
      return true;
    }
  }
  return false;
}

}  // namespace duet::model
