// The memory below the private caches of a core, outside simulated time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/address.h"
#include "base/units.h"
#include "rv64/memory.h"

namespace duet::cpu {

class MemoryView {
 public:
  // The newest bytes there, all of one line. Writes of other cores at this very time are not seen, so the
  // order of ticks does not matter.
  virtual void peek(PhysicalAddress address, unsigned bytes, std::byte* to, unsigned core) = 0;
  // Called before `core` writes into a held line, with the old bytes.
  virtual void about_to_write(PhysicalAddress address, unsigned bytes, const std::byte* old,
                              unsigned core) = 0;
  // The earliest time, known in a tick at `now`, at which an agent other than a core may ask the directory
  // for a line. kNever: there is no such agent.
  virtual Picoseconds others_ask_from(Picoseconds) { return kNever; }
  // rv64::Memory::find_page for `core`, possibly the first to touch the page: its frame, and so its physical
  // address, does not depend on the order of ticks.
  virtual rv64::Page page_of(VirtualAddress address, rv64::Access access, unsigned core) = 0;
  // Of a page of rv64::Memory.
  virtual PhysicalAddress physical_of(const std::byte* page) = 0;
  // A private cache answers a guessed load (Core::suppress_load_faults), with bytes of a line that came at
  // `brought`. In memory that others write without its knowledge: Fresh; Stale, after a later write of the
  // same bytes; Wrong, after a write of other bytes. Otherwise Coherent.
  enum class Held : std::uint8_t { Coherent, Fresh, Stale, Wrong };
  struct HeldLine {
    PhysicalAddress line;
    Picoseconds brought;
    unsigned core;
  };
  virtual Held state_of_held(VirtualAddress, const std::byte*, const HeldLine&) { return Held::Coherent; }
  // Where a walk of the page tables reads on its way to an address: level 2 is the root's.
  virtual PhysicalAddress page_table_entry(VirtualAddress address, unsigned level, unsigned core) = 0;

 protected:
  ~MemoryView() = default;
};

}  // namespace duet::cpu
