// Serves CacheRange: has the slices of L2 write back a range, or all that they hold, or give it up.
//
//   CacheRange 0x2000, 4096, clean and invalidate
//   each slice is told to clean the range's frames, and answers when memory has the bytes
//   each slice is told to invalidate them; then the task goes on
//
// Commands to slices go out in any order and as fast as these take them; what a slice needs for one is
// memory/cache/cache_commands.cpp's. Left out: L1, which a kernel's start invalidates; levels below L2.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "gpu/front_end/push_buffer.h"
#include "gpu/front_end/task.h"
#include "memory/address_space.h"
#include "memory/cache/cache_command.h"
#include "sim/engine.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::gpu {

struct CacheEngineStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter ranges{*this, "ranges", "commands",
                      "ranges of L2 written back or given up, all of it included"};
  sim::Counter busy_ps{*this, "busy_ps", "ps", "time with a range at work"};
};

class CacheEngine : public sim::Component {
 public:
  // `number`: among the GPU's engines, in events.
  CacheEngine(sim::Engine& engine, const sim::Component* parent, std::uint32_t number,
              const memory::AddressSpace& address_space, TaskPool& tasks);

  // Of a slice.
  struct Slice {
    sim::Queue<memory::CacheCommand>* commands = nullptr;
    sim::Queue<std::uint32_t>* done = nullptr;
  };
  void connect(sim::Queue<MoveStart>& starts, sim::Queue<MoveDone>& done, std::vector<Slice> slices);

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;

 private:
  void start(Picoseconds now);
  void tell(TaskEventPhase phase, Picoseconds now);
  void begin_operation();
  void send(Picoseconds now);

  const std::uint32_t number_;
  const memory::AddressSpace& address_space_;
  TaskPool& tasks_;
  sim::Queue<MoveStart>* starts_ = nullptr;
  sim::Queue<MoveDone>* done_ = nullptr;
  std::vector<Slice> slices_;
  std::vector<std::deque<memory::CacheCommand>> to_send_;  // of each slice
  bool busy_ = false;
  MoveStart current_;
  std::uint64_t command_ = 0;                  // of the move, the driver's number
  std::vector<memory::Operation> operations_;  // still to do, the next one last
  std::size_t unanswered_ = 0;
  Picoseconds start_ps_ = 0;
  CacheEngineStatistics statistics_{*this, "cache_engine."};
};

}  // namespace duet::gpu
