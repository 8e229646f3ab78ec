// What the driver does on the processor besides a call's own latency (the keys driver.handlers): entries of
// the GPU's page table for pages of the program (dashti2017 section 6.2.1), and interrupts.
//
//   work.allocated(base, bytes);     // memory that the GPU finds by its own page table
//   work.fill(host, base);           // again, where pages may have moved: before a kernel, say
//   work.interrupt(host);            // the thread slept until the GPU was done
//
// On simulated cores it is code that runs on the calling thread's core (driver_handlers.h), where
// driver.handlers.on_cores says so; elsewhere it takes driver.handlers.page_ns and interrupt_ns. What the
// handlers read, the process's page table and what a kernel knows of frames, stands in pages of the program,
// beside the tables that the cores' walkers read.
#pragma once

#include <map>

#include "base/address.h"
#include "base/units.h"
#include "host/host_thread.h"

namespace duet::core {

class Runtime;

class DriverWork {
 public:
  explicit DriverWork(Runtime& runtime) : runtime_(runtime) {}

  // By the thread whose call is being served.
  void allocated(VirtualAddress base, Bytes bytes);
  void released(VirtualAddress base);
  // Nothing for other memory.
  void fill(host::HostThread& host, VirtualAddress base);
  void interrupt(host::HostThread& host);

 private:
  struct Range {
    std::uint64_t pages = 0;
    // In the program: a PageTableWork and its arrays. Null: it takes time alone.
    void* work = nullptr;
    void* gpu_entries = nullptr;
  };
  bool is_code() const;
  void take(host::HostThread& host, std::uint64_t ns) const;
  void prepare(Range& range, VirtualAddress base) const;

  Runtime& runtime_;
  std::map<VirtualAddress, Range> ranges_;
  void* ring_ = nullptr;       // in the program: an InterruptRing; null: not made yet
  void* registers_ = nullptr;  // the GPU's, as the handler writes them
  std::uint64_t interrupts_ = 0;
};

}  // namespace duet::core
