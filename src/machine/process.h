// A program's process on a simulated machine: the system, its modules, and its records. Both ways to run
// something, the runtime library in a program's process and a bare kernel in `duet run k.ptx`, stand on this.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/loader.h"
#include "gpu/occupancy.h"
#include "host/guest_thread.h"
#include "host/native_thread.h"
#include "machine/device_calls/device_heap.h"
#include "machine/device_calls/device_launcher.h"
#include "machine/device_calls/grid_workspaces.h"
#include "machine/device_calls/user_queues.h"
#include "machine/feature.h"
#include "machine/loaded_module.h"
#include "machine/run_options.h"
#include "machine/system.h"
#include "machine/watch/run_watch.h"
#include "machine/watch/time_account.h"
#include "ptx/kernel.h"
#include "report/journal/journal.h"

namespace duet::machine {

struct HostStack;
struct ThreadUse;

class Process : private driver::CommandWatcher, private gpu::BlockWatcher {
 public:
  // `journal` may be null: nothing is recorded. `print` takes what device code prints, when it prints it.
  Process(const config::Machine& machine, report::JournalWriter* journal, memory::HostPort& host,
          std::function<void(const std::string&)> print, const RunOptions& options);
  ~Process() override;

  System& system() { return *system_; }
  driver::Driver& driver() { return system_->driver(); }
  sim::Engine& engine() { return system_->engine(); }
  const config::Machine& config() const { return system_->config(); }
  std::unique_ptr<host::NativeThread> new_thread();
  // Of a program on the machine's cores.
  std::unique_ptr<host::GuestThread> new_thread(host::GuestCalls& calls);
  host::TimeWatch& watch() { return watch_; }
  // Who takes cores that no thread of the program has; null: nobody.
  CoreBorrower* borrower() const;
  // Why the machine stands still: the cause, then the facts, indented, a line each.
  std::string standstill() { return watch_.standstill(); }

  // Keeps the PTX in the run's folder, where there is one, compiles it and places its variables; managed ones
  // where `managed_memory` says, which gives zeroed memory that the GPU sees at the same address, or null. No
  // kernel gets more than `most_registers` a thread. Throws duet::Error with one line.
  using ManagedMemory = std::function<std::byte*(Bytes)>;
  LoadedModule& load_module(std::string_view ptx_text, const std::string& name,
                            const ManagedMemory& managed_memory = {}, std::uint32_t most_registers = ~0u);
  // Keeps a text beside the PTX, for reports: a source that the program has only in its memory. The file's
  // name as messages give it; just `name` when it is not kept.
  std::string keep_text(std::string_view text, const std::string& name);

  // A launch as the driver takes it, or by a kernel, its parent; `parameters` has kernel.parameter_bytes.
  // Throws duet::Error when the kernel is not supported.
  std::unique_ptr<gpu::Grid> make_grid(const ptx::Kernel& kernel, gpu::Dim3 grid, gpu::Dim3 block,
                                       Bytes dynamic_shared_bytes, std::vector<std::byte> parameters,
                                       bool cooperative, gpu::Grid* parent = nullptr);
  // Stack of each thread of the kernels launched from now on, beside what they need without calls that are
  // not inlined (CUDA: cudaLimitStackSize).
  void set_stack_bytes(Bytes bytes) { stack_bytes_ = bytes; }
  // Size of the heap that device code allocates from (CUDA: cudaLimitMallocHeapSize); false once a kernel
  // that uses it has been launched.
  bool set_heap_bytes(Bytes bytes);
  // All modules' variables have their first values again, but for those of a program that is not here, and
  // the device heap is as if no kernel had used it. Nothing runs.
  void restore_variables();
  // While the program's device is reset what it gives back is not what the program has released.
  void reset(bool begins);
  // Full/empty bits: whether the machine has them, and how many bytes have one in common.
  bool has_full_empty() const { return !system_->functional() && full_empty_granule_bytes() != 0; }
  Bytes full_empty_granule_bytes() const { return config().gpu.full_empty.granule_bytes; }
  // Device memory of whole granules with full/empty bits, all full. Null when there is no room, or more than
  // the controllers can track.
  const memory::Allocation* allocate_tracked(Bytes bytes);
  void release_device(const memory::Allocation& allocation);
  // Before host memory is released: what the GPU's caches hold of it comes to its bytes, and goes.
  void settle_host(const memory::Allocation& allocation);
  // Where a page of the program on simulated cores lies.
  PhysicalAddress frame_of(VirtualAddress page);
  // Whether all of a tracked allocation is emptied at the end of each kernel that is launched from now on.
  void empty_at_kernel_end(const memory::Allocation& allocation, bool on);
  const std::vector<driver::FullEmptyJob>& emptied_at_kernel_end() const { return emptied_at_kernel_end_; }

  // Of kernels that kernels launch: a kernel of any module by its address in device code
  // (ptx/state_spaces.h), null where there is none; the device heap, as an SM asks for it; how many may wait
  // (CUDA: cudaLimitDevRuntimePendingLaunchCount).
  const ptx::Kernel* find_kernel(Address address) const;
  VirtualAddress heap_allocate(std::uint32_t sm, Bytes bytes) {
    return heap_->allocate(sm, bytes, engine().now());
  }
  bool heap_release(std::uint32_t sm, VirtualAddress address) {
    return heap_->release(sm, address, engine().now());
  }
  UserQueues& user_queues() { return user_queues_; }
  void set_most_pending_launches(std::uint64_t number) { launcher_.set_most_pending(number); }

  gpu::Occupancy occupancy(const ptx::Kernel& kernel, std::uint64_t threads_per_block,
                           Bytes dynamic_shared_bytes) const;

  // A stream or an event of the program has been made, or released; for who looks for leaks.
  void resource_changed(const char* kind, std::uint64_t id, bool made);
  // As a feature has them.
  void memory_in_stream(const StreamMemoryChange& change);
  bool keeps_freed_memory() const;
  HostPages* host_pages() const;
  void call_failed(const char* call, const char* error);
  // The machine has been simulated to `time`.
  void mark(std::string_view name, Picoseconds time);
  // A thread is in a call of the API from here to there, with the machine where the call begins or ends.
  // `clock`: the thread's before the call. A call made inside another has that one's number outside.
  void call_begins(const host::HostThread& thread, std::uint64_t call, Picoseconds clock);
  void call_ends(const host::HostThread& thread, std::uint64_t outer_call);
  // host/time_watch.h
  void thread_goes_on(std::uint64_t thread, std::uint64_t because_of);
  // Brings the journal's totals up to date; called at the end of every call.
  void note_time(Picoseconds thread_clock);
  // Leaves in the journal where the process stands. Called when wall time says so, so it leaves alone what
  // has to be the same in every run.
  void publish();
  // Of a program on the machine's cores, when wall time says so: what cores and threads have done so far.
  void publish_processor();
  // The same with the statistics so far, when the run ends before its commands do.
  void publish_end();
  // The program on the machine's cores has come to its end: with this exit status, or by this signal.
  void program_ended(int status, int signal);
  // What its threads have had of the cores; asked while the machine is between two points of time.
  std::function<std::vector<ThreadUse>()> threads_of_program;
  // The samples of its threads, and the time between two: at its end.
  std::function<std::pair<std::vector<HostStack>, Picoseconds>()> profile_of_program;

 private:
  void completed(const driver::CommandRecord& command) override;
  void kernel_starts(const gpu::Grid& grid) override;
  void device_launch_ends(const gpu::Grid& grid) override;
  void begin_recording();
  report::KernelRecord kernel_record(const driver::CommandRecord& command) const;
  sim::Statistics::Values record_statistics(bool with_states = false);
  void record_components();  // after record_statistics()
  void record_threads();
  void describe_processor();
  void record_completed();
  void record_copy(const driver::CommandRecord& command);
  void record_emptying(const driver::CommandRecord& command, Picoseconds kernel_end);

  report::JournalWriter* journal_;
  std::optional<TimeAccount> account_;  // with a journal
  RunOptions options_;
  std::unique_ptr<System> system_;
  Features features_;  // they are gone before the system is
  RunWatch watch_;
  // Statistics when a kernel started, of those that run, and of those whose record waits for its own.
  std::map<const gpu::Grid*, sim::Statistics::Values> at_start_;
  struct Completed {
    std::uint64_t kernel;              // number of its record
    sim::Statistics::Values at_start;  // none: it was skipped
  };
  std::vector<Completed> completed_kernels_;
  std::map<std::uint64_t, report::CopyRecord> copies_in_pieces_;  // of calls: those of which more is to come
  std::uint64_t kernel_records_ = 0;
  // Places of the components' values in the journal, and Statistics::reads() when they were written.
  std::map<const std::uint64_t*, std::uint64_t> component_values_;
  sim::Statistics::Values recorded_;  // as the journal has them
  bool completing_ = false;           // commands have completed at this time
  bool described_ = false;            // the journal knows the components
  bool published_kernels_ = false;    // the journal names running kernels
  Bytes tracked_bytes_ = 0;           // of all allocations with full/empty bits
  std::vector<driver::FullEmptyJob> emptied_at_kernel_end_;
  std::uint64_t completed_instructions_ = 0;  // warp instructions of kernels that are complete
  std::deque<LoadedModule> modules_;
  void place_variables(LoadedModule& loaded, const std::string& name, const ManagedMemory& managed_memory);
  void fill_variables(const LoadedModule& loaded);
  void place_code(LoadedModule& loaded, const std::string& name);
  void limit_registers(ptx::Kernel& kernel, std::uint32_t most) const;
  void tell_registers(const ptx::Kernel& kernel);
  PhysicalAddress local_memory(const gpu::Grid& grid);
  void make_heap(const ptx::Kernel& kernel);
  void account_for(host::HostThread& thread);
  gpu::DeviceServices services(std::function<void(const std::string&)> print);

  std::set<std::string> kept_texts_;             // names of files
  std::set<const ptx::Kernel*> told_registers_;  // kernels that have been said to want too many
  std::uint64_t next_launch_id_ = 1;
  std::uint64_t functions_ = 0;  // in all modules
  Bytes stack_bytes_ = 1_KiB, heap_bytes_ = 8_MiB;
  std::optional<DeviceHeap> heap_;
  VirtualAddress heap_base_;
  DeviceLauncher launcher_{*this};
  UserQueues user_queues_{*this};
  GridWorkspaces workspaces_;
  const memory::Allocation* local_memory_ = nullptr;  // timed GPU: for all threads that can be resident
};

}  // namespace duet::machine
