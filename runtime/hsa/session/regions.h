// Memory as HSA names it: regions of agents (AMD's extension calls them pools), and what programs allocate
// there.
//
//   fine    pinned memory: program and GPU reach it at any time, no cache of the GPU holds it; kernarg too
//   coarse  managed memory: the GPU's caches hold it while a kernel runs; pinned memory where caches are
//           not coherent
//   group, private: of a work-group and a work-item; the program allocates nothing there
#pragma once

#include <hsa/hsa.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "core/runtime.h"

namespace duet::hsa {

enum class RegionKind : std::uint8_t { Fine = 1, Coarse, Group, Private };

struct Allocated {
  RegionKind kind = RegionKind::Fine;
  Bytes bytes = 0;
};

class Regions {
 public:
  explicit Regions(core::Runtime& runtime) : runtime_(runtime) {}

  static hsa_region_t handle(RegionKind kind) { return {static_cast<std::uint64_t>(kind)}; }
  // Nothing: no region has this handle.
  static std::optional<RegionKind> find(std::uint64_t handle);
  // Those that an agent reaches.
  static std::vector<RegionKind> of(hsa_agent_t agent);

  Bytes bytes(RegionKind kind) const;
  // The largest allocation; 0: the program allocates none there.
  Bytes most(RegionKind kind) const;
  Bytes granule() const { return runtime_.space().page_bytes(); }

  // Null: there is no room.
  void* allocate(RegionKind kind, Bytes bytes);
  // False: nothing that begins there.
  bool release(void* first);
  // The allocation with this byte, and its first.
  std::optional<std::pair<void*, Allocated>> find_allocation(const void* byte) const;
  void forget();

 private:
  core::Runtime& runtime_;
  std::map<const void*, Allocated> allocated_;
};

}  // namespace duet::hsa
