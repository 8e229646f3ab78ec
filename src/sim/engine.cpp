#include "sim/engine.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>
#include <sstream>
#include <utility>

#include "sim/event_sink.h"
#include "sim/two_threads.h"

namespace duet::sim {

const char* role_name(Role role) {
  static constexpr const char* kNames[] = {"none",
                                           "processing element",
                                           "data movement element",
                                           "scheduling element",
                                           "task unit",
                                           "task buffer",
                                           "memory"};
  return kNames[static_cast<std::size_t>(role)];
}

Picoseconds Engine::first_of(const Component* list) {
  Picoseconds first = kNever;
  for (; list != nullptr; list = list->after_) first = std::min(first, list->wake_time_);
  return first;
}

Component::Component(Engine& engine, std::string name, const Component* parent, int level, Role role)
    : engine_(engine),
      name_(std::move(name)),
      parent_(parent),
      level_(level),
      role_(role),
      number_(engine.made_++) {
  engine_.components_.push_back(this);
  engine_.ticks_.push_back(0);
}

Component::~Component() {
  if (wake_time_ != kNever) engine_.unlink(*this);
  auto& all = engine_.components_;
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

inline void Engine::link(Component& component) {
  Component** list = &far_;
  if (is_near(component.wake_time_)) [[likely]] {
    const unsigned slot = (component.wake_time_ >> kSlotShift) % kSlots;
    list = &near_[slot];
    used_[slot / 64] |= 1ull << slot % 64;
  } else {
    far_from_ = std::min(far_from_, component.wake_time_);
  }
  component.before_ = nullptr;
  component.after_ = *list;
  if (*list != nullptr) (*list)->before_ = &component;
  *list = &component;
}

inline void Engine::unlink(Component& component) {
  if (component.after_ != nullptr) component.after_->before_ = component.before_;
  if (component.before_ != nullptr) {
    component.before_->after_ = component.after_;
  } else if (&component == far_) {
    far_ = component.after_;
  } else {
    const unsigned slot = (component.wake_time_ >> kSlotShift) % kSlots;
    near_[slot] = component.after_;
    if (near_[slot] == nullptr) used_[slot / 64] &= ~(1ull << slot % 64);
  }
}

struct Engine::SinkPair final : EventSink {
  SinkPair(EventSink* first_, EventSink* second_) : first(first_), second(second_) {}
  void take(const Event& event) override {
    first->take(event);
    second->take(event);
  }
  EventSink *const first, *const second;
};

Engine::Engine(std::uint64_t shuffle_seed, bool two_threads)
    : shuffle_state_(shuffle_seed),
      threads_(two_threads ? std::make_unique<TwoThreads>(shuffle_seed) : nullptr) {}

Engine::~Engine() = default;

// Has it ticked at `next` or earlier; kNever changes nothing.
inline void Engine::schedule(Component& component, Picoseconds next) {
  if (next >= component.wake_time_) return;
  if (component.wake_time_ != kNever) unlink(component);
  component.wake_time_ = next;
  link(component);
}

void Engine::wake(Component& component, Picoseconds time) {
  if (dealt_) [[unlikely]]
    threads_->between_ticks([this, &component, time] { schedule(component, time); });
  else
    schedule(component, time);
}

// Its opportunity depends on its clock, which is its own while it is ticked.
void Engine::wake_after(Component& component, Picoseconds time) {
  if (dealt_) [[unlikely]]
    threads_->between_ticks(
        [this, &component, time] { schedule(component, component.next_opportunity(time)); });
  else
    schedule(component, component.next_opportunity(time));
}

void Engine::put_between_ticks(std::function<void()> action) { threads_->between_ticks(std::move(action)); }

void Engine::after_ticks(std::function<void()> action) {
  if (dealt_)
    threads_->after_ticks(std::move(action));
  else
    after_ticks_.push_back(std::move(action));
}

// Moves near components out of the later list.
void Engine::bring_near() {
  far_from_ = kNever;
  for (Component *component = far_, *after; component != nullptr; component = after) {
    after = component->after_;
    if (is_near(component->wake_time_)) {
      unlink(*component);
      link(*component);
    } else {
      far_from_ = std::min(far_from_, component->wake_time_);
    }
  }
}

// The first used slot of the near future, or kSlots.
inline unsigned Engine::next_slot() const {
  const unsigned from = (base_ >> kSlotShift) % kSlots;
  unsigned word = from / 64;
  std::uint64_t bits = used_[word] & ~0ull << from % 64;
  if (bits == 0) {
    // Mostly all sleep for longer than that.
    std::uint64_t any = 0;
    for (const std::uint64_t used : used_) any |= used;
    if (any == 0) return kSlots;
    do {
      word = (word + 1) % (kSlots / 64);
      bits = used_[word];
    } while (bits == 0);
  }
  return word * 64 + static_cast<unsigned>(std::countr_zero(bits));
}

Picoseconds Engine::next_time() {
  if (far_from_ < base_ + kReach) bring_near();
  const unsigned slot = next_slot();
  return first_of(slot != kSlots ? near_[slot] : far_);
}

// Ticks every component due at the next time, unless it is later than `limit`.
bool Engine::step(Picoseconds limit) {
  if (far_from_ < base_ + kReach) bring_near();
  unsigned slot = next_slot();
  if (slot == kSlots) {
    if (far_from_ > limit) return false;
    const Picoseconds time = first_of(far_);
    if (time > limit || time == kNever) return false;
    base_ = time >> kSlotShift << kSlotShift;
    bring_near();
    slot = (time >> kSlotShift) % kSlots;
  }
  Picoseconds time = near_[slot]->wake_time_;
  // They go into the first places of due_, which has room for all.
  if (due_.size() < components_.size()) due_.resize(components_.size());
  Component** const due = due_.data();
  std::size_t count = 0;
  const auto take = [&](Component& component) {
    component.wake_time_ = kNever;
    ++ticks_[component.number_];
    due[count++] = &component;
  };
  bool same = time <= limit && look_at_ >= time;  // mostly all in a slot have one time
  for (Component* component = near_[slot]; same && component != nullptr; component = component->after_) {
    same = component->wake_time_ == time;
    if (same) take(*component);
  }
  if (same) {
    near_[slot] = nullptr;
    used_[slot / 64] &= ~(1ull << slot % 64);
  } else {
    for (; count != 0; --count) {
      due[count - 1]->wake_time_ = time;
      --ticks_[due[count - 1]->number_];
    }
    time = first_of(near_[slot]);
    if (time > limit) return false;
    if (look_at_ < time) look_before(time);
    for (Component *component = near_[slot], *after; component != nullptr; component = after) {
      after = component->after_;
      if (component->wake_time_ != time) continue;
      unlink(*component);
      take(*component);
    }
  }
  now_ = time;
  base_ = time >> kSlotShift << kSlotShift;
  if (shuffle_state_ != 0)
    for (std::size_t i = count; i > 1; --i) {
      shuffle_state_ = shuffle_state_ * 6364136223846793005ull + 1442695040888963407ull;
      std::swap(due[i - 1], due[(shuffle_state_ >> 33) % i]);
    }
  if (threads_ != nullptr) {
    due_.resize(count);
    tick_on_two_threads(time);
  } else {
    for (Component **one = due, **const end = due + count; one != end; ++one)
      schedule(**one, (*one)->tick(time));
  }
  if (!after_ticks_.empty()) run_after_ticks();
  return true;
}

void Engine::report_events(EventSink& sink, TaskEventMask kinds) {
  for (std::size_t kind = 0; kind < kTaskEventKinds; ++kind) {
    if ((kinds >> kind & 1) == 0) continue;
    EventSink*& told = event_sinks_[kind];
    if (told == nullptr)
      told = &sink;
    else
      told = sink_pairs_.emplace_back(std::make_unique<SinkPair>(told, &sink)).get();
  }
}

void Engine::observe(Observer& observer, Picoseconds first) {
  looks_.push_back({&observer, first});
  look_at_ = std::min(look_at_, first);
}

void Engine::tick_on_two_threads(Picoseconds time) {
  for (Component* component : due_) threads_->deal(*component, component->number_, component->unit_);
  dealt_ = true;
  threads_->tick(time);
  dealt_ = false;
  threads_->collect([this](Component& component, Picoseconds next) { schedule(component, next); },
                    after_ticks_);
}

void Engine::run_after_ticks() {
  for (const auto& action : std::exchange(after_ticks_, {})) action();
}

// An observer at a time sees all events up to it, and no action of the host at this time.
void Engine::look_before(Picoseconds time) {
  while (look_at_ < time) {
    now_ = look_at_;
    Picoseconds next = kNever;
    for (Look& look : looks_) {
      if (look.at == now_) look.at = look.observer->look(time);
      next = std::min(next, look.at);
    }
    look_at_ = next;
  }
}

void Engine::run_until(Picoseconds time) {
  while (step(time)) {
  }
  look_before(time);
  now_ = std::max(now_, time);
}

bool Engine::run_while_not(const std::function<bool()>& done, Picoseconds limit) {
  while (!done())
    if (!step(limit)) return false;
  return true;
}

namespace {
// The text without its numbers, decimal and hexadecimal.
std::string without_numbers(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "0x") == 0)
      for (i += 2; i < text.size() && std::isxdigit(static_cast<unsigned char>(text[i])) != 0;) ++i;
    if (i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) == 0) result += text[i];
  }
  return result;
}
}  // namespace

// There are many SMs, caches and controllers: components with the same text but for numbers are named once.
// Components that move data or schedule are always named.
std::vector<std::string> Engine::waiting_lines(const std::vector<const Component*>& told) const {
  struct Line {
    std::string text;
    unsigned more = 0;
  };
  std::vector<Line> lines;
  std::map<std::string, std::size_t> alike;
  for (const Component* component : components_) {
    if (std::find(told.begin(), told.end(), component) != told.end()) continue;
    const bool processes = component->role() == Role::ProcessingElement;
    std::istringstream facts(component->waits_for());
    for (std::string fact; std::getline(facts, fact);) {
      const std::string text = component->name() + (processes ? ": " : " waits for ") + fact;
      if (component->role() == Role::Memory || processes) {
        const auto [at, first] = alike.emplace(without_numbers(text), lines.size());
        if (!first) {
          ++lines[at->second].more;
          continue;
        }
      }
      lines.push_back({text, 0});
    }
  }
  std::vector<std::string> result;
  for (const Line& line : lines)
    result.push_back(line.text +
                     (line.more != 0 ? " (and " + std::to_string(line.more) + " more like it)" : ""));
  return result;
}

std::string Engine::waiting_report() const {
  std::string report;
  for (const std::string& line : waiting_lines()) report += (report.empty() ? "" : "; ") + line;
  return report;
}

}  // namespace duet::sim
