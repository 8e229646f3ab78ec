// The state shared by all offload APIs of a program: the machine's memory as the host reaches it, the
// modules, and the fault of the device. The program's first call makes it, and nothing destroys it: a global
// destructor may still make calls.
//
//   core::Runtime& runtime = core::Runtime::get();
//   if (const Status status = core::allocate(runtime, bytes, address); status.failed()) ...
//
// The functions of this folder take it, and where they block or submit the calling thread as well. They are
// called under the program's lock (process::Call). Left out: handles, errors and default streams, because
// they are an API's own.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/call_kind.h"
#include "core/driver_work.h"
#include "core/maintenance.h"
#include "core/managed_guard.h"
#include "core/modules.h"
#include "core/status.h"
#include "driver/driver.h"
#include "memory/allocation_methods.h"
#include "process/program.h"

namespace duet::core {

// An API's words for lines on standard error.
struct ApiWords {
  const char* (*name_of)(Reason);  // its name of an error
  const char* attach_call;         // its call to give managed memory to a stream
  const char* shared_call;         // its call to allow a kernel more shared memory
  const char* device_call;         // its call for memory of the GPU's own
};

// How the program uses host memory of the runtime.
struct HostMemoryUse {
  bool write_combined = false;  // of pinned memory: the program only writes it
  Attachment attachment = Attachment::Global;
  unsigned api_flags = 0;                           // kept with the allocation, for the API's queries
  bool shared = false;                              // of pinned memory: caches of both sides may hold it
  std::optional<memory::AllocatingCall> call = {};  // whose row it is, where the above do not say
};

class Runtime {
 public:
  static Runtime& get();

  process::Program& program() { return program_; }
  machine::Process& process() { return program_.machine(); }
  driver::Driver& driver() { return program_.driver(); }
  memory::AddressSpace& space() { return program_.space(); }
  const config::Machine& config() const { return program_.config(); }
  const config::CallLatency& cost(CallKind kind) const { return cost_of(config().driver, kind); }

  Modules& modules() { return modules_; }

  // Of the program's API; with several of them the latest counts.
  void speak(const ApiWords& words) { words_ = &words; }
  const ApiWords& words() const { return *words_; }

  // Pages for the program and the GPU: pinned or managed memory. Null: there are no more.
  void* allocate_host(Bytes bytes, memory::AllocationKind kind, const HostMemoryUse& use = {});
  // False when the pointer is not from allocate_host.
  bool free_host(void* pointer);
  // Memory of the program itself, for the GPU from now on. Throws duet::Error as AddressSpace does.
  const memory::Allocation* register_host(void* host, Bytes bytes, unsigned api_flags,
                                          memory::AllocatingCall call);

  // Null where host and GPU may touch managed memory at the same time.
  ManagedGuard* managed_guard() { return managed_guard_.get(); }
  // A command with a kernel has been submitted; the host has waited for something.
  void launched(driver::CommandId id, driver::StreamId stream, const std::string& kernel) {
    if (managed_guard_ != nullptr) managed_guard_->launched(id, stream, kernel);
  }
  void synchronized(host::HostThread& host) {
    // Kernels that end while caches are written back have not been waited for.
    if (managed_guard_ != nullptr) managed_guard_->synchronized();
    maintenance_.synchronized(host);
  }
  Maintenance& maintenance() { return maintenance_; }
  // Memory that this call has allocated is reached, and written down, as its row says.
  void follow_method(VirtualAddress base, Bytes bytes, memory::AllocatingCall call);
  DriverWork& driver_work() { return driver_work_; }

  // The fault of a kernel; Success when there is none. Every later command ends without effect. Said once, on
  // standard error.
  Reason lost() { return lost_ != Reason::Success || !driver().fault() ? lost_ : say_fault(); }

  bool in_host_function = false;  // of a stream: it must make no calls

 private:
  Runtime();
  const memory::Allocation* map_host(void* host, Bytes bytes, memory::AllocationKind kind,
                                     memory::AllocatingCall call, unsigned api_flags);
  Reason say_fault();

  process::Program& program_;
  const ApiWords* words_;
  Modules modules_{*this};
  std::map<void*, Bytes> host_memory_;  // but for the guard's
  Maintenance maintenance_{*this};
  DriverWork driver_work_{*this};
  std::unique_ptr<ManagedGuard> managed_guard_;
  Reason lost_ = Reason::Success;
};

}  // namespace duet::core
