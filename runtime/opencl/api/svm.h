// What shared virtual memory can do on this machine.
#pragma once

#include "opencl/session/session.h"

namespace duet::opencl::api {

// Whether program and kernels see each other's atomic operations in fine-grained memory while both run: the
// program's cores are simulated, and the GPU has none of this memory in its caches, but asks the cores'
// directory. A native program stands still while a kernel runs.
bool has_svm_atomics(Session& session);

}  // namespace duet::opencl::api
