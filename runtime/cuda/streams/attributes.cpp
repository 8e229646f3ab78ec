#include "cuda/streams/attributes.h"

#include <algorithm>

#include "cuda/device/device_description.h"

using duet::cuda::Session;

namespace duet::cuda {

namespace {

// cudaAccessPolicyWindow: the ratio is a share, and what misses is never persisting.
bool valid_window(const cudaAccessPolicyWindow& window) {
  return window.hitRatio >= 0 && window.hitRatio <= 1 && window.hitProp >= cudaAccessPropertyNormal &&
         window.hitProp <= cudaAccessPropertyPersisting && window.missProp >= cudaAccessPropertyNormal &&
         window.missProp <= cudaAccessPropertyStreaming;
}

bool of_streams(cudaLaunchAttributeID attribute) {
  switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
      return true;
    default:
      return false;
  }
}

}  // namespace

cudaError_t set_hint(LaunchHints& hints, cudaLaunchAttributeID attribute,
                     const cudaLaunchAttributeValue& value) {
  switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
      if (!valid_window(value.accessPolicyWindow)) return cudaErrorInvalidValue;
      hints.window = value.accessPolicyWindow;
      return cudaSuccess;
    case cudaLaunchAttributeSynchronizationPolicy:
      if (value.syncPolicy < cudaSyncPolicyAuto || value.syncPolicy > cudaSyncPolicyBlockingSync)
        return cudaErrorInvalidValue;
      hints.waiting = value.syncPolicy;
      return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomainMap:
      hints.domains = value.memSyncDomainMap;
      return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomain:
      if (value.memSyncDomain < cudaLaunchMemSyncDomainDefault ||
          value.memSyncDomain > cudaLaunchMemSyncDomainRemote)
        return cudaErrorInvalidValue;
      hints.domain = value.memSyncDomain;
      return cudaSuccess;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      hints.carveout = value.sharedMemCarveout;
      return cudaSuccess;
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
      if (value.nvlinkUtilCentricScheduling > 1) return cudaErrorInvalidValue;
      hints.for_nvlink = value.nvlinkUtilCentricScheduling;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

cudaError_t get_hint(const LaunchHints& hints, cudaLaunchAttributeID attribute,
                     cudaLaunchAttributeValue& value) {
  value = {};
  switch (attribute) {
    case cudaLaunchAttributeAccessPolicyWindow:
      value.accessPolicyWindow = hints.window;
      return cudaSuccess;
    case cudaLaunchAttributeSynchronizationPolicy:
      value.syncPolicy = hints.waiting;
      return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomainMap:
      value.memSyncDomainMap = hints.domains;
      return cudaSuccess;
    case cudaLaunchAttributeMemSyncDomain:
      value.memSyncDomain = hints.domain;
      return cudaSuccess;
    case cudaLaunchAttributePreferredSharedMemoryCarveout:
      value.sharedMemCarveout = hints.carveout;
      return cudaSuccess;
    case cudaLaunchAttributeNvlinkUtilCentricScheduling:
      value.nvlinkUtilCentricScheduling = hints.for_nvlink;
      return cudaSuccess;
    default:
      return cudaErrorInvalidValue;
  }
}

bool is_launch_attribute(cudaLaunchAttributeID attribute) {
  return attribute >= cudaLaunchAttributeIgnore &&
         attribute <= cudaLaunchAttributeNvlinkUtilCentricScheduling && attribute != 15;
}

int clamped_priority(const Session& session, int priority) {
  return std::clamp(priority, greatest_priority(session), 0);
}

// Work given to the stream before keeps what it had: a launch takes the priority with it.
cudaError_t set_stream_attribute(Session& session, cudaStream_t stream, cudaLaunchAttributeID attribute,
                                 const cudaLaunchAttributeValue* value) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (value == nullptr || !of_streams(attribute)) return cudaErrorInvalidValue;
  StreamAttributes& attributes = session.attributes_of(stream);
  if (attribute != cudaLaunchAttributePriority) return set_hint(attributes.hints, attribute, *value);
  attributes.priority = clamped_priority(session, value->priority);
  return cudaSuccess;
}

cudaError_t get_stream_attribute(Session& session, cudaStream_t stream, cudaLaunchAttributeID attribute,
                                 cudaLaunchAttributeValue* value) {
  if (!session.valid_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (value == nullptr || !of_streams(attribute)) return cudaErrorInvalidValue;
  if (attribute != cudaLaunchAttributePriority)
    return get_hint(session.attributes_of(stream).hints, attribute, *value);
  *value = {};
  value->priority = session.priority_of(stream);
  return cudaSuccess;
}

// Within a context; the default stream is of every one.
cudaError_t copy_stream_attributes(Session& session, cudaStream_t to, cudaStream_t from) {
  if (!session.valid_stream(to) || !session.valid_stream(from)) return cudaErrorInvalidResourceHandle;
  const CUstream_st *target = session.stream_handle(to), *source = session.stream_handle(from);
  if (target != nullptr && source != nullptr && target->context != source->context)
    return cudaErrorInvalidValue;
  const int priority = session.priority_of(from);
  StreamAttributes& attributes = session.attributes_of(to);
  attributes = session.attributes_of(from);
  attributes.priority = priority;
  return cudaSuccess;
}

}  // namespace duet::cuda

DUET_API(cudaStreamSetAttribute, Other,
         (cudaStream_t stream, cudaLaunchAttributeID attribute, const cudaLaunchAttributeValue* value)) {
  return duet::cuda::set_stream_attribute(session, stream, attribute, value);
}
DUET_END
DUET_API(cudaStreamGetAttribute, Other,
         (cudaStream_t stream, cudaLaunchAttributeID attribute, cudaLaunchAttributeValue* value)) {
  return duet::cuda::get_stream_attribute(session, stream, attribute, value);
}
DUET_END
DUET_API(cudaStreamCopyAttributes, Other, (cudaStream_t to, cudaStream_t from)) {
  return duet::cuda::copy_stream_attributes(session, to, from);
}
DUET_END
