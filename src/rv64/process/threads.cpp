#include "rv64/process/threads.h"

#include <algorithm>

namespace duet::rv64 {

Threads::Threads(Memory& memory) : memory_(memory) {
  threads_.push_back(std::make_unique<Thread>(memory, kFirstId));
}

Thread* Threads::find(std::uint64_t id) {
  for (const auto& thread : threads_)
    if (thread->id == id) return thread.get();
  return nullptr;
}

Thread* Threads::create() {
  if (threads_.size() >= kMost) return nullptr;
  threads_.push_back(std::make_unique<Thread>(memory_, next_id_++));
  Thread& made = *threads_.back();
  static_cast<Registers&>(made.hart) = current().hart;
  made.mask = current().mask;
  made.name = current().name;
  return &made;
}

bool Threads::another_can_run() const {
  for (std::size_t i = 0; i < threads_.size(); ++i)
    if (i != current_ && !threads_[i]->wait) return true;
  return false;
}

void Threads::wait(const Thread::Wait& wait) {
  current().wait = wait;
  current().wait->ticket = next_ticket_++;
}

std::int64_t Threads::wake(std::uint64_t futex, std::uint64_t count, std::uint32_t bits) {
  std::int64_t woken = 0;
  while (static_cast<std::uint64_t>(woken) < count) {
    Thread* first = nullptr;
    for (const auto& thread : threads_)
      if (thread->wait && thread->wait->futex == futex && (thread->wait->bits & bits) != 0 &&
          (first == nullptr || thread->wait->ticket < first->wait->ticket))
        first = thread.get();
    if (first == nullptr) break;
    first->wait.reset();
    first->hart.x[kArgument0] = 0;
    ++woken;
  }
  return woken;
}

void Threads::executed(std::uint64_t instructions) {
  current().executed += instructions;
  retired_ += instructions;
  turn_left_ -= std::min(turn_left_, instructions);
}

void Threads::exit_current() {
  threads_.erase(threads_.begin() + static_cast<std::ptrdiff_t>(current_));
  current_ = current_ == 0 ? threads_.size() - 1 : current_ - 1;  // the search begins behind it
  turn_left_ = 0;
}

void Threads::make_current(const Thread& thread) {
  for (std::size_t i = 0; i < threads_.size(); ++i)
    if (threads_[i].get() == &thread) current_ = i;
}

void Threads::executed(Thread& thread, std::uint64_t time) {
  thread.executed += time;
  retired_ += time;
}

void Threads::expire(std::int64_t now) {
  for (const auto& thread : threads_) {
    if (!thread->wait || !thread->wait->deadline || *thread->wait->deadline > now) continue;
    if (!thread->wait->repeats)
      thread->hart.x[kArgument0] = static_cast<std::uint64_t>(thread->wait->result_at_deadline);
    thread->wait.reset();
  }
}

bool Threads::choose(std::int64_t now) {
  expire(now);
  if (turn_left_ != 0 && !current().wait) return true;
  for (std::size_t step = 1; step <= threads_.size(); ++step) {
    const std::size_t candidate = (current_ + step) % threads_.size();
    if (threads_[candidate]->wait) continue;
    current_ = candidate;
    current().hart.retired = retired_;
    turn_left_ = kTurn;
    return true;
  }
  return false;
}

std::optional<std::int64_t> Threads::earliest_deadline() const {
  std::optional<std::int64_t> earliest;
  for (const auto& thread : threads_)
    if (thread->wait && thread->wait->deadline && (!earliest || *thread->wait->deadline < *earliest))
      earliest = thread->wait->deadline;
  return earliest;
}

}  // namespace duet::rv64
