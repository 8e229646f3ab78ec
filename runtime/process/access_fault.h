// SIGSEGV in a program on a simulated machine: one line says what was touched and what to do, when it is
// device memory, host memory that a copy names, or something that an API keeps from the program. Then the
// program's own handler gets the signal, or the signal ends the program as it would have done. Left out: a
// program that installs a handler after its first call gets the signal without the line; of addresses of
// constants the processor tells nothing.
#pragma once

#include <cstddef>

#include "base/address.h"

namespace duet::process {

class Program;

// Takes SIGSEGV, once. `program` is never destroyed.
void watch_faults(Program& program);

// Writes what is to be said of an address that an API keeps from the program; false: it is none of those.
using FaultExplainer = bool (*)(VirtualAddress address, char* text, std::size_t bytes);
void explain_faults_by(FaultExplainer explainer);

// While it lives, this thread touches bytes of the program's memory for a copy: if they are not there, `call`
// is named. Inside another one that has these bytes it means nothing.
class HostAccess {
 public:
  HostAccess(const char* call, const void* first, Bytes bytes, bool writes);
  ~HostAccess();
  HostAccess(const HostAccess&) = delete;

  const char* const call;
  const VirtualAddress first;
  const Bytes bytes;
  const bool writes;

 private:
  const HostAccess* const outer_;
};

}  // namespace duet::process
