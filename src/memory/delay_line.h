// A bounded line of packets that become due at given, never decreasing times; private to one component.
#pragma once

#include <cassert>
#include <memory>

#include "memory/packet.h"

namespace duet::memory {

class DelayLine {
 public:
  explicit DelayLine(std::size_t capacity)
      : slots_(std::make_unique<Slot[]>(capacity)), capacity_(capacity) {}

  bool full() const { return size_ == capacity_; }
  bool empty() const { return size_ == 0; }
  Picoseconds due() const { return size_ == 0 ? kNever : slots_[head_].due; }
  const Packet& front() const { return slots_[head_].packet; }
  void push(const Packet& packet, Picoseconds due) {
    assert(!full());
    std::size_t tail = head_ + size_;
    if (tail >= capacity_) tail -= capacity_;
    slots_[tail] = {packet, due};
    ++size_;
  }
  void pop() {
    if (++head_ == capacity_) head_ = 0;
    --size_;
  }

 private:
  struct Slot {
    Packet packet;
    Picoseconds due;
  };
  std::unique_ptr<Slot[]> slots_;
  std::size_t capacity_, head_ = 0, size_ = 0;
};

}  // namespace duet::memory
