// A Linux program on simulated cores: the threads of one process, on the cores of a processor.
//
//   SimulatedHost host(processor, {{"./program"}, {}});
//   rv64::ProcessEnd end = host.run();
//
// System calls are served at their time, outside of it: their accesses to memory cost system_call_cycles
// alone. A thread runs on a core until it waits, ends, or has had its time slice while another one has no
// core. A sink of the engine (TaskEventKind::Thread) gets the times of threads on cores, with the cores'
// counts meanwhile. Threads take the first free core in the order of their creation. Programs that run ahead
// of kernels (preexecution.h) get cores without a thread: a runnable thread takes one back as soon as nothing
// of such a program is in flight there, and begins context_switch_cycles later.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "config/machine.h"
#include "host/guest_calls.h"
#include "host/time_watch.h"
#include "machine/host/host_profile.h"
#include "rv64/process/address_space.h"
#include "rv64/process/process.h"
#include "rv64/process/system_calls.h"

namespace duet::machine {

class CoreBorrower;
class Processor;

// The number of the system call that GuestCalls serve, outside of Linux's: a0 and a1 are theirs, and a0 is
// what they answer. Without anybody who serves it, it is an unknown one.
inline constexpr std::uint64_t kGuestCallNumber = rv64::kGpuCallNumber;

struct HostOptions {
  const std::atomic<int>* signal = nullptr;  // the number of a signal that asks for the end; 0: none yet
  host::GuestCalls* calls = nullptr;         // who serves them; null: nobody
  host::TimeWatch* watch = nullptr;          // null: nobody looks
  CoreBorrower* lends_to = nullptr;          // who has the cores that no thread has; null: nobody
  // Hears of a fault of the program at an address, before the program's own handler, and of addresses of a
  // system call that answers EFAULT; true: it has something to say of it. Null: nobody hears.
  std::function<bool(VirtualAddress, bool writes)> faulted{};
};

// What a thread of the program has had of the cores.
struct ThreadUse {
  std::uint64_t id = 0;
  std::string name;
  Picoseconds core_time_ps = 0;
  std::uint64_t instructions = 0;
};

class SimulatedHost {
 public:
  // Throws duet::Error where the program cannot be run.
  SimulatedHost(Processor& processor, const rv64::ProcessOptions& program, const HostOptions& options = {});
  ~SimulatedHost();

  // As rv64::Process::run(); Stopped also when a signal asks for it. However it ends, what was measured
  // stays.
  rv64::ProcessEnd run();

  rv64::AddressSpace& space();
  // In the order of their creation, with what the cores have counted so far (sim::Statistics::totals() brings
  // that up to now).
  std::vector<ThreadUse> threads() const;
  // Samples of the threads while they had cores, one each profile_period().
  std::vector<HostStack> profile() const;
  Picoseconds profile_period() const;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace duet::machine
