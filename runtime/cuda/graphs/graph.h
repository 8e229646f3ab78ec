// CUDA graphs: nodes with their work, the edges between them, and executable copies. A graph is plain data;
// nothing of it is known to the driver until an executable copy is launched (graph_exec.h). Left out:
// conditional and external-semaphore nodes, user objects.
#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

#include "core/graph_memory.h"
#include "cuda/memory/copies.h"
#include "cuda/session/session.h"

namespace duet::cuda {

struct KernelWork {
  Function* function = nullptr;
  dim3 grid, block;
  unsigned shared_bytes = 0;
  bool cooperative = false;
  int priority = 0;                   // counts with cudaGraphInstantiateFlagUseNodePriority
  std::vector<std::byte> parameters;  // as the kernel takes them
  std::vector<void*> pointers;        // the result of cudaGraphKernelNodeGetParams, into `parameters`
  LaunchHints hints{};
};
struct CopyWork {
  cudaMemcpy3DParms parms{};
};
struct FillWork {
  cudaMemsetParams parms{};
};
struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};
struct ChildWork {
  std::unique_ptr<CUgraph_st> graph;
};
struct EmptyWork {};
struct WaitWork {
  cudaEvent_t event = nullptr;
};
struct RecordWork {
  cudaEvent_t event = nullptr;
};
struct MemAllocWork {
  std::shared_ptr<core::GraphMemory> memory;
  cudaMemAllocNodeParams params{};
};
struct MemFreeWork {
  std::shared_ptr<core::GraphMemory> memory;
};
// In the order of cudaGraphNodeType; it has two more before MemAllocWork.
using Work = std::variant<KernelWork, CopyWork, FillWork, HostWork, ChildWork, EmptyWork, WaitWork,
                          RecordWork, MemAllocWork, MemFreeWork>;

// The live handles of T.
template <typename T>
std::unordered_set<const T*>& live() {
  static auto* const handles = new std::unordered_set<const T*>;
  return *handles;
}
template <typename T>
class Live {
 public:
  explicit Live(const T* handle) : handle_(handle) { live<T>().insert(handle); }
  ~Live() { live<T>().erase(handle_); }
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

 private:
  const T* handle_;
};
template <typename T>
bool valid(const T* handle) {
  return live<T>().contains(handle);
}

}  // namespace duet::cuda

struct CUgraphNode_st {
  CUgraphNode_st(CUgraph_st& in, duet::cuda::Work does) : graph(in), work(std::move(does)) {}
  CUgraph_st& graph;
  duet::cuda::Work work;
  std::vector<CUgraphNode_st*> after;        // in the order of the edges' addition
  const CUgraphNode_st* original = nullptr;  // of a copy
  bool enabled = true;                       // in an executable graph
  duet::cuda::Live<CUgraphNode_st> live{this};
  cudaGraphNodeType type() const {
    const std::size_t index = work.index();
    return static_cast<cudaGraphNodeType>(index > cudaGraphNodeTypeEventRecord ? index + 2 : index);
  }
};

struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;  // in the order of their addition
  bool embedded = false;                               // belongs to a child graph node
  std::uint64_t number = next_number();                // of no other graph
  static std::uint64_t next_number();
  duet::cuda::Live<CUgraph_st> live{this};
};

namespace duet::cuda {

// The edges are checked by the caller.
cudaGraphNode_t add_node(CUgraph_st& graph, Work work, const std::vector<CUgraphNode_st*>& after);
Work copy_of(const Work& work);
// Nodes remember their originals.
std::unique_ptr<CUgraph_st> copy_of(const CUgraph_st& graph);
// Such graphs have no clones, are no children, and keep their nodes and edges.
bool has_memory_nodes(const CUgraph_st& graph);
// Dependencies before dependents, otherwise in the order of the nodes' addition; empty with a cycle.
std::vector<CUgraphNode_st*> topological_order(const CUgraph_st& graph);
// Whether the edges are nothing but order; null says so too. Other edges are not supported.
bool plain(const cudaGraphEdgeData* edges, std::size_t count);
// The copy of `original` in `graph`, or in one of its child graphs; null when there is none.
CUgraphNode_st* find_copy(const CUgraph_st& graph, const CUgraphNode_st* original);

// Parameters as programs give them; each function makes CUDA's checks for a new node.
cudaError_t kernel_work(Session& session, const cudaKernelNodeParams& params, KernelWork& work);
cudaError_t copy_work(Session& session, const cudaMemcpy3DParms& parms, CopyWork& work);
cudaError_t fill_work(Session& session, const cudaMemsetParams& parms, FillWork& work);
// Fills in params.dptr.
cudaError_t allocation_work(Session& session, cudaMemAllocNodeParams& params, MemAllocWork& work);
cudaMemcpy3DParms linear_parms(void* to, const void* from, std::size_t count, cudaMemcpyKind kind);

}  // namespace duet::cuda
