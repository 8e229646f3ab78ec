// Copies between pageable host memory and the device, in time: the processor moves them through a staging
// buffer of two pinned pieces, and the copy engine moves one while the processor moves the other
// (driver.staging). As the CUDA documentation has it ("API synchronization behavior"), a copy to the device
// longer than a piece waits for its stream first, and returns when the last piece is staged, perhaps before
// it is on the device; a shorter one does not wait; a copy to the host returns when it is complete. Left out:
// copies with full/empty bits and nodes of graphs are not staged; the staging itself takes no bandwidth of
// host memory.
#pragma once

#include "core/copies.h"

namespace duet::core {

// Whether the machine stages this copy with a pageable side.
bool is_staged(Runtime& runtime, const driver::CopyJob& job, bool pageable_source, bool pageable_target);
// The whole call: `command` has everything but its bytes. When the call returns, the bytes from
// the program's memory have been read, and those for the program are there.
void copy_to_device(Runtime& runtime, host::HostThread& host, driver::Command command, const CopySide& from);
void copy_to_host(Runtime& runtime, host::HostThread& host, driver::Command command);

}  // namespace duet::core
