#include "sim/two_threads.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace duet::sim {

namespace {

thread_local unsigned own_hand = 0;

// All bits of the result depend on all of `value` (SplitMix64).
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
  value = (value ^ value >> 27) * 0x94d049bb133111ebull;
  return value ^ value >> 31;
}

}  // namespace

TwoThreads::TwoThreads(std::uint64_t seed) : random_(seed), second_([this] { run_second_thread(); }) {}

TwoThreads::~TwoThreads() {
  ends_ = true;
  ++given_;
  given_.notify_one();
  second_.join();
}

void TwoThreads::deal(Component& component, std::uint64_t number, std::uint64_t unit) {
  hands_[mixed(random_ + unit) & 1].due.push_back({&component, number, kNever});
}

void TwoThreads::tick(Picoseconds now) {
  now_ = now;
  random_ += 0x9e3779b97f4a7c15ull;
  const bool both = !hands_[1].due.empty();
  if (both) {
    ++given_;
    given_.notify_one();
  }
  tick_hand(0, now);
  if (both)
    for (std::uint32_t done; (done = done_.load()) != given_.load();) done_.wait(done);
  std::exception_ptr thrown;
  for (Hand& hand : hands_)
    if (hand.thrown) thrown = std::exchange(hand.thrown, nullptr);
  if (!thrown) return;
  for (Hand& hand : hands_) hand.due.clear();
  std::rethrow_exception(thrown);
}

void TwoThreads::tick_hand(unsigned thread, Picoseconds now) {
  Hand& hand = hands_[thread];
  try {
    for (Due& due : hand.due) {
      hand.ticking = due.number;
      due.next = due.component->tick(now);
    }
  } catch (...) {
    hand.thrown = std::current_exception();
  }
}

void TwoThreads::run_second_thread() {
  own_hand = 1;
  for (std::uint32_t done = 0;; done_.notify_one()) {
    given_.wait(done);
    if (ends_) return;
    tick_hand(1, now_);
    done_ = ++done;
  }
}

void TwoThreads::between_ticks(std::function<void()> action) {
  hands_[own_hand].between.push_back(std::move(action));
}

void TwoThreads::after_ticks(std::function<void()> action) {
  hands_[own_hand].after.push_back({hands_[own_hand].ticking, std::move(action)});
}

void TwoThreads::do_between_ticks() {
  for (Hand& hand : hands_) {
    for (const auto& action : hand.between) action();
    hand.between.clear();
  }
}

void TwoThreads::take_after_ticks(std::vector<std::function<void()>>& after_ticks) {
  std::vector<After> all;
  for (Hand& hand : hands_) {
    std::move(hand.after.begin(), hand.after.end(), std::back_inserter(all));
    hand.after.clear();
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const After& a, const After& b) { return a.number < b.number; });
  for (After& after : all) after_ticks.push_back(std::move(after.action));
}

}  // namespace duet::sim
