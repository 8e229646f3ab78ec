// Where the link meets the host: requests of the GPU for host memory come in here (a PCIe root complex). What
// the program on simulated cores owns is read and written as an agent of their coherent domain does: a line
// is asked of the directory, as cores ask for theirs, is read, or written whole or in part, and is given
// back. So a read finds what a core has written and still holds, and a write takes the line from the cores
// that hold it before it is made. The driver's own memory, which no core ever reads, is a simple one behind
// this.
//
// Time: a request goes on in the tick in which it arrives; to_directory_cycles of the processor pass on the
// way to the directory. Requests for one line are served in their order. Left out: transfers of whole lines
// that need not fetch what they overwrite, the root complex's own queues and their limits.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "machine/cpu_memory.h"
#include "memory/packet.h"
#include "memory/physical/physical_memory.h"
#include "sim/clock_cursor.h"
#include "sim/statistics.h"

namespace duet::machine {

struct RootComplexStatistics : sim::StatisticGroup {
  using StatisticGroup::StatisticGroup;
  sim::Counter reads{*this, "reads", "requests", "reads and atomics of the program's memory"};
  sim::Counter writes{*this, "writes", "requests", "writes to the program's memory"};
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
    PacketQueue* to_link = nullptr;      // has room for all that is outstanding
    PacketQueue* to_memory = nullptr;    // the driver's
    PacketQueue* from_memory = nullptr;  // the same
  };
  void connect(const Ports& ports) { ports_ = ports; }
  void connect(CpuMemory& memory, const config::Cpu& cpu);

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;

 private:
  // A request's bytes in one line.
  struct Part {
    std::uint32_t access = 0;
    unsigned of_line = 0, of_request = 0, bytes = 0;
    bool writes = false;
  };
  struct Access {
    memory::Packet packet;
    unsigned parts_left = 0;
  };
  struct Line {
    std::deque<Part> parts;
  };

  void take(Picoseconds now, const memory::Packet& packet);
  void ask(Picoseconds now, PhysicalAddress line, bool to_write);
  void granted(Picoseconds now, const memory::CoherenceMessage& grant);
  void perform(const Part& part, std::byte* line, PhysicalAddress address);
  void finish(Picoseconds now, std::uint32_t access);
  void say(Picoseconds now, const memory::CoherenceMessage& message);

  memory::RequestPool& pool_;
  const memory::PhysicalMemory& lent_;
  const std::uint16_t number_;
  Ports ports_;
  CpuMemory* memory_ = nullptr;
  CpuMemory::Agent agent_;
  Picoseconds to_directory_ps_ = 0;
  Bytes line_bytes_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;  // that are asked for
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> free_accesses_;
  RootComplexStatistics statistics_{*this, "root_complex."};
};

}  // namespace duet::machine
