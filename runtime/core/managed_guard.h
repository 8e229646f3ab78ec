// The host's access to managed memory on machines without gpu.concurrent_managed_access (CUDA programming
// guide, "Coherency and Concurrency"; dashti2017 §3): from a kernel's launch until the host has synchronized
// with it, the host may not touch managed memory. Memory attached to a stream is forbidden only while a
// kernel of the stream runs, memory attached to the host never. Forbidden pages are protected; an access to
// them all the same ends with one line and SIGSEGV. The simulator itself reaches managed memory through
// another mapping of the same pages, or, of a program on simulated cores, past their rights. A system call on
// such memory answers EFAULT; on simulated cores with the line. Left out: memory attached to the host is not
// refused to kernels; attachment takes effect at the call, not in stream order; a kernel that another stream
// begins while a host function is at work.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "driver/driver.h"

namespace duet::core {

class Runtime;

// Whose kernels managed memory is for.
enum class Attachment : std::uint8_t { Global, Host, Single };

class ManagedGuard {
 public:
  explicit ManagedGuard(Runtime& runtime);
  static bool needed(const config::Machine& machine) { return !machine.gpu.concurrent_managed_access; }

  // Managed memory of the program and the simulator's view of it; null when there is none left. `bytes` are
  // whole pages.
  std::byte* allocate(Bytes bytes, std::byte*& backing);
  // The same pages of a program on simulated cores, which the program has allocated, and gives back.
  void watch(void* first, Bytes bytes);
  // `stream` counts with Attachment::Single.
  void attach(VirtualAddress base, Attachment attachment, driver::StreamId stream);
  // False when it is no memory of allocate().
  bool release(VirtualAddress base);
  // The simulator's place of a byte that the program may not touch now.
  std::byte* backing(const std::byte* host) const;

  void launched(driver::CommandId id, driver::StreamId stream, const std::string& kernel);
  // A host function in a stream may touch managed memory when no kernel runs, whatever is queued behind it.
  void around_host_function(const std::function<void()>& function);
  // The same in two parts, between ticks: of a program on simulated cores.
  void host_function_begins();
  void host_function_ended();
  // The host has synchronized with something: complete kernels run no more.
  void synchronized();

  // The text about an address for a handler of SIGSEGV; false when it is none of ours.
  bool explain(VirtualAddress address, char* text, std::size_t bytes) const;

 private:
  struct Range {
    std::byte* backing = nullptr;
    Bytes bytes = 0;
    Attachment attachment = Attachment::Global;
    driver::StreamId stream = 0;
    bool is_protected = false;
    std::size_t number = 0;
  };
  struct Running {
    driver::CommandId id;
    driver::StreamId stream;
    std::string kernel;
  };
  void add(VirtualAddress base, Range range);
  void hide(VirtualAddress base, Bytes bytes, bool hidden);
  const Running* user_of(const Range& range) const;
  void apply(VirtualAddress base, Range& range);
  void apply();

  Runtime& runtime_;
  std::map<VirtualAddress, Range> ranges_;
  std::vector<Running> running_;
  std::vector<Running> queued_;  // behind the host functions that run
  unsigned host_functions_ = 0;  // that have memory open
  std::size_t allocations_ = 0;
};

}  // namespace duet::core
