// How a request of an offload API ended: a reason, and a line of text where there is one.
//
//   if (const Status status = prepare_copy(...); status.failed()) return error_of(status);
//
// Every API has numbers of its own for the reasons (for CUDA: cuda/session/errors.h). Left out: arguments
// that an API refuses itself, in its own order.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"

namespace duet::core {

enum class Reason : std::uint8_t {
  Success,
  InvalidValue,
  InvalidConfiguration,  // of a launch: more threads or blocks than the machine takes
  InvalidPitch,          // rows overlap
  InvalidDirection,      // of a copy
  InvalidFunction,       // the module has no such kernel
  NotFound,              // no such variable
  NotReady,              // of a query: not complete yet
  NotSupported,
  OutOfMemory,
  OutOfResources,       // registers, warps or shared memory of an SM
  CooperativeTooLarge,  // the blocks are not all resident at once
  AlreadyRegistered,    // host memory
  NotRegistered,        // host memory
  InvalidCode,          // the text is no PTX
  NewerCode,            // of a version that is not known yet
  NoCodeForDevice,      // machine code without PTX
  FileNotFound,
  IllegalAddress,  // from here on: a kernel's fault, after which the device is lost
  MisalignedAddress,
  IllegalInstruction,
  AssertFailed,
  StackOverflow,
  LaunchFailed
};

struct [[nodiscard]] Status {
  Reason reason = Reason::Success;
  std::string text{};  // for a person; may be empty

  Status() = default;
  Status(Reason why) : reason(why) {}
  Status(Reason why, std::string words) : reason(why), text(std::move(words)) {}
  bool failed() const { return reason != Reason::Success; }
};

// Thrown where code of a program is there, but as machine code alone.
class MachineCodeOnly : public Error {
 public:
  using Error::Error;
};

}  // namespace duet::core
