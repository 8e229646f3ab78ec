// One channel of a GPU's DRAM and its controller.
// Clients (slices of L2) send requests; a request holds one of queue_entries entries of its class (0: there
// is always one) from admission to its last column command. A request longer than a burst takes several
// column commands in its bank; bursts of other banks may lie in between. The bytes are read or written at the
// last column command. The answer to a read or a write arrives controller_cycles after the last burst has
// left the data bus (DramController.UnloadedReadLatency).
//
// Guarantees: no class starves another (admission: NonTriggered first, clients in turn; then age alone
// counts). Requests to one line keep their order (keep_order_in()). A client without room for answers holds
// up its own requests alone; the full rate needs room for (cl + burst_cycles + controller_cycles) / (cycles
// per request) of them.
//
// A request to tracked memory waits in the queue of its kind (trigger_queues.h) until its trigger is
// satisfied. It joins the others when its action changes the bits (lustig2013 §4.3). Atomics on tracked
// memory, and atomics that no cache performs, are a read and a write here. Commands: timing_rules.h,
// scheduler.h. What is the host's lies behind device DRAM in each bank. Left out: cache maintenance, ECC.
#pragma once

#include <array>
#include <bit>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "memory/address_map.h"
#include "memory/address_space.h"
#include "memory/channel.h"
#include "memory/dram/command_clock.h"
#include "memory/dram/full_empty_bits.h"
#include "memory/dram/plain_writes.h"
#include "memory/dram/request_lists.h"
#include "memory/dram/scheduler.h"
#include "memory/dram/trigger_queues.h"
#include "memory/race_detector.h"
#include "memory/waiting_request.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/statistics.h"

namespace duet::memory {

struct DramStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  // Requests, when their last column command is issued.
  sim::Counter reads{*this, "reads", "requests", "reads"};
  sim::Counter writes{*this, "writes", "requests", "writes"};
  sim::Counter row_hits{*this, "row_hits", "requests", "requests to an open row"};
  sim::Counter row_misses{*this, "row_misses", "requests", "requests to a closed bank"};
  sim::Counter row_conflicts{*this, "row_conflicts", "requests", "requests that closed another row"};
  sim::Counter activates{*this, "activates", "commands", "rows opened"};
  sim::Counter precharges{*this, "precharges", "commands", "rows closed"};
  sim::Counter refreshes{*this, "refreshes", "commands", "all-bank refreshes"};
  sim::Counter read_bytes{*this, "read_bytes", "bytes", "bytes of bursts that reads use"};
  sim::Counter written_bytes{*this, "written_bytes", "bytes", "bytes of bursts of writes"};
  sim::Counter data_bus_busy_cycles{*this, "data_bus_busy_cycles", "tCK", "cycles with data on the bus"};
  sim::Counter queue_full_cycles{*this, "queue_full_cycles", "tCK",
                                 "cycles in which a request found all entries of its class taken"};
};

struct IssuedCommand {
  Cycle cycle;
  DramCommand command;
  std::uint32_t bank, row;
};

class DramController : public sim::Component {
 public:
  DramController(sim::Engine& engine, std::string name, const sim::Component* parent,
                 const config::Dram& config, unsigned channel, const AddressMap& map, RequestPool& pool,
                 const AddressSpace& address_space, const config::FullEmpty& full_empty = {});

  // Lines of so many bytes: no request crosses one, and requests to one keep their order. At first 128, as
  // memory with full/empty bits needs them.
  void keep_order_in(Bytes line_bytes) { line_shift_ = static_cast<unsigned>(std::countr_zero(line_bytes)); }
  // Up to 64 clients. The queues belong to the machine.
  void connect(Channel& requests, sim::Queue<Packet>& responses);
  // Every command issued from now on is appended to `log` (null: none); of refreshes while nothing else
  // happens, only the last one.
  void record_commands(std::vector<IssuedCommand>* log) { log_ = log; }

  // `tell(request)` is called before the bytes of a write change, in its tick.
  void tell_before_writes(std::function<void(const Request&)> tell) { before_write_ = std::move(tell); }

  // `races` forgets words when they are emptied.
  void look_for_races(RaceDetector* races) { races_ = races; }

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;
  Picoseconds next_opportunity(Picoseconds time) const override { return cursor_.first_edge_after(time); }

  // Counts the refreshes of an idle channel too: it sleeps meanwhile.
  bool settle_statistics() override;
  // Up to the engine's time.
  const DramStatistics& statistics() {
    settle_statistics();
    return statistics_;
  }
  const FullEmptyStatistics& full_empty_statistics() {
    settle_statistics();
    return full_empty_statistics_;
  }
  // Outside simulated time: everything in the range is full.
  void reset_bits(PhysicalAddress base, Bytes bytes) {
    bits_.reset(base, bytes);
    if (!plain_writes_.empty()) plain_writes_.forget_lines(base, bytes);
  }
  // Bytes of one line are empty.
  void empty_bits(PhysicalAddress address, unsigned bytes) {
    bits_.empty(address, ByteMask::first(bytes));
    if (!plain_writes_.empty()) plain_writes_.forget(address, ByteMask::first(bytes));
  }
  // For reports: what waits in the queues of triggered requests, each queue from its head on.
  std::vector<WaitingRequest> waiting_requests() const;
  // Of a request that has a trigger and has not come here yet.
  WaitingRequest describe(const Request& request) const;

 private:
  struct Client {
    Channel* requests;
    sim::Queue<Packet>* responses;
  };
  struct Done {
    bool released;  // a triggered request has left its queue
    Cycle next_refusal;
  };
  Done work(Picoseconds now, Cycle cycle);
  Picoseconds next_tick(Cycle cycle, const Done& done);
  void catch_up(Cycle cycle);
  bool refuses_all(Cycle cycle);
  bool admit(Picoseconds now, Cycle cycle);
  void accept(const Packet& packet, std::size_t client);
  bool satisfied(const Request& request) const;
  void apply_action(Request& request);
  bool release_triggered(Cycle cycle);
  void override_triggers(const Request& request);
  Cycle refuse_late(Picoseconds now, Cycle cycle);
  void perform(std::uint32_t index);
  void note_plain_write(const Request& request);
  void unblock(Picoseconds now);
  bool issue(Picoseconds now);
  void finish(Picoseconds now, std::uint32_t index);
  void move_data(Request& request);
  Bytes used_of_burst(Direction direction) const {
    return direction == Direction::Read && config_.read_bytes != 0 ? config_.read_bytes : config_.burst_bytes;
  }
  void log(const DramPlan& plan);

  config::Dram config_;
  std::uint32_t channel_;
  unsigned line_shift_ = std::countr_zero(kLineBytes);
  const AddressMap& map_;
  RequestPool& pool_;
  const AddressSpace& address_space_;
  sim::ClockCursor cursor_;
  CommandClock clock_;
  config::FullEmpty full_empty_;
  FullEmptyBits bits_;
  PlainWrites plain_writes_;
  TriggerQueues triggered_;
  DramStatistics statistics_;
  FullEmptyStatistics full_empty_statistics_;
  sim::State waiting_{full_empty_statistics_, "waiting", "requests",
                      "requests that wait in the controllers' queues",
                      [this] { return triggered_.waiting(); }};
  sim::State queued_{statistics_, "queued", "requests", "requests in the controllers",
                     [this] { return requests_.size(); }};
  bool look_again_ = false;  // a request in triggered_ may be able to leave
  RequestLists requests_;
  DramScheduler scheduler_;
  DramPlan plan_;
  std::size_t entries_;  // of a class
  std::vector<Client> clients_;
  std::array<std::size_t, kTrafficClasses> used_{}, round_robin_{};
  std::uint64_t arrivals_ = 0;  // classes (one bit each) of which there may be packets to admit
  std::uint64_t refused_ = 0;   // classes of which a request waits for an entry
  Cycle full_since_ = kNoCycle;
  Picoseconds next_arrival_ = kNever;
  std::uint64_t blocked_ = 0;  // clients without room for an answer
  std::vector<IssuedCommand>* log_ = nullptr;
  RaceDetector* races_ = nullptr;
  std::function<void(const Request&)> before_write_;
};

}  // namespace duet::memory
