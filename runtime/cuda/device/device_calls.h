// The calls about the device that both interfaces have.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

cudaError_t count_devices(int* count);
cudaError_t get_device_attribute(Session& session, int* value, cudaDeviceAttr attribute, int device);
cudaError_t get_bus_id(char* id, int length, int device);
cudaError_t get_device_by_bus_id(int* device, const char* id);
cudaError_t can_access_peer(int* can, int device, int peer);
cudaError_t synchronize_device(Session& session, ThreadState& thread);
cudaError_t set_limit(Session& session, cudaLimit limit, size_t value);
// As a new context has them.
void forget_limits(Session& session);
cudaError_t get_limit(size_t* value, cudaLimit limit);
cudaError_t get_cache(cudaFuncCache* config);
cudaError_t get_banks(cudaSharedMemConfig* config);
cudaError_t get_priority_range(Session& session, int* least, int* greatest);
cudaError_t get_driver_version(int* version);

}  // namespace duet::cuda
