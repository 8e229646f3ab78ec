// Accesses of a core to device pages: one request each, made when all earlier instructions have retired, with
// no later one dispatched before its answer.
//
//   device.stands_at(access, kind);   // in the execution of an instruction: it is such an access
//   if (device.take_standing()) return device.begin(code);
//   device.end();                     // its request has been answered
//
// It may be by a wrong address, as long as older loads are looked at again: so it waits. Misaligned accesses
// fault.
#pragma once

#include <utility>

#include "cpu/core_state.h"

namespace duet::cpu {

class EarlyExecution;
class FrontEnd;
class SerialUnit;
class UncachedUnit;

class DeviceUnit {
 public:
  DeviceUnit(CoreState& state, FrontEnd& front_end, EarlyExecution& execution, SerialUnit& serial,
             UncachedUnit& uncached)
      : state_(state), front_end_(front_end), execution_(execution), serial_(serial), uncached_(uncached) {}

  // The instruction in execution accesses a device page; a misaligned access faults. Always false: it is not
  // executed now.
  bool stands_at(const Access& access, rv64::Access kind);
  bool take_standing() { return std::exchange(standing_, false); }
  // Sends the access when the window is empty. Returns whether anything can be dispatched at once.
  bool begin(const CodeEntry& code);
  bool is_waiting() const { return request_ != memory::kNoRequest; }
  bool is_of(memory::RequestHandle request) const { return request_ == request; }
  // The access has been made: the instruction is over.
  void end();

 private:
  CoreState& state_;
  FrontEnd& front_end_;
  EarlyExecution& execution_;
  SerialUnit& serial_;
  UncachedUnit& uncached_;
  bool standing_ = false;
  memory::RequestHandle request_ = memory::kNoRequest;
  const CodeEntry* code_ = nullptr;
};

}  // namespace duet::cpu
