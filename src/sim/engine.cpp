#include "sim/engine.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>

namespace duet::sim {

Picoseconds Engine::first_of(const Component* list) {
  Picoseconds first = kNever;
  for (; list != nullptr; list = list->after_) first = std::min(first, list->wake_time_);
  return first;
}

Component::Component(Engine& engine, std::string name, const Component* parent, int level, Role role)
    : engine_(engine), name_(std::move(name)), parent_(parent), level_(level), role_(role) {
  engine_.components_.push_back(this);
}

Component::~Component() {
  if (wake_time_ != kNever) engine_.unlink(*this);
  auto& all = engine_.components_;
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
}

void Engine::link(Component& component) {
  Component** list = &far_;
  if (is_near(component.wake_time_)) {
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

void Engine::unlink(Component& component) {
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

void Engine::wake(Component& component, Picoseconds time) {
  if (time >= component.wake_time_) return;
  if (component.wake_time_ != kNever) unlink(component);
  component.wake_time_ = time;
  link(component);
}

// Moves what has come near out of the later list.
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

Picoseconds Engine::next_time() {
  if (far_from_ < base_ + kReach) bring_near();
  const unsigned from = (base_ >> kSlotShift) % kSlots;
  for (unsigned i = 0; i <= kSlots / 64; ++i) {
    const unsigned word = (from / 64 + i) % (kSlots / 64);
    std::uint64_t bits = used_[word];
    if (i == 0) bits &= ~0ull << from % 64;
    if (i == kSlots / 64) bits &= ~(~0ull << from % 64);
    if (bits != 0) return first_of(near_[word * 64 + static_cast<unsigned>(std::countr_zero(bits))]);
  }
  return first_of(far_);
}

// Ticks every component that is due at `time`, which next_time() has just returned.
void Engine::step(Picoseconds time) {
  now_ = time;
  base_ = time >> kSlotShift << kSlotShift;
  if (far_from_ < base_ + kReach) bring_near();
  due_.clear();
  const unsigned slot = (time >> kSlotShift) % kSlots;
  for (Component *component = near_[slot], *after; component != nullptr; component = after) {
    after = component->after_;
    if (component->wake_time_ != time) continue;
    unlink(*component);
    component->wake_time_ = kNever;
    due_.push_back(component);
  }
  if (shuffle_state_ != 0)
    for (std::size_t i = due_.size(); i > 1; --i) {
      shuffle_state_ = shuffle_state_ * 6364136223846793005ull + 1442695040888963407ull;
      std::swap(due_[i - 1], due_[(shuffle_state_ >> 33) % i]);
    }
  for (std::size_t i = 0; i < due_.size(); ++i) {
    Component* component = due_[i];
    const Picoseconds next = component->tick(now_);
    if (next != kNever) wake(*component, next);
  }
}

void Engine::run_until(Picoseconds time) {
  for (Picoseconds next; (next = next_time()) <= time && next != kNever;) step(next);
  now_ = std::max(now_, time);
}

bool Engine::run_while_not(const std::function<bool()>& done, Picoseconds limit) {
  while (!done()) {
    const Picoseconds next = next_time();
    if (next == kNever || next > limit) return false;
    step(next);
  }
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

// There are many SMs, caches and controllers: those that say the same but for numbers are named once. Who
// moves data or schedules is always named.
std::string Engine::waiting_report() const {
  struct Line {
    std::string text;
    unsigned more = 0;
  };
  std::vector<Line> lines;
  std::map<std::string, std::size_t> alike;
  for (const Component* component : components_) {
    const std::string line = component->waits_for();
    if (line.empty()) continue;
    const std::string text = component->name() + " waits for " + line;
    if (component->role() == Role::Memory || component->role() == Role::ProcessingElement) {
      const auto [at, first] = alike.emplace(without_numbers(text), lines.size());
      if (!first) {
        ++lines[at->second].more;
        continue;
      }
    }
    lines.push_back({text, 0});
  }
  std::string report;
  for (const Line& line : lines) {
    if (!report.empty()) report += "; ";
    report += line.text;
    if (line.more != 0) report += " (and " + std::to_string(line.more) + " more like it)";
  }
  return report;
}

}  // namespace duet::sim
