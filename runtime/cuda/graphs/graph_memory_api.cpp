// Calls about the memory of graphs' allocation nodes.
#include "core/graph_memory.h"
#include "cuda/graphs/graph_calls.h"
#include "cuda/session/session.h"

using duet::core::GraphMemoryUse;

cudaError_t duet::cuda::trim_graph_memory(Session& session, int device) {
  if (device != 0) return cudaErrorInvalidDevice;
  duet::core::trim_graph_memory(session.core());
  return cudaSuccess;
}
DUET_API(cudaDeviceGraphMemTrim, Other, (int device)) {
  return duet::cuda::trim_graph_memory(session, device);
}
DUET_END
cudaError_t duet::cuda::get_graph_memory(int device, cudaGraphMemAttributeType attribute, void* value) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (value == nullptr) return cudaErrorInvalidValue;
  auto& number = *static_cast<std::uint64_t*>(value);
  const GraphMemoryUse use = duet::core::graph_memory_use();
  switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
      number = use.used;
      return cudaSuccess;
    case cudaGraphMemAttrUsedMemHigh:
      number = use.used_high;
      return cudaSuccess;
    case cudaGraphMemAttrReservedMemCurrent:
      number = use.reserved;
      return cudaSuccess;
    case cudaGraphMemAttrReservedMemHigh:
      number = use.reserved_high;
      return cudaSuccess;
  }
  return cudaErrorInvalidValue;
}
DUET_API(cudaDeviceGetGraphMemAttribute, Other,
         (int device, cudaGraphMemAttributeType attribute, void* value)) {
  return duet::cuda::get_graph_memory(device, attribute, value);
}
DUET_END
// High marks can only be reset.
cudaError_t duet::cuda::set_graph_memory(int device, cudaGraphMemAttributeType attribute, void* value) {
  if (device != 0) return cudaErrorInvalidDevice;
  if (value == nullptr || *static_cast<const std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
  if (attribute == cudaGraphMemAttrUsedMemHigh)
    duet::core::reset_used_high();
  else if (attribute == cudaGraphMemAttrReservedMemHigh)
    duet::core::reset_reserved_high();
  else
    return cudaErrorInvalidValue;
  return cudaSuccess;
}
DUET_API(cudaDeviceSetGraphMemAttribute, Other,
         (int device, cudaGraphMemAttributeType attribute, void* value)) {
  return duet::cuda::set_graph_memory(device, attribute, value);
}
DUET_END
