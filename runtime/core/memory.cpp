#include "core/memory.h"

#include "base/error.h"
#include "core/graph_memory.h"
#include "core/memory_pool.h"
#include "core/notes.h"
#include "memory/allocation_methods.h"

#include <vector>

namespace duet::core {

namespace {

using memory::Allocation;
using memory::AllocationKind;

void wait_until_idle(Runtime& runtime, host::HostThread& host) {
  if (!runtime.driver().all_idle())
    host.wait(runtime.cost(CallKind::Allocate), [&] { return runtime.driver().all_idle(); });
  runtime.synchronized(host);
}

Status free_host(Runtime& runtime, VirtualAddress address) {
  return runtime.free_host(duet::pointer_of(address)) ? Reason::Success : Reason::InvalidValue;
}

}  // namespace

Status allocate(Runtime& runtime, Bytes bytes, VirtualAddress& address) {
  address = {};
  if (bytes == 0) return {};
  const Allocation* allocation = allocate_device(runtime, bytes);
  if (allocation == nullptr) return Reason::OutOfMemory;
  address = allocation->base;
  runtime.follow_method(address, bytes, memory::AllocatingCall::Device);
  return {};
}

Status release(Runtime& runtime, host::HostThread& host, VirtualAddress address) {
  const Allocation* allocation = runtime.space().find(address);
  if (allocation == nullptr || allocation->base != address) return Reason::InvalidValue;
  if (freed_in_pool(address) || runtime.modules().has_variable_at(address)) return Reason::InvalidValue;
  wait_until_idle(runtime, host);
  if (auto memory = graph_memory_of(address)) {
    Status status = free_graph_memory(memory);
    memory.reset();
    trim_graph_memory(runtime);
    return status;
  }
  // Meanwhile another thread may have freed something.
  allocation = runtime.space().find(address);
  if (allocation == nullptr) return Reason::InvalidValue;
  if (allocation->kind == AllocationKind::Managed) return free_host(runtime, address);
  if (allocation->kind != AllocationKind::Device) return Reason::InvalidValue;
  if (free_to_pool(runtime, address)) return {};
  runtime.maintenance().released(address);
  runtime.process().release_device(*allocation);
  return {};
}

void release_unused(Runtime& runtime, VirtualAddress address) {
  const Allocation* const allocation = runtime.space().find(address);
  if (allocation == nullptr || runtime.free_host(duet::pointer_of(address))) return;
  runtime.maintenance().released(address);
  runtime.process().release_device(*allocation);
}

bool begins_at(Runtime& runtime, VirtualAddress address, AllocationKind kind) {
  const Allocation* allocation = runtime.space().find(address);
  return allocation != nullptr && allocation->base == address && allocation->kind == kind;
}

Status release_host(Runtime& runtime, host::HostThread& host, VirtualAddress address) {
  if (!begins_at(runtime, address, AllocationKind::Pinned)) return Reason::InvalidValue;
  wait_until_idle(runtime, host);
  return free_host(runtime, address);
}

bool can_register(const config::Machine& machine) {
  return machine.methods.empty() || memory::method_of(machine, memory::AllocatingCall::Registered) != nullptr;
}

Status register_host(Runtime& runtime, void* first, Bytes bytes, unsigned api_flags,
                     memory::AllocatingCall call) {
  if (!can_register(runtime.config())) return Reason::NotSupported;
  if (runtime.space().find(duet::virtual_address(first)) != nullptr) return Reason::AlreadyRegistered;
  try {
    runtime.register_host(first, bytes, api_flags, call);
  } catch (const Error&) {
    return Reason::AlreadyRegistered;
  }
  return {};
}

Status unregister_host(Runtime& runtime, host::HostThread& host, VirtualAddress address) {
  if (!begins_at(runtime, address, AllocationKind::Registered)) return Reason::NotRegistered;
  wait_until_idle(runtime, host);
  const Allocation* const allocation = runtime.space().find(address);
  if (allocation == nullptr) return Reason::NotRegistered;
  runtime.process().settle_host(*allocation);
  runtime.maintenance().released(address);
  runtime.space().release(address);
  return {};
}

void reset_memory(Runtime& runtime, const std::function<bool(VirtualAddress)>& kept) {
  forget_pools();
  forget_graph_memory();
  trim_graph_memory(runtime);
  std::vector<VirtualAddress> leaving;
  for (const auto& [base, allocation] : runtime.space().allocations()) {
    const bool of_program =
        allocation.kind == AllocationKind::Device || allocation.kind == AllocationKind::Registered ||
        allocation.kind == AllocationKind::Pinned || allocation.kind == AllocationKind::Managed;
    if (of_program && allocation.call != nullptr && !runtime.modules().has_variable_at(base) &&
        graph_memory_of(base) == nullptr && !kept(base))
      leaving.push_back(base);
  }
  for (const VirtualAddress base : leaving) {
    const Allocation* const allocation = runtime.space().find(base);
    runtime.maintenance().released(base);
    if (allocation->in_device_memory())
      runtime.process().release_device(*allocation);
    else if (!runtime.free_host(duet::pointer_of(base)))
      runtime.space().release(base);
  }
  runtime.modules().restore_variables();
}

}  // namespace duet::core
