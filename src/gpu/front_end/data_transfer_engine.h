// A data transfer engine, PE_D of level 1 (hu2016 §3.5): one move at a time between any two of host and
// device memory.
//
// Example: a copy of 300 bytes to the device, from the starts of lines, with link.packet_payload_bytes of
// 128. Packets of 128, 128 and 44 bytes enter, one a core cycle. Each holds a place (outstanding_packets):
// its bytes are sampled when the host's memory is read, and bound when its write is served. The move is
// complete when every ACK has returned.
//
// Guarantees: a packet stays within one line of L2 at both ends, and within link.packet_payload_bytes.
// Every byte is moved once. A packet that waits for a full/empty bit keeps its place and the engine.
//
// data_transfer.md has places and acknowledgements, store-and-forward packets, moves of blocks, full/empty
// bits, and the tests. Left out: overlap of the tail of one move with the head of the next.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/machine.h"
#include "gpu/front_end/task.h"
#include "memory/address_space.h"
#include "memory/channel.h"
#include "memory/destinations.h"
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
  Bytes block_bytes = 0;             // between memories that take requests of so many; 0: of a line at most
  std::uint64_t device_packets = 0;  // as outstanding_packets, of moves inside device memory; less: as many
  Bytes line_bytes = memory::kLineBytes;  // of L2
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
    // By port of the GPU's interconnect, as many one way as the other. Moves over the link have the first.
    std::vector<memory::Channel*> to_device;
    std::vector<sim::Queue<memory::Packet>*> from_device;
    std::uint16_t device_number = 0;                     // of the first of these ends; the others follow
    const memory::Destinations* destinations = nullptr;  // of device memory, on it; null: 0
    memory::RaceDetector* races = nullptr;               // null: nobody looks for races
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
    Address row = 0;                                         // where the current row begins
    Address slice = 0;                                       // and the current slice
    bool physical_is_given = false;                          // these are physical addresses
    bool tracked = false;                                    // the pages used last have full/empty bits
    memory::Cacheability cacheability{false, false, false};  // of them
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
  bool may_issue() const { return !issued_ && outstanding_ < window_; }
  bool issue(Picoseconds now);
  Picoseconds next_answer(Picoseconds now) const;
  void advance(Bytes bytes);
  void take_block(memory::Request& request);
  // Physical address, and how many bytes follow in the mapping; false when nothing is mapped there.
  bool translate(End& end, Address address, PhysicalAddress& physical, Bytes& left);
  bool is_host(PhysicalAddress physical) const {
    return memory::behind_link(address_space_.memory().map().home_of(physical));
  }
  memory::TrafficClass class_at(PhysicalAddress physical) const {
    return is_host(physical) || move_.trigger == memory::Trigger::None ? memory::TrafficClass::NonTriggered
                                                                       : memory::TrafficClass::TriggeredCpu;
  }
  std::uint16_t destination_of(PhysicalAddress physical) const {
    return ports_.destinations == nullptr ? std::uint16_t{0} : ports_.destinations->of(physical);
  }
  std::size_t ports_in_use() const { return inside_ ? ports_.to_device.size() : 1; }
  // One slice, one port: so packets to a line keep their order.
  std::uint16_t port_to(std::uint16_t destination) const {
    return static_cast<std::uint16_t>(inside_ ? destination % ports_.to_device.size() : 0);
  }
  bool can_send(Picoseconds now, PhysicalAddress physical) const {
    return is_host(physical)
               ? ports_.to_host->can_push(now)
               : ports_.to_device[port_to(destination_of(physical))]->can_push(now, class_at(physical));
  }
  // Which caches may hold the bytes of one end of the move, and what the access does with full/empty bits.
  void set_attributes(memory::Request& request, const End& end) const;
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
  bool inside_ = false;       // both ends are device memory
  std::uint64_t window_ = 0;  // places for it
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
