// When the registers of a core have their values: the register result status of a scoreboard (Thornton,
// 1964), which renaming to the window's entries follows (Tomasulo, 1967).
//
//   registers.claim(made, 17);       // instruction 17 writes made.destination
//   registers.source(later, 5);      // `later` reads x5: it awaits instruction 17, or has a cycle
//   registers.produced(5, 17, 120);  // the value is there in cycle 120
//
// Guarantee: undo() in the opposite order of claim() brings back the status before it.
#pragma once

#include <array>

#include "cpu/reorder_window.h"

namespace duet::cpu {

class RegisterStatus {
 public:
  // `reader` needs the register's value.
  void source(WindowEntry& reader, std::uint8_t number) const {
    reader.await(writers_[number], ready_[number]);
  }
  // `made` is its youngest writer.
  void claim(WindowEntry& made, std::uint64_t sequence) {
    std::uint64_t& writer = writers_[made.destination];
    Cycle& ready = ready_[made.destination];
    made.old_writer = writer;
    made.old_ready = ready;
    writer = sequence;
    ready = kUnknown;
  }
  void produced(std::uint8_t number, std::uint64_t sequence, Cycle cycle) {
    if (writers_[number] == sequence) set(number, cycle);
  }
  // Its value is there in `cycle`, whoever wrote it.
  void set(std::uint8_t number, Cycle cycle) {
    writers_[number] = 0;
    ready_[number] = cycle;
  }
  // `gone` is squashed; what it replaced may have been produced since.
  void undo(const WindowEntry& gone, ReorderWindow& window) {
    writers_[gone.destination] = gone.old_writer;
    ready_[gone.destination] = gone.old_ready;
    if (gone.old_writer != 0 && window.entry(gone.old_writer).complete != kUnknown)
      set(gone.destination, window.entry(gone.old_writer).complete);
  }

 private:
  static constexpr unsigned kRegisters = kNoRegister + 1;  // x, f, and one without readers
  std::array<std::uint64_t, kRegisters> writers_{};
  std::array<Cycle, kRegisters> ready_{};
};

}  // namespace duet::cpu
