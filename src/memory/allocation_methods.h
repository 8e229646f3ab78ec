// How memory is reached by the call that allocates it: the machine file's [[method]] rows as page attributes.
//
//   [[method]]                     space.map_host(host, bytes, AllocationKind::Pinned,
//   calls = "cudaHostAlloc"                       host_pages(machine, AllocatingCall::Pinned));
//   gpu_l2 = false                 // no request for these pages stays in L2
//
// A host call that no row names gives memory that no cache of the GPU holds, across the link; cudaMalloc
// without a row, memory that all caches hold. Sources of the methods: CUDA C++ Programming Guide,
// "Page-Locked Host Memory" and "Unified Memory"; dashti2017 section 3.
#pragma once

#include <string_view>
#include <vector>

#include "config/machine.h"
#include "memory/virtual/page_table.h"

namespace duet::memory {

// The words of a list with spaces between, and whether it has this one.
std::vector<std::string_view> words_of(std::string_view words);
bool has_word(std::string_view words, std::string_view word);

// In the order of their words in a row, config::kMethodCalls.
enum class AllocatingCall : std::uint8_t {
  Device,
  Pinned,
  WriteCombined,
  Managed,
  Registered,
  Shared,
  SvmCoarse,  // OpenCL's shared virtual memory
  SvmFine,
  SvmAtomics,
  HsaCoarse,  // of HSA's regions
  HsaFine
};

// The row that names the call, or that config::Machine::method names; null: none does. A call that no row
// names is as one that is more general: coarse-grained memory as managed, the others as pinned memory.
const config::Method* method_of(const config::Machine& machine, AllocatingCall call);

// Of memory by cudaMalloc, and of all else in device memory: code, constants, the device heap.
struct DevicePages {
  PageAttributes allocated;
  Cacheability allocated_tracked;  // of cudaMalloc where it has full/empty bits
  Cacheability plain;              // of all else
  bool track_all = false;          // what cudaMalloc gives is tracked without being asked for
};
DevicePages device_pages(const config::Gpu& gpu, const config::Method* method = nullptr);

// Across the link, and L2 may hold it: Home::HostInL2.
inline bool is_in_l2_across_link(const config::Method& method) {
  return method.route == "link" && method.gpu_l2;
}

// Of host memory by this call.
PageAttributes host_pages(const config::Machine& machine, AllocatingCall call);

// Whether the host may not touch memory of this call while a kernel may run: it is managed, or
// config::Machine::method has it reached as managed memory is.
bool host_waits(const config::Machine& machine, AllocatingCall call);

// Whether cores reach host memory by this call past their caches.
bool uncached_on_cores(const config::Machine& machine, AllocatingCall call);

}  // namespace duet::memory
