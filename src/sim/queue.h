// A typed queue of fixed capacity between one producer and one consumer: the only place where components
// meet. The consumer sees a value pushed at time t strictly after t; the producer sees a slot freed at t
// strictly after t. So the order of ticks at t cannot be observed, nor whether two threads tick at once: each
// end has words of its own, and one word a slot is shared: its owner, and since when. A reader at t ignores a
// change of time t. A full queue is back-pressure.
#pragma once

#include <atomic>
#include <cassert>
#include <memory>
#include <type_traits>

#include "base/units.h"
#include "sim/engine.h"

namespace duet::sim {

template <typename T>
class Queue {
  static_assert(std::is_trivially_copyable_v<T>, "queues move small values");
  static_assert(sizeof(T) <= 32, "larger payloads lie in a pool and are named by handle");

 public:
  // Either end may be null: the host's side of the machine is no component.
  Queue(std::size_t capacity, Component* producer, Component* consumer)
      : slots_(std::make_unique<Slot[]>(capacity)),
        capacity_(capacity),
        producer_(producer),
        consumer_(consumer) {}

  std::size_t capacity() const { return capacity_; }
  // Entries inside, whether already visible or not (for reports: it looks at all slots).
  std::size_t size() const {
    std::size_t entries = 0;
    for (std::size_t i = 0; i < capacity_; ++i) entries += is_taken(state(&slots_[i]));
    return entries;
  }
  // For the consumer: whether nothing is inside, visible or not.
  bool empty() const { return !is_taken(state(head_)); }
  // For a consumer of many queues, to find the one that woke it without looking at all: every push sets
  // `bits` in *word, the consumer's; with two threads between the ticks.
  void mark_pushes(std::uint64_t* word, std::uint64_t bits) {
    const bool late = consumer_ != nullptr && consumer_->engine().two_threads();
    (late ? late_mark_word_ : mark_word_) = word;
    mark_bits_ = bits;
  }

  bool can_push(Picoseconds now) const { return state(tail_) <= now || ask_for_room(now); }
  void push(Picoseconds now, const T& value) { push(now, value, now); }
  // A push that arrives at `arrival` (a wire, a memory's latency): the consumer sees it strictly after
  // `arrival`; its slot is taken from now on. Arrivals must not decrease. The engine remembers only the
  // earliest wake-up, so the consumer of such a queue must return no later time from tick() than
  // next_opportunity(next_arrival(now)).
  void push([[maybe_unused]] Picoseconds now, const T& value, Picoseconds arrival) {
    assert(can_push(now) && arrival >= now);
    tail_->value = value;
    tail_->state.store(~arrival, std::memory_order_relaxed);
    if (++tail_ == end_) tail_ = slots_.get();
    if (mark_word_ != nullptr)
      *mark_word_ |= mark_bits_;
    else if (late_mark_word_ != nullptr) [[unlikely]]
      mark_late();
    if (consumer_ != nullptr && consumer_->wake_time() > arrival + 1)
      consumer_->engine().wake_after(*consumer_, arrival);
  }

  // Whether the consumer sees an entry at `now`.
  bool can_pop(Picoseconds now) const { return ~state(head_) < now; }
  // When the front entry arrives; kNever when there is none or it is there already.
  Picoseconds next_arrival(Picoseconds now) const {
    const Picoseconds front = state(head_);
    return !is_taken(front) || ~front < now ? kNever : ~front;
  }
  const T& front() const { return head_->value; }
  T pop(Picoseconds now) {
    assert(can_pop(now));
    T value = head_->value;
    head_->state.store(now + 1, std::memory_order_relaxed);
    if (++head_ == end_) head_ = slots_.get();
    if (producer_waits_.load(std::memory_order_relaxed) && producer_ != nullptr) {
      producer_waits_.store(false, std::memory_order_relaxed);
      producer_->engine().wake_after(*producer_, now);
    }
    return value;
  }

 private:
  // A slot's state: the first time at which the producer may fill it, or the complement of its value's
  // arrival: either end needs one comparison, as times are below 2^63. Between the threads of two ends it
  // needs no order but that of the engine's steps.
  static bool is_taken(Picoseconds state) { return static_cast<std::int64_t>(state) < 0; }
  struct Slot {
    T value;
    std::atomic<Picoseconds> state{0};
  };
  static Picoseconds state(const Slot* slot) { return slot->state.load(std::memory_order_relaxed); }

  [[gnu::noinline]] void mark_late() {
    consumer_->engine().between_ticks([word = late_mark_word_, bits = mark_bits_] { *word |= bits; });
  }
  // The producer finds no room: it is woken when there is some.
  [[gnu::noinline]] bool ask_for_room(Picoseconds now) const {
    if (producer_ == nullptr) return false;
    Engine& engine = producer_->engine();
    if (!is_taken(state(tail_))) {  // freed at `now` before the producer asked: nobody will pop to wake it
      engine.wake_after(*producer_, now);
      return false;
    }
    producer_waits_.store(true, std::memory_order_relaxed);
    // The other thread may be popping at this moment, without having seen the waiting producer.
    if (engine.two_threads())
      engine.between_ticks([this, now] {
        if (is_taken(state(tail_)) || !producer_waits_.load(std::memory_order_relaxed)) return;
        producer_waits_.store(false, std::memory_order_relaxed);
        producer_->engine().wake_after(*producer_, now);
      });
    return false;
  }

  std::unique_ptr<Slot[]> slots_;
  std::size_t capacity_;
  const Slot* const end_ = slots_.get() + capacity_;
  Component* producer_;
  Component* consumer_;
  // The producer's.
  Slot* tail_ = slots_.get();
  std::uint64_t *mark_word_ = nullptr, *late_mark_word_ = nullptr;
  std::uint64_t mark_bits_ = 0;
  // The consumer's.
  Slot* head_ = slots_.get();
  // Set by the producer without room, cleared by the consumer when it makes room.
  mutable std::atomic<bool> producer_waits_{false};
};

}  // namespace duet::sim
