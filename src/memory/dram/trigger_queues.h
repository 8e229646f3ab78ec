// The strictly ordered queues in which a memory controller keeps requests until their trigger is satisfied
// (lustig2013 §4.3, Fig. 5). Three queues: requests without a trigger, triggered requests of the CPU,
// triggered requests of the GPU; a queue without triggered requests is not kept here: its requests pass at
// once. With four, the CPU's triggered writes and reads are apart, so a write that waits for empty does not
// hold up the emptying read. Only the first `look_ahead` entries of a queue are observed. When several may
// leave, the first queue of this order goes first (§6.3), and the older entry of a queue. Left out: time; the
// change of bits (full_empty_bits.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "memory/channel.h"
#include "memory/dram/full_empty_bits.h"
#include "sim/statistics.h"

namespace duet::memory {

struct FullEmptyStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter triggered{*this, "triggered", "requests", "requests with a trigger"};
  sim::Counter waited{*this, "waited", "requests", "requests whose trigger was not satisfied on arrival"};
  sim::Counter wait_cycles{*this, "wait_cycles", "tCK",
                           "sum of the waits of triggered requests at the controllers"};
  sim::Maximum most_waiting{*this, "most_waiting", "requests",
                            "most entries of a controller's queue in use at once"};
  sim::Counter fills{*this, "fills", "requests", "requests that filled"};
  sim::Counter empties{*this, "empties", "requests", "requests that emptied"};
  sim::Counter narrow_stores{*this, "narrow_stores", "requests", "fills of a part of a word"};
  sim::Counter released{*this, "released", "requests", "waiting requests that an override let go"};
  sim::Counter nacks{*this, "nacks", "refusals", "requests sent back after gpu.full_empty.nack_cycles"};
  sim::Counter atomics{*this, "atomics", "requests", "atomics, performed at the controllers"};
};

class TriggerQueues {
 public:
  struct Entry {
    Packet packet;
    Cycle since = 0;
    std::uint8_t client = 0;
    bool waited = false;
    bool released = false;  // whatever its trigger says
  };
  static constexpr unsigned kMaxQueues = 4;

  explicit TriggerQueues(const config::FullEmpty& config)
      : queues_(static_cast<unsigned>(config.queues)),
        entries_(config.queue_entries),
        look_ahead_(config.look_ahead) {}

  // The queue in which a request waits.
  unsigned queue_of(const Request& request) const {
    if (request.trigger == Trigger::None || queues_ == 1) return 0;
    if (queues_ == 2) return 1;
    if (request.agent == Agent::Sm) return 2;
    return queues_ == 4 && request.operation == Operation::Read ? 3 : 1;
  }
  // Whether requests of the queue are kept here, rather than passing at once.
  bool keeps(unsigned queue) const { return queue != 0 || queues_ == 1; }
  bool has_room(unsigned queue) const { return waiting_[queue].size() < entries_; }
  bool empty() const {
    return waiting_[0].empty() && waiting_[1].empty() && waiting_[2].empty() && waiting_[3].empty();
  }
  void push(unsigned queue, const Packet& packet, std::uint8_t client, Cycle cycle) {
    waiting_[queue].push_back({packet, cycle, client, false, false});
    if (waiting_[queue].size() > most_waiting_) most_waiting_ = waiting_[queue].size();
  }
  std::size_t most_waiting() const { return most_waiting_; }
  std::size_t waiting() const {
    std::size_t sum = 0;
    for (const auto& queue : waiting_) sum += queue.size();
    return sum;
  }

  // Takes out the first entry with `may_leave`, in the order above. False: none.
  template <typename F>
  bool take(F may_leave, Entry& taken) {
    for (const unsigned q : kOrder) {
      auto& queue = waiting_[q];
      const std::size_t seen = std::min<std::size_t>(look_ahead_, queue.size());
      for (std::size_t i = 0; i < seen; ++i) {
        if (!may_leave(queue[i])) continue;
        taken = queue[i];
        queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
    }
    return false;
  }
  // Calls f(entry) for every one.
  template <typename F>
  void for_each(F f) {
    for (auto& queue : waiting_)
      for (Entry& entry : queue) f(entry);
  }
  // For reports.
  const std::vector<Entry>& waiting(unsigned queue) const { return waiting_[queue]; }

 private:
  static constexpr std::array<unsigned, kMaxQueues> kOrder{0, 1, 3, 2};
  unsigned queues_;
  std::size_t entries_, look_ahead_;
  std::size_t most_waiting_ = 0;
  std::array<std::vector<Entry>, kMaxQueues> waiting_;
};

}  // namespace duet::memory
