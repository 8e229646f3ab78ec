// A program that is not the process in which its calls are served: one on simulated cores. Its addresses are
// numbers here, and what lies there is asked of it.
#pragma once

#include <memory>
#include <string>

#include "host/host_thread.h"
#include "machine/process.h"

namespace duet::process {

class ProgramSide {
 public:
  virtual ~ProgramSide() = default;

  virtual std::string command() const = 0;
  // Copies between here and there. Throw duet::Error where the program has no memory.
  virtual void read(const void* from, void* to, Bytes bytes) = 0;
  virtual void write(void* to, const void* from, Bytes bytes) = 0;
  // Pages of the program, zeroed; null where it may have no more.
  virtual void* allocate(Bytes bytes) = 0;
  virtual void release(void* first, Bytes bytes) = 0;
  // For the thread whose call is being served.
  virtual std::unique_ptr<host::HostThread> new_thread(machine::Process& machine) = 0;
};

}  // namespace duet::process
