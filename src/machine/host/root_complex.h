// The GPU's way to host memory: a PCIe root complex, an agent of the cores' coherent domain.
//
//   the GPU writes 8 bytes of line L    the root complex asks the directory for L, to write it
//   a core holds L                      the directory takes L from the core
//   L is granted                        the bytes are written, L is given back, the GPU is answered
//
// Guarantees: a read finds the bytes that a core has written and still holds; cores see a write as another
// core's. Order is PCI Express's: writes are made in the order of their arrival, no read or atomic passes an
// earlier write, reads pass one another. No request waits for ever. Order costs no time beyond the slowest
// line.
// Cores reach one page of the GPU: word i is the doorbell of user queue i, and a store there goes across the
// link as a posted write.
// root_complex.md has whole-line writes, uncached pages, the driver's own memory, times, the tests and the
// omissions.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/host/cpu_memory.h"
#include "memory/packet.h"
#include "memory/physical/physical_memory.h"
#include "sim/clock_cursor.h"
#include "sim/statistics.h"

namespace duet::machine {

struct RootComplexStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter reads{*this, "reads", "requests", "reads and atomics of the program's memory"};
  sim::Counter writes{*this, "writes", "requests", "writes to the program's memory"};
  sim::Counter whole_lines{*this, "whole_lines", "lines",
                           "asked of the directory to be written in all their bytes"};
  sim::Counter lines{*this, "lines", "lines", "asked of the directory for them"};
  sim::Counter from_domain{*this, "from_domain", "lines", "of these: with the processor's cores"};
  sim::Counter from_cache{*this, "from_cache", "lines", "of these: in the cache below the directory"};
};

class RootComplex final : public sim::Component {
 public:
  using PacketQueue = sim::Queue<memory::Packet>;

  // `lent` tells whose bytes lie at a physical address of the GPU's machine: what is reached through a port
  // is the program's. `number` is that of this end of the link.
  RootComplex(sim::Engine& engine, const sim::Component* parent, memory::RequestPool& pool,
              const memory::PhysicalMemory& lent, std::uint16_t number);

  struct Ports {
    PacketQueue* from_link = nullptr;
    PacketQueue* to_link = nullptr;
    PacketQueue* to_memory = nullptr;    // the driver's
    PacketQueue* from_memory = nullptr;  // the same
    PacketQueue* doorbells = nullptr;    // to the link; null: the GPU has no user queues
    std::uint8_t packet_processor = 0;   // its number there
  };
  void connect(const Ports& ports) { ports_ = ports; }
  // A packet is on its way from the other end of the link for `link_latency_ps` at least.
  void connect(CpuMemory& memory, const config::Cpu& cpu, Picoseconds link_latency_ps);

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;

 private:
  // A request's bytes in one line.
  struct Part {
    std::uint32_t access = 0;
    unsigned of_line = 0, of_request = 0, bytes = 0;
    bool writes = false;  // an atomic does too
    bool posted = false;  // a write
    bool whole = false;   // all bytes of the line
    bool cached = true;   // caches below the directory may hold it
    std::uint64_t writes_before = 0;
    VirtualAddress place;  // the program's
  };
  // So many at a time, and those of the request that comes as the last: a line has three messages at most on
  // their way to the directory, whose queues have room for them.
  static constexpr std::size_t kMostLines = 300;
  struct Access {
    memory::Packet packet;
    unsigned parts_left = 0;
  };
  struct Line {
    std::deque<Part> parts;
    // While it is held.
    std::byte* bytes = nullptr;
    bool exclusive = false, written = false;
    std::optional<memory::CoherenceMessage> probe;
  };

  void take(Picoseconds now, const memory::Packet& packet);
  bool writes_all(const memory::Request& request, unsigned from, unsigned bytes) const;
  void ask(Picoseconds now, PhysicalAddress line, const Part& first);
  Picoseconds asks_from(Picoseconds now) const;
  void granted(Picoseconds now, const memory::CoherenceMessage& grant);
  void probed(Picoseconds now, const memory::CoherenceMessage& probe);
  bool has_turn(const Part& part) const;
  bool serve(Picoseconds now, std::uint64_t line);
  void perform(const Part& part, std::byte* line, PhysicalAddress address);
  void finish(Picoseconds now, std::uint32_t access);
  void answer(Picoseconds now, const memory::Packet& packet);
  void say(Picoseconds now, const memory::CoherenceMessage& message);
  void take_from_cores(Picoseconds now);

  memory::RequestPool& pool_;
  const memory::PhysicalMemory& lent_;
  const std::uint16_t number_;
  Ports ports_;
  CpuMemory* memory_ = nullptr;
  CpuMemory::Agent agent_;
  CpuMemory::DevicePort cores_;
  Picoseconds to_directory_ps_ = 0, link_latency_ps_ = 0;
  Bytes line_bytes_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;  // that are asked for, or held
  std::vector<std::uint64_t> held_;                // of these, in the order in which they came
  std::deque<memory::Packet> answers_;             // that wait for room on the link
  std::uint64_t writes_taken_ = 0, writes_made_ = 0;
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_accesses_;
  RootComplexStatistics statistics_{*this, "root_complex."};
};

}  // namespace duet::machine
