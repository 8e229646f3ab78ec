#include "sim/engine.h"

#include <algorithm>

namespace duet::sim {

namespace {
struct Later {
  template <typename E>
  bool operator()(const E& a, const E& b) const {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  }
};
}  // namespace

Component::Component(Engine& engine, std::string name, const Component* parent, int level, Role role)
    : engine_(engine), name_(std::move(name)), parent_(parent), level_(level), role_(role) {
  index_ = engine_.components_.size();
  engine_.components_.push_back(this);
}

Component::~Component() {
  auto& all = engine_.components_;
  all.erase(std::remove(all.begin(), all.end(), this), all.end());
  auto& heap = engine_.heap_;
  heap.erase(std::remove_if(heap.begin(), heap.end(), [this](const auto& e) { return e.component == this; }),
             heap.end());
  std::make_heap(heap.begin(), heap.end(), Later{});
}

void Engine::push(const Entry& entry) {
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), Later{});
}

void Engine::wake(Component& component, Picoseconds time) {
  if (time >= component.wake_time_) return;
  component.wake_time_ = time;
  push({time, order_++, &component});
}

// An entry is stale when its component was meanwhile woken earlier and has already been ticked.
void Engine::drop_stale() {
  while (!heap_.empty() && heap_.front().component->wake_time_ != heap_.front().time) {
    std::pop_heap(heap_.begin(), heap_.end(), Later{});
    heap_.pop_back();
  }
}

Picoseconds Engine::next_time() {
  drop_stale();
  return heap_.empty() ? kNever : heap_.front().time;
}

// Ticks every component that is due at the earliest time. The caller has seen next_time() != kNever.
void Engine::step() {
  now_ = heap_.front().time;
  due_.clear();
  while (!heap_.empty() && heap_.front().time == now_) {
    Component* component = heap_.front().component;
    std::pop_heap(heap_.begin(), heap_.end(), Later{});
    heap_.pop_back();
    if (component->wake_time_ != now_) continue;
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
  while (next_time() <= time) step();
  now_ = std::max(now_, time);
}

bool Engine::run_while_not(const std::function<bool()>& done, Picoseconds limit) {
  while (!done()) {
    const Picoseconds next = next_time();
    if (next == kNever || next > limit) return false;
    step();
  }
  return true;
}

std::string Engine::waiting_report() const {
  std::string report;
  for (const Component* component : components_) {
    const std::string line = component->waits_for();
    if (line.empty()) continue;
    if (!report.empty()) report += "; ";
    report += component->name() + " waits for " + line;
  }
  return report;
}

}  // namespace duet::sim
