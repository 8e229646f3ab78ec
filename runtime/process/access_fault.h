// SIGSEGV in a program on a simulated machine: one line names the touched memory and the remedy, for device
// memory, host memory of a copy, and memory that an API keeps from the program. Then the program's own
// handler gets the signal, or the signal ends the program as it would have done. Left out: a program with a
// handler installed after its first call gets the signal without the line; the processor does not report
// addresses of constants.
#pragma once

#include <cstddef>

#include "base/address.h"

namespace duet::process {

class Program;

// Takes SIGSEGV, once. `program` is never destroyed.
void watch_faults(Program& program);

// Writes the text about an address that an API keeps from the program; false: it is none.
using FaultExplainer = bool (*)(VirtualAddress address, char* text, std::size_t bytes);
void explain_faults_by(FaultExplainer explainer);
// Of a program on simulated cores, which faults there: writes the text to standard error; false: there is
// none.
bool explain_fault(Program& program, VirtualAddress address, bool writes);

// While it lives, this thread touches bytes of the program's memory for a copy: if they are not there, `call`
// is named. Inside another one with these bytes it has no effect.
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
