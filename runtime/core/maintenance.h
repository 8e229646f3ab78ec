// What the driver does with caches where nothing keeps those of cores and GPU coherent: the words of the
// machine file's [[method]] rows, at copies, launches and synchronizations; and what the program asks for.
//
//   at_launch = "clean-cpu invalidate-gpu"    // of managed memory, say
//   maintenance.before_launch(host, command);  // cores write back now; L2 drops its lines before the kernel
//
// The processor's part is done in the call, and its thread waits for it: CpuMaintenance. The GPU's is part of
// the command, or a command of its own. The functional GPU, and machines without [memory_fabric], have none
// of it. Left out: time of the processor's part where the program is no guest of simulated cores, whose
// caches are not simulated.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/status.h"
#include "driver/driver.h"
#include "host/host_thread.h"
#include "machine/host/cpu_maintenance.h"

namespace duet::core {

class Runtime;

class Maintenance {
 public:
  explicit Maintenance(Runtime& runtime) : runtime_(runtime) {}

  // Memory of this row lives, and no longer.
  void allocated(VirtualAddress base, Bytes bytes, const config::Method& method);
  void released(VirtualAddress base);

  // Before a command is submitted.
  void before_launch(host::HostThread& host, driver::Command& command);
  void before_copy(host::HostThread& host, driver::Command& command);
  // The host has waited for the GPU.
  void synchronized(host::HostThread& host);
  // A function of the program in a stream finds what kernels before it have written, and kernels behind it
  // what it has: a command before it in its stream, and what cores do on the thread that runs it.
  void ahead_of_host_function(host::HostThread& host, driver::StreamId stream);
  void host_function_begins(host::HostThread& host) { around_host_function(host, &Range::at_synchronize); }
  void host_function_ended(host::HostThread& host) { around_host_function(host, &Range::at_launch); }

  // The program's own calls: of a range, or with no bytes of everything. They return when it is done.
  void flush_cpu(host::HostThread& host, VirtualAddress first, Bytes bytes);
  void flush_gpu(host::HostThread& host, VirtualAddress first, Bytes bytes);

 private:
  // What the words ask for.
  struct Words {
    machine::CacheOperations cpu, gpu;
    bool whole = false, fill_table = false;
    Words() = default;
    explicit Words(const std::string& words);
  };
  struct Range {
    Bytes bytes = 0;
    Words at_copy, at_launch, at_end, at_synchronize;
  };
  std::vector<machine::CpuMaintenance::Range> frames_of(VirtualAddress first, Bytes bytes) const;
  void maintain_cores(host::HostThread& host, std::vector<machine::CpuMaintenance::Job> jobs);
  void add(const Words& words, VirtualAddress first, Bytes bytes, std::vector<driver::CacheJob>& gpu,
           std::vector<machine::CpuMaintenance::Job>& cores) const;
  driver::Command command_of(std::vector<driver::CacheJob> jobs, driver::StreamId stream) const;
  void submit(host::HostThread& host, std::vector<driver::CacheJob> jobs);
  void around_host_function(host::HostThread& host, Words Range::*words);

  Runtime& runtime_;
  std::map<VirtualAddress, Range> maintained_;
  driver::CommandId synchronized_ = 0;  // the last command then
  driver::StreamId stream_ = 0;
  bool has_stream_ = false;
};

}  // namespace duet::core
