// Attributes that streams and kernel nodes keep (launch.h reads the attributes of launches).
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

// The values of hints: they are kept and read back, and change no time. Invalid for an attribute that is no
// hint.
cudaError_t set_hint(LaunchHints& hints, cudaLaunchAttributeID attribute,
                     const cudaLaunchAttributeValue& value);
cudaError_t get_hint(const LaunchHints& hints, cudaLaunchAttributeID attribute,
                     cudaLaunchAttributeValue& value);
bool is_launch_attribute(cudaLaunchAttributeID attribute);
int clamped_priority(const Session& session, int priority);

cudaError_t set_stream_attribute(Session& session, cudaStream_t stream, cudaLaunchAttributeID attribute,
                                 const cudaLaunchAttributeValue* value);
cudaError_t get_stream_attribute(Session& session, cudaStream_t stream, cudaLaunchAttributeID attribute,
                                 cudaLaunchAttributeValue* value);
cudaError_t copy_stream_attributes(Session& session, cudaStream_t to, cudaStream_t from);

}  // namespace duet::cuda
