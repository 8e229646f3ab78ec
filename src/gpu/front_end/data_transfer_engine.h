// A data transfer engine, PE_D of level 1 (hu2016 §3.5): performs one move at a time between any two of host
// and device memory. A move is cut into packets that stay within one 128-byte line at both ends and within
// link.packet_payload_bytes. Bytes are sampled when a packet is read and bound when its write is serviced;
// the move is complete when every ACK has returned (lustig2013 §6.2). At most one packet enters per core
// cycle. A packet holds one of outstanding_packets places from its first request on: the place knows where
// what is read belongs. A write of what was read that waits for nothing is sure to be done once it is sent:
// it gives its place back and is counted, up to outstanding_acks, until its ACK returns. All others, and with
// outstanding_acks = 0 these too, keep their place until then. Left out: overlapping the tail of one move
// with the head of the next.
//
// Between the memories of the functional GPU (block_bytes), requests are of blocks of several lines: their
// time is that of the bytes, and the host's time a fraction.
//
// With link.packet_payload_bytes above a line (lustig2013 §9: at what granularity data are transmitted), what
// crosses the link does so in store-and-forward packets of that size: the engine's own packets, of at most a
// line each, are its pieces, and none is written before all have been read. So one granule that is waited for
// holds back all of its packet. A link packet ends where the device's address is a multiple of its size, at
// the end of a row, and after as many pieces as it has lines (where the two ends of a copy lie differently in
// their lines, a line is two pieces), so the places of outstanding_packets suffice for one.
//
// Full/empty bits (lustig2013 §4.1, §4.4): accesses to tracked memory say so, and those to the device's side
// of a copy carry the copy's trigger and action. With a trigger they travel in the class of triggered CPU
// requests. What waits for its trigger holds its place among outstanding_packets and the engine: another
// engine is needed for a copy that is to satisfy it. A move that only changes bits sends one request a line.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/machine.h"
#include "gpu/front_end/task.h"
#include "memory/address_space.h"
#include "memory/channel.h"
#include "memory/packet.h"
#include "memory/race_detector.h"
#include "memory/virtual/translator.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::gpu {

struct DataTransferEngineConfig {
  std::uint64_t core_clock_khz = 0;
  std::uint64_t outstanding_packets = 0;
  std::uint64_t outstanding_acks = 0;
  Bytes packet_payload_bytes = 0;        // of the link; above a line a multiple of it
  std::uint8_t number = 0;               // which engine
  std::uint16_t link_number = 0;         // of this end of the link
  std::uint16_t host_memory_number = 0;  // of the other end
  Bytes block_bytes = 0;  // between memories that take requests of so many; 0: of a line at most
};

struct DataTransferStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter moves{*this, "moves", "moves", "moves started"};
  sim::Counter packets{*this, "packets", "packets", "packets that moves were cut into"};
  sim::Counter bytes{*this, "bytes", "bytes", "bytes of these packets"};
  sim::Counter busy_ps{*this, "busy_ps", "ps", "time with a move, summed over the engines"};
};

class DataTransferEngine : public sim::Component {
 public:
  DataTransferEngine(sim::Engine& engine, const sim::Component* parent,
                     const DataTransferEngineConfig& config, memory::RequestPool& pool,
                     const memory::AddressSpace& address_space, TaskPool& tasks);

  struct Ports {
    sim::Queue<MoveStart>* starts = nullptr;
    sim::Queue<MoveDone>* done = nullptr;
    sim::Queue<memory::Packet>* to_host = nullptr;
    sim::Queue<memory::Packet>* from_host = nullptr;
    memory::Channel* to_device = nullptr;
    sim::Queue<memory::Packet>* from_device = nullptr;
    std::uint16_t device_number = 0;  // of this end of the GPU's interconnect
    // Where requests for a physical address of device memory go on it.
    std::function<std::uint16_t(PhysicalAddress)> device_destination_of = [](PhysicalAddress) {
      return std::uint16_t{0};
    };
    memory::RaceDetector* races = nullptr;  // null: nobody looks for races
  };
  void connect(const Ports& ports) { ports_ = ports; }

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  bool settle_statistics() override {
    count_busy(engine().now());
    return true;
  }
  std::string waits_for() const override;
  // For reports: the move that it performs.
  struct Progress {
    std::uint64_t command = 0;  // the driver's number
    DataMove move;
    VirtualAddress lowest;         // on the device's side, of what keeps a place; 0: nothing does
    std::uint64_t unanswered = 0;  // packets
    Picoseconds last_answer_ps = 0;
  };
  std::optional<Progress> progress() const;

 private:
  // One end of the current move.
  struct End {
    Address row = 0;                 // where the current row begins
    Address slice = 0;               // and the current slice
    bool physical_is_given = false;  // these are physical addresses
    bool tracked = false;            // the pages used last have full/empty bits
  };

  static constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};
  // Of an outstanding packet, at Request::requester.
  struct Place {
    VirtualAddress device;  // on the device's side, for the report of who waits; 0: the place is free
    memory::RequestHandle held = memory::kNoRequest;  // read, and waits for the rest of its link packet
    std::uint32_t packet = kNoPlace;  // the place of the link packet's first piece, if it is in one
    std::uint32_t next = kNoPlace;    // and of its next piece
    std::uint32_t missing =
        0;  // of a first piece: reads of its link packet not answered, and 1 while it is open
  };

  void start(Picoseconds now);
  void tell(TaskEventPhase phase, Picoseconds now);
  void receive(Picoseconds now, sim::Queue<memory::Packet>& from);
  bool issue(Picoseconds now);
  void advance(Bytes bytes);
  void take_block(memory::Request& request);
  // Physical address, and how many bytes follow in the mapping; false when nothing is mapped there.
  bool translate(End& end, Address address, PhysicalAddress& physical, Bytes& left);
  bool is_host(PhysicalAddress physical) const {
    return address_space_.memory().route_of(physical) == memory::Route::HostDram;
  }
  memory::TrafficClass class_at(PhysicalAddress physical) const {
    return is_host(physical) || move_.trigger == memory::Trigger::None ? memory::TrafficClass::NonTriggered
                                                                       : memory::TrafficClass::TriggeredCpu;
  }
  bool can_send(Picoseconds now, PhysicalAddress physical) const {
    return is_host(physical) ? ports_.to_host->can_push(now)
                             : ports_.to_device->can_push(now, class_at(physical));
  }
  // What the request's access to one end of the move does with full/empty bits.
  void set_full_empty(memory::Request& request, const End& end) const;
  bool send(Picoseconds now, memory::RequestHandle handle);
  memory::RaceAgent race_agent() const;
  void send_read(Picoseconds now);
  void write_next(memory::RequestHandle handle);
  void join_link_packet(std::uint32_t place);
  void close_link_packet();
  // One of those that the link packet waited for has come.
  void arrived(std::uint32_t packet);
  bool counts_ack(const memory::Request& request) const;
  void give_back(std::uint32_t place);
  void finish(Picoseconds now);
  void count_busy(Picoseconds now);

  DataTransferEngineConfig config_;
  sim::ClockCursor clock_;
  memory::RequestPool pool_;
  const memory::AddressSpace& address_space_;
  memory::Translator translator_;
  TaskPool& tasks_;
  Ports ports_;

  bool busy_ = false;
  MoveStart current_;
  DataMove move_;
  std::uint64_t command_ = 0;  // of the move, the driver's number
  End to_, from_;
  std::uint64_t row_ = 0, slice_ = 0;
  Bytes offset_ = 0;    // in the row
  bool issued_ = true;  // the last packet has been sent
  bool faulted_ = false;
  VirtualAddress fault_address_;
  Picoseconds start_ps_ = 0;
  std::array<std::byte, memory::kLineBytes + 4> pattern_{};
  std::uint64_t outstanding_ = 0;     // places taken
  std::uint64_t unacknowledged_ = 0;  // writes that have given theirs back
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_places_;
  Bytes longest_ = 0;                                 // request of this move
  std::vector<std::unique_ptr<std::byte[]>> blocks_;  // of each place, made when it is first needed
  bool store_and_forward_ = false;                    // the move crosses the link in packets of several lines
  std::uint32_t open_ = kNoPlace, last_piece_ = kNoPlace;  // of the link packet that is being issued
  std::uint64_t pieces_ = 0;                               // of it
  std::uint64_t held_ = 0;                                 // places whose `held` is taken
  Picoseconds last_answer_ps_ = 0;                         // or the move's start
  // Packets whose bytes have been read and whose write has not yet been sent: a ring with room for all.
  std::vector<memory::RequestHandle> read_;
  std::size_t read_head_ = 0, read_count_ = 0;
  Picoseconds busy_counted_ps_ = 0;  // up to when its time is in the statistics
  DataTransferStatistics statistics_{*this, "copy_engine."};
};

}  // namespace duet::gpu
