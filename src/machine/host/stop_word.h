// Sets a word, or other bytes of a line, in the processor's memory, as an agent of its coherent domain other
// than a core: for the GPU, at a kernel's end, or with the ids of dispatched blocks. It asks the directory
// for the word's line, as cores do, writes it, and gives it back. Cores have lost the line then, so a core's
// next read of the word finds the new value.
//
// Time: a word is asked for latency_ps after set() was called; the request takes the processor's
// to_directory_cycles.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <vector>

#include "machine/host/cpu_memory.h"

namespace duet::machine {

class StopWord final : public sim::Component {
 public:
  StopWord(sim::Engine& engine, CpuMemory& memory, const config::Cpu& cpu, Picoseconds latency_ps,
           const char* name = "stop word");

  // Between ticks. `done` is called in the tick in which the word has become 1.
  void set(PhysicalAddress word, std::function<void()> done);
  // The same of bytes of one line, of which nothing else is on its way.
  void write(PhysicalAddress place, std::span<const std::byte> bytes, std::function<void()> done);

  Picoseconds tick(Picoseconds now) override;
  std::string waits_for() const override;

 private:
  struct Word {
    PhysicalAddress place;
    std::function<void()> done;
    Picoseconds from = 0;
    bool asked = false;
    std::vector<std::byte> bytes;
  };
  Picoseconds asks_from(Picoseconds now) const;
  void say(Picoseconds now, memory::CoherenceMessage message);
  void granted(Picoseconds now, const memory::CoherenceMessage& grant);

  CpuMemory& memory_;
  const Picoseconds to_directory_ps_, latency_ps_;
  const Bytes line_bytes_;
  CpuMemory::Agent agent_;
  std::deque<Word> words_;  // that are not set yet, each in a line of its own, in the order of set()
};

}  // namespace duet::machine
