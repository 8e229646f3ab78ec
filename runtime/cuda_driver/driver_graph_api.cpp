// Graphs of the driver interface: parameters in the runtime interface's form. Left out: cuGraphAddNode's
// union, conditional, external-semaphore and batch nodes, user objects.
#include "cuda/graphs/graph_calls.h"
#include "cuda/images/arrays.h"
#include "cuda_driver/driver_api.h"

using duet::cuda::pointer_of;
using duet::cuda::Session;

namespace {

cudaKernelNodeParams kernel_of(const CUDA_KERNEL_NODE_PARAMS& p) {
  cudaKernelNodeParams params{};
  params.func = p.func != nullptr ? static_cast<void*>(p.func) : static_cast<void*>(p.kern);
  params.gridDim = {p.gridDimX, p.gridDimY, p.gridDimZ};
  params.blockDim = {p.blockDimX, p.blockDimY, p.blockDimZ};
  params.sharedMemBytes = p.sharedMemBytes;
  params.kernelParams = p.kernelParams;
  params.extra = p.extra;
  return params;
}

cudaError_t get_kernel([[maybe_unused]] Session& session, CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* to) {
  cudaKernelNodeParams from;
  if (const cudaError_t error = duet::cuda::get_kernel_node(node, &from); error != cudaSuccess) return error;
  *to = {};
  to->func = reinterpret_cast<CUfunction>(session.modules().find(from.func));
  to->gridDimX = from.gridDim.x;
  to->gridDimY = from.gridDim.y;
  to->gridDimZ = from.gridDim.z;
  to->blockDimX = from.blockDim.x;
  to->blockDimY = from.blockDim.y;
  to->blockDimZ = from.blockDim.z;
  to->sharedMemBytes = from.sharedMemBytes;
  to->kernelParams = from.kernelParams;
  return cudaSuccess;
}

// Texels where there is an array, bytes where there is none.
std::size_t unit_of(const CUDA_MEMCPY3D& p) {
  for (const CUarray array : {p.dstMemoryType == CU_MEMORYTYPE_ARRAY ? p.dstArray : nullptr,
                              p.srcMemoryType == CU_MEMORYTYPE_ARRAY ? p.srcArray : nullptr})
    if (array != nullptr)
      if (const std::size_t bytes = duet::cuda::texel_bytes(reinterpret_cast<cudaArray_t>(array)); bytes != 0)
        return bytes;
  return 1;
}

cudaMemcpy3DParms copy_of(const CUDA_MEMCPY3D& p) {
  const std::size_t unit = unit_of(p);
  cudaMemcpy3DParms parms{};
  const auto side = [&](CUmemorytype type, const void* host, CUdeviceptr device, CUarray array, size_t pitch,
                        size_t height, size_t x, cudaArray_t& to_array, cudaPitchedPtr& to, cudaPos& at) {
    if (type == CU_MEMORYTYPE_ARRAY) {
      to_array = reinterpret_cast<cudaArray_t>(array);
      at.x = x / unit;
      return;
    }
    at.x = x;
    to.ptr = type == CU_MEMORYTYPE_HOST ? const_cast<void*>(host) : pointer_of(device);
    to.pitch = pitch != 0 ? pitch : x + p.WidthInBytes;
    to.xsize = p.WidthInBytes;
    to.ysize = height != 0 ? height : at.y + p.Height;
  };
  parms.srcPos = {0, p.srcY, p.srcZ};
  parms.dstPos = {0, p.dstY, p.dstZ};
  side(p.srcMemoryType, p.srcHost, p.srcDevice, p.srcArray, p.srcPitch, p.srcHeight, p.srcXInBytes,
       parms.srcArray, parms.srcPtr, parms.srcPos);
  side(p.dstMemoryType, p.dstHost, p.dstDevice, p.dstArray, p.dstPitch, p.dstHeight, p.dstXInBytes,
       parms.dstArray, parms.dstPtr, parms.dstPos);
  parms.extent = {p.WidthInBytes / unit, p.Height, p.Depth};
  parms.kind = cudaMemcpyDefault;
  return parms;
}

// Memory other than arrays is named by its unified address.
cudaError_t get_copy([[maybe_unused]] Session& session, CUgraphNode node, CUDA_MEMCPY3D* to) {
  cudaMemcpy3DParms from;
  if (const cudaError_t error = duet::cuda::get_memcpy_node(node, &from); error != cudaSuccess) return error;
  const cudaArray_t any = from.dstArray != nullptr ? from.dstArray : from.srcArray;
  const std::size_t unit = any != nullptr ? duet::cuda::texel_bytes(any) : 1;
  *to = {};
  to->srcMemoryType = from.srcArray != nullptr ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
  to->srcArray = reinterpret_cast<CUarray>(from.srcArray);
  to->srcDevice = duet::cuda::address_of(from.srcPtr.ptr);
  to->srcPitch = from.srcPtr.pitch;
  to->srcHeight = from.srcPtr.ysize;
  to->srcXInBytes = from.srcPos.x * (from.srcArray != nullptr ? unit : 1);
  to->srcY = from.srcPos.y;
  to->srcZ = from.srcPos.z;
  to->dstMemoryType = from.dstArray != nullptr ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_UNIFIED;
  to->dstArray = reinterpret_cast<CUarray>(from.dstArray);
  to->dstDevice = duet::cuda::address_of(from.dstPtr.ptr);
  to->dstPitch = from.dstPtr.pitch;
  to->dstHeight = from.dstPtr.ysize;
  to->dstXInBytes = from.dstPos.x * (from.dstArray != nullptr ? unit : 1);
  to->dstY = from.dstPos.y;
  to->dstZ = from.dstPos.z;
  to->WidthInBytes = from.extent.width * unit;
  to->Height = from.extent.height;
  to->Depth = from.extent.depth;
  return cudaSuccess;
}

cudaMemsetParams fill_of(const CUDA_MEMSET_NODE_PARAMS& p) {
  return {pointer_of(p.dst), p.pitch, p.value, p.elementSize, p.width, p.height};
}
cudaError_t get_fill([[maybe_unused]] Session& session, CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* to) {
  cudaMemsetParams from;
  if (const cudaError_t error = duet::cuda::get_memset_node(node, &from); error != cudaSuccess) return error;
  *to = {duet::cuda::address_of(from.dst), from.pitch, from.value, from.elementSize, from.width, from.height};
  return cudaSuccess;
}

const cudaHostNodeParams* host_of(const CUDA_HOST_NODE_PARAMS* p) {
  return reinterpret_cast<const cudaHostNodeParams*>(p);
}
cudaHostNodeParams* host_of(CUDA_HOST_NODE_PARAMS* p) { return reinterpret_cast<cudaHostNodeParams*>(p); }

// Of a value that lives as long as the expression.
template <typename T>
const T* at(const T& value) {
  return &value;
}

const cudaGraphEdgeData* edges_of(const CUgraphEdgeData* edges) {
  return reinterpret_cast<const cudaGraphEdgeData*>(edges);
}
cudaGraphEdgeData* edges_of(CUgraphEdgeData* edges) { return reinterpret_cast<cudaGraphEdgeData*>(edges); }

}  // namespace

#define DUET_CU_NODE CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count

DUET_CU_DO(cuGraphCreate, Other, Init, (CUgraph * graph, unsigned flags),
           duet::cuda::create_graph(graph, flags))
DUET_CU_DO(cuGraphDestroy, Other, Init, (CUgraph graph), duet::cuda::destroy_graph(graph))
DUET_CU_DO(cuGraphClone, Other, Init, (CUgraph * clone, CUgraph graph), duet::cuda::clone_graph(clone, graph))
DUET_CU_DO(cuGraphNodeFindInClone, Other, Init, (CUgraphNode * node, CUgraphNode original, CUgraph clone),
           duet::cuda::find_node_in_clone(node, original, clone))
DUET_CU_DO(cuGraphDestroyNode, Other, Init, (CUgraphNode node), duet::cuda::destroy_node(node))
DUET_CU_DO(cuGraphNodeGetType, Other, Init, (CUgraphNode node, CUgraphNodeType* type),
           duet::cuda::get_node_type(node, reinterpret_cast<cudaGraphNodeType*>(type)))
DUET_CU_DO(cuGraphGetNodes, Other, Init, (CUgraph graph, CUgraphNode* nodes, size_t* count),
           duet::cuda::get_nodes(graph, nodes, count))
DUET_CU_DO(cuGraphGetRootNodes, Other, Init, (CUgraph graph, CUgraphNode* nodes, size_t* count),
           duet::cuda::get_root_nodes(graph, nodes, count))
DUET_CU_DO(cuGraphGetEdges_v2, Other, Init,
           (CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edges, size_t* count),
           duet::cuda::get_edges(graph, from, to, edges_of(edges), count))
DUET_CU_DO(cuGraphGetEdges, Other, Init, (CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count),
           duet::cuda::get_edges(graph, from, to, nullptr, count))
DUET_CU_DO(cuGraphNodeGetDependencies_v2, Other, Init,
           (CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* edges, size_t* count),
           duet::cuda::get_dependencies(node, nodes, edges_of(edges), count))
DUET_CU_DO(cuGraphNodeGetDependencies, Other, Init, (CUgraphNode node, CUgraphNode* nodes, size_t* count),
           duet::cuda::get_dependencies(node, nodes, nullptr, count))
DUET_CU_DO(cuGraphNodeGetDependentNodes_v2, Other, Init,
           (CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* edges, size_t* count),
           duet::cuda::get_dependent_nodes(node, nodes, edges_of(edges), count))
DUET_CU_DO(cuGraphNodeGetDependentNodes, Other, Init, (CUgraphNode node, CUgraphNode* nodes, size_t* count),
           duet::cuda::get_dependent_nodes(node, nodes, nullptr, count))
DUET_CU_DO(cuGraphAddDependencies_v2, Other, Init,
           (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* edges,
            size_t count),
           duet::cuda::add_dependencies(graph, from, to, edges_of(edges), count))
DUET_CU_DO(cuGraphAddDependencies, Other, Init,
           (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count),
           duet::cuda::add_dependencies(graph, from, to, nullptr, count))
DUET_CU_DO(cuGraphRemoveDependencies_v2, Other, Init,
           (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* edges,
            size_t count),
           duet::cuda::remove_dependencies(graph, from, to, edges_of(edges), count))
DUET_CU_DO(cuGraphRemoveDependencies, Other, Init,
           (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count),
           duet::cuda::remove_dependencies(graph, from, to, nullptr, count))
DUET_CU_DO(cuGraphDebugDotPrint, Other, Init, (CUgraph graph, const char* path, unsigned),
           duet::cuda::print_graph(graph, path))

DUET_CU_UNLESS(params == nullptr, cuGraphAddKernelNode_v2, Other, Context,
               (DUET_CU_NODE, const CUDA_KERNEL_NODE_PARAMS* params),
               duet::cuda::add_kernel_node(session, node, graph, after, count, at(kernel_of(*params))))
DUET_CU_UNLESS(params == nullptr, cuGraphKernelNodeGetParams_v2, Other, Init,
               (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params), get_kernel(session, node, params))
DUET_CU_UNLESS(params == nullptr, cuGraphKernelNodeSetParams_v2, Other, Init,
               (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params),
               duet::cuda::set_kernel_node(session, node, at(kernel_of(*params))))
DUET_CU_UNLESS(params == nullptr, cuGraphExecKernelNodeSetParams_v2, Other, Init,
               (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params),
               duet::cuda::set_exec_kernel_node(session, exec, node, at(kernel_of(*params))))
DUET_CU_UNLESS(params == nullptr, cuGraphAddMemcpyNode, Other, Context,
               (DUET_CU_NODE, const CUDA_MEMCPY3D* params, CUcontext),
               duet::cuda::add_memcpy_node(session, node, graph, after, count, at(copy_of(*params))))
DUET_CU_UNLESS(params == nullptr, cuGraphMemcpyNodeGetParams, Other, Init,
               (CUgraphNode node, CUDA_MEMCPY3D* params), get_copy(session, node, params))
DUET_CU_UNLESS(params == nullptr, cuGraphMemcpyNodeSetParams, Other, Init,
               (CUgraphNode node, const CUDA_MEMCPY3D* params),
               duet::cuda::set_memcpy_node(session, node, at(copy_of(*params))))
DUET_CU_UNLESS(params == nullptr, cuGraphExecMemcpyNodeSetParams, Other, Init,
               (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* params, CUcontext),
               duet::cuda::set_exec_memcpy_node(session, exec, node, at(copy_of(*params))))
DUET_CU_UNLESS(params == nullptr, cuGraphAddMemsetNode, Other, Context,
               (DUET_CU_NODE, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext),
               duet::cuda::add_memset_node(session, node, graph, after, count, at(fill_of(*params))))
DUET_CU_UNLESS(params == nullptr, cuGraphMemsetNodeGetParams, Other, Init,
               (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* params), get_fill(session, node, params))
DUET_CU_UNLESS(params == nullptr, cuGraphMemsetNodeSetParams, Other, Init,
               (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params),
               duet::cuda::set_memset_node(session, node, at(fill_of(*params))))
DUET_CU_UNLESS(params == nullptr, cuGraphExecMemsetNodeSetParams, Other, Init,
               (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext),
               duet::cuda::set_exec_memset_node(session, exec, node, at(fill_of(*params))))
DUET_CU_DO(cuGraphAddHostNode, Other, Context, (DUET_CU_NODE, const CUDA_HOST_NODE_PARAMS* params),
           duet::cuda::add_host_node(node, graph, after, count, host_of(params)))
DUET_CU_DO(cuGraphHostNodeGetParams, Other, Init, (CUgraphNode node, CUDA_HOST_NODE_PARAMS* params),
           duet::cuda::get_host_node(node, host_of(params)))
DUET_CU_DO(cuGraphHostNodeSetParams, Other, Init, (CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params),
           duet::cuda::set_host_node(node, host_of(params)))
DUET_CU_DO(cuGraphExecHostNodeSetParams, Other, Init,
           (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params),
           duet::cuda::set_exec_host_node(exec, node, host_of(params)))
DUET_CU_DO(cuGraphAddChildGraphNode, Other, Init, (DUET_CU_NODE, CUgraph child),
           duet::cuda::add_child_graph_node(node, graph, after, count, child))
DUET_CU_DO(cuGraphChildGraphNodeGetGraph, Other, Init, (CUgraphNode node, CUgraph* graph),
           duet::cuda::get_child_graph(node, graph))
DUET_CU_DO(cuGraphExecChildGraphNodeSetParams, Other, Init,
           (CUgraphExec exec, CUgraphNode node, CUgraph child),
           duet::cuda::set_exec_child_graph_node(exec, node, child))
DUET_CU_DO(cuGraphAddMemAllocNode, Other, Context, (DUET_CU_NODE, CUDA_MEM_ALLOC_NODE_PARAMS* params),
           duet::cuda::add_mem_alloc_node(session, node, graph, after, count,
                                          reinterpret_cast<cudaMemAllocNodeParams*>(params)))
DUET_CU_DO(cuGraphMemAllocNodeGetParams, Other, Init, (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* params),
           duet::cuda::get_mem_alloc_node(node, reinterpret_cast<cudaMemAllocNodeParams*>(params)))
DUET_CU_DO(cuGraphAddMemFreeNode, Other, Context, (DUET_CU_NODE, CUdeviceptr address),
           duet::cuda::add_mem_free_node(node, graph, after, count, pointer_of(address)))
DUET_CU_DO(cuGraphMemFreeNodeGetParams, Other, Init, (CUgraphNode node, CUdeviceptr* address),
           duet::cuda::get_mem_free_node(node, address))
DUET_CU_DO(cuDeviceGraphMemTrim, Other, Init, (CUdevice device),
           duet::cuda::trim_graph_memory(session, device))
DUET_CU_DO(cuDeviceGetGraphMemAttribute, Other, Init,
           (CUdevice device, CUgraphMem_attribute attribute, void* value),
           duet::cuda::get_graph_memory(device, static_cast<cudaGraphMemAttributeType>(attribute), value))
DUET_CU_DO(cuDeviceSetGraphMemAttribute, Other, Init,
           (CUdevice device, CUgraphMem_attribute attribute, void* value),
           duet::cuda::set_graph_memory(device, static_cast<cudaGraphMemAttributeType>(attribute), value))
DUET_CU_DO(cuGraphAddEmptyNode, Other, Init, (DUET_CU_NODE),
           duet::cuda::add_empty_node(node, graph, after, count))
DUET_CU_DO(cuGraphAddEventRecordNode, Other, Init, (DUET_CU_NODE, CUevent event),
           duet::cuda::add_event_record_node(session, node, graph, after, count, event))
DUET_CU_DO(cuGraphAddEventWaitNode, Other, Init, (DUET_CU_NODE, CUevent event),
           duet::cuda::add_event_wait_node(session, node, graph, after, count, event))
DUET_CU_DO(cuGraphEventRecordNodeGetEvent, Other, Init, (CUgraphNode node, CUevent* event),
           duet::cuda::get_event_record_node(node, event))
DUET_CU_DO(cuGraphEventRecordNodeSetEvent, Other, Init, (CUgraphNode node, CUevent event),
           duet::cuda::set_event_record_node(session, node, event))
DUET_CU_DO(cuGraphEventWaitNodeGetEvent, Other, Init, (CUgraphNode node, CUevent* event),
           duet::cuda::get_event_wait_node(node, event))
DUET_CU_DO(cuGraphEventWaitNodeSetEvent, Other, Init, (CUgraphNode node, CUevent event),
           duet::cuda::set_event_wait_node(session, node, event))
DUET_CU_DO(cuGraphExecEventRecordNodeSetEvent, Other, Init,
           (CUgraphExec exec, CUgraphNode node, CUevent event),
           duet::cuda::set_exec_event_record_node(session, exec, node, event))
DUET_CU_DO(cuGraphExecEventWaitNodeSetEvent, Other, Init, (CUgraphExec exec, CUgraphNode node, CUevent event),
           duet::cuda::set_exec_event_wait_node(session, exec, node, event))
DUET_CU_DO(cuGraphKernelNodeSetAttribute, Other, Init,
           (CUgraphNode node, CUkernelNodeAttrID attribute, const CUkernelNodeAttrValue* value),
           duet::cuda::set_kernel_attribute(node, static_cast<cudaLaunchAttributeID>(attribute),
                                            reinterpret_cast<const cudaLaunchAttributeValue*>(value)))
DUET_CU_DO(cuGraphKernelNodeGetAttribute, Other, Init,
           (CUgraphNode node, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue* value),
           duet::cuda::get_kernel_attribute(node, static_cast<cudaLaunchAttributeID>(attribute),
                                            reinterpret_cast<cudaLaunchAttributeValue*>(value)))
DUET_CU_DO(cuGraphKernelNodeCopyAttributes, Other, Init, (CUgraphNode to, CUgraphNode from),
           duet::cuda::copy_kernel_attributes(to, from))

DUET_CU_DO(cuGraphInstantiateWithFlags, Other, Context,
           (CUgraphExec * exec, CUgraph graph, unsigned long long flags),
           duet::cuda::instantiate_graph(session, exec, graph, flags))
DUET_CU_DO(cuGraphInstantiate_v2, Other, Context,
           (CUgraphExec * exec, CUgraph graph, CUgraphNode*, char*, size_t),
           duet::cuda::instantiate_graph(session, exec, graph, 0))
DUET_CU_DO(cuGraphInstantiateWithParams, Other, Context,
           (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params),
           duet::cuda::instantiate_graph_with(session, exec, graph,
                                              reinterpret_cast<cudaGraphInstantiateParams*>(params)))
DUET_CU_DO(cuGraphExecGetFlags, Other, Init, (CUgraphExec exec, cuuint64_t* flags),
           duet::cuda::get_exec_flags(exec, reinterpret_cast<unsigned long long*>(flags)))
DUET_CU_DO(cuGraphExecDestroy, Other, Init, (CUgraphExec exec), duet::cuda::destroy_exec(exec))
DUET_CU_DO(cuGraphUpload, Other, Context, (CUgraphExec exec, CUstream stream),
           duet::cuda::upload_exec(session, exec, stream))
DUET_CU_DO(cuGraphLaunch, GraphLaunch, Context, (CUgraphExec exec, CUstream stream),
           duet::cuda::launch_exec(session, thread, exec, stream))
DUET_CU_DO(cuGraphExecUpdate_v2, Other, Init,
           (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info),
           duet::cuda::update_exec(exec, graph, reinterpret_cast<cudaGraphExecUpdateResultInfo*>(info)))
DUET_CU_DO(cuGraphNodeSetEnabled, Other, Init, (CUgraphExec exec, CUgraphNode node, unsigned enabled),
           duet::cuda::set_node_enabled(exec, node, enabled))
DUET_CU_DO(cuGraphNodeGetEnabled, Other, Init, (CUgraphExec exec, CUgraphNode node, unsigned* enabled),
           duet::cuda::get_node_enabled(exec, node, enabled))
