// A typed queue of fixed capacity between one producer and one consumer: the only place where components
// meet. What is pushed at time t the consumer sees strictly after t; a slot freed at t the producer sees
// strictly after t. So the order in which components are ticked at t cannot be observed (`duet run
// --shuffle`). A full queue is back-pressure.
#pragma once

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
  // Entries inside, whether already visible or not (for reports).
  std::size_t size() const { return size_; }
  // For a consumer of many queues that must not look at all of them to find out which one woke it: every push
  // sets `bits` in *word.
  void mark_pushes(std::uint64_t* word, std::uint64_t bits) {
    mark_word_ = word;
    mark_bits_ = bits;
  }

  bool can_push(Picoseconds now) const {
    if (size_ + (last_pop_ == now ? popped_at_last_ : 0) < capacity_) return true;
    if (size_ < capacity_) {
      // A slot was freed at `now` before the producer asked: nobody will pop to wake it.
      if (producer_ != nullptr) producer_->engine().wake(*producer_, producer_->next_opportunity(now));
    } else {
      producer_waits_ = true;
    }
    return false;
  }
  void push(Picoseconds now, const T& value) { push(now, value, now); }
  // A push that takes until `arrival` to get there (a wire, a memory's latency): the consumer sees it
  // strictly after that; its slot is taken from now on. Arrivals must not decrease. The engine remembers only
  // the earliest wake-up, so the consumer of such a queue must return no later time from tick() than
  // next_opportunity(next_arrival(now)).
  void push([[maybe_unused]] Picoseconds now, const T& value, Picoseconds arrival) {
    assert(can_push(now) && arrival >= now);
    std::size_t tail = head_ + size_;
    if (tail >= capacity_) tail -= capacity_;
    slots_[tail] = {value, arrival};
    ++size_;
    if (mark_word_ != nullptr) *mark_word_ |= mark_bits_;
    if (consumer_ != nullptr && consumer_->wake_time() > arrival + 1)
      consumer_->engine().wake(*consumer_, consumer_->next_opportunity(arrival));
  }

  // Whether the consumer sees an entry at `now`.
  bool can_pop(Picoseconds now) const { return size_ != 0 && slots_[head_].pushed < now; }
  // When the front entry arrives; kNever when there is none or it is there already.
  Picoseconds next_arrival(Picoseconds now) const {
    return size_ == 0 || slots_[head_].pushed < now ? kNever : slots_[head_].pushed;
  }
  const T& front() const { return slots_[head_].value; }
  T pop(Picoseconds now) {
    assert(can_pop(now));
    T value = slots_[head_].value;
    if (++head_ == capacity_) head_ = 0;
    --size_;
    popped_at_last_ = last_pop_ == now ? popped_at_last_ + 1 : 1;
    last_pop_ = now;
    if (producer_waits_ && producer_ != nullptr) {
      producer_waits_ = false;
      producer_->engine().wake(*producer_, producer_->next_opportunity(now));
    }
    return value;
  }

 private:
  struct Slot {
    T value;
    Picoseconds pushed;
  };
  std::unique_ptr<Slot[]> slots_;
  std::size_t capacity_;
  std::size_t head_ = 0;
  std::size_t size_ = 0;
  Picoseconds last_pop_ = kNever;
  std::size_t popped_at_last_ = 0;
  mutable bool producer_waits_ = false;
  std::uint64_t* mark_word_ = nullptr;
  std::uint64_t mark_bits_ = 0;
  Component* producer_;
  Component* consumer_;
};

}  // namespace duet::sim
