// Parts of a run that its machine does not know by name: a predictor, a check, pre-execution. Any number of
// features watch, at most one decides about blocks.
//
//   class KernelLog final : public Feature {
//     const char* option() const override { return "--kernel-log"; }
//     void kernel_starts(const gpu::Grid& grid) override { ... }
//   };
//
// features.cpp has the list. docs/how-to/feature.md adds one.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/machine.h"
#include "driver/driver.h"
#include "gpu/front_end/block_watcher.h"

namespace duet::gpu {
struct DeviceServices;
}
namespace duet::memory {
class RaceDetector;
}
namespace duet::report {
class JournalWriter;
}
namespace duet::machine {

class CoreBorrower;
class HostPages;
class LoadedModule;
class System;

// What a machine is to be, before anything of it is built.
struct MachinePlan {
  const config::Machine& machine;
  sim::Engine& engine;
  const bool functional;          // the functional GPU, and no timed one
  gpu::DeviceServices& services;  // hooks of SMs, read while they run
  bool fast_forwards = false;     // the timed GPU has functional SMs beside its own
  bool counts_lines = false;      // timed SMs count by instruction
  bool time_of_model = false;     // functional, and kernels take the time of a model: their code and local
                                  // memory have places as on the timed GPU
  std::optional<config::Gpu> functional_gpu{};  // of functional SMs; none: the machine's
  memory::RaceDetector* races = nullptr;        // null: there is no race detector
  std::string no_full_empty{};  // why the program may have no memory with full/empty bits; empty: it may

  // `policy` decides about blocks; null: what has decided is Grid::fast_forward, when a grid is made. Throws
  // duet::Error where another feature does.
  void decide(gpu::BlockPolicy* policy, const char* option);
  // Programs of the feature get the machine's cores. Throws duet::Error where another feature's do.
  void take_cores(const char* option);
  gpu::BlockPolicy* policy = nullptr;
  const char *decided_by = nullptr, *cores_taken_by = nullptr;
};

struct StreamMemoryChange {
  VirtualAddress base;
  Bytes bytes = 0;  // as asked for
  driver::StreamId stream = 0;
  bool made = false;
  bool all_done = false;  // freed when the host had waited for everything
};

class Feature : public driver::CommandWatcher, public gpu::BlockWatcher {
 public:
  virtual const char* option() const = 0;  // the option that asks for it, for messages
  // Before anything is built. Throws duet::Error where the machine cannot have it.
  virtual void plan(MachinePlan&) {}
  // All components exist and nothing has run. Null: nothing is recorded.
  virtual void attach(System&, report::JournalWriter*) {}
  // Its kernels may be launched from now on.
  virtual void module_loaded(const LoadedModule&, std::string_view /*ptx*/, const std::string& /*name*/) {}
  // Before its memory is given to it; by a kernel, or by the program.
  virtual void grid_made(gpu::Grid&) {}
  // A stream or an event of the program has been made, or released.
  virtual void resource_changed(const char* /*kind*/, std::uint64_t /*id*/, bool /*made*/) {}
  // The program resets its device: what is given back meanwhile it has not released.
  virtual void reset(bool /*begins*/) {}
  // Memory of the device is allocated, or freed, in stream order.
  virtual void memory_in_stream(const StreamMemoryChange&) {}
  // Whether memory that was freed is not given again while there is other memory.
  virtual bool keeps_freed_memory() const { return false; }
  // Pinned memory of the program is allocated there; null: the feature watches none.
  virtual HostPages* host_pages() { return nullptr; }
  virtual void call_failed(const char* /*call*/, const char* /*error*/) {}
  // What it has found goes to the journal: after the ticks of a time at which commands have completed, and at
  // the end of the run.
  virtual void record() {}
  virtual void record_end() { record(); }
  // The borrower of cores that no thread of the program has; null: the feature takes none.
  virtual CoreBorrower* borrower() { return nullptr; }
};

using Features = std::vector<std::unique_ptr<Feature>>;

}  // namespace duet::machine
