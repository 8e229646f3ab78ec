// Attributes of a graph's kernel nodes. Hints are kept and read back (cuda/streams/attributes.h).
#include "cuda/graphs/graph_calls.h"
#include "cuda/streams/attributes.h"

using duet::cuda::KernelWork;

namespace {

// Null where the node is none of a kernel.
KernelWork* kernel_of(cudaGraphNode_t node) {
  return duet::cuda::valid(node) ? std::get_if<KernelWork>(&node->work) : nullptr;
}

// The attributes of clusters and of updates from the device: valid, but Duet has neither.
bool unsupported_in_nodes(cudaLaunchAttributeID attribute) {
  switch (attribute) {
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePreferredClusterDimension:
    case cudaLaunchAttributeDeviceUpdatableKernelNode:
      return true;
    default:
      return false;
  }
}
bool of_kernel_nodes(cudaLaunchAttributeID attribute) {
  switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
      return true;
    default:
      return unsupported_in_nodes(attribute);
  }
}

}  // namespace

cudaError_t duet::cuda::set_kernel_attribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                             const cudaLaunchAttributeValue* value) {
  auto* work = kernel_of(node);
  if (work == nullptr || value == nullptr || !of_kernel_nodes(attribute)) return cudaErrorInvalidValue;
  switch (attribute) {
    case cudaLaunchAttributePriority:
      work->priority = value->priority;
      return cudaSuccess;
    case cudaLaunchAttributeCooperative:
      work->cooperative = value->cooperative != 0;
      return cudaSuccess;
    default:
      return unsupported_in_nodes(attribute) ? cudaErrorNotSupported
                                             : duet::cuda::set_hint(work->hints, attribute, *value);
  }
}
DUET_API(cudaGraphKernelNodeSetAttribute, Other,
         (cudaGraphNode_t node, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue* value)) {
  return duet::cuda::set_kernel_attribute(node, attribute, value);
}
DUET_END
cudaError_t duet::cuda::get_kernel_attribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                             cudaLaunchAttributeValue* value) {
  const auto* work = kernel_of(node);
  if (work == nullptr || value == nullptr || !of_kernel_nodes(attribute)) return cudaErrorInvalidValue;
  switch (attribute) {
    case cudaLaunchAttributePriority:
      *value = {};
      value->priority = work->priority;
      return cudaSuccess;
    case cudaLaunchAttributeCooperative:
      *value = {};
      value->cooperative = work->cooperative;
      return cudaSuccess;
    default:
      return unsupported_in_nodes(attribute) ? cudaErrorNotSupported
                                             : duet::cuda::get_hint(work->hints, attribute, *value);
  }
}
DUET_API(cudaGraphKernelNodeGetAttribute, Other,
         (cudaGraphNode_t node, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue* value)) {
  return duet::cuda::get_kernel_attribute(node, attribute, value);
}
DUET_END
cudaError_t duet::cuda::copy_kernel_attributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  if (kernel_of(to) == nullptr || kernel_of(from) == nullptr) return cudaErrorInvalidValue;
  auto &own = std::get<KernelWork>(to->work), &other = std::get<KernelWork>(from->work);
  own.cooperative = other.cooperative;
  own.priority = other.priority;
  own.hints = other.hints;
  return cudaSuccess;
}
DUET_API(cudaGraphKernelNodeCopyAttributes, Other, (cudaGraphNode_t to, cudaGraphNode_t from)) {
  return duet::cuda::copy_kernel_attributes(to, from);
}
DUET_END
