// Page tables: the meaning of a virtual address. A page has its frame, the GPU's rights, the caches that may
// hold it, and whether its words have full/empty bits; no other place keeps any of it. There may be several
// tables, and several pages of one frame. Consecutive pages in consecutive frames, with the same attributes,
// are kept as one run. A run may begin or end inside a page: of registered host memory only its own bytes are
// reachable. Left out: the table's own place in memory and the time of a walk (translator.h).
#pragma once

#include <cstdint>
#include <map>

#include "memory/physical/physical_memory.h"
#include "memory/request.h"

namespace duet::memory {

struct PageAttributes {
  bool readable = true, writable = true;  // for the GPU
  bool tracked = false;  // has full/empty bits: accesses carry triggers and actions (lustig2013 §4)
  Home home = Home::DeviceDram;
  Cacheability cacheability;
  Translation translation = Translation::None;  // where it takes time
  bool coalesced = true;  // lanes of a warp share requests; otherwise those at one address alone
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
  // Moves the page to another frame. Its bytes are the caller's concern (AddressSpace::move_page).
  void remap(VirtualAddress page, PhysicalAddress frame);
  // The bytes of the frames lie elsewhere in this process: pointers to them are void.
  void bytes_moved() { ++generation_; }

  // The run of the address; one of no bytes when there is none.
  const PageRun& find(VirtualAddress address) const;
  // Calls f(run) for every run, lowest first.
  template <typename F>
  void for_each_run(F f) const {
    for (const auto& [first, run] : runs_) f(run);
  }
  // For messages: a virtual address of a physical one; 0 when no page shows it.
  VirtualAddress virtual_of(PhysicalAddress physical) const;
  // Changes with every change of an existing page, so a caller may keep a result of find() while it stays the
  // same. A new page does not change it.
  std::uint64_t generation() const { return generation_; }

 private:
  using Runs = std::map<VirtualAddress, PageRun>;
  void split(VirtualAddress at);

  const Bytes page_bytes_;
  Runs runs_;  // by their first address
  std::uint64_t generation_ = 0;
};

}  // namespace duet::memory
