// A core's way to the directory: messages with their cycles, ahead of the engine's time.
//
//   port.send(120, CoherenceKind::GetShared, line);   // in a tick as far as cycle 111
//   port.flush(now);                                  // keeps it; the tick of cycle 120 or before hands it
//   over
//
// Guarantees: messages leave in the order of their cycles, and messages of one cycle in the order of their
// sending. None leaves in a cycle beyond the tick's last one, so a later decision of an earlier cycle comes
// first.
#pragma once

#include <vector>

#include "cpu/lookahead.h"
#include "memory/coherence/coherence_message.h"
#include "sim/queue.h"

namespace duet::cpu {

class DirectoryPort {
 public:
  using Message = memory::CoherenceMessage;

  DirectoryPort(Lookahead& ahead, unsigned core) : ahead_(ahead), core_(static_cast<std::uint16_t>(core)) {}

  void connect(sim::Queue<Message>& requests, sim::Queue<Message>& answers) {
    to_directory_ = &requests;
    from_directory_ = &answers;
  }
  sim::Queue<Message>& answers() { return *from_directory_; }

  // The tick ends before its answer may arrive.
  void send(Cycle at, memory::CoherenceKind kind, std::uint64_t line, bool dirty = false, bool held = false);
  // An uncached access.
  void send(Cycle at, std::uint64_t line, memory::RequestHandle request);
  // Sends messages up to the tick's last cycle; asks for a tick where some are left.
  void flush(Picoseconds now) {
    if (!outgoing_.empty()) send_due(now);
  }
  bool is_empty() const { return outgoing_.empty(); }

 private:
  struct Outgoing {
    Cycle at;
    std::uint64_t order;
    Message message;
  };
  void add(Cycle at, const Message& message);
  void send_due(Picoseconds now);

  Lookahead& ahead_;
  const std::uint16_t core_;
  sim::Queue<Message>* to_directory_ = nullptr;
  sim::Queue<Message>* from_directory_ = nullptr;
  std::vector<Outgoing> outgoing_;
  std::uint64_t sent_ = 0;
};

}  // namespace duet::cpu
