#include "core/runtime.h"

#include <algorithm>
#include <cstdio>

#include "base/error.h"
#include "config/names.h"
#include "machine/watch/host_pages.h"

namespace duet::core {

namespace {

Reason reason_of(gpu::FaultKind kind) {
  switch (kind) {
    case gpu::FaultKind::IllegalAddress:
      return Reason::IllegalAddress;
    case gpu::FaultKind::MisalignedAddress:
      return Reason::MisalignedAddress;
    case gpu::FaultKind::IllegalInstruction:
      return Reason::IllegalInstruction;
    case gpu::FaultKind::Assert:
      return Reason::AssertFailed;
    case gpu::FaultKind::HardwareStack:
      return Reason::StackOverflow;
    default:
      return Reason::LaunchFailed;
  }
}

memory::AllocatingCall call_of(memory::AllocationKind kind, const HostMemoryUse& use = {}) {
  using enum memory::AllocatingCall;
  if (use.call) return *use.call;
  if (kind == memory::AllocationKind::Managed) return Managed;
  return use.shared ? Shared : use.write_combined ? WriteCombined : Pinned;
}

// Until an API speaks.
constexpr ApiWords kNoWords{[](Reason) { return "an error"; }, "the API's call for it",
                            "the API's call for it", "the runtime's memory"};

}  // namespace

Runtime& Runtime::get() {
  static Runtime* const runtime = new Runtime;
  return *runtime;
}

Runtime::Runtime() : program_(process::Program::get()), words_(&kNoWords) {
  machine::HostPages* const pages = process().host_pages();
  if (ManagedGuard::needed(config())) managed_guard_ = std::make_unique<ManagedGuard>(*this);
  if (program_.side() != nullptr || (managed_guard_ == nullptr && pages == nullptr)) return;
  program_.reach_memory_by([this, pages](const std::byte* host) {
    std::byte* const place = pages != nullptr ? pages->backing(host) : nullptr;
    if (place != nullptr) return place;
    return managed_guard_ != nullptr ? managed_guard_->backing(host) : const_cast<std::byte*>(host);
  });
}

void* Runtime::allocate_host(Bytes bytes, memory::AllocationKind kind, const HostMemoryUse& use) {
  const Bytes whole = round_up(std::max<Bytes>(bytes, 1), space().page_bytes());
  const memory::AllocatingCall call = call_of(kind, use);
  machine::HostPages* const pages = process().host_pages();
  const bool on_cores = program_.side() != nullptr;
  const bool waits = managed_guard_ != nullptr && memory::host_waits(config(), call);
  const bool guarded = waits && !on_cores;
  if (guarded || (kind == memory::AllocationKind::Pinned && pages != nullptr)) {
    std::byte* backing = nullptr;
    std::byte* host =
        guarded ? managed_guard_->allocate(whole, backing) : pages->allocate(bytes, whole, backing);
    if (host == nullptr) return nullptr;
    const VirtualAddress base = duet::virtual_address(host);
    try {
      space().map_host(host, bytes, kind, memory::host_pages(config(), call), use.api_flags, backing);
      follow_method(base, bytes, call);
    } catch (const Error&) {
      static_cast<void>(guarded ? managed_guard_->release(base) : pages->release(base));
      return nullptr;
    }
    if (guarded && use.attachment != Attachment::Global) managed_guard_->attach(base, use.attachment, 0);
    return host;
  }
  void* pointer = program_.allocate_memory(whole, memory::uncached_on_cores(config(), call));
  if (pointer == nullptr) return nullptr;
  try {
    map_host(pointer, bytes, kind, call, use.api_flags);
  } catch (const Error&) {  // more than the host has
    program_.release_memory(pointer, whole);
    return nullptr;
  }
  host_memory_[pointer] = whole;
  if (waits) {
    managed_guard_->watch(pointer, whole);
    if (use.attachment != Attachment::Global)
      managed_guard_->attach(duet::virtual_address(pointer), use.attachment, 0);
  }
  return pointer;
}

void Runtime::follow_method(VirtualAddress base, Bytes bytes, memory::AllocatingCall call) {
  const config::Method* const method = memory::method_of(config(), call);
  if (method == nullptr) return;
  const std::string_view name = call == memory::AllocatingCall::Device
                                    ? words_->device_call
                                    : config::kMethodCalls[static_cast<std::size_t>(call)];
  program_.journal().allocated(name, method->name, bytes);
  maintenance_.allocated(base, bytes, *method);
}

const memory::Allocation* Runtime::map_host(void* host, Bytes bytes, memory::AllocationKind kind,
                                            memory::AllocatingCall call, unsigned api_flags) {
  const memory::PageAttributes pages = memory::host_pages(config(), call);
  const bool on_cores = program_.side() != nullptr;
  const VirtualAddress base = duet::virtual_address(host);
  const memory::Allocation* made = nullptr;
  if (on_cores && pages.home == memory::Home::OneDram && space().memory().is_one())
    made = space().map_frames(base, bytes, kind, pages, api_flags,
                              [this](VirtualAddress page) { return process().frame_of(page); });
  else
    made = space().map_host(host, bytes, kind, pages, api_flags, nullptr, on_cores);
  follow_method(base, bytes, call);
  return made;
}

const memory::Allocation* Runtime::register_host(void* host, Bytes bytes, unsigned api_flags,
                                                 memory::AllocatingCall call) {
  return map_host(host, bytes, memory::AllocationKind::Registered, call, api_flags);
}

bool Runtime::free_host(void* pointer) {
  machine::HostPages* const pages = process().host_pages();
  const VirtualAddress base = duet::virtual_address(pointer);
  const memory::Allocation* const allocation = space().find(base);
  if (allocation != nullptr && allocation->base == base) process().settle_host(*allocation);
  maintenance_.released(base);
  if ((managed_guard_ != nullptr && managed_guard_->release(base)) ||
      (pages != nullptr && pages->release(base))) {
    space().release(base);
    return true;
  }
  const auto found = host_memory_.find(pointer);
  if (found == host_memory_.end()) return false;
  space().release(base);
  program_.release_memory(pointer, found->second);
  host_memory_.erase(found);
  return true;
}

Reason Runtime::say_fault() {
  const gpu::Fault& fault = *driver().fault();
  lost_ = reason_of(fault.kind);
  program_.flush_print();
  std::fflush(stdout);
  std::fprintf(stderr, "duet: %s\n", fault.text.c_str());
  return lost_;
}

}  // namespace duet::core
