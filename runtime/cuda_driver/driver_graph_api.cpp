// Graphs of the driver interface: parameters in the runtime interface's form. Left out: cuGraphAddNode's
// union, conditional, external-semaphore and batch nodes, user objects.
#include "cuda/images/arrays.h"
#include "cuda_driver/driver_api.h"

using duet::cuda::Needs;
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

cudaError_t get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* to) {
  cudaKernelNodeParams from;
  if (to == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = cudaGraphKernelNodeGetParams(node, &from); error != cudaSuccess) return error;
  Session& session = Session::get();
  const auto lock = session.program().lock();
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
cudaError_t get_copy(CUgraphNode node, CUDA_MEMCPY3D* to) {
  cudaMemcpy3DParms from;
  if (to == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = cudaGraphMemcpyNodeGetParams(node, &from); error != cudaSuccess) return error;
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
cudaError_t get_fill(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* to) {
  cudaMemsetParams from;
  if (to == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = cudaGraphMemsetNodeGetParams(node, &from); error != cudaSuccess) return error;
  *to = {duet::cuda::address_of(from.dst), from.pitch, from.value, from.elementSize, from.width, from.height};
  return cudaSuccess;
}

const cudaHostNodeParams* host_of(const CUDA_HOST_NODE_PARAMS* p) {
  return reinterpret_cast<const cudaHostNodeParams*>(p);
}
cudaHostNodeParams* host_of(CUDA_HOST_NODE_PARAMS* p) { return reinterpret_cast<cudaHostNodeParams*>(p); }

// Calls `use` with the parameters in the runtime interface's form.
template <typename From, typename Convert, typename Use>
cudaError_t with(const From* params, Convert&& convert, Use&& use) {
  if (params == nullptr) return cudaErrorInvalidValue;
  const auto converted = convert(*params);
  return use(&converted);
}

const cudaGraphEdgeData* edges_of(const CUgraphEdgeData* edges) {
  return reinterpret_cast<const cudaGraphEdgeData*>(edges);
}
cudaGraphEdgeData* edges_of(CUgraphEdgeData* edges) { return reinterpret_cast<cudaGraphEdgeData*>(edges); }

}  // namespace

#define DUET_CU_NODE CUgraphNode *node, CUgraph graph, const CUgraphNode *after, size_t count

DUET_CU(cuGraphCreate, Init, (CUgraph * graph, unsigned flags), cudaGraphCreate(graph, flags))
DUET_CU(cuGraphDestroy, Init, (CUgraph graph), cudaGraphDestroy(graph))
DUET_CU(cuGraphClone, Init, (CUgraph * clone, CUgraph graph), cudaGraphClone(clone, graph))
DUET_CU(cuGraphNodeFindInClone, Init, (CUgraphNode * node, CUgraphNode original, CUgraph clone),
        cudaGraphNodeFindInClone(node, original, clone))
DUET_CU(cuGraphDestroyNode, Init, (CUgraphNode node), cudaGraphDestroyNode(node))
DUET_CU(cuGraphNodeGetType, Init, (CUgraphNode node, CUgraphNodeType* type),
        cudaGraphNodeGetType(node, reinterpret_cast<cudaGraphNodeType*>(type)))
DUET_CU(cuGraphGetNodes, Init, (CUgraph graph, CUgraphNode* nodes, size_t* count),
        cudaGraphGetNodes(graph, nodes, count))
DUET_CU(cuGraphGetRootNodes, Init, (CUgraph graph, CUgraphNode* nodes, size_t* count),
        cudaGraphGetRootNodes(graph, nodes, count))
DUET_CU(cuGraphGetEdges_v2, Init,
        (CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edges, size_t* count),
        cudaGraphGetEdges(graph, from, to, edges_of(edges), count))
DUET_CU(cuGraphGetEdges, Init, (CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count),
        cudaGraphGetEdges(graph, from, to, nullptr, count))
DUET_CU(cuGraphNodeGetDependencies_v2, Init,
        (CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* edges, size_t* count),
        cudaGraphNodeGetDependencies(node, nodes, edges_of(edges), count))
DUET_CU(cuGraphNodeGetDependencies, Init, (CUgraphNode node, CUgraphNode* nodes, size_t* count),
        cudaGraphNodeGetDependencies(node, nodes, nullptr, count))
DUET_CU(cuGraphNodeGetDependentNodes_v2, Init,
        (CUgraphNode node, CUgraphNode* nodes, CUgraphEdgeData* edges, size_t* count),
        cudaGraphNodeGetDependentNodes(node, nodes, edges_of(edges), count))
DUET_CU(cuGraphNodeGetDependentNodes, Init, (CUgraphNode node, CUgraphNode* nodes, size_t* count),
        cudaGraphNodeGetDependentNodes(node, nodes, nullptr, count))
DUET_CU(cuGraphAddDependencies_v2, Init,
        (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* edges,
         size_t count),
        cudaGraphAddDependencies(graph, from, to, edges_of(edges), count))
DUET_CU(cuGraphAddDependencies, Init,
        (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count),
        cudaGraphAddDependencies(graph, from, to, nullptr, count))
DUET_CU(cuGraphRemoveDependencies_v2, Init,
        (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData* edges,
         size_t count),
        cudaGraphRemoveDependencies(graph, from, to, edges_of(edges), count))
DUET_CU(cuGraphRemoveDependencies, Init,
        (CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count),
        cudaGraphRemoveDependencies(graph, from, to, nullptr, count))
DUET_CU(cuGraphDebugDotPrint, Init, (CUgraph graph, const char* path, unsigned flags),
        cudaGraphDebugDotPrint(graph, path, flags))

DUET_CU(cuGraphAddKernelNode_v2, Context, (DUET_CU_NODE, const CUDA_KERNEL_NODE_PARAMS* params),
        with(params, kernel_of,
             [&](auto* p) { return cudaGraphAddKernelNode(node, graph, after, count, p); }))
DUET_CU(cuGraphKernelNodeGetParams_v2, Init, (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS* params),
        get_kernel(node, params))
DUET_CU(cuGraphKernelNodeSetParams_v2, Init, (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params),
        with(params, kernel_of, [&](auto* p) { return cudaGraphKernelNodeSetParams(node, p); }))
DUET_CU(cuGraphExecKernelNodeSetParams_v2, Init,
        (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* params),
        with(params, kernel_of, [&](auto* p) { return cudaGraphExecKernelNodeSetParams(exec, node, p); }))
DUET_CU(cuGraphAddMemcpyNode, Context, (DUET_CU_NODE, const CUDA_MEMCPY3D* params, CUcontext),
        with(params, copy_of, [&](auto* p) { return cudaGraphAddMemcpyNode(node, graph, after, count, p); }))
DUET_CU(cuGraphMemcpyNodeGetParams, Init, (CUgraphNode node, CUDA_MEMCPY3D* params), get_copy(node, params))
DUET_CU(cuGraphMemcpyNodeSetParams, Init, (CUgraphNode node, const CUDA_MEMCPY3D* params),
        with(params, copy_of, [&](auto* p) { return cudaGraphMemcpyNodeSetParams(node, p); }))
DUET_CU(cuGraphExecMemcpyNodeSetParams, Init,
        (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* params, CUcontext),
        with(params, copy_of, [&](auto* p) { return cudaGraphExecMemcpyNodeSetParams(exec, node, p); }))
DUET_CU(cuGraphAddMemsetNode, Context, (DUET_CU_NODE, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext),
        with(params, fill_of, [&](auto* p) { return cudaGraphAddMemsetNode(node, graph, after, count, p); }))
DUET_CU(cuGraphMemsetNodeGetParams, Init, (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS* params),
        get_fill(node, params))
DUET_CU(cuGraphMemsetNodeSetParams, Init, (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params),
        with(params, fill_of, [&](auto* p) { return cudaGraphMemsetNodeSetParams(node, p); }))
DUET_CU(cuGraphExecMemsetNodeSetParams, Init,
        (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* params, CUcontext),
        with(params, fill_of, [&](auto* p) { return cudaGraphExecMemsetNodeSetParams(exec, node, p); }))
DUET_CU(cuGraphAddHostNode, Context, (DUET_CU_NODE, const CUDA_HOST_NODE_PARAMS* params),
        cudaGraphAddHostNode(node, graph, after, count, host_of(params)))
DUET_CU(cuGraphHostNodeGetParams, Init, (CUgraphNode node, CUDA_HOST_NODE_PARAMS* params),
        cudaGraphHostNodeGetParams(node, host_of(params)))
DUET_CU(cuGraphHostNodeSetParams, Init, (CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params),
        cudaGraphHostNodeSetParams(node, host_of(params)))
DUET_CU(cuGraphExecHostNodeSetParams, Init,
        (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* params),
        cudaGraphExecHostNodeSetParams(exec, node, host_of(params)))
DUET_CU(cuGraphAddChildGraphNode, Init, (DUET_CU_NODE, CUgraph child),
        cudaGraphAddChildGraphNode(node, graph, after, count, child))
DUET_CU(cuGraphChildGraphNodeGetGraph, Init, (CUgraphNode node, CUgraph* graph),
        cudaGraphChildGraphNodeGetGraph(node, graph))
DUET_CU(cuGraphExecChildGraphNodeSetParams, Init, (CUgraphExec exec, CUgraphNode node, CUgraph child),
        cudaGraphExecChildGraphNodeSetParams(exec, node, child))
DUET_CU(cuGraphAddMemAllocNode, Context, (DUET_CU_NODE, CUDA_MEM_ALLOC_NODE_PARAMS* params),
        cudaGraphAddMemAllocNode(node, graph, after, count,
                                 reinterpret_cast<cudaMemAllocNodeParams*>(params)))
DUET_CU(cuGraphMemAllocNodeGetParams, Init, (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS* params),
        cudaGraphMemAllocNodeGetParams(node, reinterpret_cast<cudaMemAllocNodeParams*>(params)))
DUET_CU(cuGraphAddMemFreeNode, Context, (DUET_CU_NODE, CUdeviceptr address),
        cudaGraphAddMemFreeNode(node, graph, after, count, pointer_of(address)))
DUET_CU(cuGraphMemFreeNodeGetParams, Init, (CUgraphNode node, CUdeviceptr* address),
        cudaGraphMemFreeNodeGetParams(node, address))
DUET_CU(cuDeviceGraphMemTrim, Init, (CUdevice device), cudaDeviceGraphMemTrim(device))
DUET_CU(cuDeviceGetGraphMemAttribute, Init, (CUdevice device, CUgraphMem_attribute attribute, void* value),
        cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value))
DUET_CU(cuDeviceSetGraphMemAttribute, Init, (CUdevice device, CUgraphMem_attribute attribute, void* value),
        cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute), value))
DUET_CU(cuGraphAddEmptyNode, Init, (DUET_CU_NODE), cudaGraphAddEmptyNode(node, graph, after, count))
DUET_CU(cuGraphAddEventRecordNode, Init, (DUET_CU_NODE, CUevent event),
        cudaGraphAddEventRecordNode(node, graph, after, count, event))
DUET_CU(cuGraphAddEventWaitNode, Init, (DUET_CU_NODE, CUevent event),
        cudaGraphAddEventWaitNode(node, graph, after, count, event))
DUET_CU(cuGraphEventRecordNodeGetEvent, Init, (CUgraphNode node, CUevent* event),
        cudaGraphEventRecordNodeGetEvent(node, event))
DUET_CU(cuGraphEventRecordNodeSetEvent, Init, (CUgraphNode node, CUevent event),
        cudaGraphEventRecordNodeSetEvent(node, event))
DUET_CU(cuGraphEventWaitNodeGetEvent, Init, (CUgraphNode node, CUevent* event),
        cudaGraphEventWaitNodeGetEvent(node, event))
DUET_CU(cuGraphEventWaitNodeSetEvent, Init, (CUgraphNode node, CUevent event),
        cudaGraphEventWaitNodeSetEvent(node, event))
DUET_CU(cuGraphExecEventRecordNodeSetEvent, Init, (CUgraphExec exec, CUgraphNode node, CUevent event),
        cudaGraphExecEventRecordNodeSetEvent(exec, node, event))
DUET_CU(cuGraphExecEventWaitNodeSetEvent, Init, (CUgraphExec exec, CUgraphNode node, CUevent event),
        cudaGraphExecEventWaitNodeSetEvent(exec, node, event))

DUET_CU(cuGraphInstantiateWithFlags, Context, (CUgraphExec * exec, CUgraph graph, unsigned long long flags),
        cudaGraphInstantiate(exec, graph, flags))
DUET_CU(cuGraphInstantiate_v2, Context, (CUgraphExec * exec, CUgraph graph, CUgraphNode*, char*, size_t),
        cudaGraphInstantiate(exec, graph, 0))
DUET_CU(cuGraphInstantiateWithParams, Context,
        (CUgraphExec * exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS* params),
        cudaGraphInstantiateWithParams(exec, graph, reinterpret_cast<cudaGraphInstantiateParams*>(params)))
DUET_CU(cuGraphExecGetFlags, Init, (CUgraphExec exec, cuuint64_t* flags),
        cudaGraphExecGetFlags(exec, reinterpret_cast<unsigned long long*>(flags)))
DUET_CU(cuGraphExecDestroy, Init, (CUgraphExec exec), cudaGraphExecDestroy(exec))
DUET_CU(cuGraphUpload, Context, (CUgraphExec exec, CUstream stream), cudaGraphUpload(exec, stream))
DUET_CU(cuGraphLaunch, Context, (CUgraphExec exec, CUstream stream), cudaGraphLaunch(exec, stream))
DUET_CU(cuGraphExecUpdate_v2, Init, (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo* info),
        cudaGraphExecUpdate(exec, graph, reinterpret_cast<cudaGraphExecUpdateResultInfo*>(info)))
DUET_CU(cuGraphNodeSetEnabled, Init, (CUgraphExec exec, CUgraphNode node, unsigned enabled),
        cudaGraphNodeSetEnabled(exec, node, enabled))
DUET_CU(cuGraphNodeGetEnabled, Init, (CUgraphExec exec, CUgraphNode node, unsigned* enabled),
        cudaGraphNodeGetEnabled(exec, node, enabled))
