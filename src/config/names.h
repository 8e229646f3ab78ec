// The names in a machine file for a component's alternatives, one list a key. A key's declaration
// (fields.cpp) refuses every other name, and the component finds the name's place in the same list
// (place_of). So both have the same names.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace duet::config {

using Names = std::span<const std::string_view>;

inline constexpr std::array<std::string_view, 3> kReplacements{"lru", "tree", "random"};
inline constexpr std::array<std::string_view, 3> kDramSchedulers{"fr-fcfs", "fcfs", "fifo"};
inline constexpr std::array<std::string_view, 2> kRowPolicies{"open", "closed"};
inline constexpr std::array<std::string_view, 3> kDramStandards{"GDDR5", "DDR3", "HBM3"};
inline constexpr std::array<std::string_view, 2> kRefreshUnits{"rank", "bank"};

inline constexpr std::array<std::string_view, 3> kBlockOrders{"in_order", "reversed", "scattered"};
inline constexpr std::array<std::string_view, 2> kDispatches{"per_level", "cross_level"};

inline constexpr std::array<std::string_view, 2> kGpuPrefetchers{"none", "stride"};
inline constexpr std::array<std::string_view, 3> kPrefetchers{"none", "next-line", "stream"};

inline constexpr std::array<std::string_view, 2> kFullEmptyBits{"sideband", "inline"};
inline constexpr std::array<std::string_view, 2> kFullEmptyAtomics{"full-fill", "none"};
inline constexpr std::array<std::string_view, 2> kNarrowStores{"fill", "keep"};
inline constexpr std::array<std::string_view, 2> kTrackedMemory{"asked", "all"};
inline constexpr std::array<std::string_view, 2> kFirstBits{"full", "empty"};
inline constexpr std::array<std::string_view, 3> kOrderGrains{"granule", "line", "warp"};

// Calls that allocate memory, or make it reachable for the GPU; some with a flag (cudaHostAlloc, clSVMAlloc)
// or of a region (hsa_memory_allocate).
inline constexpr std::array<std::string_view, 11> kMethodCalls{
    "cudaMalloc",      "cudaHostAlloc", "cudaHostAllocWriteCombined", "cudaMallocManaged", "cudaHostRegister",
    "duetSharedAlloc", "clSVMAlloc",    "clSVMAllocFineGrain",        "clSVMAllocAtomics", "hsaCoarseGrained",
    "hsaFineGrained"};
inline constexpr std::array<std::string_view, 3> kCpuTypes{"write-back", "uncached", "none"};
inline constexpr std::array<std::string_view, 5> kCacheWords{"clean-cpu", "invalidate-cpu", "clean-gpu",
                                                             "invalidate-gpu", "whole"};
// Beside them, at a launch: the driver fills the GPU's page table again.
inline constexpr std::string_view kFillTable = "fill-table";
inline constexpr std::array<std::string_view, 2> kRoutes{"memory", "link"};
inline constexpr std::array<std::string_view, 3> kTranslations{"none", "table", "iommu"};

// `key = "name" is not known: known are a, b`.
std::string unknown_name(std::string_view key, std::string_view name, Names known);

// Where `name` stands in `known`. Throws duet::Error with unknown_name()'s text.
std::size_t place_of(std::string_view key, std::string_view name, Names known);

}  // namespace duet::config
