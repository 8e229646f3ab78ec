// Copies between pageable host memory and the device, in time: the processor moves them through a staging
// buffer of two pinned pieces, and the copy engine moves one while the processor moves the other
// (driver.staging). As CUDA documents ("API synchronization behavior"), a copy to the device that is longer
// than a piece waits for its stream first, and returns when the last piece is staged, whose way to the device
// may not have ended; a shorter one does not wait; a copy to the host returns when it is complete. Left out:
// copies that name full/empty bits and nodes of graphs are not staged; the staging itself takes no bandwidth
// of host memory.
#pragma once

#include "cuda/session/session.h"

namespace duet::cuda {

struct CopySide;

// Whether the machine stages this copy, of which one side is pageable.
bool is_staged(Session& session, const driver::CopyJob& job, bool pageable_source, bool pageable_target);
// The whole call: `command` has everything but its bytes. What CUDA takes from the program's memory is taken
// when the call returns, what it brings is there.
void copy_to_device(Session& session, ThreadState& thread, driver::Command command, const CopySide& from);
void copy_to_host(Session& session, ThreadState& thread, driver::Command command);

}  // namespace duet::cuda
