// The strictly ordered queues in which a memory controller keeps requests until their trigger is satisfied
// (lustig2013 §4.3, Fig. 5). Three queues: requests without a trigger, triggered requests of the CPU,
// triggered requests of the GPU; a queue that holds no triggered requests is not kept here, its requests pass
// at once. Only the first `look_ahead` entries of a queue are observed; an entry behind a waiting one may
// leave before it only when they lie in different lines. When several may leave, the queue that comes first
// in this order goes first (§6.3). Left out: time; what actions do to bits (full_empty_bits.h).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "memory/channel.h"
#include "memory/dram/full_empty_bits.h"

namespace duet::memory {

struct FullEmptyStatistics {
  std::uint64_t triggered = 0, waited = 0;  // requests that had a trigger, that were not satisfied on arrival
  std::uint64_t wait_cycles = 0;            // of requests that left, from their arrival at the controller
  std::uint64_t fills = 0, empties = 0;     // requests with the action
  std::uint64_t narrow_stores = 0;          // that wrote a part of a granule
  std::uint64_t atomics = 0;                // performed in a controller
  std::uint64_t most_waiting = 0;           // entries of one queue in use at once
};

class TriggerQueues {
 public:
  struct Entry {
    Packet packet;
    std::uint64_t line = 0;
    Cycle since = 0;
    std::uint8_t client = 0;
    bool waited = false;
  };
  static constexpr unsigned kMaxQueues = 3;

  TriggerQueues(const config::FullEmpty& config, RequestPool& pool)
      : queues_(static_cast<unsigned>(config.queues)),
        entries_(config.queue_entries),
        look_ahead_(config.look_ahead),
        pool_(pool) {}

  // In which queue a request waits.
  unsigned queue_of(const Request& request) const {
    if (request.trigger == Trigger::None || queues_ == 1) return 0;
    return queues_ == 2 || request.agent != Agent::Sm ? 1 : 2;
  }
  // Whether requests of the queue are kept here, rather than passing at once.
  bool keeps(unsigned queue) const { return queue != 0 || queues_ == 1; }
  bool has_room(unsigned queue) const { return waiting_[queue].size() < entries_; }
  bool empty() const { return waiting_[0].empty() && waiting_[1].empty() && waiting_[2].empty(); }
  void push(unsigned queue, const Packet& packet, std::uint8_t client, Cycle cycle) {
    waiting_[queue].push_back({packet, pool_[packet.request].address / kLineBytes, cycle, client, false});
    if (waiting_[queue].size() > most_waiting_) most_waiting_ = waiting_[queue].size();
  }
  std::size_t most_waiting() const { return most_waiting_; }

  // Takes out the first entry for which `may_leave` holds, in the order above. False: none.
  template <typename F>
  bool take(F may_leave, Entry& taken) {
    for (auto& queue : waiting_) {
      const std::size_t seen = std::min<std::size_t>(look_ahead_, queue.size());
      for (std::size_t i = 0; i < seen; ++i) {
        bool behind = false;
        for (std::size_t j = 0; j < i; ++j) behind |= queue[j].line == queue[i].line;
        if (behind || !may_leave(queue[i])) continue;
        taken = queue[i];
        queue.erase(queue.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      }
    }
    return false;
  }
  // For reports.
  const std::vector<Entry>& waiting(unsigned queue) const { return waiting_[queue]; }

 private:
  unsigned queues_;
  std::size_t entries_, look_ahead_;
  std::size_t most_waiting_ = 0;
  RequestPool& pool_;
  std::array<std::vector<Entry>, kMaxQueues> waiting_;
};

}  // namespace duet::memory
