// A program outside the process that serves its calls: one on simulated cores. Its addresses are numbers
// here, and its bytes are read and written through this interface.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "host/host_thread.h"
#include "machine/process.h"

namespace duet::process {

class ProgramSide {
 public:
  virtual ~ProgramSide() = default;

  virtual std::string command() const = 0;
  // Copies between here and there. Where the program may not touch its memory they do not return: it ends as
  // by SIGSEGV.
  virtual void read(const void* from, void* to, Bytes bytes) = 0;
  virtual void write(void* to, const void* from, Bytes bytes) = 0;
  // The same, and nothing is copied yet. `what` reads or writes it, for messages.
  virtual void check(const char* what, const void* first, Bytes bytes, bool writes) = 0;
  // Pages of the program, zeroed; null where it may have no more. `uncached`: no cache of the processor
  // holds them.
  virtual void* allocate(Bytes bytes, bool uncached) = 0;
  virtual void release(void* first, Bytes bytes) = 0;
  // A word as it is now. Looking changes nothing in the machine.
  virtual std::uint64_t word_at(const void* place) = 0;
  // A page whose word i is the doorbell of user queue i: a store of n there says that packet n is written.
  // The same for all; null where the program may have no more memory.
  virtual void* doorbells() = 0;
  // The program may not touch these whole pages, or may again.
  virtual void hide(void* first, Bytes bytes, bool hidden) = 0;
  // A function of the program, with its arguments.
  struct Function {
    const void* address = nullptr;
    std::array<std::uint64_t, 4> arguments{};
  };
  // Calls it on the core of the thread whose call is being served.
  virtual std::uint64_t call(const Function& function) = 0;
  // It begins now, in simulated time, on the API's thread in the program. `ended` is called from there.
  virtual void begin(const Function& function, std::function<void()> ended) = 0;
  // The call that is being served names a function to begin later: the program makes that thread.
  virtual void expect_functions() = 0;
  // For the thread whose call is being served.
  virtual std::unique_ptr<host::HostThread> new_thread(machine::Process& machine) = 0;
};

}  // namespace duet::process
