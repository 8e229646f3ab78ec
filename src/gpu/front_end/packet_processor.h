// The packet processor of user queues (HSA Platform System Architecture Specification 1.2, sections 2.5, 2.8
// and 2.9): reads packets from rings in the program's memory after their doorbell, and makes tasks of them
// for the work distributor, without the driver.
//
//   program:   ring[4 & 15] = dispatch; ring[5 & 15] = barrier bit, dispatch; doorbell <- 5
//   processor: reads packet 4, its kernel's arguments, hands the kernel over; reads packet 5, and hands it
//              over when 4 has completed; after each, its signal goes down by one
//
// All that it reads and writes goes across the link, as the GigaThread engine's push buffers do. Queues take
// turns; packets of all queues are decoded one after the other. A packet whose type is still Invalid is read
// again after a while, as is the signal that a barrier waits for. Left out: agent dispatch (there are no
// service queues), oversubscription (every queue is mapped), priorities.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/machine.h"
#include "gpu/front_end/aql_packet.h"
#include "gpu/front_end/gpu_port.h"
#include "gpu/front_end/task.h"
#include "memory/packet.h"
#include "sim/clock_cursor.h"
#include "sim/engine.h"
#include "sim/queue.h"
#include "sim/statistics.h"

namespace duet::gpu {

// In the program's memory, under addresses of which pages are mapped for the GPU.
struct UserQueue {
  VirtualAddress ring;
  std::uint32_t packets = 0;  // a power of two
  VirtualAddress read_index;  // of 64 bits: packets before it may be written anew
};

// Why a packet cannot be taken: what kind of fault it has, and which, "its kernel object names no kernel".
struct PacketRefusal {
  enum class Fault : std::uint8_t { Format, Kernel, Sizes, Room } fault = Fault::Format;
  std::string why;
};

// Who knows kernels and keeps records. But for kernarg_bytes() all is called between ticks.
class PacketServices {
 public:
  virtual ~PacketServices() = default;
  // How many bytes of arguments the kernel reads; nothing: no kernel has this handle.
  virtual std::optional<Bytes> kernarg_bytes(std::uint64_t kernel_object) const = 0;
  // The grids of a dispatch: several where its size is no multiple of its groups'. Empty: it cannot be
  // launched, and has been reported.
  virtual std::vector<Grid*> launch(std::uint32_t queue, std::uint64_t packet, const AqlDispatch& dispatch,
                                    std::span<const std::byte> kernarg) = 0;
  // All blocks of its grids have ended, and its signal is down.
  virtual void completed(const std::vector<Grid*>& grids) = 0;
  // The queue takes no further packet.
  virtual void refused(std::uint32_t queue, std::uint64_t packet, const PacketRefusal& refusal) = 0;
};

struct PacketProcessorStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter doorbells{*this, "doorbells", "doorbells", "doorbells of user queues that have arrived"};
  sim::Counter packets{*this, "packets", "packets", "packets that have completed"};
  sim::Counter read_bytes{*this, "read_bytes", "bytes", "packets, arguments and signals read"};
  sim::Counter polls{*this, "polls", "reads", "of packets that were not ready, and signals that were not 0"};
};

class PacketProcessor : public sim::Component {
 public:
  PacketProcessor(sim::Engine& engine, const sim::Component* parent, const config::Gpu& config, GpuPort& port,
                  TaskPool& tasks, std::uint8_t number, std::uint8_t host_memory_number);

  // Of its reads and writes that are not answered; decides what the host memory must take.
  static constexpr std::size_t kOutstanding = 64;

  void connect_link(sim::Queue<memory::Packet>& to_host, sim::Queue<memory::Packet>& from_host);
  void connect_distributor(sim::Queue<TaskReady>& tasks, sim::Queue<TaskEnded>& ended);
  void serve(PacketServices& services) { services_ = &services; }

  // Outside of ticks. A queue that is closed takes no further packet; those that run complete.
  std::uint32_t open(const UserQueue& queue);
  void close(std::uint32_t queue);
  // It has asked memory for nothing that is not answered.
  bool quiet() const { return outstanding_ == 0 && due_.empty(); }
  // The program may have written a packet or a signal: what is not ready is looked at again. Cores in time
  // say nothing: time alone has it look again while somebody(), who may write, is told to run; when that
  // begins is to be told by memory_written().
  void memory_written();
  void poll_while(std::function<bool()> somebody) { somebody_runs_ = std::move(somebody); }
  // Nothing keeps L2 coherent with memory that cores reach: a packet's acquire of system scope gives up what
  // it holds, and a release of system scope writes it back.
  void maintain_l2() { maintains_l2_ = true; }

  Picoseconds tick(Picoseconds now) override;
  Picoseconds next_opportunity(Picoseconds time) const override { return clock_.first_edge_after(time); }
  std::string waits_for() const override;

 private:
  enum class Stage : std::uint8_t {
    Idle,       // between packets
    Packet,     // it is being read
    Decode,     // it waits for the decoder, or is in it
    Order,      // it waits for packets before it
    Signals,    // a barrier's are being read
    Poll,       // until it is looked at again
    Arguments,  // the kernel's are being read
    Grids,      // between ticks
    HandOver    // tasks wait for the work distributor
  };
  struct Queue {
    UserQueue place;
    bool open = false;
    std::uint64_t put = 0;   // packets that the doorbells have told of
    std::uint64_t next = 0;  // the packet that is looked at
    Stage stage = Stage::Idle;
    Picoseconds until = 0;  // Decode (0: not begun), Poll
    Stage after_poll = Stage::Idle;
    bool looks_again = false;  // something has happened since
    std::array<std::byte, kAqlPacketBytes> bytes{};
    AqlPacket packet;
    std::size_t signal = 0;    // of a barrier: which is read
    bool one_is_down = false;  // of a barrier
    std::vector<std::byte> arguments;
    Bytes asked = 0, answered = 0;  // of the arguments
    std::vector<Grid*> grids;
    std::size_t handed_over = 0;
    std::uint64_t serial = 0;
    std::uint64_t incomplete = 0;  // packets handed over
    std::uint64_t given_back = 0;  // packets before it are Invalid again
    std::deque<bool> invalid;      // of those from there on, that have been taken
  };
  // Handed over, or a barrier whose signal is on its way down.
  struct Running {
    std::uint32_t queue = 0;
    std::uint64_t signal = 0;
    std::vector<Grid*> grids;
    std::size_t tasks = 0;  // that have not ended
  };
  // What a request is for.
  enum class Purpose : std::uint8_t { Packet, Signal, Argument, Header, ReadIndex, Completion };

  bool advance(std::uint32_t number, Picoseconds now);
  bool begin_packet(std::uint32_t number, Picoseconds now);
  bool read_signals(std::uint32_t number, Picoseconds now);
  bool read_arguments(std::uint32_t number, Picoseconds now);
  void make_grids(std::uint32_t number);
  bool hand_over(std::uint32_t number, Picoseconds now);
  void add_l2_step(Task& task, FenceScope scope, std::uint64_t operations) const;
  void taken(std::uint32_t number);
  void give_back(std::uint32_t number, std::uint64_t packet);
  void poll(Queue& queue, Stage again, Picoseconds now);
  // Whether time alone has it look again: somebody runs who may change what it waits for.
  bool polls(const Queue& queue) const { return queue.looks_again || !running_.empty() || somebody_runs_(); }
  bool refuse(std::uint32_t number, const char* why,
              PacketRefusal::Fault fault = PacketRefusal::Fault::Format);
  bool look_again(Picoseconds now);
  void receive(Picoseconds now);
  void collect_ended(Picoseconds now);
  void complete(std::uint64_t serial);
  void finished(std::uint64_t serial);
  bool is_mapped(VirtualAddress address, Bytes bytes) const;
  bool read(std::uint32_t queue, Purpose purpose, VirtualAddress address, Bytes bytes, Picoseconds now,
            Bytes offset = 0);
  memory::Request& request_to(VirtualAddress address, Bytes bytes, memory::Packet& packet);
  void send_due(Picoseconds now);

  sim::ClockCursor clock_;
  const sim::ClockDomain edges_;  // of the same clock, for times that lie far apart
  const Cycle packet_cycles_, poll_cycles_;
  GpuPort& port_;
  memory::RequestPool requests_;
  TaskPool& tasks_;
  const std::uint8_t number_, host_memory_number_;
  PacketServices* services_ = nullptr;
  std::function<bool()> somebody_runs_ = [] { return false; };
  bool maintains_l2_ = false;
  sim::Queue<memory::Packet>* to_host_ = nullptr;
  sim::Queue<memory::Packet>* from_host_ = nullptr;
  sim::Queue<TaskReady>* distributor_ = nullptr;
  sim::Queue<TaskEnded>* ended_ = nullptr;
  std::deque<Queue> queues_;
  std::map<std::uint64_t, Running> running_;  // by serial number
  std::deque<memory::Packet> due_;            // writes and atomics that wait for the link
  std::size_t outstanding_ = 0;
  std::uint64_t next_serial_ = 1;
  std::size_t turn_ = 0;
  Picoseconds decoder_free_ps_ = 0;
  PacketProcessorStatistics statistics_{*this, "packet_processor."};
};

}  // namespace duet::gpu
