// Memory that a program allocates: on the device, or in the host's memory for both. It is given back when the
// device is idle.
//
//   VirtualAddress address;
//   if (const Status status = allocate(runtime, bytes, address); status.failed()) return error_of(status);
//   ...
//   release(runtime, host, address);  // waits
//
// memory_pool.h has memory given back in stream order, graph_memory.h that of a graph's nodes; release()
// takes back both.
#pragma once

#include <functional>

#include "core/runtime.h"

namespace duet::core {

// OutOfMemory, with a line on standard error, said once. 0 bytes are a null address.
Status allocate(Runtime& runtime, Bytes bytes, VirtualAddress& address);
// Device or managed memory by its first byte, however it was allocated. InvalidValue: it is none, or has been
// released. Waits until the device is idle.
Status release(Runtime& runtime, host::HostThread& host, VirtualAddress address);

// The same for memory that no command uses any more, pinned memory too: nobody waits.
void release_unused(Runtime& runtime, VirtualAddress address);

// Whether an allocation of the kind begins there.
bool begins_at(Runtime& runtime, VirtualAddress address, memory::AllocationKind kind);
// Pinned memory of Runtime::allocate_host. Waits until the device is idle.
Status release_host(Runtime& runtime, host::HostThread& host, VirtualAddress address);

// Memory of the program itself, for the GPU from now on, and no longer. NotSupported, AlreadyRegistered,
// NotRegistered.
bool can_register(const config::Machine& machine);  // false: it has [[method]] rows, and none for it
Status register_host(Runtime& runtime, void* first, Bytes bytes, unsigned api_flags,
                     memory::AllocatingCall call = memory::AllocatingCall::Registered);
Status unregister_host(Runtime& runtime, host::HostThread& host, VirtualAddress address);

// All memory of the program but what `kept` names goes back, and variables have their first values again.
// The device is idle.
void reset_memory(Runtime& runtime, const std::function<bool(VirtualAddress)>& kept);

}  // namespace duet::core
