// Page tables: what a virtual address means. A page says in which frame it lies, what the GPU may do there,
// who may cache it, and whether its words have full/empty bits; nobody else keeps any of it. There may be
// several tables, and several pages of one frame. Pages that follow each other in their frames too, with the
// same attributes, are kept as one run. A run may begin or end inside a page: of registered host memory only
// its own bytes are reachable.
// Left out: the table's own place in memory and the time of a walk (translator.h).
#pragma once

#include <cstdint>
#include <map>

#include "memory/physical/physical_memory.h"
#include "memory/request.h"

namespace duet::memory {

struct PageAttributes {
  bool readable = true, writable = true;  // for the GPU
  bool tracked = false;  // has full/empty bits: accesses carry triggers and actions (lustig2013 §4)
  Route route = Route::DeviceDram;
  Cacheability cacheability;
  friend bool operator==(const PageAttributes&, const PageAttributes&) = default;
};

struct PageRun {
  VirtualAddress first;
  Bytes bytes = 0;  // 0: nothing is mapped
  PhysicalAddress physical;
  PageAttributes attributes;

  bool holds(VirtualAddress address) const { return address - first < bytes; }
  PhysicalAddress operator[](VirtualAddress address) const { return physical + (address - first); }
  VirtualAddress end() const { return first + bytes; }
};

class PageTable {
 public:
  explicit PageTable(Bytes page_bytes) : page_bytes_(page_bytes) {}

  Bytes page_bytes() const { return page_bytes_; }
  // Throws duet::Error when some of it is mapped already, or lies elsewhere in its page than in its frame.
  void map(const PageRun& run);
  void unmap(VirtualAddress first, Bytes bytes);
  // The page that holds `page` lies in another frame from now on. Its bytes are the caller's concern
  // (AddressSpace::move_page).
  void remap(VirtualAddress page, PhysicalAddress frame);
  // The bytes of the frames lie elsewhere in this process: who keeps pointers to them forgets them.
  void bytes_moved() { ++generation_; }

  // The run that holds the address; one of no bytes when none does.
  const PageRun& find(VirtualAddress address) const;
  // For messages: a virtual address of a physical one; 0 when no page shows it.
  VirtualAddress virtual_of(PhysicalAddress physical) const;
  // Changes whenever something is not as it was, so that a caller may keep what find() answered while it
  // stays the same. What is new changes nothing.
  std::uint64_t generation() const { return generation_; }

 private:
  using Runs = std::map<VirtualAddress, PageRun>;
  void split(VirtualAddress at);

  const Bytes page_bytes_;
  Runs runs_;  // by their first address
  std::uint64_t generation_ = 0;
};

}  // namespace duet::memory
